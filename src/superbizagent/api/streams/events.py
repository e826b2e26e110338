"""Entries of the journal in the words of a stream; made once, however many watch."""

from functools import cached_property
from typing import Any

from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.journal import EntryKind
from superbizagent.domain.json_values import mapping
from superbizagent.domain.session import DiagnosisSession
from superbizagent.storage.feed import FeedEntry

__all__ = ["Event", "ending", "is_call", "told"]

_SHOWN = 1000
"""Characters of a query or an error; the whole is in the trace."""


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


def is_call(entry: FeedEntry) -> bool:
    """Tell whether an entry stands for an evidence call."""
    return entry.kind in {EntryKind.CALL, EntryKind.DUPLICATE} and bool(entry.row_id)


def told(entry: FeedEntry, calls: dict[str, dict[str, Any]]) -> list[Event]:
    """Say one entry in the words of the stream."""
    if is_call(entry):
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
