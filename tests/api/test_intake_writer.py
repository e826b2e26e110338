"""The one writer of alerts: batches, a database that refuses, restarts, another process."""

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.util import greenlet_spawn

from alert_service import Served, alert, body_of, grouper, partition, served
from benchmarks.storm_alerts import make_storm
from journaling import SetClock, opened
from superbizagent.api.intake import writer
from superbizagent.api.intake.placing import Placer
from superbizagent.api.intake.reading import Delivery, read_delivery
from superbizagent.api.intake.writer import Intake, IntakeFullError
from superbizagent.domain.incident_record import Sender
from superbizagent.storage import database
from superbizagent.storage.store import Storage

pytestmark = pytest.mark.anyio

BODY = body_of(alert(service="a"))
TABLES = ("incident", "alert", "incident_event", "webhook_delivery")


async def counts(service: Served) -> list[int]:
    return [(await service.rows(f"SELECT count(*) FROM {t}"))[0][0] for t in TABLES]  # noqa: S608 - constants


async def test_requests_share_transactions(
    service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = 0
    real = service.storage.database.write

    def write() -> Any:
        nonlocal begun
        begun += 1
        return real()

    monkeypatch.setattr(service.storage.database, "write", write)
    told = await asyncio.gather(*(service.take(body_of(alert(service=f"s{k}"))) for k in range(80)))
    assert len({one["alert_ids"][0] for one in told}) == 80
    assert begun < 20
    assert await counts(service) == [80, 80, 80, 80]


async def test_the_same_body_at_once_is_one_delivery(service: Served) -> None:
    told = await asyncio.gather(*(service.take(BODY) for _ in range(30)))
    assert sum(one["duplicates"] for one in told) == 29
    assert await service.rows("SELECT times FROM webhook_delivery") == [(30,)]
    assert await service.rows("SELECT times FROM alert") == [(30,)]


async def test_a_locked_database_refuses_and_half_of_nothing_is_written(
    service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_SECONDS", 0.1)
    await service.take(BODY)
    other = sqlite3.connect(service.storage.database.label, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    response = await service.post(body_of(alert("Second", service="a")))
    assert response.status_code == 503
    assert "another process" in response.text
    other.execute("ROLLBACK")
    other.close()
    assert await counts(service) == [1, 1, 1, 1]
    told = await service.take(body_of(alert("Second", service="a")))  # as Alertmanager does
    assert told["duplicates"] == 0
    assert await counts(service) == [1, 2, 1, 2]


async def on_writer(service: Served, pragma: str) -> None:
    """Change the one connection that writes."""
    pooled = await service.storage.database._writer.raw_connection()
    driver: Any = pooled.driver_connection
    await driver.execute(pragma)
    await greenlet_spawn(pooled.close)


@pytest.mark.parametrize(
    ("pragma", "undo", "said"),
    [
        ("PRAGMA query_only = 1", "PRAGMA query_only = 0", "read-only"),
        ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 100000", "no room left"),
    ],
)
async def test_a_full_or_read_only_database_refuses(
    service: Served, pragma: str, undo: str, said: str
) -> None:
    await service.take(BODY)
    # Large enough that it does not fit into pages that are there.
    large = body_of(*(alert(f"A{k}", service="a", note="x" * 2000) for k in range(200)))
    await on_writer(service, pragma)
    refused = await service.post(large)
    assert refused.status_code == 503
    assert said in refused.text
    await on_writer(service, undo)
    assert await counts(service) == [1, 1, 1, 1]
    assert len((await service.take(large))["alert_ids"]) == 200


async def test_one_delivery_that_cannot_be_stored_does_not_hurt_the_others(
    service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Placer.place

    def place(self: Placer, one: Any, *more: Any) -> Any:
        if one.name == "Poison":
            raise RuntimeError("never seen before")
        return real(self, one, *more)

    monkeypatch.setattr(Placer, "place", place)
    bodies = [body_of(alert("Poison" if k == 5 else f"A{k}", service="a")) for k in range(12)]
    told = await asyncio.gather(*(service.post(body) for body in bodies))
    assert [one.status_code for one in told] == [503 if k == 5 else 202 for k in range(12)]
    assert "never seen" not in told[5].text
    assert await counts(service) == [1, 11, 1, 11]


async def test_a_full_queue_says_when_to_come_again(
    service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def take(self: Intake, delivery: Delivery) -> Any:
        raise IntakeFullError

    monkeypatch.setattr(Intake, "take", take)
    response = await service.post(BODY)
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "1"


async def test_the_queue_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "QUEUE_LENGTH", 3)
    async with opened(tmp_path) as storage:
        intake = Intake(storage, storage.clock, grouper, lambda: None)  # nobody writes
        tasks = [asyncio.create_task(intake.take(delivery(storage, BODY))) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(IntakeFullError):
            await intake.take(delivery(storage, BODY))
        async with intake.running():
            assert len(await asyncio.gather(*tasks)) == 3


async def test_what_waits_at_the_end_is_written(tmp_path: Path) -> None:
    async with opened(tmp_path) as storage:
        intake = Intake(storage, storage.clock, grouper, lambda: None)
        async with intake.running():
            tasks = [asyncio.create_task(intake.take(delivery(storage, BODY))) for _ in range(9)]
            await asyncio.sleep(0)
        assert all(task.done() and task.result().alert_ids for task in tasks)


def delivery(storage: Storage, body: dict[str, Any] | bytes) -> Delivery:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_delivery(Sender.ALERTMANAGER, data, storage.clock.now(), storage.redactor)


async def fed(folder: Path, bodies: Sequence[bytes], owners: Sequence[int]) -> set[frozenset[str]]:
    """Which alerts are together after bodies were stored, each by the process of its number."""
    clock = SetClock()
    async with opened(folder, clock) as storage:
        intakes = {n: Intake(storage, clock, grouper, lambda: None) for n in set(owners)}
        for number, intake in intakes.items():
            async with intake.running():
                mine = [b for b, n in zip(bodies, owners, strict=True) if n == number]
                for body in mine:
                    await intake.take(delivery(storage, body))
                    clock.pass_(0.05)
        async with storage.database.read() as connection:
            query = "SELECT fingerprint, incident_id FROM alert"
            rows = await connection.exec_driver_sql(query)
            return partition((str(name), str(group)) for name, group in map(tuple, rows))


async def test_a_restart_in_a_storm_changes_no_incident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_GATHER_SECONDS", 0)
    bodies = [one.body for one in make_storm(3, "mixed", count=300).deliveries]
    whole = await fed(tmp_path / "whole", bodies, [0] * 300)
    restarted = await fed(tmp_path / "twice", bodies, [0] * 120 + [1] * 100 + [2] * 80)
    assert restarted == whole
    assert len(whole) > 3


async def test_two_processes_see_each_others_alerts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_GATHER_SECONDS", 0)
    async with served(tmp_path) as one, opened(tmp_path, one.clock) as storage:
        other = Intake(storage, one.clock, grouper, lambda: None)
        async with other.running():
            first = await one.take(BODY)
            second = await other.take(delivery(storage, body_of(alert("B", service="a"))))
            third = await one.take(body_of(alert("C", service="a")))
            again = await other.take(delivery(storage, BODY))
        assert {*first["incident_ids"], *third["incident_ids"]} == set(second.incident_ids)
        assert again.duplicates == 1
        assert await counts(one) == [1, 3, 1, 3]


async def test_incidents_that_are_over_are_closed(service: Served) -> None:
    gone = alert(service="a", status="resolved", endsAt="2026-07-06T10:00:00Z")
    first = await service.take(BODY)
    await service.take(body_of(gone))
    service.clock.pass_(3000)
    intake = Intake(service.storage, service.clock, grouper, lambda: None)
    async with intake.running():
        for _ in range(100):
            if (await service.rows("SELECT closed_at FROM incident"))[0][0]:
                break
            await asyncio.sleep(0.02)
    rows = await service.rows("SELECT kind FROM incident_event ORDER BY at")
    assert [kind for (kind,) in rows][-1] == "closed"
    later = await service.take(body_of(alert(service="a", startsAt="2026-07-06T10:50:00Z")))
    assert later["incident_ids"] != first["incident_ids"]
