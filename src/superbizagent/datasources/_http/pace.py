"""How many requests are under way at once: fewer as soon as the other side slows down."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

__all__ = ["Pace"]

_SLOW_SECONDS = 5.0
"""A query that takes a server longer than this competes with the people and rules it serves."""

_MOST_PAUSE_SECONDS = 5.0
"""A longer pause would use up the time of the whole diagnosis."""


class Pace:
    """Halves the number of requests at once when one was slow or refused as too many.

    It never grows again within a session: a server that was in trouble a minute ago still is.

    Args:
        most: requests at once to begin with.
        seconds: a clock that never goes back.
    """

    def __init__(self, most: int, seconds: Callable[[], float]) -> None:
        self.at_once = max(most, 1)
        """Requests that may be under way now."""
        self._seconds = seconds
        self._under_way = 0
        self._not_before = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait for a turn, and learn from how long the request took."""
        await self._begin()
        began = self._seconds()
        try:
            yield
        finally:
            self._under_way -= 1
            if self._seconds() - began > _SLOW_SECONDS:
                self.slow_down()
            self._wake()

    def slow_down(self, pause_seconds: float = 0.0) -> None:
        """Ask less from now on, and nothing at all for a moment when that was demanded."""
        self.at_once = max(self.at_once // 2, 1)
        pause = min(max(pause_seconds, 0.0), _MOST_PAUSE_SECONDS)
        self._not_before = max(self._not_before, self._seconds() + pause)

    async def _begin(self) -> None:
        while self._under_way >= self.at_once:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._under_way += 1
        pause = self._not_before - self._seconds()
        if pause > 0:
            try:
                await asyncio.sleep(pause)
            except asyncio.CancelledError:
                self._under_way -= 1
                self._wake()
                raise

    def _wake(self) -> None:
        """Let those who wait look again whether it is their turn."""
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)
