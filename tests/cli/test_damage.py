"""Stored values that were changed by hand: each is named, and none hides the other sessions."""

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from commanding import Superbiz
from damaging import COLUMNS, IDENTITY
from journaling import SetClock, Source, diagnose, new_session, opened

NEVER_WRITTEN = {"self_evaluation": "[1]"}
"""Column -> garbage; SQLite itself refuses other garbage here, for its generated columns."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions, of which ``s-1`` is damaged later; every test takes a copy of the file."""
    folder = tmp_path_factory.mktemp("recorded")

    async def record() -> None:
        async with opened(folder) as storage:
            await new_session(storage, question="why?", payload={"sources": {}})
            await diagnose(storage, Source(), calls=1)
        later = SetClock()
        later.pass_(60)
        async with opened(folder, later) as storage:
            await new_session(storage, "other", question="what else?")

    asyncio.run(record())
    return folder / "superbiz.db"


@pytest.fixture
def database(recorded: Path, tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return Path(shutil.copy(recorded, tmp_path / "data" / "superbiz.db"))


def overwrite(database: Path, table: str, column: str, value: Any) -> None:
    first = "session_id = 's-1' ORDER BY rowid LIMIT 1"
    statement = (
        f"UPDATE {table} SET {column} = ? WHERE rowid = (SELECT rowid FROM {table} WHERE {first})"  # noqa: S608 - names from the metadata
    )
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute(statement, (value,)).rowcount == 1


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_garbage_in_any_column_is_named_with_exit_code_five(
    superbiz: Superbiz, database: Path, table: str, column: str
) -> None:
    overwrite(database, table, column, NEVER_WRITTEN.get(column, "gärbage?"))
    ended = superbiz("trace", "verify", "s-1")
    assert ended.code == 5
    assert "[integrity]" in ended.error
    # another identity: the row that was there is missing, and one is there that nobody wrote
    named = table if (table, column) in IDENTITY else f"{table}.{column}"
    assert named in ended.out
    listed = superbiz("trace", "list")
    assert listed.code == 0
    assert "what else?" in listed.out


@pytest.mark.parametrize(
    "column", ["channel", "language", "status", "payload", "scope", "plan", "report", "created_at"]
)
def test_a_session_that_cannot_be_read_is_shown_as_damaged(
    superbiz: Superbiz, database: Path, column: str
) -> None:
    overwrite(database, "diagnosis_session", column, "gärbage?")
    lines = superbiz("trace", "list").out.splitlines()
    assert [f"{column} cannot be read: superbiz trace verify s-1" in line for line in lines].count(
        True
    ) == 1
    rows = [json.loads(line) for line in superbiz("trace", "list", "--json").out.splitlines()]
    assert {"session_id": "s-1", "damaged": column} in rows
    assert [row["question"] for row in rows if "question" in row] == ["what else?"]
    for command in (("trace", "show"), ("trace", "export"), ("replay",), ("diagnose", "--session")):
        ended = superbiz(*command, "s-1")
        assert ended.code == 5
        assert f"'s-1': diagnosis_session.{column}" in ended.error


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("tool_invocation", "number"),
        ("tool_invocation", "details"),
        ("tool_invocation", "started_at"),
        ("tool_invocation", "status"),
        ("tool_invocation", "tool_name"),
        ("journal_entry", "recorded_at"),
    ],
)
def test_a_call_that_cannot_be_read_is_no_internal_error(
    superbiz: Superbiz, database: Path, table: str, column: str
) -> None:
    overwrite(database, table, column, "gärbage?")
    for command in (
        ("trace", "show", "s-1"),
        ("trace", "export", "s-1"),
        ("explain", "s-1", "E1", "--raw"),
    ):
        ended = superbiz(*command)
        assert "[internal]" not in ended.err, ended.err
        if ended.code:
            assert ended.code == 5
            assert f"'s-1': {table}.{column}" in ended.error


def test_without_its_row_a_session_is_still_verified(superbiz: Superbiz, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM diagnosis_session WHERE session_id = 's-1'")
    ended = superbiz("trace", "verify", "s-1")
    assert ended.code == 5
    assert "diagnosis_session s-1: the session's row is missing" in ended.out
