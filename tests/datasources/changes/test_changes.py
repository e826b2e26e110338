"""Lists of changes: files in any usual form, and git repositories that are only read."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.datasources._changes import read_changes
from superbizagent.datasources.changes import ChangeSource
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
    (change,), bad = read_changes(text)
    assert (change.at, change.entity, change.kind, change.summary) == (
        NOON,
        "orders",
        "deploy",
        "1.5.0",
    )
    assert bad == 0


def test_rows_without_a_time_are_counted_and_the_rest_is_in_order() -> None:
    rows = [ROW | {"time": f"2026-05-06T1{k}:00:00Z"} for k in (3, 2)]
    text = "\n".join([json.dumps(rows[0]), "{broken", json.dumps({"a": 1}), json.dumps(rows[1])])
    changes, bad = read_changes(text)
    assert [c.at.hour for c in changes] == [12, 13]
    assert bad == 2


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    changes, bad = read_changes(text)
    assert len(changes) >= 0 <= bad


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda x: (
            st.lists(x) | st.dictionaries(st.sampled_from(["at", "entity", "changes", "kind"]), x)
        ),
    )
)
def test_no_json_is_too_strange(value: Any) -> None:
    changes, bad = read_changes(json.dumps(value))
    assert len(changes) >= 0 <= bad


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
    assert (commit_.entity, commit_.also, commit_.author) == ("orders", ("mono",), "Ann")
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


def test_an_empty_repository_has_no_changes(tmp_path: Path) -> None:
    assert listed(f"git:{repository(tmp_path / 'new')}").status is EvidenceStatus.EMPTY


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


def test_bad_rows_are_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(f"{json.dumps(ROW)}\nnothing\n", encoding="utf-8")
    answer = listed(str(path))
    assert len(changes_of(answer)) == 1
    assert "1 rows without a time or malformed were left out" in answer.warnings[0]


def test_what_is_not_there_is_said(tmp_path: Path, mono: Path) -> None:
    with pytest.raises(NothingReadableError, match="no such file"):
        asyncio.run(ChangeSource([str(tmp_path / "no")], SPAN).describe())
    described = asyncio.run(ChangeSource([f"git:{mono}", str(tmp_path / "no")], SPAN).describe())
    assert described.signals == (Signal.CHANGES,)
    assert "no such file" in described.notes[0]
