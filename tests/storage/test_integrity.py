"""`verify_session` names every stored value that is not what was written."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table

from damaging import COLUMNS, COVERED, IDENTITY, other
from journaling import Source, diagnose, new_session, opened, planned
from superbizagent.domain.journal import IntegrityReport
from superbizagent.errors import StorageError
from superbizagent.investigation.journal import Journal
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import (
    diagnosis_session,
    evidence_blob,
    journal_entry,
    metadata,
    session_entity,
    tool_invocation,
)

pytestmark = pytest.mark.anyio

LEFT_OUT = {
    "session_claim": "who works on a session right now: rewritten every few seconds",
    "model_call": "nothing writes it in this version",
    "session_queue": "what waits for a worker: gone when the session has ended",
    "incident": "what several sessions are about: it moves on after they have ended",
    "notification": "what was told to people about a session, after it",
    "feedback": "what people say of a session, after it",
}
"""Tables of a session that a check does not look at, and why."""

KEY = b"a key that the database's owner does not have"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished session; every test takes a copy of its file."""
    import asyncio

    folder = tmp_path_factory.mktemp("recorded")

    async def record() -> None:
        async with opened(folder) as storage:
            await new_session(storage, question="why?", conversation_id="c", code_version="1")
            await diagnose(storage, Source(), calls=2)

    asyncio.run(record())
    return folder / "superbiz.db"


@pytest.fixture
def database(recorded: Path, tmp_path: Path) -> Path:
    with sqlite3.connect(recorded) as source, sqlite3.connect(tmp_path / "superbiz.db") as copy:
        source.backup(copy)
    return tmp_path / "superbiz.db"


def change(database: Path, statement: str, *values: Any) -> None:
    with sqlite3.connect(database) as connection:
        cursor = connection.execute(statement, values)
        assert cursor.rowcount > 0
    connection.close()


async def verify(database: Path, key: bytes | None = None) -> IntegrityReport:
    async with opened(database.parent) as storage:
        return await verify_session(storage, "s-1", key)


def test_every_table_of_a_session_is_covered_or_left_out_for_a_reason() -> None:
    of_a_session = {t.name for t in metadata.sorted_tables if "session_id" in t.columns}
    assert {table.name for table in COVERED} == of_a_session - LEFT_OUT.keys()


async def test_an_untouched_session_has_no_problem(database: Path) -> None:
    report = await verify(database)
    assert report.problems == ()
    assert report.ok
    assert report.sealed
    assert not report.keyed
    assert report.entries > 10
    with sqlite3.connect(database) as connection:
        head = connection.execute("SELECT head_hash FROM diagnosis_session").fetchone()[0]
    assert report.head_hash == head


@pytest.mark.parametrize("order", ["ASC", "DESC"])
@pytest.mark.parametrize(("table", "column"), COLUMNS)
async def test_a_changed_value_of_any_column_is_named(
    database: Path, table: str, column: str, order: str
) -> None:
    with sqlite3.connect(database) as connection:
        rowid, value = connection.execute(
            f"SELECT rowid, {column} FROM {table} ORDER BY rowid {order} LIMIT 1"  # noqa: S608 - names from the metadata
        ).fetchone()
    change(database, f"UPDATE {table} SET {column} = ? WHERE rowid = ?", other(value), rowid)  # noqa: S608 - as above
    report = await verify(database)
    named = {(p.table, p.column.split(".")[0]) for p in report.problems}
    if (table, column) in IDENTITY:  # another identity: this row is missing, that one is unknown
        assert {t for t, _ in named} >= {table}
    else:
        assert (table, column) in named
    assert all(p.row and p.message for p in report.problems)


@pytest.mark.parametrize(
    ("table", "column"),
    [
        (table.name, column.name)
        for table in (tool_invocation, diagnosis_session, session_entity)
        for column in table.columns
        if column.computed is None and (table.name, column.name) not in IDENTITY
    ],
)
async def test_the_very_column_of_a_row_is_named(database: Path, table: str, column: str) -> None:
    with sqlite3.connect(database) as connection:
        value = connection.execute(f"SELECT {column} FROM {table} LIMIT 1").fetchone()[0]  # noqa: S608 - names from the metadata
    change(database, f"UPDATE {table} SET {column} = ?", other(value))  # noqa: S608 - as above
    found = {p.column.split(".")[0] for p in (await verify(database)).problems}
    assert column in found
    assert found == {column}


async def test_text_that_is_no_text_is_named_too(database: Path) -> None:
    change(database, "UPDATE diagnosis_session SET question = CAST(x'77ff' AS TEXT)")
    problems = (await verify(database)).problems
    assert [(p.table, p.column) for p in problems] == [("diagnosis_session", "question")]


@pytest.mark.parametrize("column", ["started_at", "details", "duration_us", "truncated"])
async def test_a_value_that_cannot_be_read_is_named_too(database: Path, column: str) -> None:
    change(database, f"UPDATE tool_invocation SET {column} = 'no date, no JSON'")  # noqa: S608 - names from above
    problems = (await verify(database)).problems
    assert {(p.table, p.column) for p in problems} == {("tool_invocation", column)}
    assert len(problems) == 4


async def test_each_key_of_self_evaluation_is_named(database: Path) -> None:
    for name in ("aiops_rule_evaluation", "rule_evaluation"):
        path = f"$.{name}.verdict"
        change(
            database,
            "UPDATE diagnosis_session SET self_evaluation = json_set(self_evaluation, ?, 'FAIL')",
            path,
        )
        assert f"self_evaluation.{name}" in {p.column for p in (await verify(database)).problems}
    change(database, """UPDATE diagnosis_session SET self_evaluation = '{"mine": 1}'""")
    columns = {p.column: p.message for p in (await verify(database)).problems}
    assert "no entry" in columns["self_evaluation.mine"]
    assert "missing" in columns["self_evaluation.rule_evaluation"]


DELETIONS = [
    ("journal_entry", "DELETE FROM journal_entry WHERE seq = 3"),
    ("journal_entry", "DELETE FROM journal_entry WHERE seq > 9"),
    ("journal_entry", "DELETE FROM journal_entry"),
    ("tool_invocation", "DELETE FROM tool_invocation WHERE number = 2"),
    ("evidence_blob", "DELETE FROM evidence_blob WHERE rowid = 1"),
    ("diagnosis_session", "DELETE FROM diagnosis_session"),
    ("session_entity", "DELETE FROM session_entity"),
]


@pytest.mark.parametrize(("table", "statement"), DELETIONS)
async def test_what_was_deleted_is_missed(database: Path, table: str, statement: str) -> None:
    change(database, statement)
    assert table in {p.table for p in (await verify(database)).problems}


def copies(table: str, columns: str, values: str) -> str:
    return f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} LIMIT 1"  # noqa: S608 - names from here


def added(table: Table, **changes: str) -> str:
    names: list[str] = [c.name for c in table.columns if c.computed is None]
    values = [changes.get(name, name) for name in names]
    return copies(table.name, ", ".join(names), ", ".join(values))


ADDITIONS = [
    ("journal_entry", added(journal_entry, key="'x'", seq="NULL")),
    ("journal_entry", added(journal_entry, key="'x'", seq="1000")),
    ("tool_invocation", added(tool_invocation, id="'x'")),
    ("evidence_blob", added(evidence_blob, digest="'x'")),
    ("evidence_blob", added(evidence_blob, part="7")),
    ("session_entity", added(session_entity, path="'x'")),
    ("session_entity", added(session_entity, role="'cause'")),
]


@pytest.mark.parametrize(("table", "statement"), ADDITIONS)
async def test_what_was_added_is_found(database: Path, table: str, statement: str) -> None:
    change(database, statement)
    assert table in {p.table for p in (await verify(database)).problems}


async def test_entries_that_changed_places_are_found(database: Path) -> None:
    for old, new in ((4, 1000), (5, 4), (1000, 5)):
        change(database, "UPDATE journal_entry SET seq = ? WHERE seq = ?", new, old)
    assert {p.column for p in (await verify(database)).problems} >= {"hash", "prev_hash"}


async def test_an_evaluation_that_is_no_object_is_named(database: Path) -> None:
    change(database, "UPDATE diagnosis_session SET self_evaluation = '[1]'")
    columns = {p.column for p in (await verify(database)).problems}
    assert columns >= {"self_evaluation", "self_evaluation.rule_evaluation"}


async def test_fingerprints_that_cannot_be_read_are_named(database: Path) -> None:
    change(database, "UPDATE journal_entry SET fingerprints = 'no JSON' WHERE kind = 'stage'")
    problems = (await verify(database)).problems
    assert {(p.table, p.column) for p in problems} == {("journal_entry", "fingerprints")}


async def test_a_duplicate_whose_row_is_gone_is_found(storage: Storage) -> None:
    await new_session(storage)
    source = Source()
    async with Journal(storage, "s-1", Owner("me")) as journal:
        for number in (1, 2):
            call = planned(number, input={"selector": "up"})
            await journal.call(call, lambda c=call: source.ask(c))
        await journal.seal()
    async with storage.database.write() as connection:
        await connection.execute(tool_invocation.delete())
    messages = [p.message for p in (await verify_session(storage, "s-1")).problems]
    assert messages == ["this row is missing; gather/01/0001 wrote it", "this row is missing"]


async def test_without_a_session_there_is_nothing_to_verify(storage: Storage) -> None:
    with pytest.raises(StorageError, match="there is no session 's-9'"):
        await verify_session(storage, "s-9")


async def test_a_running_session_may_have_entries_that_wait(storage: Storage) -> None:
    await new_session(storage)
    async with Journal(storage, "s-1", Owner("me")) as journal:
        await journal.start()
        await journal.stage("scope", {})
        report = await verify_session(storage, "s-1")
    assert report.problems == ()
    assert not report.sealed


async def rebuild(database: Path, key: bytes | None) -> None:
    """Forge a session: change a row and make every hash anew, as its owner could."""
    from superbizagent.domain.canonical import canonical_bytes, loads
    from superbizagent.storage.fingerprints import (
        chain_hash,
        column_marks,
        content_hash,
        row_hash,
    )
    from superbizagent.storage.raw_rows import read_rows

    change(database, "UPDATE tool_invocation SET output_preview = 'forged' WHERE number = 1")
    async with opened(database.parent) as storage:
        async with storage.database.read() as connection:
            rows = {r["id"]: r for r in await read_rows(connection, tool_invocation, "s-1")}
            entries = await read_rows(connection, journal_entry, "s-1")
        prev = ""
        with sqlite3.connect(database) as connection_:
            for entry in sorted(entries, key=lambda e: e["seq"]):
                if entry["row_id"] in rows:
                    row = rows[entry["row_id"]]
                    entry["row_hash"] = row_hash(tool_invocation, row)
                    marks = loads(entry["fingerprints"])
                    marks["row"] = column_marks(tool_invocation, row)
                    entry["fingerprints"] = canonical_bytes(marks).decode()
                content = content_hash(entry)
                head = chain_hash(key, entry["seq"], prev, content)
                connection_.execute(
                    "UPDATE journal_entry SET fingerprints=?, row_hash=?, content_hash=?,"
                    " prev_hash=?, hash=? WHERE seq=?",
                    (entry["fingerprints"], entry["row_hash"], content, prev, head, entry["seq"]),
                )
                prev = head
            connection_.execute("UPDATE diagnosis_session SET head_hash=?", (prev,))
        connection_.close()


async def test_without_a_key_a_consistent_rewrite_shows_only_in_the_head(database: Path) -> None:
    before = (await verify(database)).head_hash
    await rebuild(database, None)
    report = await verify(database)
    assert report.ok
    assert report.head_hash != before


@pytest.mark.parametrize("forger", [None, b"another key"])
async def test_with_a_key_a_consistent_rewrite_is_found(
    tmp_path: Path, forger: bytes | None
) -> None:
    async with opened(tmp_path, integrity_key=KEY) as storage:
        await new_session(storage)
        await diagnose(storage, Source(), calls=2)
        report = await verify_session(storage, "s-1", KEY)
        assert report.ok
        assert report.keyed
        assert (await verify_session(storage, "s-1", None)).ok
    database = tmp_path / "superbiz.db"
    await rebuild(database, forger)
    report = await verify(database, KEY)
    assert not report.ok
    assert not report.keyed or forger is not None


async def test_a_key_does_not_vouch_for_a_chain_made_without_it(database: Path) -> None:
    report = await verify(database, KEY)
    assert not report.keyed
    assert {p.message for p in report.problems} == {"it was linked without the key"}


def test_computed_columns_cannot_be_changed_at_all(database: Path) -> None:
    computed = [c.name for c in diagnosis_session.columns if c.computed is not None]
    assert computed == ["aiops_gate", "rule_grade", "verifier_verdict"]
    with sqlite3.connect(database) as connection:
        for name in computed:
            with pytest.raises(sqlite3.OperationalError, match="generated column"):
                connection.execute(f"UPDATE diagnosis_session SET {name} = 'x'")  # noqa: S608 - as above
    connection.close()
