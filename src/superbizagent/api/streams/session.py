"""One session as a stream: what it has recorded, then what it records, until its end."""

from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from typing import Any

from superbizagent.api.streams.poller import JournalPoller, Watcher
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.journal import EntryKind
from superbizagent.domain.json_values import mapping
from superbizagent.domain.session import DiagnosisSession
from superbizagent.storage.feed import LATE, FeedEntry
from superbizagent.storage.store import Storage

__all__ = ["Event", "follow", "until_end"]

_SHOWN = 1000
"""Characters of a query or an error; the whole is in the trace."""


class Event:
    """One event of a stream.

    Args:
        kind: ``type`` of the event.
        data: JSON.
        event_id: place to resume from; empty where nothing can be resumed.
    """

    __slots__ = ("data", "event_id", "kind")

    def __init__(self, kind: str, data: Any, event_id: str = "") -> None:
        self.kind = kind
        self.data = data
        self.event_id = event_id


async def follow(
    storage: Storage, poller: JournalPoller, session_id: str, last_event_id: str = ""
) -> AsyncGenerator[Event]:
    """Yield the events of a session: recorded ones, then live ones, then how it ended.

    Behind ``last_event_id`` and for a few seconds before it, so that nothing is missed that was
    recorded before it and committed after: an event may come twice, under the same id.

    Args:
        storage: where the session is.
        poller: of this process.
        session_id: of a session that exists.
        last_event_id: of the last event that the client has seen.
    """
    async with poller.watch(session_id) as watcher:
        seen: set[str] = set()
        recorded = await storage.feed.of_session(session_id)
        async with aclosing(_entries(recorded, watcher, seen)) as entries:
            async for batch in entries:
                calls = await storage.feed.calls({e.row_id for e in batch if _is_call(e)})
                for entry in batch:
                    if _is_behind(entry, last_event_id):
                        for event in _told(entry, calls):
                            yield event
        if watcher.dropped:
            hint = "resume with Last-Event-ID"
            yield Event("error", {"message": "this client does not keep up", "hint": hint})
            return
    for event in _ending(await storage.sessions.require(session_id)):
        yield event


async def until_end(storage: Storage, poller: JournalPoller, session_id: str) -> DiagnosisSession:
    """Wait until a session has ended, and return it."""
    async with poller.watch(session_id) as watcher:
        while not (session := await storage.sessions.require(session_id)).status.is_final:
            entry = await watcher.get()
            while entry is not None and not entry.ends_session:
                entry = await watcher.get()
        return session


async def _entries(
    recorded: Collection[FeedEntry], watcher: Watcher, seen: set[str]
) -> AsyncGenerator[list[FeedEntry]]:
    """Yield what is recorded at once, then each new entry, up to the one that ends the session."""
    seen |= {entry.event_id for entry in recorded}
    yield list(recorded)
    over = any(entry.ends_session for entry in recorded)
    while not over:
        entry = await watcher.get()
        if entry is None:
            return
        if entry.event_id not in seen:
            seen.add(entry.event_id)
            yield [entry]
        over = entry.ends_session


def _is_behind(entry: FeedEntry, last_event_id: str) -> bool:
    at = last_event_id.partition("-")[0]
    if not at.isdecimal() or entry.event_id == last_event_id:
        return not at.isdecimal()
    late = LATE.total_seconds() * 1e6
    return entry.recorded_at.timestamp() * 1e6 > int(at[:20]) - late


def _is_call(entry: FeedEntry) -> bool:
    return entry.kind in {EntryKind.CALL, EntryKind.DUPLICATE} and bool(entry.row_id)


def _told(entry: FeedEntry, calls: dict[str, dict[str, Any]]) -> list[Event]:
    """Say one entry in the words of the stream."""
    if _is_call(entry):
        call = calls.get(entry.row_id)
        return _of_call(entry, call) if call else []
    stage = entry.key.removeprefix("stage/").partition("/")[0]
    if entry.kind is EntryKind.STAGE and stage == "plan":
        return [Event("plan", {"round": entry.key.rpartition("/")[2]}, entry.event_id)]
    if entry.kind is EntryKind.INSTANT:
        return []
    return [Event("status", {"stage": stage, "key": entry.key}, entry.event_id)]


def _of_call(entry: FeedEntry, call: dict[str, Any]) -> list[Event]:
    name = {"call": f"E{call['number']}", "invocation_id": call["id"], "tool": call["tool_name"]}
    asked = name | {
        "round": call["round"],
        "source": call["data_source"],
        "purpose": call["purpose"],
        "query": _query(call["input"])[:_SHOWN],
    }
    answered = name | {
        "status": call["status"],
        "truncated": call["truncated"],
        "error": call["error"][:_SHOWN],
        "duration_ms": round(call["duration_us"] / 1000, 1),
        "bytes": call["output_bytes"],
    }
    return [
        Event("tool_call", asked),
        Event("tool_result", answered, entry.event_id),
    ]


def _query(given: object) -> str:
    asked = mapping(given).get("query", "")
    return asked if isinstance(asked, str) else canonical_bytes(asked).decode()


def _ending(session: DiagnosisSession) -> list[Event]:
    """What a session has come to; its text holds only statements that passed the checks."""
    found: list[Event] = []
    if session.final_report:
        found.append(Event("content", session.final_report))
        found.append(Event("report", session.report))
    tokens = {"input_tokens": session.input_tokens, "output_tokens": session.output_tokens}
    found.append(Event("usage", tokens | {"cost_usd": session.cost_usd}))
    if not session.final_report:
        why = session.error or f"the session was {session.status.value}"
        hint = f"see /api/traces/{session.session_id}"
        found.append(Event("error", {"message": why, "hint": hint}))
    done = {
        "sessionId": session.session_id,
        "status": session.status.value,
        "verdict": session.verdict,
    }
    found.append(Event("done", done))
    return found
