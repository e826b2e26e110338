"""Outputs as bytes: compressed, cut into rows that every database takes, bounded per session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import zstandard
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.canonical import digest_bytes
from superbizagent.errors import IntegrityError
from superbizagent.storage.database import Database
from superbizagent.storage.tables import evidence_blob

__all__ = ["PART_BYTES", "SESSION_BYTES", "BlobStore", "PackedBlob", "pack_blob"]

PART_BYTES = 512 * 1024
"""Far below MariaDB's packet limit (16 MB), where a larger one loses the whole transaction."""

SESSION_BYTES = 64 * 1024 * 1024
"""What one session may store, compressed."""

_LEVEL = 3
"""zstd's default: levels above cost time and gain under 10 % on columns of samples."""


@dataclass(frozen=True, slots=True)
class PackedBlob:
    """Compressed bytes, ready to be written."""

    digest: str
    """Of the bytes before compression."""
    raw_bytes: int
    parts: tuple[bytes, ...]

    @property
    def stored_bytes(self) -> int:
        """What it takes in the database."""
        return sum(len(part) for part in self.parts)

    def rows(self, session_id: str) -> list[dict[str, Any]]:
        """The rows of ``evidence_blob`` it becomes."""
        return [
            {
                "session_id": session_id,
                "digest": self.digest,
                "part": number,
                "parts": len(self.parts),
                "encoding": "zstd",
                "raw_bytes": self.raw_bytes,
                "data": part,
            }
            for number, part in enumerate(self.parts)
        ]


def pack_blob(data: bytes) -> PackedBlob:
    """Compress ``data`` and cut it."""
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(data)
    cuts = range(0, len(packed), PART_BYTES)
    return PackedBlob(
        digest=digest_bytes(data),
        raw_bytes=len(data),
        parts=tuple(packed[at : at + PART_BYTES] for at in cuts),
    )


class BlobStore:
    """Reads and writes ``evidence_blob``; one content is stored once a session."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, session_id: str, digest: str) -> bytes:
        """Return the bytes with this digest.

        Raises:
            IntegrityError: when they are missing or are not what was written.
            StorageError: when the database refuses.
        """
        async with self._database.read() as connection:
            return unpack_blob(digest, await blob_rows(connection, session_id, digest))

    async def stored_bytes(self, session_id: str) -> int:
        """Return how much of `SESSION_BYTES` a session has used."""
        size = func.coalesce(func.sum(func.length(evidence_blob.c.data)), 0)
        query = select(size).where(evidence_blob.c.session_id == session_id)
        async with self._database.read() as connection:
            return int((await connection.execute(query)).scalar_one())


async def write_blob(connection: AsyncConnection, session_id: str, blob: PackedBlob) -> None:
    """Write a blob's rows unless the session has them already."""
    query = select(evidence_blob.c.part).where(
        evidence_blob.c.session_id == session_id, evidence_blob.c.digest == blob.digest
    )
    if (await connection.execute(query.limit(1))).first() is None:
        await connection.execute(insert(evidence_blob), blob.rows(session_id))


async def blob_rows(
    connection: AsyncConnection, session_id: str, digest: str
) -> list[dict[str, Any]]:
    """Return the rows of one blob in order."""
    query = (
        select(evidence_blob)
        .where(evidence_blob.c.session_id == session_id, evidence_blob.c.digest == digest)
        .order_by(evidence_blob.c.part)
    )
    return [dict(row) for row in (await connection.execute(query)).mappings()]


def unpack_blob(digest: str, rows: Sequence[dict[str, Any]]) -> bytes:
    """Put the rows of one blob together.

    Raises:
        IntegrityError: when a row is missing or the bytes are not what was written.
    """
    if not rows:
        raise IntegrityError(f"stored output {digest!r} is missing")
    try:
        packed = b"".join(row["data"] for row in rows)
        data = zstandard.ZstdDecompressor().decompress(packed, max_output_size=2**31)
    except (zstandard.ZstdError, TypeError) as error:  # TypeError: SQLite gave text
        raise IntegrityError(f"stored output {digest!r} cannot be unpacked: {error}") from error
    if digest_bytes(data) != digest:
        raise IntegrityError(f"stored output {digest!r} is not what was written")
    return data
