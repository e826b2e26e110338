"""``tool_invocation``: one row per evidence call, and the way back to a `ToolInvocation`."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError

from superbizagent.domain.canonical import canonical_bytes, loads
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.journal import EntryKind
from superbizagent.domain.outputs import ToolOutput, decode
from superbizagent.domain.plan import PlannedCall
from superbizagent.errors import StorageError
from superbizagent.storage.blobs import BlobStore, PackedBlob, pack_blob
from superbizagent.storage.database import Database
from superbizagent.storage.entries import NewEntry
from superbizagent.storage.raw_rows import damaged, readable_rows
from superbizagent.storage.tables import tool_invocation

__all__ = ["DETAILS_BYTES", "InvocationRepository", "InvocationRow", "from_row"]

DETAILS_BYTES = 256 * 1024
"""Facts beyond it are stored as a blob: a row must stay well below a server's packet limit."""

_FACTS = TypeAdapter(tuple[Fact, ...])

_COLUMN_OF = {"tool": "tool_name", "origin": "source", "duration": "duration_us"}
"""Where the columns have other names than the fields; the other fields stand in ``details``."""


class InvocationRow:
    """A call in the form in which it is stored.

    Args:
        call: What was called and found; redacted.
        key: Journal key.
        attempt: Attempt of that key.
        output: The bytes of ``call.output``, if there is one.
    """

    def __init__(
        self, call: ToolInvocation, *, key: str, attempt: int, output: PackedBlob | None
    ) -> None:
        facts = canonical_bytes([fact.model_dump(mode="json") for fact in call.facts])
        self._facts: list[Any] = loads(facts)
        details: dict[str, Any] = {"stats": call.stats, "warnings": list(call.warnings)}
        blobs = [output] if output is not None else []
        if len(facts) <= DETAILS_BYTES:
            details["facts"] = self._facts
        else:
            packed = pack_blob(facts)
            blobs.append(packed)
            details["facts"] = self._facts[:200]
            details["facts_total"] = len(call.facts)
            details["facts_blob"] = packed.digest
        self.key = key
        self.attempt = attempt
        self.blobs = tuple(blobs)
        self.columns = _columns(call, details, key=key, attempt=attempt, output=output)

    def entry(self, request_hash: str, recorded_at: datetime | None = None) -> NewEntry:
        """Return the journal entry that brings this row with it.

        Args:
            request_hash: what was asked.
            recorded_at: None: when the call was made.
        """
        return NewEntry(
            session_id=self.columns["session_id"],
            key=self.key,
            attempt=self.attempt,
            kind=EntryKind.CALL,
            request_hash=request_hash,
            result={"status": self.columns["status"], "output": self.columns["output_digest"]},
            recorded_at=recorded_at or self.columns["started_at"],
            table=tool_invocation,
            row=self.columns,
            row_id=self.columns["id"],
            blobs=self.blobs,
        )

    def restore(self, output: ToolOutput | None) -> ToolInvocation:
        """Return the call as it will be read back."""
        return from_row(self.columns, output, self._facts)


class InvocationRepository:
    """Reads ``tool_invocation``; rows are written by the journal alone."""

    def __init__(self, database: Database, blobs: BlobStore) -> None:
        self._database = database
        self._blobs = blobs

    async def rows(self, session_id: str) -> tuple[dict[str, Any], ...]:
        """Return the rows of one session and of no other, in the order of the calls.

        Raises:
            IntegrityError: when one of them holds a value that cannot be read.
        """
        async with self._database.read() as connection:
            rows = await readable_rows(connection, tool_invocation, session_id)
        return tuple(sorted(rows, key=lambda r: (r["number"], r["journal_key"], r["attempt"])))

    async def list(self, session_id: str) -> tuple[ToolInvocation, ...]:
        """Return the calls of one session with their facts, without their outputs."""
        return tuple([await self._read(row, output=False) for row in await self.rows(session_id)])

    async def get(self, session_id: str, number: int) -> ToolInvocation:
        """Return the call ``E<number>`` with its output.

        Raises:
            StorageError: when the session has no such call.
            IntegrityError: when the stored output is not what was written.
        """
        for row in reversed(await self.rows(session_id)):
            if row["number"] == number:
                return await self._read(row, output=True)
        raise StorageError(
            f"session {session_id!r} has no call E{number}: `superbiz trace show` lists its calls"
        )

    async def restore(self, row: Mapping[str, Any]) -> ToolInvocation:
        """Return the call of one row with its output.

        Raises:
            IntegrityError: when the stored output is not what was written.
        """
        return await self._read(row, output=True)

    async def _read(self, row: Mapping[str, Any], *, output: bool) -> ToolInvocation:
        found: ToolOutput | None = None
        session_id = row["session_id"]
        details: Any = row["details"]
        if not hasattr(details, "get"):  # JSON, but no object
            raise damaged(tool_invocation, session_id, "details")
        if output and row["output_digest"]:
            found = decode(await self._blobs.read(session_id, row["output_digest"]))
        facts: Sequence[Any] = details.get("facts", ())
        if digest := details.get("facts_blob"):
            facts = loads(await self._blobs.read(session_id, digest))
        try:
            return from_row(row, found, facts)
        except ValidationError as error:
            field = str(error.errors()[0]["loc"][0])
            column = field if field in row else _COLUMN_OF.get(field, "details")
            raise damaged(tool_invocation, session_id, column) from error


def from_row(
    row: Mapping[str, Any], output: ToolOutput | None, facts: Sequence[Any]
) -> ToolInvocation:
    """Return the call that a row stands for."""
    details = row["details"]
    return ToolInvocation(
        id=row["id"],
        session_id=row["session_id"],
        call=PlannedCall(
            number=row["number"],
            round=row["round"],
            tool=row["tool_name"],
            source=row["data_source"],
            input=row["input"],
            purpose=row["purpose"],
        ),
        agent=row["agent"],
        origin=row["source"],
        status=row["status"],
        truncated=row["truncated"],
        attempts=row["attempts"],
        warnings=tuple(details.get("warnings", ())),
        error=row["error"],
        started_at=row["started_at"],
        duration=timedelta(microseconds=row["duration_us"]),
        output=output,
        output_digest=row["output_digest"],
        output_preview=row["output_preview"],
        facts=_FACTS.validate_python(facts),
        stats=details.get("stats", {}),
        reused_from=row["reused_from"],
    )


def _columns(
    call: ToolInvocation,
    details: dict[str, Any],
    *,
    key: str,
    attempt: int,
    output: PackedBlob | None,
) -> dict[str, Any]:
    return {
        "id": call.id,
        "session_id": call.session_id,
        "journal_key": key,
        "attempt": attempt,
        "number": call.call.number,
        "round": call.call.round,
        "agent": call.agent,
        "tool_name": call.call.tool.value,
        "source": call.origin,
        "data_source": call.call.source,
        "purpose": call.call.purpose,
        "input": loads(canonical_bytes(call.call.input)),
        "status": call.status.value,
        "truncated": call.truncated,
        "attempts": call.attempts,
        "error": call.error,
        "started_at": call.started_at,
        "finished_at": call.started_at + call.duration,
        "duration_us": call.duration // timedelta(microseconds=1),
        "output_preview": call.output_preview,
        "output_digest": output.digest if output is not None else "",
        "output_bytes": output.raw_bytes if output is not None else 0,
        "details": loads(canonical_bytes(details)),
        "retrieval_details": None,
        "retrieval_query": None,
        "retrieval_hit_count": None,
        "retrieval_top_score": None,
        "reused_from": call.reused_from,
    }
