"""Reading: the list of sessions, one with everything that belongs to it, one stored output."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from superbizagent.api.access import needs
from superbizagent.api.cursors import CURSOR_CHARS, cursor_of, place_of
from superbizagent.api.envelope import Envelope, ok
from superbizagent.api.judgements import Judged, judged
from superbizagent.api.parameters import LooseTime
from superbizagent.api.problems import Refused, documented
from superbizagent.api.services import Services, services_of
from superbizagent.api.stored import SessionId, fit_id, no_session
from superbizagent.api.trace_rows import told_calls
from superbizagent.domain.access import Permission
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.evaluation import ToolTraceSummary
from superbizagent.domain.feedback import Feedback, TrackRecord, answer_kind
from superbizagent.domain.incident import Channel
from superbizagent.domain.journal import IntegrityProblem
from superbizagent.domain.output_items import count_items, items_of, output_head
from superbizagent.domain.outputs import ToolOutput, decode
from superbizagent.domain.session import SessionFilter, SessionStatus
from superbizagent.domain.trace import TraceRow, TraceRows
from superbizagent.storage.integrity import verify_session

__all__ = ["router"]

_FIRST, _LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)

router = APIRouter(
    prefix="/api/traces", tags=["traces"], dependencies=[Depends(needs(Permission.READ))]
)


class TraceList(BaseModel):
    """A part of the list, newest first."""

    items: list[TraceRow]
    next_cursor: str | None = Field(description="Hand it back as `cursor`; null: nothing follows")


class Integrity(BaseModel):
    """Whether what is stored is what was written."""

    checked: Literal["head", "full"] = Field(description="`full` with `verify=1`")
    ok: bool
    sealed: bool = Field(description="It has ended, and its columns are covered by the journal")
    entries: int
    head_hash: str
    problems: list[IntegrityProblem]


class Trace(BaseModel):
    """Everything that is stored of a session, but its outputs."""

    session: dict[str, Any] = Field(description="Its columns, with `self_evaluation`")
    entities: list[dict[str, Any]]
    invocations: list[dict[str, Any]] = Field(
        description="Its calls in order, with `output_preview`, `output_summary`, `details` and"
        " `retrieval_details`"
    )
    tool_trace_summary: ToolTraceSummary
    evaluations: dict[str, Judged] = Field(description="Verdict and reasons of each evaluator")
    integrity: Integrity
    feedback: list[Feedback]
    track_record: TrackRecord | None = Field(
        description="How often answers like this were right; a number only where `enough`"
    )
    damaged: list[str] = Field(description="`table.column` of values that cannot be read")


class Evidence(BaseModel):
    """A part of a stored output."""

    invocation_id: str
    output: dict[str, Any] | None = Field(
        description="`kind`, and what is no list; null: the call left no output"
    )
    items: list[dict[str, Any]]
    total: int
    next_offset: int | None


class Shown(BaseModel):
    """How much is looked at."""

    model_config = {"extra": "forbid"}

    verify: bool = Field(default=False, description="Check every stored value, not the head alone")


class Part(BaseModel):
    """Which part of an output."""

    model_config = {"extra": "forbid"}

    offset: int = Field(0, ge=0, le=2**31, description="First item")
    limit: int = Field(100, ge=1, le=1000, description="Items at most")
    download: bool = Field(default=False, description="All of it instead, one JSON line an item")


class Wanted(BaseModel):
    """Filters; those that are left out do not narrow."""

    model_config = {"extra": "forbid"}

    channel: Channel | None = None
    verdict: str | None = Field(None, max_length=32, examples=["root_cause_found"])
    gate: Literal["PASS", "WARN", "FAIL"] | None = None
    tool: str | None = Field(None, max_length=64, examples=["query_metrics"])
    service: str | None = Field(None, max_length=255, examples=["checkout"])
    status: SessionStatus | None = None
    conversation: str | None = Field(None, max_length=128)
    incident: str | None = Field(None, max_length=64)
    since: LooseTime | None = Field(None, description="Created at or after; UTC without an offset")
    until: LooseTime | None = Field(None, description="Created before")
    cursor: str | None = Field(None, max_length=CURSOR_CHARS, description="`next_cursor`")
    limit: int = Field(50, ge=1, le=500)


@router.get(
    "",
    response_model=Envelope[TraceList],
    summary="List sessions, newest first",
    responses=documented(400, 401, 403, 422),
)
async def list_traces(request: Request, wanted: Annotated[Wanted, Query()]) -> Response:
    """Return a page of sessions, each in a few columns."""
    page = await services_of(request).storage.traces.page(
        SessionFilter(
            channel=wanted.channel,
            status=wanted.status,
            verdict=wanted.verdict,
            gate=wanted.gate,
            tool=wanted.tool,
            service=wanted.service,
            conversation_id=wanted.conversation,
            incident_id=wanted.incident,
            since=_utc(wanted.since),
            until=_utc(wanted.until),
            behind=place_of(wanted.cursor),
            limit=wanted.limit,
        )
    )
    return ok({"items": page.rows, "next_cursor": cursor_of(page.behind)})


@router.get(
    "/{session_id}",
    response_model=Envelope[Trace],
    summary="Show one session with everything that belongs to it",
    responses=documented(401, 403, 404, 422),
)
async def show_trace(
    request: Request,
    session_id: SessionId,
    asked: Annotated[Shown, Query()],
) -> Response:
    """Return a session of any age; values that cannot be read are null and named in `damaged`."""
    services = services_of(request)
    stored = await services.storage.traces.read(fit_id(session_id))
    if stored is None:
        no_session(session_id)
    calls, summary, odd = told_calls(stored.invocations)
    return ok(
        {
            "session": stored.session,
            "entities": stored.entities,
            "invocations": calls,
            "tool_trace_summary": summary,
            "evaluations": judged(stored.session["self_evaluation"]),
            "integrity": await _integrity(services, session_id, stored, full=asked.verify),
            "feedback": await services.storage.feedback.of_session(session_id),
            "track_record": await _record(services, stored),
            "damaged": sorted({*stored.damaged, *odd}),
        }
    )


@router.get(
    "/{session_id}/evidence/{invocation_id}",
    response_model=Envelope[Evidence],
    summary="Read the stored output of one call",
    responses=documented(401, 403, 404, 422),
)
async def read_evidence(
    request: Request,
    session_id: SessionId,
    invocation_id: str,
    part: Annotated[Part, Query()],
) -> Response:
    """Return what a call found, redacted as it is stored: a head and a page of its items."""
    services = services_of(request)
    row = await services.storage.traces.call(fit_id(session_id), invocation_id)
    if row is None:
        raise Refused(
            404,
            f"session {session_id!r} has no call {invocation_id[:64]!r}",
            f"GET /api/traces/{session_id} lists its calls",
        )
    digest = row["output_digest"]
    output: ToolOutput | None = None
    if digest:
        data = await services.storage.blobs.read(session_id, str(digest))
        output = await asyncio.to_thread(decode, data)
    if part.download:
        return _download(output, invocation_id)
    return ok(await asyncio.to_thread(_page, output, invocation_id, part))


def _page(output: ToolOutput | None, invocation_id: str, part: Part) -> dict[str, Any]:
    total = count_items(output) if output is not None else 0
    offset = part.offset
    end = min(offset + part.limit, total)
    return {
        "invocation_id": invocation_id,
        "output": output_head(output) if output is not None else None,
        "items": list(items_of(output, offset, end)) if output is not None else [],
        "total": total,
        "next_offset": end if offset < end < total else None,
    }


def _download(output: ToolOutput | None, invocation_id: str) -> Response:
    def lines() -> Iterator[bytes]:
        head = output_head(output) if output is not None else {"kind": None}
        yield canonical_bytes({"type": "head", "invocation_id": invocation_id, **head}) + b"\n"
        for item in items_of(output) if output is not None else ():
            yield canonical_bytes(item) + b"\n"

    return StreamingResponse(
        lines(),
        media_type="application/x-ndjson",
        headers={"Content-Disposition": 'attachment; filename="evidence.ndjson"'},
    )


async def _integrity(
    services: Services, session_id: str, stored: TraceRows, *, full: bool
) -> dict[str, Any]:
    if full:
        found = await verify_session(services.storage, session_id, services.storage.integrity_key)
        return {
            "checked": "full",
            "ok": not found.problems,
            "sealed": found.sealed,
            "entries": found.entries,
            "head_hash": found.head_hash,
            "problems": found.problems,
        }
    head = stored.head
    problems = [
        IntegrityProblem(table="journal_entry", row=session_id, column="", message=head.problem)
    ]
    return {
        "checked": "head",
        "ok": head.ok,
        "sealed": head.sealed,
        "entries": head.entries,
        "head_hash": head.head_hash,
        "problems": [] if head.ok else problems,
    }


async def _record(services: Services, stored: TraceRows) -> TrackRecord | None:
    session = stored.session
    texts = [str(session[name] or "") for name in ("verdict", "selected_skill", "reasoner")]
    kind = answer_kind(texts[0], session["report"], texts[1], texts[2])
    if not kind:
        return None
    return await services.storage.feedback.record(kind, str(session["session_id"]))


def _utc(at: datetime | None) -> datetime | None:
    """Take a time without an offset for UTC; one beyond the calendar's ends for its end."""
    if at is None:
        return None
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        return _LAST if at.year > 1 else _FIRST
