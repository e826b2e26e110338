"""One reader of the journal per process, however many watch.

It reads only while somebody watches. A watcher that does not keep up is dropped, and told so: it
comes back with the id of the last event it saw, and misses nothing.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from superbizagent.api.streams.events import Event, ending, is_call, told
from superbizagent.domain.protocols import Clock
from superbizagent.errors import StorageError
from superbizagent.storage.feed import LATE, FeedEntry, FeedRepository
from superbizagent.storage.sessions import SessionRepository
from superbizagent.telemetry import get_logger

__all__ = ["JournalPoller", "Told", "Watcher"]

_TICK_SECONDS = 0.2
"""People do not see a shorter delay, and each tick is one indexed query."""
_PENDING = 1000
"""Batches of entries that wait for a watcher; a session has a few hundred entries."""


Told = tuple[FeedEntry, tuple[Event, ...]]
"""An entry and what a stream says of it."""


class Watcher:
    """What comes in for one who watches."""

    def __init__(self) -> None:
        self._news: asyncio.Queue[list[Told] | None] = asyncio.Queue(_PENDING)
        self.dropped = False
        """It did not keep up; nothing more comes."""

    def put(self, news: list[Told]) -> None:
        """Hand entries over, or give the watcher up."""
        if self.dropped:
            return
        try:
            self._news.put_nowait(news)
        except asyncio.QueueFull:
            self.dropped = True
            self._news.get_nowait()
            self._news.put_nowait(None)

    async def get(self) -> list[Told] | None:
        """Return what is new, None when the watcher was dropped."""
        return await self._news.get()


class JournalPoller:
    """Reads what is new in the journal and hands it to those who watch its session."""

    def __init__(self, feed: FeedRepository, sessions: SessionRepository, clock: Clock) -> None:
        self._feed = feed
        self._sessions = sessions
        self._clock = clock
        self._watchers: defaultdict[str, set[Watcher]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self._seen: dict[tuple[str, str, int], datetime] = {}
        self._endings: dict[str, asyncio.Task[list[Event]]] = {}
        self._log = get_logger("streams")

    @property
    def watching(self) -> int:
        """How many watch."""
        return sum(len(some) for some in self._watchers.values())

    @asynccontextmanager
    async def watch(self, session_id: str) -> AsyncGenerator[Watcher]:
        """Watch a session while the block lasts; what was recorded before has to be read."""
        watcher = Watcher()
        self._watchers[session_id].add(watcher)
        if self._task is None or self._task.done():
            self._seen.clear()
            self._task = asyncio.create_task(self._poll(), name="journal poller")
        try:
            yield watcher
        finally:
            self._watchers[session_id].discard(watcher)
            if not self._watchers[session_id]:
                del self._watchers[session_id]
                self._endings.pop(session_id, None)

    async def recorded(self, session_id: str) -> list[Told]:
        """Return what a session has recorded so far."""
        return await self._tell(await self._feed.of_session(session_id))

    async def ending(self, session_id: str) -> list[Event]:
        """Return what a session that has ended came to; read once for all who watch it."""
        if session_id not in self._endings:
            self._endings[session_id] = asyncio.create_task(self._read_ending(session_id))
        return await asyncio.shield(self._endings[session_id])

    async def _read_ending(self, session_id: str) -> list[Event]:
        return ending(await self._sessions.require(session_id))

    async def _tell(self, entries: Sequence[FeedEntry]) -> list[Told]:
        calls = await self._feed.calls({e.row_id for e in entries if is_call(e)})
        return [(entry, tuple(told(entry, calls))) for entry in entries]

    async def _poll(self) -> None:
        """Read until nobody watches."""
        start = self._clock.now() - LATE
        while self._watchers:
            try:
                start = await self._read(start)
            except StorageError as error:  # locked, gone: it may come back
                self._log.error("the journal cannot be read", error=str(error))
            await asyncio.sleep(_TICK_SECONDS)

    async def _read(self, start: datetime) -> datetime:
        found = await self._feed.since(start)
        news = [e for e in found if (e.session_id, e.key, e.attempt) not in self._seen]
        self._seen |= {(e.session_id, e.key, e.attempt): e.recorded_at for e in news}
        watched = [entry for entry in news if entry.session_id in self._watchers]
        of_session: defaultdict[str, list[Told]] = defaultdict(list)
        for one in await self._tell(watched) if watched else ():
            of_session[one[0].session_id].append(one)
        for session_id, some in of_session.items():
            for watcher in self._watchers.get(session_id, ()):
                watcher.put(some)
        if not found:
            return start
        start = max(start, found[-1].recorded_at - LATE)
        self._seen = {name: at for name, at in self._seen.items() if at >= start}
        return start
