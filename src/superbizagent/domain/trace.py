"""What is listed and shown of a session to somebody who reads its trace."""

from typing import Any

from pydantic import Field

from superbizagent.domain.model import Model
from superbizagent.domain.session import ListPlace
from superbizagent.domain.window import Instant

__all__ = ["TraceHead", "TracePage", "TraceRow", "TraceRows"]


class TraceRow(Model):
    """One session in a list: nothing of it that is long."""

    session_id: str
    created_at: Instant | None = None
    started_at: Instant | None = None
    finished_at: Instant | None = None
    channel: str = ""
    title: str = ""
    """The question, else the name of the first alert, else the report's title; cut."""
    services: tuple[str, ...] = ()
    """Names of what the session was about; at most `SERVICES` of them."""
    verdict: str = ""
    gate: str = ""
    status: str = ""
    reasoner: str = ""
    language: str = ""
    conversation_id: str | None = None
    incident_id: str | None = None
    parent_session_id: str | None = None
    selected_skill: str = ""
    error: str = ""
    damaged: str | None = Field(default=None, exclude_if=lambda column: column is None)
    """The first column that cannot be read, if one cannot."""


class TracePage(Model):
    """A part of the list."""

    rows: tuple[TraceRow, ...] = ()
    behind: ListPlace | None = None
    """Where the next part begins; None: this is the last."""


class TraceHead(Model):
    """What is known of a journal without reading all of it."""

    head_hash: str = ""
    entries: int = 0
    sealed: bool = False
    ok: bool = True
    problem: str = ""


class TraceRows(Model):
    """What is stored of one session, as it is: JSON of any age, nothing validated."""

    session: dict[str, Any]
    invocations: tuple[dict[str, Any], ...] = ()
    entities: tuple[dict[str, Any], ...] = ()
    damaged: tuple[str, ...] = ()
    """``table.column`` of the values that cannot be read; they are None above."""
    head: TraceHead
