"""The tables as they are declared, as they are created, and on every database."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Table
from sqlalchemy.dialects import mysql, postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from journaling import SetClock, new_session, opened
from superbizagent.errors import StorageError
from superbizagent.storage import schema
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import metadata, tool_invocation

pytestmark = pytest.mark.anyio

TABLES = list(metadata.tables.values())


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return compare_metadata(context, metadata)


async def test_the_migrations_create_what_is_declared(storage: Storage) -> None:
    async with storage.database.read() as connection:
        assert await connection.run_sync(differences) == []


async def test_columns_and_constraints_are_created_as_declared(
    storage: Storage, tmp_path: Path
) -> None:
    """Alembic does not compare everything: checks the statements that SQLite kept."""
    with sqlite3.connect(tmp_path / "declared.db") as declared:
        for table in metadata.sorted_tables:
            declared.execute(str(CreateTable(table).compile(dialect=sqlite.dialect())))
            for index in table.indexes:
                declared.execute(str(CreateIndex(index).compile(dialect=sqlite.dialect())))
    kept = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '%alembic%' ORDER BY name"
    with sqlite3.connect(storage.database.label) as created:
        rows = (declared.execute(kept).fetchall(), created.execute(kept).fetchall())
    expected, found = ({name: lines(sql) for name, sql in some} for some in rows)
    assert found == expected
    declared.close()
    created.close()


def lines(statement: str | None) -> set[str]:
    """Parts of a statement, in whatever order they were written."""
    return {line.strip().rstrip(",") for line in (statement or "").splitlines() if line.strip()}


def test_the_list_of_revisions_is_that_of_the_folder() -> None:
    scripts = ScriptDirectory(str(Path(schema.__file__).with_name("migrations")))
    known = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(known)) == schema.REVISIONS
    assert scripts.get_heads() == [schema.HEAD]


async def test_a_newer_database_is_refused_in_one_line(tmp_path: Path) -> None:
    async with opened(tmp_path):
        pass
    with sqlite3.connect(tmp_path / "superbiz.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0042'")
    connection.close()
    with pytest.raises(StorageError, match=r"newer superbizagent \(schema 0042.*upgrade") as raised:
        async with opened(tmp_path):
            pass
    assert "\n" not in str(raised.value)


async def test_opening_again_does_not_load_the_migration_library(tmp_path: Path) -> None:
    async with opened(tmp_path):
        pass
    program = (
        "import asyncio, sys; from pathlib import Path; from journaling import opened\n"
        "async def main():\n"
        f"    async with opened(Path({str(tmp_path)!r})): pass\n"
        "asyncio.run(main()); print('alembic' in sys.modules)"
    )
    tests = Path(__file__).parents[1]
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program], cwd=tests, capture_output=True, check=True
    )
    assert done.stdout.strip() == b"False"


async def test_two_that_open_an_empty_folder_at_once_both_succeed(tmp_path: Path) -> None:
    async def open_and_write(name: str) -> None:
        async with opened(tmp_path, SetClock()) as storage:
            await new_session(storage, name)

    await asyncio.gather(*(open_and_write(f"s-{n}") for n in range(4)))
    async with opened(tmp_path) as storage:
        assert len(await storage.sessions.list()) == 4


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_every_constraint_and_index_has_a_name_that_every_database_takes(table: Table) -> None:
    parts = [*table.constraints, *table.indexes]
    names = [str(part.name) for part in parts if part.name is not None]
    assert len(names) == len(parts)
    assert max(len(name) for name in names) <= 63  # PostgreSQL cuts longer ones


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
@pytest.mark.parametrize("dialect", [mysql.dialect(), postgresql.dialect()], ids=lambda d: d.name)
def test_every_table_can_be_written_for_every_database(table: Table, dialect: Any) -> None:
    statement = str(CreateTable(table).compile(dialect=dialect))
    if dialect.name == "mysql":
        assert " TEXT" not in statement  # ends at 64 kB
        assert " DATETIME " not in statement  # drops microseconds
        assert " BLOB" not in statement  # ends at 64 kB
        assert index_bytes(table) <= 3072  # InnoDB's limit, four bytes a character
    else:
        assert " JSON " not in statement  # has no equality
        assert "WITHOUT TIME ZONE" not in statement


def index_bytes(table: Table) -> int:
    """The longest key of a table in bytes of utf8mb4."""
    keys = [table.primary_key.columns, *(index.columns for index in table.indexes)]
    return max(sum(4 * (getattr(c.type, "length", None) or 2) for c in key) for key in keys)


def test_generated_columns_speak_each_dialect() -> None:
    table = metadata.tables["diagnosis_session"]
    spoken = {
        d.name: str(CreateTable(table).compile(dialect=d))
        for d in (sqlite.dialect(), mysql.dialect(), postgresql.dialect())
    }
    assert "json_extract(self_evaluation, '$.rule_evaluation.grade')" in spoken["sqlite"]
    assert "json_value(self_evaluation, '$.rule_evaluation.grade')" in spoken["mysql"]
    assert "(self_evaluation #>> '{rule_evaluation,grade}')" in spoken["postgresql"]


def test_b18_no_column_per_retrieval_field() -> None:
    """Three coarse columns for queries; everything else of a retrieval is one JSON document."""
    names = [c.name for c in tool_invocation.columns if c.name.startswith("retrieval")]
    assert names == [
        "retrieval_details",
        "retrieval_query",
        "retrieval_hit_count",
        "retrieval_top_score",
    ]
