"""Labelled alert lists: how they are read, ranked, counted and said."""

import json
from pathlib import Path
from typing import Any

import pytest

from superbizagent.errors import UsageError
from superbizagent.evaluation.alert_lists.baselines import BASELINES
from superbizagent.evaluation.alert_lists.cases import AlertSystem, read_systems
from superbizagent.evaluation.alert_lists.score import METHODS, interval, score_system
from superbizagent.evaluation.alert_lists.summary import alerts_json, alerts_text

NODES = ["db-0", "front-0", "pay-0", "pay-1", "web-0"]
FAULTS = ["cpu", "network-delay", "odd"]


def write(folder: Path, **changed: Any) -> Path:
    """Three lists of a shop: a processor, a slow network, and nothing but noise."""
    metrics = {
        "1": [["pay-0", "cpu_usage", "up"], ["web-0", "qps", "down"], ["front-0", "qps", "down"]],
        "2": [["web-0", "qps", "down"], ["front-0", "qps", "down"], ["elsewhere", "cpu", "up"]],
        "7": [["web-0", "qps", "down"], ["front-0", "qps", "down"]],
    }
    traces = {
        "1": [["web-0", "pay-0", "/pay", "PD"], ["-1", "front-0", "/", "500"]],
        "2": [["web-0", "pay-1", "/pay", "PD"], ["front-0", "pay-1", "/pay", "PD"]],
        "7": [],
    }
    parts: dict[str, Any] = {
        "nodes": dict.fromkeys(metrics, NODES),
        "edges": {k: [[4, 2], [4, 3], [1, 4], [2, 0], [0, 0]] for k in metrics},
        "metrics": metrics,
        "traces": traces,
        "logs": {"1": [["pay-0", "pay-0-12"]], "2": [], "7": []},
        **changed,
    }
    (folder / "raw").mkdir(parents=True)
    rows = zip(metrics, ("pay-0", "pay-1", "db-0"), FAULTS, strict=True)
    text = "index,instance,anomaly_type\n" + "".join(f"{','.join(row)}\n" for row in rows)
    (folder / "label.csv").write_text(text, encoding="utf-8")
    for name, value in parts.items():
        written = value if isinstance(value, str) else json.dumps(value)
        (folder / "raw" / f"{name}.json").write_text(written, encoding="utf-8")
    return folder


def shop(tmp_path: Path) -> AlertSystem:
    return read_systems(write(tmp_path / "sets" / "shop").parent)[0]


def test_entries_are_read_as_the_alerts_of_rules(tmp_path: Path) -> None:
    system = shop(tmp_path)
    assert (system.name, len(system.cases)) == ("shop", 3)
    case = system.cases[0]
    assert (case.instance, case.fault, case.nodes) == ("pay-0", "cpu", tuple(NODES))
    assert ("web-0", "pay-0") in case.edges
    assert not any(a == b for a, b in case.edges)
    labels = [alert.labels for alert in case.alerts]
    assert labels[0] == {"alertname": "cpu_usage", "service": "pay-0", "direction": "up"}
    assert (labels[3]["client"], labels[3]["server"]) == ("web-0", "pay-0")
    assert "client" not in labels[4]
    assert labels[4]["code"] == "500"
    assert labels[5]["template"] == "-12"


def test_a_system_may_be_named_itself(tmp_path: Path) -> None:
    assert read_systems(write(tmp_path / "shop"))[0].name == "shop"


def test_every_method_places_every_case(tmp_path: Path) -> None:
    scored = score_system(shop(tmp_path))
    assert tuple(scored.placed) == METHODS
    assert scored.chance == pytest.approx(1 / 5)
    product = scored.placed[METHODS[1]]
    assert [p.rank for p in product] == [1, 1, len(NODES)]  # of db-0 nothing is said
    assert [p.kind_right for p in product] == [True, True, None]
    assert product[0].first == "pay-0"


def test_equals_count_against_it(tmp_path: Path) -> None:
    metrics = {
        k: [["pay-0", "cpu_usage", "up"], ["pay-1", "cpu_usage", "up"]] for k in ("1", "2", "7")
    }
    empty: dict[str, list[str]] = {key: [] for key in metrics}
    folder = write(tmp_path / "s", metrics=metrics, traces=empty, logs=empty)
    scored = score_system(read_systems(folder)[0])
    assert [p.rank for p in scored.placed["count"]][:2] == [2, 2]
    assert [p.rank for p in scored.placed[METHODS[1]]][:2] == [2, 2]


def test_no_label_is_read_by_a_ranking(tmp_path: Path) -> None:
    one = read_systems(write(tmp_path / "a"))[0]
    folder = write(tmp_path / "b")
    other = "index,instance,anomaly_type\n1,db-0,x\n2,db-0,x\n7,db-0,x\n"
    (folder / "label.csv").write_text(other, encoding="utf-8")
    two = read_systems(folder)[0]
    for name in METHODS:
        firsts = [[p.first for p in score_system(s).placed[name]] for s in (one, two)]
        assert firsts[0] == firsts[1]


def test_baselines_do_what_they_are_called(tmp_path: Path) -> None:
    system = shop(tmp_path)
    case = system.cases[0]
    scored = score_system(system)
    assert scored.placed["earliest"][0].first == "pay-0"
    assert scored.placed["count"][0].first == "pay-0"
    assert max(scored.placed["random walk"], key=lambda p: -p.rank).first
    assert BASELINES["random walk"](case, ()) == {}


def test_the_summary_has_intervals_by_fault_and_says_ranks(tmp_path: Path) -> None:
    scored = [score_system(shop(tmp_path))]
    found = alerts_json(scored)["systems"][0]
    assert found["cases"] == 3
    own = found["methods"][METHODS[1]]["AC@1"]
    assert own["value"] == pytest.approx(0.6667)
    assert own["interval"][0] <= own["value"] <= own["interval"][1]
    assert set(found["faults"]) == set(FAULTS)
    assert found["kind"]["of the faulty instance"]["total"] == 2
    assert found["ranks"][METHODS[1]] == {"1": 1, "2": 1, "7": 5}
    text = alerts_text(scored, verbose=True)
    assert "shop: 3 lists of alerts, chance 0.200" in text
    assert "case 7: db-0 odd is 5 of 5" in text
    assert "case 7" not in alerts_text(scored, verbose=False)


def test_an_interval_is_the_same_for_the_same_values() -> None:
    values = [1.0, 0.0, 1.0, 1.0] * 10
    assert interval(values) == interval(values)
    low, high = interval(values)
    assert low < 0.75 < high
    assert interval([]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"metrics": "{"}, "cannot be read as JSON"),
        ({"nodes": "[]"}, "no JSON object by case"),
        ({"traces": {}}, "case 1: KeyError"),
        ({"edges": {key: [[0, 9]] for key in "127"}}, "case 1: IndexError"),
        ({"metrics": {key: [["pay-0"]] for key in "127"}}, "case 1: ValueError"),
    ],
)
def test_a_damaged_file_is_named_with_its_case(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=said):
        read_systems(write(tmp_path / "s", **changed))


def test_a_folder_without_labels_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"label\.csv"):
        read_systems(tmp_path)
