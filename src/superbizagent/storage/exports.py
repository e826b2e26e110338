"""One session as one file: to keep, to hand on, to replay elsewhere.

JSON lines: a header with the head hash, then one line per row, bytes in base64. Rows come in a
fixed order, so the same session gives the same file. Everything in it was redacted before it was
stored; the claim of the session is not part of it.
"""

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, LargeBinary, Table, insert
from sqlalchemy.exc import CompileError
from sqlalchemy.exc import IntegrityError as ConstraintError
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.canonical import canonical_bytes, loads
from superbizagent.errors import StorageError, UsageError
from superbizagent.storage.claims import no_session
from superbizagent.storage.raw_rows import readable_rows
from superbizagent.storage.schema import HEAD, REVISIONS
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import (
    diagnosis_session,
    evidence_blob,
    journal_entry,
    model_call,
    session_entity,
    tool_invocation,
)
from superbizagent.storage.types import UtcDateTime

__all__ = ["export_session", "import_session"]

_FORMAT = "superbizagent-session"
_VERSION = 1

_TABLES = {
    table.name: table
    for table in (
        diagnosis_session,  # first: the others refer to it
        session_entity,
        tool_invocation,
        model_call,
        journal_entry,
        evidence_blob,
    )
}


async def export_session(storage: Storage, session_id: str) -> bytes:
    """Return the whole session as the bytes of a file.

    Raises:
        StorageError: when there is no such session, or the database refuses.
        IntegrityError: when a stored value cannot be read.
    """
    lines: list[bytes] = []
    async with storage.database.read() as connection:
        for table in _TABLES.values():
            for row in await _rows(connection, table, session_id):
                plain = {name: _plain(value) for name, value in row.items()}
                lines.append(canonical_bytes({"table": table.name, "row": plain}))
    if not lines:
        raise no_session(session_id)
    first = loads(lines[0])["row"]
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "schema": HEAD,
        "session_id": session_id,
        "head_hash": first["head_hash"],
        "rows": len(lines),
    }
    return b"\n".join([canonical_bytes(header), *lines, b""])


async def import_session(storage: Storage, data: bytes) -> str:
    """Store what `export_session` wrote and return the session's id.

    The content is not judged here: `verify_session` does that.

    Raises:
        UsageError: when it is no such file, is cut off, or the session is here already.
        StorageError: when a newer version wrote it, or the database refuses.
    """
    header, *lines = _parsed(data)
    _check_header(header, len(lines))
    session_id = str(header["session_id"])
    try:
        async with storage.database.write() as connection:
            if await _rows(connection, diagnosis_session, session_id):
                raise UsageError(
                    f"session {session_id!r} is in this database already: `superbiz trace show` it"
                )
            for line in lines:
                table = _TABLES[line["table"]]
                await connection.execute(insert(table), _restored(table, line["row"]))
    except StorageError as error:
        if isinstance(error.__cause__, ConstraintError):
            raise _damaged(error) from error
        raise
    except (KeyError, TypeError, ValueError, binascii.Error, CompileError) as error:
        raise _damaged(error) from error
    return session_id


def _damaged(error: Exception) -> UsageError:
    return UsageError(f"this session file is damaged: {error}")


async def _rows(connection: AsyncConnection, table: Table, session_id: str) -> list[dict[str, Any]]:
    stored = [column.name for column in table.columns if column.computed is None]
    found = await readable_rows(connection, table, session_id)
    rows = [{name: row[name] for name in stored} for row in found]
    keys = [column.name for column in table.primary_key.columns]
    # Sorted here: each database has its own idea of the order of text.
    return sorted(rows, key=lambda row: tuple(row[key] for key in keys))


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _restored(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _typed(table.c[name], value) for name, value in row.items()}


def _typed(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, UtcDateTime):
        at = datetime.fromisoformat(value)
        if at.tzinfo is None:
            raise ValueError(f"{column.name} {value!r} has no time zone")
        return at
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(value, validate=True)
    return value


def _parsed(data: bytes) -> list[dict[str, Any]]:
    try:
        lines: list[Any] = [loads(line) for line in data.splitlines()]
    except ValueError as error:
        raise _no_export() from error
    if not lines or not all(isinstance(line, dict) for line in lines):
        raise _no_export()
    return lines


def _no_export() -> UsageError:
    return UsageError("this is no session file: `superbiz trace export` writes one")


def _check_header(header: Mapping[str, Any], rows: int) -> None:
    if header.get("format") != _FORMAT:
        raise _no_export()
    schema = header.get("schema")
    if header.get("version") != _VERSION or schema not in REVISIONS:
        raise StorageError(
            f"this session file was written by a newer superbizagent (schema {schema}, this "
            f"version knows {HEAD}): upgrade superbizagent"
        )
    if header.get("rows") != rows:
        raise UsageError(
            f"this session file is cut off: {rows} of {header.get('rows')} rows are there"
        )
