"""What a worker does beside diagnoses, with a clock that is moved by hand."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from journaling import SetClock, opened
from superbizagent.domain.source_state import SourceState
from superbizagent.errors import NothingReadableError
from superbizagent.storage.service_state import LEARNING, SOURCES
from superbizagent.storage.store import Storage
from superbizagent.workers.housekeeping import Housekeeper

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def storage(tmp_path: Path, clock: SetClock, anyio_backend: str) -> AsyncGenerator[Storage]:
    async with opened(tmp_path, clock) as storage:
        yield storage


async def nothing() -> tuple[SourceState, ...]:
    return ()


async def test_what_the_sources_say_is_stored_and_a_failure_ends_nothing(
    storage: Storage, clock: SetClock
) -> None:
    asked = 0

    async def examine() -> tuple[SourceState, ...]:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise RuntimeError("a source that breaks its promise")
        state = SourceState(
            name="p", kind="prometheus", place="x", state="ok", said="", examined_at=clock.now()
        )
        return (state,)

    keeper = Housekeeper(storage, examine, None, every_seconds=0.01)
    keeping = asyncio.create_task(keeper.keep())
    while await storage.state.get(SOURCES) is None:  # noqa: ASYNC110 - it is in the database
        await asyncio.sleep(0.01)
    keeping.cancel()
    stored = await storage.state.get(SOURCES)
    assert stored is not None
    assert stored[0]["items"][0]["name"] == "p"


async def test_learning_is_done_once_a_day_by_one_of_several(
    storage: Storage, clock: SetClock
) -> None:
    began: list[str] = []

    async def learn() -> str:
        began.append("x")
        await asyncio.sleep(0.05)
        return "60 windows"

    keepers = [Housekeeper(storage, nothing, learn) for _ in range(3)]
    done = await asyncio.gather(*(keeper.learn(learn) for keeper in keepers))
    assert sorted(done) == [False, False, True]
    assert began == ["x"]
    stored = await storage.state.get(LEARNING)
    assert stored is not None
    assert stored[0] == {"said": "60 windows"}
    clock.pass_(23 * 3600)
    assert not await keepers[0].learn(learn)
    clock.pass_(3600)
    assert await keepers[0].learn(learn)


@pytest.mark.parametrize("error", [NothingReadableError("too little"), RuntimeError("a fault")])
async def test_learning_that_fails_is_tried_again_the_next_day(
    storage: Storage, clock: SetClock, error: Exception
) -> None:
    async def learn() -> str:
        raise error

    keeper = Housekeeper(storage, nothing, learn)
    assert await keeper.learn(learn)
    stored = await storage.state.get(LEARNING)
    assert stored is not None
    assert stored[0]["said"].startswith("failed: ")
    assert not await keeper.learn(learn)
    clock.pass_(24 * 3600)
    assert await keeper.learn(learn)
