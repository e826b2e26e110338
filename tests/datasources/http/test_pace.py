"""A guest that asks less as soon as its host slows down."""

import asyncio
import time

import pytest

from superbizagent.datasources._http import Pace


class Seconds:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def most_at_once(pace: Pace, requests: int) -> int:
    under_way = most = 0

    async def one() -> None:
        nonlocal under_way, most
        async with pace.turn():
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.001)
            under_way -= 1

    await asyncio.gather(*(one() for _ in range(requests)))
    return most


def test_no_more_requests_are_under_way_than_allowed() -> None:
    assert asyncio.run(most_at_once(Pace(4, Seconds()), 20)) == 4


def test_a_slow_answer_halves_them_and_they_never_grow_again() -> None:
    seconds = Seconds()
    pace = Pace(4, seconds)

    async def slow() -> None:
        async with pace.turn():
            seconds.now += 6

    for expected in (2, 1, 1):
        asyncio.run(slow())
        assert pace.at_once == expected
    assert asyncio.run(most_at_once(pace, 5)) == 1


def test_a_quick_answer_changes_nothing() -> None:
    pace = Pace(4, Seconds())
    asyncio.run(most_at_once(pace, 8))
    assert pace.at_once == 4


def test_a_pause_that_is_asked_for_is_kept_by_all() -> None:
    pace = Pace(2, time.monotonic)
    pace.slow_down(0.1)
    began = time.monotonic()
    asyncio.run(most_at_once(pace, 2))
    assert time.monotonic() - began >= 0.1


def test_no_pause_uses_up_a_diagnosis() -> None:
    seconds = Seconds()
    pace = Pace(2, seconds)
    pace.slow_down(3600)
    assert pace._not_before - seconds.now <= 5


def test_a_request_that_is_given_up_while_it_waits_leaves_its_place() -> None:
    pace = Pace(1, Seconds())

    async def run() -> None:
        async with pace.turn():
            waiting = asyncio.create_task(most_at_once(pace, 1))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        assert await asyncio.wait_for(most_at_once(pace, 3), 1) == 1

    asyncio.run(run())
