"""A session as a file, and back."""

from pathlib import Path
from typing import Any

import pytest

from journaling import Source, diagnose, new_session, opened, planned
from superbizagent.domain.canonical import canonical_bytes, loads
from superbizagent.domain.journal import JournalMode
from superbizagent.errors import StorageError, UsageError
from superbizagent.storage.exports import export_session, import_session
from superbizagent.storage.integrity import verify_session

pytestmark = pytest.mark.anyio


async def exported(folder: Path) -> tuple[bytes, bytes]:
    """A finished session's report and file."""
    async with opened(folder) as storage:
        await new_session(storage, question="为什么?")
        report = await diagnose(storage, Source())
        return report, await export_session(storage, "s-1")


async def test_a_session_replays_from_its_file_to_the_same_bytes(tmp_path: Path) -> None:
    report, data = await exported(tmp_path / "here")
    source = Source()
    async with opened(tmp_path / "there") as storage:
        assert await import_session(storage, data) == "s-1"
        assert (await verify_session(storage, "s-1")).ok
        assert await diagnose(storage, source, mode=JournalMode.REPLAY) == report
        assert source.made == {}
        assert await export_session(storage, "s-1") == data
        call = await storage.invocations.get("s-1", planned(3).number)
        assert call.output is not None


async def test_the_file_starts_with_the_head_hash(tmp_path: Path) -> None:
    _, data = await exported(tmp_path)
    header, *rows = [loads(line) for line in data.splitlines()]
    async with opened(tmp_path) as storage:
        session = await storage.sessions.require("s-1")
    assert header["head_hash"] == session.head_hash
    assert header["rows"] == len(rows)
    assert {row["table"] for row in rows} == {
        "diagnosis_session",
        "session_entity",
        "tool_invocation",
        "journal_entry",
        "evidence_blob",
    }


async def test_a_file_that_was_edited_is_found_out(tmp_path: Path) -> None:
    _, data = await exported(tmp_path / "here")
    edited = data.replace(b'"status":"ok"', b'"status":"empty"', 1)
    assert edited != data
    async with opened(tmp_path / "there") as storage:
        await import_session(storage, edited)
        problems = (await verify_session(storage, "s-1")).problems
        assert {(p.table, p.column) for p in problems} == {("tool_invocation", "status")}


async def test_a_session_that_is_here_already_is_not_overwritten(tmp_path: Path) -> None:
    _, data = await exported(tmp_path)
    async with opened(tmp_path) as storage:
        with pytest.raises(UsageError, match="in this database already"):
            await import_session(storage, data)


async def test_there_is_nothing_to_export_of_an_unknown_session(tmp_path: Path) -> None:
    async with opened(tmp_path) as storage:
        with pytest.raises(StorageError, match="there is no session"):
            await export_session(storage, "s-9")


def changed(data: bytes, line: int, **values: Any) -> bytes:
    lines = data.splitlines()
    lines[line] = canonical_bytes(loads(lines[line]) | values)
    return b"\n".join(lines)


def row_with(data: bytes, **values: Any) -> bytes:
    row = loads(data.splitlines()[1])
    return changed(data, 1, row=row["row"] | values)


async def test_a_bad_file_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    _, data = await exported(tmp_path / "here")
    bad: list[tuple[bytes, type[Exception], str]] = [
        (b"", UsageError, "no session file"),
        (b"\x00\xff binary", UsageError, "no session file"),
        (b'["a list"]', UsageError, "no session file"),
        (b'{"format": "other"}', UsageError, "no session file"),
        (changed(data, 0, schema="0042"), StorageError, "newer superbizagent"),
        (changed(data, 0, version=2), StorageError, "newer superbizagent"),
        (data[: data.rindex(b"\n", 0, -1)], UsageError, "is cut off"),
        (changed(data, 1, table="x"), UsageError, "damaged"),
        (row_with(data, unknown=1), UsageError, "damaged"),
        (row_with(data, question=None), UsageError, "damaged"),
        (row_with(data, created_at="yesterday"), UsageError, "damaged"),
        (row_with(data, created_at="2026-01-01T00:00:00"), UsageError, "damaged"),
    ]
    async with opened(tmp_path / "there") as storage:
        for content, error, words in bad:
            with pytest.raises(error, match=words) as raised:
                await import_session(storage, content)
            assert "\n" not in str(raised.value)
            assert await storage.sessions.list() == ()
