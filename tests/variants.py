"""The recorded incident under other conditions: each function writes a changed copy of a folder."""

import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import polars as pl

EXAMPLES = Path(__file__).parent.parent / "examples"
POOL = EXAMPLES / "mysql-connection-pool"
HEALTHY = EXAMPLES / "healthy"

_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)(Z|\+00:00)")
_POOL_SERIES = r"db_client_connection|pool"
_POOL_LINE = re.compile(r"pool|connection", re.IGNORECASE)


def copy(source: Path, target: Path) -> Path:
    """Copy a recording without its truth."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("truth.yaml"))
    return target


def each_log(folder: Path, change: Callable[[str], str]) -> None:
    for path in sorted((folder / "logs").glob("*.log")):
        path.write_text(change(path.read_text()))


def each_sample(folder: Path, change: Callable[[pl.LazyFrame], pl.LazyFrame]) -> None:
    path = folder / "metrics.parquet"
    frame = change(pl.read_parquet(path).lazy()).collect()
    frame.sort("name", "labels", "time").write_parquet(path)


def edit_alert(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "alert.json"
    body = json.loads(path.read_text())
    change(body)
    path.write_text(json.dumps(body))


def renamed(folder: Path, names: dict[str, str]) -> None:
    """Give entities other names, wherever they stand."""

    def swap(text: str) -> str:
        for old, new in names.items():
            text = text.replace(old, new)
        return text

    for path in sorted(folder.rglob("*")):
        if path.suffix in {".log", ".json", ".yaml", ".jsonl"}:
            path.write_text(swap(path.read_text()))
    for path in sorted((folder / "logs").iterdir()):
        path.rename(path.with_name(swap(path.name)))
    pairs = list(names.items())

    def labels(frame: pl.LazyFrame) -> pl.LazyFrame:
        column = pl.col("labels")
        for old, new in pairs:
            column = column.str.replace_all(old, new, literal=True)
        return frame.with_columns(column)

    each_sample(folder, labels)


def without_pool(folder: Path) -> None:
    """Take away every series and line that speaks of a pool or a connection."""
    each_sample(folder, lambda frame: frame.filter(~pl.col("name").str.contains(_POOL_SERIES)))
    each_log(
        folder,
        lambda text: "".join(
            line for line in text.splitlines(keepends=True) if not _POOL_LINE.search(line)
        ),
    )
    edit_alert(folder, lambda body: _call_alert(body, "HighErrorRate"))


def _call_alert(body: dict[str, Any], name: str) -> None:
    for part in (body["groupLabels"], body["commonLabels"], *(a["labels"] for a in body["alerts"])):
        if "alertname" in part:
            part["alertname"] = name
    for annotations in (body["commonAnnotations"], *(a["annotations"] for a in body["alerts"])):
        annotations.clear()
    for alert in body["alerts"]:
        alert["generatorURL"] = ""


def fault_start(folder: Path) -> datetime:
    """When the fault of a recording began, from its truth."""
    text = (folder / "truth.yaml").read_text()
    found = re.search(r"started_at: ['\"]?(\S+?)['\"]?\s", text)
    assert found is not None
    return datetime.fromisoformat(found[1])


def healthy_instead(folder: Path, start: datetime) -> None:
    """End the recording before the fault, and let the alert fire within what is left."""
    end = start - timedelta(seconds=30)
    each_sample(folder, lambda frame: frame.filter(pl.col("time") < end))
    stamp = f"{end:%Y-%m-%dT%H:%M:%S}"

    def cut(text: str) -> str:
        lines = text.splitlines(keepends=True)
        kept = [line for line in lines if not (m := _ISO.search(line)) or m[0] < stamp]
        return "".join(kept)

    each_log(folder, cut)

    def earlier(body: dict[str, Any]) -> None:
        for alert in body["alerts"]:
            alert["startsAt"] = (end - timedelta(minutes=2)).isoformat().replace("+00:00", "Z")

    edit_alert(folder, earlier)


def about(folder: Path, service: str, name: str = "HighLatencyP95") -> None:
    """Make the alert one about another service."""

    def change(body: dict[str, Any]) -> None:
        _call_alert(body, name)
        for part in (
            body["groupLabels"],
            body["commonLabels"],
            *(a["labels"] for a in body["alerts"]),
        ):
            part.pop("instance", None)
            part["service"] = service
            part["job"] = service

    edit_alert(folder, change)


def thinned(folder: Path, seconds: int) -> None:
    """Keep one sample of each series in every ``seconds``, as a slower scrape would have."""
    step = f"{seconds}s"
    bucket = pl.col("time").dt.truncate(step)

    def thin(frame: pl.LazyFrame) -> pl.LazyFrame:
        return (
            frame.sort("name", "labels", "time")
            .group_by("name", "labels", bucket.alias("bucket"), maintain_order=True)
            .agg(pl.col("time").last(), pl.col("value").last())
            .select("time", "name", "labels", "value")
        )

    each_sample(folder, thin)
    path = folder / "source.json"
    source = json.loads(path.read_text())
    source["scrape_interval_seconds"] = seconds
    path.write_text(json.dumps(source))


def zoneless(folder: Path, hours: int) -> None:
    """Write log times as local times of UTC+``hours``, without a zone, and keep silent about it."""
    zone = timezone(timedelta(hours=hours))

    def local(match: re.Match[str]) -> str:
        at = datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=UTC).astimezone(zone)
        return f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}"

    each_log(folder, lambda text: _ISO.sub(local, text))
    path = folder / "source.json"
    source = json.loads(path.read_text())
    source.pop("log_timezone", None)
    path.write_text(json.dumps(source))


MICROMETER = {
    "db_client_connection_max": "hikaricp_connections_max",
    "db_client_connection_pending_requests": "hikaricp_connections_pending",
    "db_client_connection_timeouts_total": "hikaricp_connections_timeout_total",
    "db_client_connection_use_time_seconds_bucket": "hikaricp_connections_usage_seconds_bucket",
    "db_client_connection_use_time_seconds_count": "hikaricp_connections_usage_seconds_count",
    "db_client_connection_use_time_seconds_sum": "hikaricp_connections_usage_seconds_sum",
    "db_client_connection_wait_time_seconds_bucket": "hikaricp_connections_acquire_seconds_bucket",
    "db_client_connection_wait_time_seconds_count": "hikaricp_connections_acquire_seconds_count",
    "db_client_connection_wait_time_seconds_sum": "hikaricp_connections_acquire_seconds_sum",
    "http_server_request_duration_seconds_count": "http_server_requests_seconds_count",
    "http_server_request_duration_seconds_sum": "http_server_requests_seconds_sum",
    "http_server_request_duration_seconds_bucket": "http_server_requests_seconds_bucket",
}
"""What the example's metrics are called by Micrometer and HikariCP."""
_MICROMETER_LABELS = {
    "pool_name": "pool",
    "http_request_method": "method",
    "http_response_status_code": "status",
    "http_route": "uri",
    "job": "application",
}
_APPLICATIONS = ("order-service", "storefront")


def micrometer(folder: Path) -> None:
    """Write the incident as a Java stack would: other metric names, `application` for `job`."""

    def series(name: str, text: str) -> tuple[str, str]:
        labels: dict[str, str] = json.loads(text)
        if labels.get("job") not in _APPLICATIONS:
            return name, text
        if name == "db_client_connection_count":
            name = (
                f"hikaricp_connections_{ {'used': 'active', 'idle': 'idle'}[labels.pop('state')] }"
            )
        own = {_MICROMETER_LABELS.get(k, k): v for k, v in labels.items()}
        return MICROMETER.get(name, name), json.dumps(own | {"job": "spring"}, sort_keys=True)

    path = folder / "metrics.parquet"
    frame = pl.read_parquet(path)
    keys = frame.select("name", "labels").unique()
    pairs = [series(name, text) for name, text in keys.iter_rows()]
    new = keys.with_columns(
        pl.Series("new_name", [n for n, _ in pairs]), pl.Series("new_labels", [t for _, t in pairs])
    )
    joined = frame.join(new, on=["name", "labels"])
    renamed_frame = joined.select(
        "time", pl.col("new_name").alias("name"), pl.col("new_labels").alias("labels"), "value"
    )
    renamed_frame.sort("name", "labels", "time").write_parquet(path)
    rule = (
        'sum by (application, instance) (hikaricp_connections_active{application="order-service"})'
        ' / sum by (application, instance) (hikaricp_connections_max{application="order-service"})'
        " >= 0.95 and sum by (application, instance)"
        ' (hikaricp_connections_pending{application="order-service"}) > 0'
    )

    def relabel(body: dict[str, Any]) -> None:
        for alert in body["alerts"]:
            alert["labels"].pop("service")
            alert["labels"]["application"] = alert["labels"].pop("job")
            alert["generatorURL"] = "http://p.example.com/graph?" + urlencode({"g0.expr": rule})

    edit_alert(folder, relabel)
    rules = json.loads((folder / "rules.json").read_text())
    for group in rules["groups"]:
        for item in group["rules"]:
            if item["name"] == "OrderServiceConnectionPoolExhausted":
                item["query"] = rule
                item["labels"].pop("service", None)
    (folder / "rules.json").write_text(json.dumps(rules))
