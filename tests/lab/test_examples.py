"""The recorded examples: complete, small, and with nothing in them of how they were made."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
import yaml

from lab.faults import fault_of
from lab_bundles import assert_untold, metrics, size_of

EXAMPLES = Path(__file__).parents[2] / "examples"
BUNDLES = sorted(path.parent for path in EXAMPLES.glob("*/metrics.parquet"))
INCIDENTS = [path for path in BUNDLES if (path / "truth.yaml").exists()]
HEALTHY = EXAMPLES / "healthy"


def test_both_examples_are_there() -> None:
    assert [path.name for path in BUNDLES] == ["healthy", "mysql-connection-pool"]
    assert [path.name for path in INCIDENTS] == ["mysql-connection-pool"]


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.name)
def test_nothing_tells_how_the_recording_was_made(bundle: Path) -> None:
    assert_untold(bundle)


@pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.name)
def test_an_example_is_complete_and_small(bundle: Path) -> None:
    names = {str(p.relative_to(bundle)) for p in bundle.rglob("*") if p.is_file()}
    assert names >= {
        "metrics.parquet", "source.json", "topology.yaml", "rules.json",
        "logs/order-service.log", "logs/storefront.log", "logs/mysql-slow.log",
    }  # fmt: skip
    assert size_of(bundle) < 1_200_000
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
    known = fault_of(bundle.name).truth
    assert (truth["fault_kind"],) == known.fault_kinds
    [entity] = known.entities
    assert truth["entity"]["name"] == entity.name == alert["labels"]["service"]
    assert alert["labels"]["alertname"] in known.main_alerts


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
