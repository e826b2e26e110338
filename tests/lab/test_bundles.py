"""What the lab adds to the recorder's work: the truth, windows, changes and packed logs."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lab import bundles
from lab.faults import FAULTS, Setting, fault_of
from lab.names import names_of
from lab.processes import ProcessError
from lab.scenarios import Timeline
from superbizagent.evaluation.truth import read_truth

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("name", FAULTS)
def test_the_written_truth_is_what_the_scorer_reads(name: str, tmp_path: Path) -> None:
    names = names_of(6)
    fault = fault_of(name, Setting(names=names, seed=6))
    timeline = Timeline(scenario=name, seed=6, injected_at=AT.timestamp(), decoy="edge")
    what = bundles.plan_cut(tmp_path, timeline)
    assert what.truth is not None
    (tmp_path / "truth.yaml").write_text(bundles.truth_text(what.truth, what))
    [read] = read_truth(tmp_path).faults
    assert tuple(kind.value for kind in read.fault_kind) == fault.truth.fault_kinds
    assert [(e.kind, e.name) for e in read.entity] == [
        (cause.kind, cause.name) for cause in fault.truth.entities
    ]


def test_the_truth_of_two_faults_names_both(tmp_path: Path) -> None:
    timeline = Timeline(
        scenario="memory-leak", also="missing-index", seed=6, injected_at=AT.timestamp()
    )
    what = bundles.plan_cut(tmp_path, timeline)
    assert what.truth is not None
    (tmp_path / "truth.yaml").write_text(bundles.truth_text(what.truth, what))
    first, second = read_truth(tmp_path).faults
    assert [first.fault_kind[0].value, second.fault_kind[0].value] == ["memory", "slow_query"]
    assert second.entity[0].name == names_of(6).database


def _recording(folder: Path, minutes: float) -> Path:
    recording = folder / "_healthy-1"
    recording.mkdir()
    end = AT + timedelta(minutes=minutes)
    source = {"from": AT.isoformat(), "to": end.isoformat(), "services": ["web", "orders"]}
    (recording / "source.json").write_text(json.dumps(source))
    return recording


def test_windows_lie_side_by_side_at_the_end_of_a_healthy_time(tmp_path: Path) -> None:
    recording = _recording(tmp_path, 20)
    length = timedelta(minutes=3)
    cases = bundles.write_windows(recording, 4, count=3, length=length)
    assert [case.name for case in cases] == ["healthy-04", "healthy-05", "healthy-06"]
    asked = [read_truth(case).asked for case in cases]
    assert [each.service for each in asked] == ["web", "orders", "web"]
    assert asked[0].end == asked[1].start
    assert datetime.fromisoformat(asked[2].end) == AT + timedelta(minutes=20)
    for case in cases:
        assert read_truth(case).faults == ()
        assert (case / read_truth(case).recording).resolve() == recording.resolve()


def test_cases_that_are_there_are_not_overwritten(tmp_path: Path) -> None:
    recording = _recording(tmp_path, 20)
    bundles.write_windows(recording, 1, count=1, length=timedelta(minutes=2))
    with pytest.raises(ProcessError, match="healthy-01 exists; choose another"):
        bundles.write_windows(recording, 1, count=1, length=timedelta(minutes=2))


def test_a_healthy_time_that_is_too_short_for_its_windows_is_refused(tmp_path: Path) -> None:
    recording = _recording(tmp_path, 10)
    with pytest.raises(ProcessError, match="too short for 3 windows"):
        bundles.write_windows(recording, 1, count=3, length=timedelta(minutes=2))


def test_large_logs_are_packed_and_small_ones_stay_plain(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "big.log").write_text("line\n" * 40_000)
    (logs / "small.log").write_text("line\n")
    bundles.pack(tmp_path)
    assert sorted(path.name for path in logs.iterdir()) == ["big.log.gz", "small.log"]
    assert gzip.decompress((logs / "big.log.gz").read_bytes()) == b"line\n" * 40_000


def test_a_recording_knows_no_change_after_its_end(tmp_path: Path) -> None:
    late = AT + timedelta(seconds=5)
    lines = [json.dumps({"at": at.isoformat(), "entity": "web"}) for at in (AT, late)]
    (tmp_path / "changes.jsonl").write_text("\n".join(lines) + "\n")
    known = bundles.changes_until(tmp_path, AT.timestamp() + 1)
    assert known.read_text() == lines[0] + "\n"
