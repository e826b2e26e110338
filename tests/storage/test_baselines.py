"""What was learnt comes back as it was stored, a system as a whole."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from superbizagent.domain.learnt import Band, LearntLength, LearntNormal
from superbizagent.domain.window import Window
from superbizagent.errors import IntegrityError
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import health_baseline

pytestmark = pytest.mark.anyio

DAY = datetime(2026, 11, 20, 8, 30, 15, 123456, tzinfo=UTC)


def learnt(system: str, bands: int = 3, left_out: int = 4) -> LearntNormal:
    def length(minutes: int) -> LearntLength:
        rows = tuple(
            Band(
                entity="" if k == 0 else f"//service/s{k:04d}",
                signal="lat",
                samples=60 + k,
                median=0.1 * k,
                q95=0.5 + k,
                q975=1.5 + k,
                largest=2.25 + k,
            )
            for k in range(bands)
        )
        return LearntLength(length=timedelta(minutes=minutes), windows=60 + minutes, bands=rows)

    return LearntNormal(
        system=system,
        learnt_at=DAY,
        span=Window(start=DAY - timedelta(days=7), end=DAY),
        left_out=left_out,
        lengths=(length(10), length(60)),
    )


async def test_it_comes_back_as_it_was_stored(storage: Storage) -> None:
    await storage.baselines.replace(learnt("http://a"))
    assert await storage.baselines.get("http://a") == learnt("http://a")
    assert await storage.baselines.get("http://b") is None


async def test_the_newest_replaces_all_of_the_old(storage: Storage) -> None:
    await storage.baselines.replace(learnt("http://a", bands=1500))
    await storage.baselines.replace(learnt("http://b"))
    await storage.baselines.replace(learnt("http://a", bands=2))
    assert await storage.baselines.list() == (learnt("http://a", bands=2), learnt("http://b"))


async def test_one_system_is_forgotten_and_no_other(storage: Storage) -> None:
    await storage.baselines.replace(learnt("http://a"))
    await storage.baselines.replace(learnt("http://b"))
    assert await storage.baselines.forget("http://a")
    assert not await storage.baselines.forget("http://a")
    assert await storage.baselines.list() == (learnt("http://b"),)


async def test_a_row_that_nobody_wrote_is_named_with_the_way_out(storage: Storage) -> None:
    await storage.baselines.replace(learnt("http://a"))
    async with storage.database.write() as connection:
        await connection.execute(update(health_baseline).values(details={}))
    with pytest.raises(IntegrityError, match="learn it again with superbiz baseline learn"):
        await storage.baselines.get("http://a")


def test_of_two_lengths_the_nearer_one_counts() -> None:
    known = learnt("http://a")
    assert known.nearest(timedelta(minutes=6)).length == timedelta(minutes=10)
    assert known.nearest(timedelta(minutes=24)).length == timedelta(minutes=10)
    assert known.nearest(timedelta(minutes=25)).length == timedelta(minutes=60)
    assert known.nearest(timedelta()).length == timedelta(minutes=10)
