"""One reader of the journal per process, however many watch.

It reads only while somebody watches: one query a tick asks how far all watched sessions are, and
what is new of one is read once. All who watch a session share one list of what it recorded, so a
watcher costs its place in that list; one that is slow is behind, and holds nothing back.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from superbizagent.api.streams.events import Event, ending, told
from superbizagent.errors import StorageError
from superbizagent.storage.feed import FeedEntry, FeedRepository, FeedState
from superbizagent.storage.sessions import SessionRepository
from superbizagent.telemetry import get_logger

__all__ = ["JournalPoller", "SessionLog", "Told"]

Told = tuple[FeedEntry, tuple[Event, ...]]
"""An entry and what a stream says of it, made once for all who watch."""

_TICK_SECONDS = 0.2
"""People do not see a shorter delay, and each tick is one indexed query."""
_GONE = FeedState(0, ended=True)
"""There is no such session any more."""


class SessionLog:
    """What a session has recorded so far, for all who watch it."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        """In the order in which they were seen; only ever longer."""
        self.ending: list[Event] | None = None
        """What it has come to; None while it goes on."""
        self.watchers = 0
        self._known: set[tuple[str, int]] = set()
        self._changed = asyncio.Event()

    @property
    def changed(self) -> asyncio.Event:
        """Set at the next change: to be taken before looking, and waited for after."""
        return self._changed

    def wake(self) -> None:
        """Let all who wait look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def catch_up(self, feed: FeedRepository, session_id: str, entries: int) -> None:
        """Read what is new, if there are more entries than are known."""
        if entries == len(self._known):
            return
        found = await feed.entries(session_id, self._known)
        self.told += [(entry, tuple(told(entry))) for entry in found]
        self._known |= {(entry.key, entry.attempt) for entry in found}
        self.wake()

    def end(self, events: list[Event]) -> None:
        """Take no more in: it has ended, or cannot be read."""
        self.ending = events
        self.wake()


class JournalPoller:
    """Reads what is new of the sessions that somebody watches."""

    def __init__(self, feed: FeedRepository, sessions: SessionRepository) -> None:
        self._feed = feed
        self._sessions = sessions
        self._logs: dict[str, SessionLog] = {}
        self._task: asyncio.Task[None] | None = None
        self._new = asyncio.Event()
        self._failing = False
        self._log = get_logger("streams")

    @property
    def watching(self) -> int:
        """How many watch."""
        return sum(log.watchers for log in self._logs.values())

    @asynccontextmanager
    async def watch(self, session_id: str) -> AsyncGenerator[SessionLog]:
        """Watch a session while the block lasts."""
        log = self._logs.setdefault(session_id, SessionLog())
        log.watchers += 1
        self._new.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll(), name="journal poller")
        try:
            yield log
        finally:
            log.watchers -= 1
            if not log.watchers:
                del self._logs[session_id]

    def wake_watchers(self) -> None:
        """Let all who watch look again."""
        for log in self._logs.values():
            log.wake()

    async def _poll(self) -> None:
        """Read until nobody watches."""
        while self._logs:
            self._new.clear()
            try:
                await self._read()
                self._failing = False
            except StorageError as error:  # locked, gone: it may come back
                if not self._failing:
                    self._log.error("the journal cannot be read", error=str(error))
                self._failing = True
            with suppress(TimeoutError):
                await asyncio.wait_for(self._new.wait(), _TICK_SECONDS)

    async def _read(self) -> None:
        live = {name: log for name, log in self._logs.items() if log.ending is None}
        states = await self._feed.states(live)
        for name, log in live.items():
            state = states.get(name, _GONE)
            try:
                await log.catch_up(self._feed, name, state.entries)
                if state.ended:
                    log.end(ending(await self._sessions.require(name)))
            except Exception as error:
                if isinstance(error, StorageError) and state is not _GONE:
                    raise  # locked, gone: it may come back
                # A damaged row, or a session that was deleted, must not stop the others.
                self._log.error("a journal cannot be read", session_id=name, error=str(error))
                hint = f"superbiz trace verify {name}"
                log.end([Event("error", {"message": "its journal cannot be read", "hint": hint})])
