"""The recorded examples: complete, small, and with nothing in them of how they were made."""

import json
import re
import socket
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
import yaml

from lab.faults import FAULTS

EXAMPLES = Path(__file__).parents[2] / "examples"
BUNDLES = sorted(path.parent for path in EXAMPLES.glob("*/metrics.parquet"))
INCIDENTS = [path for path in BUNDLES if (path / "truth.yaml").exists()]
HEALTHY = EXAMPLES / "healthy"

TELLTALE = re.compile(
    r"/(tmp|root|home)/|\.venv|chaos|inject|control_port|payment_delay|\bfaults?\b|python -m lab"
    r"|(127\.0\.0\.1|localhost):\d"
)
"""Run folders, control calls, ports and names of faults."""


def metrics(bundle: Path) -> pl.DataFrame:
    return pl.read_parquet(bundle / "metrics.parquet")


def texts(bundle: Path) -> list[tuple[str, str]]:
    files = [p for p in sorted(bundle.rglob("*")) if p.is_file() and p.name != "truth.yaml"]
    found = [(p.name, p.read_text()) for p in files if p.suffix != ".parquet"]
    frame = metrics(bundle).select("name", "labels").unique()
    return [*found, ("metrics.parquet", "\n".join(f"{n} {k}" for n, k in frame.iter_rows()))]


def test_both_examples_are_there() -> None:
    assert [path.name for path in BUNDLES] == ["healthy", "mysql-connection-pool"]
    assert [path.name for path in INCIDENTS] == ["mysql-connection-pool"]


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.name)
def test_nothing_tells_how_the_recording_was_made(bundle: Path) -> None:
    for name, text in texts(bundle):
        told = TELLTALE.search(text)
        assert told is None, f"{name}: {text[max(0, told.start() - 60) : told.end() + 60]!r}"
        assert re.search(rf"\b{re.escape(socket.gethostname())}\b", text) is None, name


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.name)
def test_an_example_is_complete_and_small(bundle: Path) -> None:
    names = {str(p.relative_to(bundle)) for p in bundle.rglob("*") if p.is_file()}
    assert names >= {
        "metrics.parquet", "source.json", "topology.yaml", "rules.json",
        "logs/order-service.log", "logs/storefront.log", "logs/mysql-slow.log",
    }  # fmt: skip
    assert sum(p.stat().st_size for p in bundle.rglob("*") if p.is_file()) < 1_200_000
    frame = metrics(bundle)
    assert frame.schema == {
        "time": pl.Datetime("ms", "UTC"),
        "name": pl.String,
        "labels": pl.String,
        "value": pl.Float64,
    }
    labels = frame["labels"].unique()
    assert all(
        json.dumps(json.loads(k), sort_keys=True, separators=(",", ":")) == k for k in labels
    )


@pytest.mark.parametrize("bundle", INCIDENTS, ids=lambda path: path.name)
def test_an_incident_has_a_quarter_of_an_hour_before_it_and_its_own_alert(bundle: Path) -> None:
    truth = yaml.safe_load((bundle / "truth.yaml").read_text())
    started_at = datetime.fromisoformat(str(truth["started_at"]))
    span = metrics(bundle)["time"]
    first, last = span.min(), span.max()
    assert isinstance(first, datetime)
    assert isinstance(last, datetime)
    assert started_at - first >= timedelta(minutes=15)
    [alert] = json.loads((bundle / "alert.json").read_text())["alerts"]
    fired_at = datetime.fromisoformat(alert["startsAt"])
    assert timedelta(0) < fired_at - started_at < timedelta(minutes=3)
    assert last - fired_at >= timedelta(minutes=5)
    known = FAULTS[bundle.name].truth
    assert truth["fault_kind"] == known.fault_kind
    assert truth["entity"]["name"] == known.entity == alert["labels"]["service"]
    assert alert["labels"]["alertname"] == known.main_alert


def test_the_healthy_example_is_long_and_no_alert_fires_in_it() -> None:
    frame = metrics(HEALTHY)
    first, last = frame["time"].min(), frame["time"].max()
    assert isinstance(first, datetime)
    assert isinstance(last, datetime)
    assert last - first >= timedelta(minutes=45)
    assert not (HEALTHY / "alert.json").exists()
    assert not (HEALTHY / "truth.yaml").exists()
    alerts = frame.filter(pl.col("name") == "ALERTS")
    assert alerts.filter(pl.col("labels").str.contains("firing")).is_empty()
