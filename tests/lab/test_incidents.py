"""The recorded set of incidents: complete, small, true recordings that do not tell their cause."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import yaml

from lab.faults import FAULTS
from lab_bundles import assert_untold, metrics, size_of
from superbizagent.evaluation.incidents import cases_below
from superbizagent.evaluation.truth import read_truth

SET = Path(__file__).parents[2] / "benchmarks" / "incidents"
CASES = [incident.folder for incident in cases_below([SET])]
FAULTY = [case for case in CASES if read_truth(case).faults]
HEALTHY = [case for case in CASES if not read_truth(case).faults]
RECORDINGS = sorted(path.parent for path in SET.glob("*/metrics.parquet"))
OTHER_NAMES = {"mysql-connection-pool": "pool-exhaustion"}
"""Folders are named for the fault, and one fault for its example."""


def test_every_fault_is_there_and_healthy_times_and_decoys() -> None:
    expected = {OTHER_NAMES.get(name, name) for name in FAULTS} | {"two-faults"}
    assert {case.name.rpartition("-")[0] for case in FAULTY} == expected
    assert [c.name for c in FAULTY if len(read_truth(c).faults) == 2] == ["two-faults-1"]
    assert len(HEALTHY) >= 10
    changes = [(case / read_truth(case).recording / "changes.jsonl") for case in HEALTHY]
    assert any("deploy" in path.read_text() for path in changes)
    decoys = [case for case in FAULTY if "decoy:" in (case / "truth.yaml").read_text()]
    assert len(decoys) >= 2
    for case in decoys:
        assert "deploy" in (case / "changes.jsonl").read_text()


def test_the_set_is_small() -> None:
    assert {case.name for case in RECORDINGS if size_of(case) > 400_000} <= {
        case.name for case in RECORDINGS if case.name.startswith("_")
    }
    assert size_of(SET) < 6_000_000


@pytest.mark.parametrize("bundle", RECORDINGS, ids=lambda path: path.name)
def test_nothing_tells_how_the_recording_was_made(bundle: Path) -> None:
    assert_untold(bundle)


@pytest.mark.parametrize("case", FAULTY, ids=lambda path: path.name)
def test_an_incident_has_time_before_it_and_its_alert(case: Path) -> None:
    truth = yaml.safe_load((case / "truth.yaml").read_text())
    began = datetime.fromisoformat(str(truth["started_at"]))
    times = metrics(case)["time"]
    first, last = times.min(), times.max()
    assert isinstance(first, datetime)
    assert isinstance(last, datetime)
    assert began - first >= timedelta(minutes=4)
    alerts = json.loads((case / "alert.json").read_text())["alerts"]
    fired_at = min(datetime.fromisoformat(alert["startsAt"]) for alert in alerts)
    assert timedelta(0) < fired_at - began < timedelta(minutes=4)
    assert timedelta(seconds=15) <= last - fired_at <= timedelta(minutes=2)


@pytest.mark.parametrize("case", FAULTY, ids=lambda path: path.name)
def test_the_true_entities_are_part_of_the_recording(case: Path) -> None:
    known = metrics(case)["labels"].unique().to_list()
    for fault in read_truth(case).faults:
        for entity in fault.entity:
            assert any(f'"job":"{entity.name}"' in labels for labels in known), str(entity)


def test_the_cases_do_not_share_one_set_of_names() -> None:
    seen = {
        tuple(sorted(yaml.safe_load((c / "topology.yaml").read_text())["services"])) for c in FAULTY
    }
    assert len(seen) >= len(FAULTY) * 3 // 4


@pytest.mark.parametrize("case", HEALTHY, ids=lambda path: path.name)
def test_no_alert_fires_in_a_healthy_window(case: Path) -> None:
    truth = read_truth(case)
    recording = case / truth.recording
    start, end = (datetime.fromisoformat(at) for at in (truth.asked.start, truth.asked.end))
    frame = metrics(recording)
    first, last = frame["time"].min(), frame["time"].max()
    assert isinstance(first, datetime)
    assert isinstance(last, datetime)
    # The last scrape is up to its interval older than the end of the recording.
    assert first + timedelta(minutes=4) <= start < end <= last + timedelta(seconds=5)
    firing = frame.filter(
        (frame["name"] == "ALERTS") & frame["labels"].str.contains("firing", literal=True)
    )
    assert firing.is_empty()
