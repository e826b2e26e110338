"""The journal's rows: written as each call ends, linked into one chain when a batch is over.

An entry, its row and its blobs are one transaction. Entries of calls that ran side by side are
linked in the order of their keys, never in the order in which they ended, so the chain of a session
is the same whoever was faster.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Table, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError as DuplicateKeyError
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.canonical import canonical_bytes, loads
from superbizagent.domain.journal import Claim, EntryKind, RecordedEntry
from superbizagent.errors import SessionLostError
from superbizagent.storage.blobs import PackedBlob, write_blob
from superbizagent.storage.claims import check_claim, no_session
from superbizagent.storage.crash_points import reach
from superbizagent.storage.database import Database
from superbizagent.storage.fingerprints import chain_hash, column_marks, content_hash, row_hash
from superbizagent.storage.raw_rows import damaged, readable_rows
from superbizagent.storage.tables import (
    diagnosis_session,
    evidence_blob,
    journal_entry,
    session_entity,
)

__all__ = ["EntryRepository", "NewEntry", "append_linked"]


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What is recorded at one key."""

    session_id: str
    key: str
    kind: EntryKind
    request_hash: str
    result: Any
    """Plain JSON."""
    recorded_at: datetime
    attempt: int = 1
    table: Table | None = None
    """Table of the row that belongs to it."""
    row: Mapping[str, Any] = field(default_factory=dict[str, Any])
    row_id: str = ""
    blobs: tuple[PackedBlob, ...] = ()
    entities: Sequence[Mapping[str, Any]] | None = None
    """Rows of ``session_entity`` that a finished session leaves behind."""

    def columns(self) -> dict[str, Any]:
        """Return the row of ``journal_entry``, not yet linked."""
        columns: dict[str, Any] = {
            "session_id": self.session_id,
            "key": self.key,
            "attempt": self.attempt,
            "kind": self.kind.value,
            "request_hash": self.request_hash,
            "result": canonical_bytes(self.result).decode(),
            "blob_digest": self.blobs[0].digest if self.blobs else "",
            "row_id": self.row_id,
            "row_hash": row_hash(self.table, self.row) if self.table is not None else "",
            "recorded_at": self.recorded_at,
        }
        marks = self._fingerprints() | {"entry": _own_marks(columns)}
        columns["fingerprints"] = canonical_bytes(marks).decode()
        columns["content_hash"] = content_hash(columns)
        return columns

    def _fingerprints(self) -> dict[str, Any]:
        """Column marks of everything that is written beside the entry, to name what changed."""
        marks: dict[str, Any] = {}
        if self.table is not None:
            marks["row"] = column_marks(self.table, self.row)
        if self.blobs:
            marks["blobs"] = [
                {
                    "hash": row_hash(evidence_blob, row),
                    "digest": row["digest"],
                    "part": row["part"],
                    "marks": column_marks(evidence_blob, row),
                }
                for blob in self.blobs
                for row in blob.rows(self.session_id)
            ]
        if self.entities is not None:
            marks["entities"] = [
                {
                    "hash": row_hash(session_entity, row),
                    "role": row["role"],
                    "path": row["path"],
                    "marks": column_marks(session_entity, row),
                }
                for row in sorted(self.entities, key=lambda r: (r["role"], r["path"]))
            ]
        return marks


def _own_marks(columns: Mapping[str, Any]) -> dict[str, str]:
    marks = column_marks(journal_entry, columns)
    del marks["fingerprints"]  # where they are kept themselves
    return marks


class EntryRepository:
    """Appends, links and reads ``journal_entry``."""

    def __init__(self, database: Database, integrity_key: bytes | None) -> None:
        self._database = database
        self._key = integrity_key

    async def load(self, session_id: str) -> tuple[RecordedEntry, ...]:
        """Return every entry of a session in key order.

        Raises:
            IntegrityError: when one of them cannot be read.
        """
        async with self._database.read() as connection:
            rows = await readable_rows(connection, journal_entry, session_id)
        return tuple(sorted((_recorded(row) for row in rows), key=lambda e: (e.key, e.attempt)))

    async def append(self, claim: Claim, entry: NewEntry) -> None:
        """Write an entry with its row and blobs, if the claim still holds.

        Raises:
            SessionLostError: when another process owns the session or has written this entry.
            StorageError: when the database refuses.
        """
        async with self._database.write() as connection:
            await check_claim(connection, claim)
            reach("append.before_entry")
            try:
                await connection.execute(insert(journal_entry), entry.columns())
            except DuplicateKeyError as error:
                raise SessionLostError(
                    f"entry {entry.key!r} of session {entry.session_id!r} was written by another "
                    "process: this one stops here"
                ) from error
            reach("append.after_entry")
            if entry.table is not None:
                await connection.execute(insert(entry.table), dict(entry.row))
            reach("append.after_row")
            for blob in entry.blobs:
                await write_blob(connection, entry.session_id, blob)
            reach("append.after_blob")
            reach("append.before_commit")
        reach("append.after_commit")

    async def seal(self, claim: Claim, reached: Collection[str]) -> str:
        """Link the entries that have no place yet, in key order; return the head's hash.

        Args:
            claim: The right to write.
            reached: Keys that this run has come to. A run that goes on after a crash finds later
                entries too; they wait for their turn, so the chain is that of a run in one piece.

        Raises:
            SessionLostError: when another process owns the session.
            StorageError: when the database refuses.
        """
        async with self._database.write() as connection:
            await check_claim(connection, claim)
            reach("seal.before_link")
            session_id = claim.session_id
            head = await link_entries(connection, session_id, self._key, reached=reached)
            reach("seal.after_link")
        reach("seal.after_commit")
        return head


def _recorded(row: Mapping[str, Any]) -> RecordedEntry:
    """Return the entry that a row stands for.

    Raises:
        IntegrityError: when its kind or its result is none that was ever written.
    """
    column = "kind"
    try:
        kind = EntryKind(row["kind"])
        column = "result"
        result = loads(row["result"])
    except ValueError as error:
        raise damaged(journal_entry, row["session_id"], column) from error
    return RecordedEntry(
        key=row["key"],
        attempt=row["attempt"],
        kind=kind,
        request_hash=row["request_hash"],
        result=result,
        blob_digest=row["blob_digest"],
        row_id=row["row_id"],
        seq=row["seq"],
        hash=row["hash"],
    )


async def append_linked(
    connection: AsyncConnection, entry: NewEntry, integrity_key: bytes | None
) -> None:
    """Write an entry and link it, with all that waits before it, in the caller's transaction."""
    await connection.execute(insert(journal_entry), entry.columns())
    await link_entries(connection, entry.session_id, integrity_key, last=entry.key)


async def link_entries(
    connection: AsyncConnection,
    session_id: str,
    integrity_key: bytes | None,
    *,
    last: str | None = None,
    reached: Collection[str] | None = None,
) -> str:
    """Give every unlinked entry its place in the chain, in key order; return the head's hash.

    Args:
        connection: A write transaction.
        session_id: Whose entries.
        integrity_key: Key of the chain's HMAC, if there is one.
        last: Key of the entry that comes after all others.
        reached: Only these keys; None: all.
    """
    seq, head = await lock_head(connection, session_id)
    table = journal_entry
    waiting = select(table.c.key, table.c.attempt, table.c.content_hash).where(
        table.c.session_id == session_id, table.c.seq.is_(None)
    )
    found = (await connection.execute(waiting)).all()
    rows = [row for row in found if reached is None or row.key in reached]
    links: list[dict[str, Any]] = []
    # Sorted here: each database has its own idea of the order of text.
    for row in sorted(rows, key=lambda r: (r.key == last, r.key, r.attempt)):
        seq, prev = seq + 1, head
        head = chain_hash(integrity_key, seq, prev, row.content_hash)
        link = {"at_key": row.key, "at_attempt": row.attempt}
        links.append(link | {"seq": seq, "prev_hash": prev, "hash": head})
    if not links:
        return head
    statement = update(table).where(
        table.c.session_id == session_id,
        table.c.key == bindparam("at_key"),
        table.c.attempt == bindparam("at_attempt"),
    )
    await connection.execute(statement, links)
    await connection.execute(
        update(diagnosis_session)
        .where(diagnosis_session.c.session_id == session_id)
        .values(journal_length=seq, head_hash=head)
    )
    return head


async def lock_head(connection: AsyncConnection, session_id: str) -> tuple[int, str]:
    """Return how many entries are linked and the last one's hash; holds the session's row.

    Raises:
        StorageError: when there is no such session.
    """
    table = diagnosis_session
    query = select(table.c.journal_length, table.c.head_hash).where(
        table.c.session_id == session_id
    )
    row = (await connection.execute(query.with_for_update())).first()
    if row is None:
        raise no_session(session_id)
    return row.journal_length, row.head_hash
