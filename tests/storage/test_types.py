"""Values come back from the database as they went in."""

import random
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, Table, insert, select
from sqlalchemy.dialects import mysql, postgresql, sqlite
from sqlalchemy.exc import StatementError

from journaling import new_session
from superbizagent.domain.canonical import digest
from superbizagent.errors import IntegrityError
from superbizagent.storage import crash_points
from superbizagent.storage.blobs import PART_BYTES, pack_blob, unpack_blob
from superbizagent.storage.fingerprints import column_marks, hashed_columns, row_hash, stable
from superbizagent.storage.json_path import json_text
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import conversation, diagnosis_session, metadata
from superbizagent.storage.types import UtcDateTime

pytestmark = pytest.mark.anyio

INSTANTS = st.datetimes(
    min_value=datetime(1970, 1, 1),  # noqa: DTZ001 - the zone is drawn
    max_value=datetime(9999, 1, 1),  # noqa: DTZ001 - the zone is drawn
    timezones=st.timezones(),
)


@settings(deadline=None)
@given(INSTANTS)
def test_an_instant_is_bound_and_read_back_to_the_microsecond(at: datetime) -> None:
    kind = UtcDateTime()
    for dialect in (sqlite.dialect(), mysql.dialect(), postgresql.dialect()):
        bound = kind.process_bind_param(at, dialect)
        back = kind.process_result_value(bound, dialect)
        assert back == at.astimezone(UTC)  # two instants share a reading when clocks go back
        assert back is not None
        assert back.utcoffset() == timedelta(0)


async def test_an_instant_is_stored_in_utc(storage: Storage) -> None:
    at = datetime(2026, 7, 6, 20, 0, 0, 1, tzinfo=timezone(timedelta(hours=8)))
    row = {"conversation_id": "c", "title": "数据库 🔥", "turns": 1}
    row |= {"created_at": at, "updated_at": at}
    async with storage.database.write() as connection:
        await connection.execute(insert(conversation), row)
    async with storage.database.read() as connection:
        stored = (await connection.execute(select(conversation))).mappings().one()
    assert stored["created_at"] == at
    assert stored["created_at"].tzinfo is UTC
    assert stored["title"] == "数据库 🔥"


async def test_a_time_without_a_zone_is_refused(storage: Storage) -> None:
    naive = datetime(2026, 7, 6)  # noqa: DTZ001 - what is refused
    row = {
        "conversation_id": "c",
        "title": "",
        "turns": 1,
        "created_at": naive,
        "updated_at": naive,
    }
    with pytest.raises(StatementError, match="has no time zone"):
        async with storage.database.write() as connection:
            await connection.execute(insert(conversation), row)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc数", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


async def test_documents_come_back_as_they_were(storage: Storage) -> None:
    for number, value in enumerate(
        [{}, {"n": None}, {"a": [1.5, "x", {"数": "🔥"}]}, {"f": 1e300}]
    ):
        await new_session(storage, f"s-{number}", payload=value)
        assert (await storage.sessions.require(f"s-{number}")).payload == value


@settings(deadline=None)
@given(JSON)
def test_what_is_hashed_does_not_depend_on_how_a_database_prints_numbers(value: Any) -> None:
    assert digest(stable(reprinted(value))) == digest(stable(value))


def reprinted(value: Any) -> Any:
    """What PostgreSQL's JSONB makes of a value: whole floats come back as integers, -0.0 as 0."""
    if isinstance(value, dict):
        return {k: reprinted(value[k]) for k in sorted(value, reverse=True)}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON
    if isinstance(value, list):
        return [reprinted(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def test_what_json_cannot_hold_is_hashed_as_null() -> None:
    assert stable([float("nan"), float("inf"), 1.5, True]) == [None, None, 1.5, True]


def test_every_column_has_its_part_in_the_hash_of_its_row() -> None:
    row = dict.fromkeys(hashed_columns(diagnosis_session), "a")
    for name in row:
        other = row | {name: "b"}
        assert row_hash(diagnosis_session, other) != row_hash(diagnosis_session, row)
        marks = (column_marks(diagnosis_session, r) for r in (row, other))
        assert [a == b for a, b in zip(*(m.values() for m in marks), strict=True)].count(False) == 1
    left_out = {c.name for c in diagnosis_session.columns} - row.keys()
    computed = {"aiops_gate", "rule_grade", "verifier_verdict"}
    assert left_out == {"self_evaluation", "journal_length", "head_hash"} | computed


@settings(deadline=None, max_examples=20)
@given(st.binary(max_size=2000), st.integers(0, 3))
def test_a_blob_comes_back_exactly(data: bytes, parts: int) -> None:
    blob = pack_blob(data)
    rows = blob.rows("s-1")
    assert unpack_blob(blob.digest, rows) == data
    assert {row["parts"] for row in rows} == {len(rows)}


def test_a_large_blob_is_cut_into_parts_every_database_takes() -> None:
    data = random.Random(1).randbytes(PART_BYTES * 2 + 17)  # noqa: S311 - noise that does not compress
    blob = pack_blob(data)
    assert [len(part) for part in blob.parts][:-1] == [PART_BYTES] * (len(blob.parts) - 1)
    assert len(blob.parts) == 3
    assert blob.stored_bytes == sum(map(len, blob.parts))
    rows = blob.rows("s-1")
    assert unpack_blob(blob.digest, rows) == data
    for broken in (rows[:-1], rows[::-1], []):
        with pytest.raises(IntegrityError):
            unpack_blob(blob.digest, broken)
    other = pack_blob(data + b"x")
    with pytest.raises(IntegrityError, match="is not what was written"):
        unpack_blob(blob.digest, other.rows("s-1"))


def test_a_json_path_takes_plain_keys_only() -> None:
    column: Column[Any] = diagnosis_session.c.self_evaluation
    with pytest.raises(ValueError, match="plain keys"):
        json_text(column, "a'; DROP TABLE x; --")


def test_an_unknown_crash_point_is_an_error() -> None:
    with pytest.raises(ValueError, match="no crash point 'nowhere'"):
        crash_points.reach("nowhere")


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda t: t.name)
def test_instants_end_in_at(table: Table) -> None:
    for column in table.columns:
        names_one = column.name == "at" or column.name.endswith("_at")
        assert isinstance(column.type, UtcDateTime) == names_one, column
