"""One session as a stream: what it has recorded, then what it records, until its end."""

from collections.abc import AsyncGenerator

from superbizagent.api.streams.events import Event
from superbizagent.api.streams.poller import JournalPoller, Told
from superbizagent.domain.session import DiagnosisSession
from superbizagent.storage.feed import LATE, FeedEntry
from superbizagent.storage.store import Storage

__all__ = ["follow", "until_end"]


async def follow(
    poller: JournalPoller, session_id: str, last_event_id: str = ""
) -> AsyncGenerator[Event]:
    """Yield the events of a session: recorded ones, then live ones, then how it ended.

    Behind ``last_event_id`` and for a few seconds before it, so that nothing is missed that was
    recorded before it and committed after: an event may come twice, under the same id.

    Args:
        poller: of this process.
        session_id: of a session that exists.
        last_event_id: of the last event that the client has seen.
    """
    async with poller.watch(session_id) as watcher:
        seen: set[str] = set()
        news: list[Told] | None = await poller.recorded(session_id)
        over = False
        while news is not None and not over:
            for entry, events in news:
                over = over or entry.ends_session
                if entry.event_id in seen:
                    continue
                seen.add(entry.event_id)
                if is_behind(entry, last_event_id):
                    for event in events:
                        yield event
            news = None if over else await watcher.get()
        if not over:
            hint = "resume with Last-Event-ID"
            yield Event("error", {"message": "this client does not keep up", "hint": hint})
            return
        for event in await poller.ending(session_id):
            yield event


async def until_end(storage: Storage, poller: JournalPoller, session_id: str) -> DiagnosisSession:
    """Wait until a session has ended, and return it."""
    async with poller.watch(session_id) as watcher:
        while not (session := await storage.sessions.require(session_id)).status.is_final:
            while not any(entry.ends_session for entry, _ in await watcher.get() or ()):
                pass
        return session


def is_behind(entry: FeedEntry, last_event_id: str) -> bool:
    """Tell whether an entry is to be sent to a client that has seen up to an event."""
    at = last_event_id.partition("-")[0]
    if not at.isdecimal() or entry.event_id == last_event_id:
        return not at.isdecimal()
    late = LATE.total_seconds() * 1e6
    return entry.recorded_at.timestamp() * 1e6 > int(at[:20]) - late
