"""Labels and recordings, and what is wrong with them."""

from datetime import timedelta
from pathlib import Path

import pytest

from labelled_recordings import INJECT, write_case, write_set
from superbizagent.domain.finding import FaultKind
from superbizagent.domain.window import from_ms
from superbizagent.errors import UsageError
from superbizagent.evaluation.rca.label import kinds_of_fault, read_label
from superbizagent.evaluation.rca.recordings import CaseFolder, cases_of, read_recording


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("cpu_contention", FaultKind.CPU),
        ("cpu_consumed", FaultKind.CPU),
        ("network_delay", FaultKind.NETWORK_DELAY),
        ("net_latency", FaultKind.NETWORK_DELAY),
        ("loss", FaultKind.NETWORK_LOSS),
        ("return", FaultKind.WRONG_RESULT),
        ("exception", FaultKind.CODE_ERROR),
        ("pod_kill", FaultKind.RESTART),
        ("pool_exhaustion", FaultKind.POOL_EXHAUSTION),
        ("availability", None),
        ("latency", None),
        ("", None),
    ],
)
def test_names_of_faults_tell_kinds(fault: str, kind: FaultKind | None) -> None:
    assert kinds_of_fault(fault) is kind


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read"),
        ("[1]", "no JSON object"),
        ("{}", "names no cause"),
        ('{"root_causes": [1, ""]}', "names no cause"),
    ],
)
def test_a_bad_label_says_what_it_lacks(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "label.json").write_text(text)
    with pytest.raises(UsageError, match=words):
        read_label(tmp_path)


def test_a_label_reads_no_path_as_normal_telemetry(tmp_path: Path) -> None:
    folder = write_case(tmp_path / "a", normal="../../etc")
    assert read_label(folder).normal == ""


def test_a_set_and_a_folder_of_sets_hold_the_same_cases(tmp_path: Path) -> None:
    write_set(tmp_path)
    (tmp_path / "shop" / "cases" / "_normal").mkdir()
    both = [c.name for c in cases_of(tmp_path)]
    assert both == [c.name for c in cases_of(tmp_path / "shop")]
    assert {c.set for c in cases_of(tmp_path)} == {"shop"}
    assert len(both) == 4


def test_an_empty_folder_says_where_cases_are_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"SET/cases/NAME with label\.json"):
        list(cases_of(tmp_path))


def test_an_unknown_set_is_answered_with_those_there_are(tmp_path: Path) -> None:
    write_set(tmp_path)
    with pytest.raises(UsageError, match=r"no set 'town' .*; there are shop"):
        list(cases_of(tmp_path, ("town",)))


def test_a_recording_knows_its_candidates_and_chance(tmp_path: Path) -> None:
    recording = read_recording(CaseFolder("shop", write_case(tmp_path / "a")))
    assert recording.candidates == tuple(
        f"//service/{n}" for n in ("cart", "mail", "pay", "stock", "web")
    )
    assert recording.causes == {"//service/pay"}
    assert recording.chance == pytest.approx(0.2)
    assert recording.step == timedelta(seconds=30)
    assert recording.label.inject_time == from_ms(INJECT * 1000)


def test_hosts_and_the_front_door_are_no_candidates(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "label.json").write_text('{"root_cause": "a"}')
    (folder / "metrics.csv").write_text("time,node:n1|cpu,_entry|latency\n1700000000,1,2\n")
    with pytest.raises(UsageError, match="no service has a metric"):
        read_recording(CaseFolder("x", folder))
