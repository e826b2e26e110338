"""The rules of a recorded server, evaluated over what it recorded: what it alerted on is found."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from superbizagent.domain.series import Labels, SeriesSet, series_name
from superbizagent.domain.window import Window, from_ms
from superbizagent.promql import Server, evaluate_instant, evaluate_range, parse_query

ROOT = Path(__file__).resolve().parents[2]
BUNDLE = ROOT / "examples" / "mysql-connection-pool"
SERVER = Server(version=json.loads((BUNDLE / "source.json").read_text())["version"])
RULES: dict[str, dict[str, Any]] = {
    rule["name"]: rule
    for group in json.loads((BUNDLE / "rules.json").read_text())["groups"]
    for rule in group["rules"]
}


@pytest.fixture(scope="module")
def samples() -> SeriesSet:
    """Everything that was recorded, staleness markers included."""
    table = pl.read_parquet(BUNDLE / "metrics.parquet")
    return SeriesSet.of(
        (
            {"__name__": name, **json.loads(labels)},
            rows["time"].dt.epoch("ms").to_numpy(),
            rows["value"].to_numpy(),
        )
        for (name, labels), rows in table.group_by(["name", "labels"])
    )


def alert() -> dict[str, Any]:
    body: dict[str, Any] = json.loads((BUNDLE / "alert.json").read_text())
    return body["alerts"][0]


def test_the_rule_of_the_alert_holds_when_it_fired_and_not_before(samples: SeriesSet) -> None:
    labels, fired = alert()["labels"], datetime.fromisoformat(alert()["startsAt"])
    query = parse_query(RULES[labels["alertname"]]["query"])
    found = evaluate_instant(query, samples, fired, SERVER)
    assert [row.items() <= labels.items() for row in found.labels] == [True]
    window = Window(start=fired - timedelta(minutes=10), end=fired)
    (series,) = evaluate_range(query, samples, window, timedelta(seconds=5), SERVER)
    held = fired - from_ms(int(series.times[0]))
    assert timedelta(seconds=RULES[labels["alertname"]]["duration"]) <= held
    assert held < timedelta(minutes=5), "the ten minutes begin before the fault"


def test_every_alert_that_the_server_kept_is_found_at_its_time(samples: SeriesSet) -> None:
    stale = np.array([0x7FF0000000000002], np.uint64)
    kept = [s for s in samples if s.name == "ALERTS"]
    assert kept, "the recording holds alerts"
    for series in kept:
        rule = RULES[series.labels["alertname"]]
        query, own = parse_query(rule["query"]), {*rule["labels"], "alertname", "alertstate"}
        labels: Labels = {
            k: v for k, v in series.labels.items() if k not in own and k != "__name__"
        }
        live = series.times[series.values.view(np.uint64) != stale]
        for at in live.tolist():
            found = evaluate_instant(query, samples, from_ms(at), SERVER)
            assert series_name(labels) in {series_name(row) for row in found.labels}, from_ms(at)


@pytest.mark.parametrize("text", sorted(rule["query"] for rule in RULES.values()))
def test_healthy_times_hold_for_no_rule(samples: SeriesSet, text: str) -> None:
    start = from_ms(int(samples.times.min())) + timedelta(minutes=5)
    window = Window(start=start, end=start + timedelta(minutes=10))
    found = evaluate_range(parse_query(text), samples, window, timedelta(seconds=15), SERVER)
    assert found.labels == ()


def test_every_rule_of_the_lab_can_be_evaluated() -> None:
    text = (ROOT / "lab" / "rules.yml").read_text(encoding="utf-8").replace("__WINDOW__", "1m")
    rules = re.findall(r"expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", text)
    assert len(rules) == text.count("expr:")
    for block, line in rules:
        parse_query(block or line)
