"""Lists of changes: files in any usual form, and git repositories that are only read."""

import asyncio
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.datasources.changes import ChangeSource
from superbizagent.domain.change_rows import read_changes
from superbizagent.domain.outputs import Change, ChangeKind, ChangeList, sort_of_change
from superbizagent.domain.source import Answer, EvidenceStatus, Signal
from superbizagent.domain.window import Window
from superbizagent.errors import NothingReadableError
from tests.datasources.changes.repositories import commit, git, repository

NOON = datetime(2026, 5, 6, 12, 0, tzinfo=UTC)
SPAN = Window(start=NOON, end=NOON + timedelta(hours=1))


def listed(*places: str) -> Answer:
    return asyncio.run(ChangeSource(places, SPAN).list_changes())


def changes_of(answer: Answer) -> tuple[Change, ...]:
    assert isinstance(answer.output, ChangeList)
    return answer.output.changes


# Files -------------------------------------------------------------------------------------------

ROW = {"time": "2026-05-06T12:00:00Z", "service": "orders", "type": "deploy", "message": "1.5.0"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROW),
        json.dumps([ROW]),
        json.dumps({"events": [ROW]}, indent=2),
        "\ufeffTime,Service,Type,Message\n2026-05-06T12:00:00Z,orders,deploy,1.5.0\n",
        "timestamp\tservice\tkind\tsummary\n1778068800\torders\tdeploy\t1.5.0\n",
        'when;app;event;title\n"2026-05-06 12:00:00";orders;deploy;"1.5.0"\n',
    ],
)
def test_a_deploy_event_is_read_in_any_usual_form(text: str) -> None:
    rows = read_changes(text)
    (change,) = rows.changes
    assert (change.at, change.entity, change.kind, change.summary) == (
        NOON,
        "orders",
        "deploy",
        "1.5.0",
    )
    assert rows.remark == ""


def test_what_is_no_change_is_named_by_its_line_and_the_rest_is_in_order() -> None:
    late, early = (json.dumps(ROW | {"time": f"2026-05-06T1{k}:00:00Z"}) for k in (3, 2))
    rows = read_changes("\n".join([late, "{broken", "", json.dumps({"a": 1}), early]))
    assert [c.at.hour for c in rows.changes] == [12, 13]
    assert (rows.left_out, rows.unit) == ((2, 4), "line")
    assert rows.remark.startswith("left out line 2, 4: malformed or no time; write {")


def test_lines_of_a_table_are_counted_as_an_editor_does() -> None:
    table = (
        '\r\n\r\ntime,service,message\r\n2026-05-06 12:00,orders,"two\r\nlines"\r\nnever,a,b\r\n'
    )
    rows = read_changes(table)
    assert [c.summary for c in rows.changes] == ["two\nlines"]
    assert rows.left_out == (6,)


def test_a_field_of_megabytes_costs_its_row_alone() -> None:
    rows = read_changes(f"time,service\n{'x' * 200_000},a\n2026-05-06 12:00,orders\n")
    assert ([c.entity for c in rows.changes], rows.left_out) == (["orders"], (2,))


def test_rows_of_a_json_list_are_counted_as_rows_and_only_a_few_are_named() -> None:
    rows = read_changes(json.dumps([*range(9), ROW]))
    assert len(rows.changes) == 1
    assert rows.remark.startswith("left out row 1, 2, 3, 4, 5 and 4 more: ")


@given(st.text() | st.text('\r\n,;\t"{}[]a1'))
def test_no_text_is_too_strange(text: str) -> None:
    rows = read_changes(text)
    assert all(1 <= n <= len(text.splitlines()) + 1 for n in rows.left_out)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda x: (
            st.lists(x) | st.dictionaries(st.sampled_from(["at", "entity", "changes", "kind"]), x)
        ),
    )
)
def test_no_json_is_too_strange(value: Any) -> None:
    rows = read_changes(json.dumps(value))
    if isinstance(value, list):
        assert len(rows.changes) + len(rows.left_out) == len(cast("list[Any]", value))


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("deploy", ChangeKind.DEPLOY),
        ("Rollout", ChangeKind.DEPLOY),
        ("commit", ChangeKind.DEPLOY),
        ("", ChangeKind.DEPLOY),
        ("feature-flag", ChangeKind.CONFIG),
        ("ConfigMap", ChangeKind.CONFIG),
        ("scale", ChangeKind.CONFIG),
        ("restarted", ChangeKind.RESTART),
    ],
)
def test_kinds_are_sorted_whatever_they_are_called(word: str, kind: ChangeKind) -> None:
    assert sort_of_change(word) is kind


# Repositories ------------------------------------------------------------------------------------


@pytest.fixture
def mono(tmp_path: Path) -> Path:
    path = repository(tmp_path / "mono")
    commit(path, {"README.md": "old"}, "2026-05-04T12:00:00Z", "Long ago")
    commit(path, {"orders/a.py": "1", "README.md": "x"}, "2026-05-06T12:10:00Z", "Price anew")
    commit(path, {"services/stock/b.py": "2"}, "2026-05-06T12:20:00+00:00", "Count <b>anew</b>")
    git(path, "tag", "orders/v1.5.0", "HEAD~1", when="2026-05-06T12:30:00Z")
    git(path, "tag", "-a", "v9", "-m", "Release nine", when="2026-05-06T12:40:00Z")
    commit(path, {"orders/a.py": "3"}, "2026-05-07T12:00:00Z", "The day after")
    return path


def test_commits_and_tags_of_the_time_are_listed(mono: Path) -> None:
    answer = listed(f"git:{mono}")
    assert answer.status is EvidenceStatus.OK
    found = {(c.kind, c.summary.partition(" ")[2] or c.summary): c for c in changes_of(answer)}
    commit_ = found["commit", "Price anew (README.md, orders/)"]
    assert (commit_.entity, commit_.within, commit_.author) == ("orders", "mono", "Ann")
    assert found["commit", "Count <b>anew</b> (services/)"].entity == "stock"
    assert found["tag", "Release nine"].entity == "mono"
    assert not [c for c in changes_of(answer) if "Long ago" in c.summary or "after" in c.summary]
    tags = [c for c in changes_of(answer) if c.kind == "tag"]
    assert {c.entity for c in tags} == {"orders", "mono"}


def test_a_merge_counts_when_it_arrived(tmp_path: Path) -> None:
    path = repository(tmp_path / "shop")
    commit(path, {"a": "1"}, "2026-05-06T12:00:00Z", "First")
    git(path, "checkout", "--quiet", "-b", "work")
    commit(path, {"orders/b": "1"}, "2026-04-01T12:00:00Z", "Old work")
    git(path, "checkout", "--quiet", "main")
    git(path, "merge", "--quiet", "--no-ff", "work", "-m", "Merge it", when="2026-05-06T12:30:00Z")
    summaries = [c.summary.partition(" ")[2] for c in changes_of(listed(f"git:{path}"))]
    assert summaries == ["First (a)", "Merge it (orders/)"]


def test_a_repository_is_only_read_and_runs_nothing_of_its_own(mono: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n", encoding="utf-8")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"):
        git(mono, "config", name, str(script))
    git(mono, "config", "log.showSignature", "true")
    before = {p: p.stat().st_mtime_ns for p in sorted(mono.rglob("*"))}
    assert listed(f"git:{mono}").status is EvidenceStatus.OK
    assert {p: p.stat().st_mtime_ns for p in sorted(mono.rglob("*"))} == before
    assert not trap.exists()


def test_an_empty_repository_has_no_changes_and_says_what_to_name(tmp_path: Path) -> None:
    answer = listed(f"git:{repository(tmp_path / 'new')}")
    assert answer.status is EvidenceStatus.EMPTY
    assert answer.warnings[0].endswith(
        "has no commit yet; name the repository that is deployed, or a file of changes"
    )


def test_a_repository_of_somebody_else_is_read_once_it_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    path = repository(tmp_path / "orders")
    commit(path, {"a": "1"}, "2026-05-06T12:00:00Z", "First")
    monkeypatch.setenv("HOME", str(tmp_path))
    for file in (path, *path.rglob("*")):
        os.chown(file, 1, 1)
    answer = listed(f"git:{path}")
    assert answer.status is EvidenceStatus.ERROR
    trust = f"git config --global --add safe.directory {path}"
    assert answer.error.endswith(f"it belongs to somebody else; trust it with: {trust}")
    git(tmp_path, *trust.split()[1:], home=tmp_path)
    assert listed(f"git:{path}").status is EvidenceStatus.OK


# What goes wrong ---------------------------------------------------------------------------------


def test_a_place_that_fails_beside_one_that_answers_is_a_warning(
    mono: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "no-repository"
    bare.mkdir()
    answer = listed(f"git:{mono}", f"git:{bare}")
    assert answer.status is EvidenceStatus.OK
    assert "not a git repository" in answer.warnings[0]
    alone = listed(f"git:{bare}")
    assert alone.status is EvidenceStatus.ERROR
    assert "not a git repository" in alone.error


def test_bad_rows_are_a_warning_and_nothing_but_bad_rows_an_error(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(f"{json.dumps(ROW)}\nnothing\n", encoding="utf-8")
    answer = listed(str(path))
    assert len(changes_of(answer)) == 1
    assert "left out line 2: malformed or no time; write {" in answer.warnings[0]
    path.write_text("nothing\n", encoding="utf-8")
    answer = listed(str(path))
    assert answer.status is EvidenceStatus.ERROR
    assert "holds no change that can be read: left out line 1: " in answer.error


def test_times_in_the_future_are_remarked_on(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    ahead = ROW | {"time": "2026-05-06T20:00:00+00:00"}
    path.write_text(f"{json.dumps(ROW)}\n{json.dumps(ahead)}\n", encoding="utf-8")
    source = ChangeSource([str(path)], SPAN, now=NOON + timedelta(hours=1))
    (warning,) = asyncio.run(source.list_changes()).warnings
    assert "in the future: 1, from 2026-05-06 20:00 UTC on; check clock and zone" in warning


def test_what_is_not_there_is_said(tmp_path: Path, mono: Path) -> None:
    with pytest.raises(NothingReadableError, match="no such file"):
        asyncio.run(ChangeSource([str(tmp_path / "no")], SPAN).describe())
    described = asyncio.run(ChangeSource([f"git:{mono}", str(tmp_path / "no")], SPAN).describe())
    assert described.signals == (Signal.CHANGES,)
    assert "no such file" in described.notes[0]
