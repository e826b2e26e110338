"""How many streams may be open, and whether those who opened them still may."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

from superbizagent.api.problems import Refused
from superbizagent.domain.access import Principal
from superbizagent.errors import StorageError

__all__ = ["Place", "Places"]

_CHECK_SECONDS = 15.0


class Place:
    """The right to one open stream."""

    def __init__(self, caller: Principal) -> None:
        self.caller = caller
        self.over = False
        """The caller is not let in any more."""


class Places:
    """Gives places away, and takes them from those whose token is over.

    Args:
        limit: open streams of all callers together.
        allowed: tells whether a caller would still be let in.
        wake: called when places were taken away.
        check_seconds: how often callers are checked; each once, however many streams it has.
    """

    def __init__(
        self,
        limit: int,
        allowed: Callable[[Principal], Awaitable[bool]],
        wake: Callable[[], None],
        check_seconds: float = _CHECK_SECONDS,
    ) -> None:
        self._limit = limit
        self._allowed = allowed
        self._wake = wake
        self._check_seconds = check_seconds
        self._taken: set[Place] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def taken(self) -> int:
        """How many streams are open."""
        return len(self._taken)

    @contextmanager
    def take(self, caller: Principal) -> Generator[Place]:
        """Take a place for a stream that the block begins; given back at once if it fails.

        Raises:
            Refused: 503 when there is none.
        """
        if len(self._taken) >= self._limit:
            raise Refused(
                503,
                f"{self._limit} streams are open",
                "close some, or raise [service] max_streams",
                headers={"Retry-After": "10"},
            )
        place = Place(caller)
        self._taken.add(place)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._check(), name="stream tokens")
        try:
            yield place
        except BaseException:
            self.give_back(place)
            raise

    def give_back(self, place: Place) -> None:
        """Free a place: its stream has ended."""
        self._taken.discard(place)

    async def _check(self) -> None:
        while self._taken:
            await asyncio.sleep(self._check_seconds)
            callers = {place.caller.model_dump_json(): place.caller for place in self._taken}
            for caller in callers.values():
                if not await self._still(caller):
                    for place in self._taken:
                        place.over = place.over or place.caller == caller
                    self._wake()

    async def _still(self, caller: Principal) -> bool:
        try:
            return await self._allowed(caller)
        except StorageError:  # asked again at the next look
            return True
