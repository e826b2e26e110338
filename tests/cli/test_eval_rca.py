"""``superbiz eval rca`` and ``superbiz eval anomaly``."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from labelled_recordings import write_case, write_set
from superbizagent.cli.evaluate import evaluate
from superbizagent.errors import UsageError


def _run(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(evaluate, args, catch_exceptions=False, standalone_mode=False)
    return result.return_value or 0, result.output


def test_a_busy_service_is_found_in_every_mode(tmp_path: Path) -> None:
    code, text = _run("rca", "--data", str(write_set(tmp_path)), "--json")
    found = json.loads(text)
    assert code == 0
    for time in ("exact", "alert", "none"):
        one = found["times"][time]["sets"]["shop"]
        assert one["cases"] == 4
        assert one["chance"] == 0.2
        assert list(one["inputs"]) == ["metrics", "metrics,graph", "metrics,graph,logs,traces"]
        assert one["inputs"]["metrics,graph"]["ac1"] == [1.0, 1.0, 1.0]
        assert one["faults"]["cpu_contention"]["cases"] == 4
        assert {"nsigma", "baro"} == set(one["baselines"])
        assert one["misses"] == {}
    assert found["times"]["exact"]["sets"]["shop"]["kinds"]["of_truth"]["hits"] == 4
    rates = found["healthy"]["shop"]
    # The four cases hold the same minutes: each is a window once.
    assert 20 < rates["built_in"]["false_alarms"]["total"] < 30
    assert rates["built_in"]["false_alarms"]["hits"] < 3
    for level in ("built_in", "learnt"):
        assert (rates[level]["detected"]["hits"], rates[level]["detected"]["total"]) == (4, 4)
    assert found["left_out_cases"] == []
    case = found["cases"][0]
    assert case["rank"] == 1
    assert case["top"][0] == "cart"


def test_the_same_data_give_the_same_figures(tmp_path: Path) -> None:
    write_set(tmp_path)

    def figures() -> str:
        return _without_measures(_run("rca", "--data", str(tmp_path), "--json")[1])

    assert figures() == figures()


def _without_measures(text: str) -> str:
    return re.sub(r'"(seconds|peak_mib)": [0-9.]+', "", text)


def test_broken_cases_are_told_and_the_others_scored(tmp_path: Path) -> None:
    write_set(tmp_path)
    cases = tmp_path / "shop" / "cases"
    write_case(cases / "no-metrics").joinpath("metrics.csv.gz").unlink()
    write_case(cases / "torn").joinpath("metrics.csv.gz").write_bytes(b"\x1f\x8b torn")
    write_case(cases / "bad-label").joinpath("label.json").write_text("{")
    write_case(cases / "untimed", inject_time=None, end_time=None)
    code, text = _run("rca", "--data", str(tmp_path), "--time", "exact", "--no-healthy", "-v")
    assert code == 0
    left_out = [line for line in text.splitlines() if line.startswith("left out")]
    assert [line.split(":")[1].strip() for line in left_out] == [
        "shop/bad-label", "shop/no-metrics", "shop/torn",
    ]  # fmt: skip
    assert "1 cases have no time for this mode" in text
    assert "shop/case-1-pay: rank 1 of 5" in text


def test_nothing_readable_ends_with_3(tmp_path: Path) -> None:
    write_case(tmp_path / "cases" / "a").joinpath("label.json").write_text("{}")
    assert _run("rca", "--data", str(tmp_path))[0] == 3


@pytest.mark.parametrize(
    ("inputs", "words"),
    [("metrics,smoke", "no input 'smoke'"), ("graph", "a graph alone ranks nothing")],
)
def test_inputs_are_checked(tmp_path: Path, inputs: str, words: str) -> None:
    write_set(tmp_path)
    with pytest.raises(UsageError, match=words):
        _run("rca", "--data", str(tmp_path), "--inputs", inputs)


def _write_series(root: Path, *, day: int = 288) -> None:
    random = np.random.default_rng(0)
    values = 50 + random.normal(size=10 * day)
    values[8 * day : 8 * day + 24] += 40
    times = np.datetime64("2026-01-01T00:00") + 5 * np.arange(len(values)).astype("timedelta64[m]")
    rows = [f"{str(t).replace('T', ' ')}:00,{v:.3f}" for t, v in zip(times, values, strict=True)]
    (root / "data" / "made").mkdir(parents=True)
    (root / "data" / "made" / "cpu.csv").write_text("\n".join(["timestamp,value", *rows]))
    (root / "data" / "made" / "other.csv").write_text("timestamp,value\n")
    (root / "labels").mkdir()
    start, end = str(times[8 * day - 6]), str(times[8 * day + 30])
    labels = {"made/cpu.csv": [[start, end]], "made/other.csv": []}
    (root / "labels" / "combined_windows.json").write_text(json.dumps(labels))


def test_a_shift_in_a_series_is_noticed_while_it_lasts(tmp_path: Path) -> None:
    _write_series(tmp_path)
    code, text = _run("anomaly", "--data", str(tmp_path), "--json")
    found = json.loads(text)
    core = found["groups"]["made"]["detectors"]["core"]
    assert code == 0
    assert (core["hit"], core["windows"]) == (1, 1)
    assert core["precision"] == 1.0
    assert found["left_out"] == ["made/other.csv: fewer than two samples"]
    assert "6-sigma" in _run("anomaly", "--data", str(tmp_path))[1]


def test_labels_that_are_not_there_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"combined_windows\.json"):
        _run("anomaly", "--data", str(tmp_path))


def test_whole_diagnoses_are_counted_by_verdict(tmp_path: Path) -> None:
    write_set(tmp_path, causes=("pay",))
    cases = tmp_path / "shop" / "cases"
    write_case(cases / "unlabelled").joinpath("label.json").write_text("{}")
    asked = ("rca", "--data", str(tmp_path), "--verdicts", "--json")
    result = CliRunner().invoke(evaluate, asked, catch_exceptions=False, standalone_mode=False)
    found = json.loads(result.stdout)
    assert [line.split(": ")[0] for line in result.stderr.splitlines()] == [
        "1/2 shop/case-0-pay", "2/2 shop/unlabelled",
    ]  # fmt: skip
    assert [item["case"] for item in found["left_out_cases"]] == ["unlabelled"]
    assert found["all"]["cases"] == 1
    assert found["all"]["first"] == 1
