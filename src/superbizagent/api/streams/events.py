"""Entries of the journal in the words of a stream; made once, however many watch."""

from functools import cached_property
from typing import Any

from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.journal import EntryKind
from superbizagent.domain.json_values import mapping
from superbizagent.domain.session import DiagnosisSession
from superbizagent.storage.feed import FeedCall, FeedEntry

__all__ = ["Event", "ending", "told"]

_SHOWN = 1000
"""Characters of a query or an error; the whole is in the trace."""
_NO_QUERY = {"window", "windows", "max_points", "max_series", "max_bytes"}
"""Parts of a call's input that say how much to read, and not what."""


class Event:
    """One event of a stream.

    Args:
        kind: ``type`` of the event.
        data: JSON.
        event_id: place to resume from; empty where nothing can be resumed.
    """

    def __init__(self, kind: str, data: Any, event_id: str = "") -> None:
        self.kind = kind
        self.data = data
        self.event_id = event_id

    @cached_property
    def text(self) -> str:
        """The data as JSON; a thousand clients get the same."""
        return canonical_bytes(self.data).decode()

    @cached_property
    def message(self) -> str:
        """``{type, data}`` as JSON."""
        return f'{{"type":"{self.kind}","data":{self.text}}}'


def told(entry: FeedEntry) -> list[Event]:
    """Say one entry in the words of the stream."""
    place = {"kind": entry.kind, "key": entry.key}
    if entry.call is not None:
        return _of_call(entry, entry.call, place)
    stage = entry.key.removeprefix("stage/").partition("/")[0]
    if entry.kind == EntryKind.STAGE and stage == "plan":
        number = int(entry.key.rpartition("/")[2])
        return [Event("plan", place | {"round": number}, entry.event_id)]
    if entry.kind == EntryKind.INSTANT:
        return []
    return [Event("status", place | {"stage": stage}, entry.event_id)]


def _of_call(entry: FeedEntry, call: FeedCall, place: dict[str, str]) -> list[Event]:
    name = place | {"call": f"E{call.number}", "invocation_id": entry.row_id, "tool": call.tool}
    asked = name | {
        "round": call.round,
        "source": call.source,
        "purpose": call.purpose,
        "query": _query(call.input)[:_SHOWN],
    }
    answered = name | {
        "status": call.status,
        "facts": call.facts,
        "truncated": call.truncated,
        "error": call.error[:_SHOWN],
        "duration_ms": round(call.duration_us / 1000, 1),
        "bytes": call.output_bytes,
    }
    return [
        Event("tool_call", asked),
        Event("tool_result", answered, entry.event_id),
    ]


def _query(given: object) -> str:
    """Return what was asked for: in the words of the source where it has some."""
    asked = {k: v for k, v in mapping(given).items() if k not in _NO_QUERY}
    words = asked.get("query")
    return words if isinstance(words, str) else canonical_bytes(asked).decode() if asked else ""


def ending(session: DiagnosisSession) -> list[Event]:
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
