"""One reader of the journal per process, however many watch.

It reads only while somebody watches. A watcher that does not keep up is dropped, and told so: it
comes back with the id of the last event it saw, and misses nothing.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime

from superbizagent.domain.protocols import Clock
from superbizagent.errors import StorageError
from superbizagent.storage.feed import LATE, FeedEntry, FeedRepository
from superbizagent.telemetry import get_logger

__all__ = ["JournalPoller", "Watcher"]

_TICK_SECONDS = 0.2
"""People do not see a shorter delay, and each tick is one indexed query."""
_PENDING = 1000
"""Entries that wait for a watcher; a session has a few hundred."""


class Watcher:
    """What comes in for one who watches."""

    def __init__(self) -> None:
        self._entries: asyncio.Queue[FeedEntry | None] = asyncio.Queue(_PENDING)
        self.dropped = False
        """It did not keep up; nothing more comes."""

    def put(self, entry: FeedEntry) -> None:
        """Hand an entry over, or give the watcher up."""
        if self.dropped:
            return
        try:
            self._entries.put_nowait(entry)
        except asyncio.QueueFull:
            self.dropped = True
            self._entries.get_nowait()
            self._entries.put_nowait(None)

    async def get(self) -> FeedEntry | None:
        """Return the next entry, None when the watcher was dropped."""
        return await self._entries.get()


class JournalPoller:
    """Reads what is new in the journal and hands it to those who watch its session."""

    def __init__(self, feed: FeedRepository, clock: Clock) -> None:
        self._feed = feed
        self._clock = clock
        self._watchers: defaultdict[str, set[Watcher]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self._seen: dict[tuple[str, str, int], datetime] = {}
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
        for entry in found:
            name = (entry.session_id, entry.key, entry.attempt)
            if name in self._seen:
                continue
            self._seen[name] = entry.recorded_at
            for watcher in self._watchers.get(entry.session_id, ()):
                watcher.put(entry)
        if not found:
            return start
        start = max(start, found[-1].recorded_at - LATE)
        self._seen = {name: at for name, at in self._seen.items() if at >= start}
        return start
