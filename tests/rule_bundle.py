"""Small recordings with an alert, its rule, and samples of some series."""

import csv
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

__all__ = ["NOW", "Shape", "counter", "step", "write_bundle"]

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
"""When the recordings end."""

Shape = Callable[[float], float]
"""Value so many minutes before the end (negative minutes)."""


def step(before: float, after: float, at: float) -> Shape:
    """A gauge that changes ``at`` minutes from the end."""
    return lambda t: before if t < at else after


def counter(before: float, after: float, at: float) -> Shape:
    """A counter by its rates a second."""
    return lambda t: 1000 + 60 * (before * (min(t, at) + 10_000) + after * max(t - at, 0.0))


def write_bundle(
    folder: Path,
    series: Mapping[str, Shape],
    *,
    expression: str = "",
    fired: float = -5,
    hold: float = 60,
    labels: Mapping[str, str] | None = None,
    minutes: float = 90,
    every: float = 15,
    rules: bool = True,
    link: bool = True,
    interval: float | None = None,
) -> Path:
    """Write a recording that ends at `NOW`.

    Args:
        folder: to make.
        series: ``name{label="value"}`` -> its course.
        expression: of the alert's rule.
        fired: minutes from the end.
        hold: seconds of the rule's ``for``.
        labels: of the alert, beside its name.
        minutes: how long it is.
        every: seconds between samples.
        rules: whether ``rules.json`` is there.
        link: whether the alert's link holds the expression.
        interval: scrape interval as recorded.
    """
    folder.mkdir()
    given = {"alertname": "ItHurts", "severity": "critical", **(labels or {"job": "orders"})}
    url = f"http://p.example.com/graph?g0.expr={quote_plus(expression)}" if link else ""
    alert: dict[str, Any] = {
        "labels": given,
        "annotations": {"summary": "it hurts"},
        "startsAt": (NOW + timedelta(minutes=fired)).isoformat(),
        "generatorURL": url,
    }
    (folder / "alert.json").write_text(json.dumps({"version": "4", "alerts": [alert]}))
    rule = {"type": "alerting", "name": "ItHurts", "query": expression, "duration": hold}
    rule |= {"labels": {"severity": "critical"}, "annotations": {}}
    if rules:
        groups = {"groups": [{"name": "g", "interval": 15, "rules": [rule]}]}
        (folder / "rules.json").write_text(json.dumps(groups))
    source: dict[str, Any] = {"version": "2.42.0", "scrape_interval_seconds": interval or every}
    (folder / "source.json").write_text(json.dumps(source))
    _write_metrics(folder / "metrics.csv", series, minutes, every)
    return folder


def _write_metrics(path: Path, series: Mapping[str, Shape], minutes: float, every: float) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["time", "name", "labels", "value"])
        for printed, shape in series.items():
            name, _, rest = printed.partition("{")
            for k in range(int(minutes * 60 / every) + 1):
                t = -minutes + k * every / 60
                at = NOW + timedelta(minutes=t)
                rows.writerow([at.isoformat(), name, "{" + rest if rest else "", shape(t)])
