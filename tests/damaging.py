"""Every stored value of a session that a check covers, and how to change it by hand."""

from typing import Any

import pytest

from superbizagent.storage.tables import (
    diagnosis_session,
    evidence_blob,
    journal_entry,
    session_entity,
    tool_invocation,
)

COVERED = (journal_entry, tool_invocation, evidence_blob, diagnosis_session, session_entity)

COLUMNS = [
    pytest.param(table.name, column.name, id=f"{table.name}.{column.name}")
    for table in COVERED
    for column in table.columns
    if column.computed is None
]

IDENTITY = {
    ("journal_entry", "session_id"),
    ("tool_invocation", "session_id"),
    ("tool_invocation", "id"),
    ("evidence_blob", "session_id"),
    ("evidence_blob", "digest"),
    ("evidence_blob", "part"),
    ("diagnosis_session", "session_id"),
    ("session_entity", "session_id"),
    ("session_entity", "path"),
    ("session_entity", "role"),
}


def other(value: Any) -> Any:
    """A value of the same type that is not equal."""
    if value is None:
        return "x"
    if isinstance(value, int | float):
        return value + 1000
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    if value.startswith("{"):
        return '{"added": 1}' if value != '{"added": 1}' else "{}"
    if value[:4] == "2026":
        return value[:-1] + ("1" if value[-1] != "1" else "2")
    return f"{value}x"
