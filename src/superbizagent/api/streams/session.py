"""One session as a stream: what it has recorded, then what it records, until its end."""

from collections.abc import AsyncGenerator

from superbizagent.api.streams.events import Event
from superbizagent.api.streams.places import Place
from superbizagent.api.streams.poller import JournalPoller
from superbizagent.domain.session import DiagnosisSession
from superbizagent.storage.feed import LATE, FeedEntry
from superbizagent.storage.store import Storage

__all__ = ["follow", "is_behind", "queued", "until_end"]


async def queued(
    poller: JournalPoller, session: DiagnosisSession, place: Place
) -> AsyncGenerator[Event]:
    """Yield the events of a session that was queued just now, its id first."""
    ids = {"sessionId": session.session_id}
    if session.conversation_id is not None:
        ids["conversationId"] = session.conversation_id
    yield Event("status", ids | {"stage": "queued"})
    async for event in follow(poller, session.session_id, place):
        yield event


async def follow(
    poller: JournalPoller, session_id: str, place: Place, last_event_id: str = ""
) -> AsyncGenerator[Event]:
    """Yield the events of a session: recorded ones, then live ones, then how it ended.

    Behind ``last_event_id`` and for a few seconds before it, so that nothing is missed that ended
    before it and was committed after: an event may come twice, under the same id. A stream that is
    cut says so by an ``error`` and has no ``done``.

    Args:
        poller: of this process.
        session_id: of a session that exists.
        place: of this stream.
        last_event_id: of the last event that the client has seen.
    """
    async with poller.watch(session_id) as log:
        sent = 0
        while not place.over:
            changed = log.changed
            for entry, events in log.told[sent:]:
                sent += 1
                if is_behind(entry, last_event_id):
                    for event in events:
                        yield event
            if sent < len(log.told):
                continue
            if log.ending is not None:
                for event in log.ending:
                    yield event
                return
            await changed.wait()
    yield Event("error", {"message": "the token is over", "hint": "resume with another one"})


async def until_end(storage: Storage, poller: JournalPoller, session_id: str) -> DiagnosisSession:
    """Wait until a session has ended, and return it."""
    async with poller.watch(session_id) as log:
        changed = log.changed
        while log.ending is None:
            await changed.wait()
            changed = log.changed
    return await storage.sessions.require(session_id)


def is_behind(entry: FeedEntry, last_event_id: str) -> bool:
    """Tell whether an entry is to be sent to a client that has seen up to an event."""
    at = last_event_id.partition("-")[0]
    if not at.isdecimal() or entry.event_id == last_event_id:
        return not at.isdecimal()
    late = LATE.total_seconds() * 1e6
    return entry.at.timestamp() * 1e6 > int(at[:20]) - late
