"""``superbiz record`` against a real Prometheus."""

import asyncio
import gzip
import http.server
import json
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import prometheus_server
from prometheus_server import STALE_BITS, AlertmanagerServer, PrometheusServer
from superbizagent.cli.app import run
from superbizagent.datasources.bundle import BundleSource
from superbizagent.domain.payload import parse_payload
from superbizagent.domain.source import TraceQuery
from superbizagent.domain.window import Window, Windows, to_ms

pytestmark = pytest.mark.real_server
prometheus = prometheus_server.prometheus
alertmanager = prometheus_server.alertmanager

START = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)
SPAN = ("--from", START.isoformat(), "--to", (START + timedelta(minutes=10)).isoformat())
WHOLE = Window(start=START, end=START + timedelta(minutes=10))
STEP = 5
COUNT = 121
SECRET = "postgres://shop:hunter2@db/orders"  # noqa: S105 - what a recording must not keep


def times() -> list[int]:
    return [to_ms(START) + 1000 * STEP * k for k in range(COUNT)]


def constant(value: float) -> list[tuple[int, float]]:
    return [(t, value) for t in times()]


def samples(values: Mapping[int, float]) -> list[tuple[int, float]]:
    return [(times()[k], v) for k, v in values.items()]


def key(name: str, job: str, **labels: str) -> tuple[tuple[str, str], ...]:
    return (("__name__", name), ("job", job), *labels.items())


@pytest.fixture(scope="module", autouse=True)
def recorded(prometheus: PrometheusServer) -> None:
    stale: float = struct.unpack("<d", struct.pack("<Q", STALE_BITS))[0]
    counter = samples({k: float(k) for k in range(COUNT)})
    prometheus.write(
        {
            key("requests_total", "shop"): counter,
            key("requests_total", "users"): counter,
            key("pool_used", "shop"): samples({**dict.fromkeys(range(60), 2.0), 60: 10.0}),
            key("pool_size", "shop"): constant(10.0),
            key("threads_max", "shop"): constant(40.0),
            key("build_info", "shop", version="1"): constant(1.0),
            key("errors_total", "shop", kind="late"): samples(dict.fromkeys(range(80, COUNT), 3.0)),
            key("gone", "shop"): samples({**dict.fromkeys(range(50), 1.0), 50: stale}),
            key("wait_seconds_bucket", "shop", le="0.1"): constant(0.0),
            key("wait_seconds_bucket", "shop", le="+Inf"): counter,
            key("idle_seconds_bucket", "shop", le="+Inf"): constant(4.0),
            key("dsn_errors_total", "shop", dsn=SECRET): counter,
        }
    )


class Result:
    """How one command ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def superbiz(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> Result:
        with pytest.raises(SystemExit) as ended:
            run(["record", *args])
        out, err = capfd.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Result(code, out, err)

    return call


def metrics(folder: Path) -> dict[str, pl.DataFrame]:
    frame = pl.read_parquet(folder / "metrics.parquet")
    assert frame.schema == {
        "time": pl.Datetime("ms", "UTC"),
        "name": pl.String,
        "labels": pl.String,
        "value": pl.Float64,
    }
    assert frame.equals(frame.sort("name", "labels", "time"))
    parts = frame.partition_by("name", "labels", as_dict=True, maintain_order=True)
    return {f"{name}{labels}": part for (name, labels), part in parts.items()}


def test_it_keeps_what_changes_what_rules_read_and_limits(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    result = superbiz("--prometheus", prometheus.url, "--service", "shop", *SPAN, "--out", "inc")

    assert result.code == 0, result.err
    found = metrics(tmp_path / "inc")
    names = [name.partition("{")[0] for name in found]
    assert sorted(names) == [
        "dsn_errors_total", "errors_total", "gone", "pool_size", "pool_used", "requests_total",
        "threads_max", "wait_seconds_bucket", "wait_seconds_bucket",
    ]  # fmt: skip
    assert '{"job":"shop","le":"0.1"}' in str(list(found)), "a histogram stays whole"
    assert "users" not in str(list(found))
    gone = found['gone{"job":"shop"}']["value"].to_numpy().view("u8")
    assert gone[-1] == STALE_BITS
    assert found['requests_total{"job":"shop"}']["value"].to_list() == [
        float(k) for k in range(COUNT)
    ]


def test_it_lists_what_it_wrote_and_what_to_do_next(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    result = superbiz("--prometheus", prometheus.url, "--service", "shop", *SPAN, "--out", "inc")

    written = sorted(p.name for p in (tmp_path / "inc").iterdir())
    assert written == ["metrics.parquet", "rules.json", "source.json"]
    assert all(name in result.out for name in written)
    assert "9 series" in result.out
    assert "no alert in it" in result.err
    assert "next: superbiz diagnose inc" in result.err
    source = json.loads((tmp_path / "inc" / "source.json").read_text())
    assert source["scrape_interval_seconds"] == 5.0
    assert source["staleness_markers"] is True
    assert source["version"][0].isdigit()
    assert source["from"] == START.isoformat()


def test_rules_come_without_the_servers_file_names(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    superbiz("--prometheus", prometheus.url, "--service", "shop", *SPAN, "--out", "inc")
    rules = json.loads((tmp_path / "inc" / "rules.json").read_text())
    [group] = rules["groups"]
    assert group["rules"][0]["name"] == "PoolExhausted"
    assert group["rules"][0]["duration"] == 60
    assert set(group) == {"name", "interval", "rules"}


def test_the_alert_stays_as_it_came(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    body = b'{"version":"4",  "alerts":[{"labels":{"alertname":"A"}}]}\n'
    (tmp_path / "hook.json").write_bytes(body)
    result = superbiz(
        "--prometheus", prometheus.url, *SPAN, "--out", "inc", "--alert", "hook.json"
    )  # fmt: skip
    assert result.code == 0, result.err
    assert (tmp_path / "inc" / "alert.json").read_bytes() == body
    assert "no alert in it" not in result.err


def test_firing_alerts_are_taken_from_an_alertmanager(
    prometheus: PrometheusServer, alertmanager: AlertmanagerServer, superbiz: Any, tmp_path: Path
) -> None:
    alertmanager.fire(alertname="Slow", service="shop")
    alertmanager.fire(alertname="Other", service="users")
    result = superbiz(
        "--prometheus", prometheus.url, "--alertmanager", alertmanager.url, *SPAN, "--out", "inc",
        "--service", "shop",
    )  # fmt: skip
    assert result.code == 0, result.err
    payload = parse_payload((tmp_path / "inc" / "alert.json").read_text())
    [alert] = payload.alerts
    assert alert.name == "Slow"
    assert alert.labels["service"] == "shop"
    assert alert.starts_at is not None
    assert not payload.notes


def test_an_alertmanager_without_an_alert_about_the_service_is_told(
    prometheus: PrometheusServer, alertmanager: AlertmanagerServer, superbiz: Any, tmp_path: Path
) -> None:
    prometheus.write({key("requests_total", "quiet"): samples({0: 1.0, 1: 2.0})})
    result = superbiz(
        "--prometheus", prometheus.url, "--alertmanager", alertmanager.url, *SPAN, "--out", "inc",
        "--service", "quiet",
    )  # fmt: skip
    assert result.code == 0, result.err
    assert "has no firing alert about these services" in result.err
    assert not (tmp_path / "inc" / "alert.json").exists()


def test_secrets_are_masked_everywhere(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    (tmp_path / "hook.json").write_text(json.dumps({"alerts": [{"annotations": {"d": SECRET}}]}))
    (tmp_path / "shop.log").write_text(f"{START.isoformat()} ERROR cannot reach {SECRET}\n")
    (tmp_path / "changes.jsonl").write_text(json.dumps({"summary": SECRET}) + "\n")
    result = superbiz(
        "--prometheus", prometheus.url, *SPAN, "--out", "inc", "--alert", "hook.json",
        "--logs", "shop=shop.log", "--changes", "changes.jsonl",
    )  # fmt: skip
    assert result.code == 0, result.err
    for file in (tmp_path / "inc").rglob("*.*"):
        if file.is_file():
            text = (
                str(list(metrics(tmp_path / "inc")))
                if file.suffix == ".parquet"
                else file.read_text()
            )
            assert "hunter2" not in text, file.name
    assert "dsn_errors_total" in str(list(metrics(tmp_path / "inc")))


def log_line(minutes: float, text: str) -> str:
    return f"{(START + timedelta(minutes=minutes)).isoformat(timespec='milliseconds')} {text}\n"


def test_logs_are_cut_to_the_span_line_by_line(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    trace = "Traceback (most recent call last):\n  File 'a.py', line 3\nKeyError: 'sku'\n"
    inside = (
        log_line(0.1, "INFO [shop] started")
        + log_line(4, "ERROR [shop] failed pool_active=10") + trace
        + log_line(9.9, "INFO [shop] 订单完成")
    )  # fmt: skip
    before, after = log_line(-1, "INFO [shop] early"), log_line(11, "INFO [shop] late")
    (tmp_path / "shop.log").write_text(before + inside + after)
    result = superbiz(
        "--prometheus", prometheus.url, *SPAN, "--out", "inc", "--logs", "shop=*.log"
    )  # fmt: skip
    assert result.code == 0, result.err
    assert (tmp_path / "inc" / "logs" / "shop.log").read_text() == inside
    assert "logs/shop.log" in result.out
    assert "6 lines" in result.out


def test_rotated_and_compressed_files_of_a_service_become_one_in_time_order(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    (tmp_path / "shop.log").write_text(log_line(6, "INFO [shop] newer"))
    (tmp_path / "shop.log.2.gz").write_bytes(
        gzip.compress(log_line(2, "INFO [shop] older").encode())
    )
    superbiz("--prometheus", prometheus.url, *SPAN, "--out", "inc", "--logs", "shop=shop.log*")
    text = (tmp_path / "inc" / "logs" / "shop.log").read_text()
    assert text == log_line(2, "INFO [shop] older") + log_line(6, "INFO [shop] newer")


def test_lines_without_a_zone_are_read_in_the_zone_that_is_given(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    line = "2026-04-01 17:05:00,123 INFO [shop] five minutes in\n"
    (tmp_path / "shop.log").write_text(line + "2026-04-01 09:05:00,123 INFO [shop] long ago\n")
    superbiz(
        "--prometheus", prometheus.url, *SPAN, "--out", "inc", "--logs", "shop=shop.log",
        "--log-tz", "+08:00",
    )  # fmt: skip
    assert (tmp_path / "inc" / "logs" / "shop.log").read_text() == line
    source = json.loads((tmp_path / "inc" / "source.json").read_text())
    assert source["log_timezone"] == "+08:00"


def test_a_service_without_lines_in_the_span_is_told(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    (tmp_path / "shop.log").write_text(log_line(-60, "INFO [shop] an hour ago"))
    result = superbiz(
        "--prometheus", prometheus.url, *SPAN, "--out", "inc", "--logs", "shop=shop.log"
    )  # fmt: skip
    assert result.code == 0
    assert "no log lines of shop" in result.err
    assert not (tmp_path / "inc" / "logs").exists()


def test_an_unknown_service_is_named_with_what_is_known(
    prometheus: PrometheusServer, superbiz: Any
) -> None:
    one = superbiz(
        "--prometheus", prometheus.url, *SPAN, "--out", "a",
        "--service", "shop", "--service", "shopp",
    )  # fmt: skip
    assert one.code == 0
    assert "no series of shopp" in one.err
    assert "known: " in one.err
    none = superbiz("--prometheus", prometheus.url, *SPAN, "--service", "shopp", "--out", "b")
    assert none.code == 3
    assert "no samples of shopp" in none.err
    assert "shop, users" in none.err


def test_an_empty_range_is_fatal_and_leaves_no_folder(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    result = superbiz(
        "--prometheus", prometheus.url, "--from", "2020-01-01", "--to", "2020-01-02", "--out", "inc"
    )  # fmt: skip
    assert result.code == 3
    assert "has no samples between 2020-01-01" in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def website() -> Iterator[str]:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Grafana</title>")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so there
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_address_that_leads_to_a_website_is_recognised(superbiz: Any, website: str) -> None:
    result = superbiz("--prometheus", website, *SPAN, "--out", "inc")
    assert result.code == 3
    assert "text/html, not with JSON" in result.err
    assert "is this the base address" in result.err


def test_no_server_is_one_line_that_names_the_address(superbiz: Any) -> None:
    result = superbiz("--prometheus", "http://127.0.0.1:1", *SPAN, "--out", "inc")
    assert result.code == 3
    assert result.err.count("\n") == 1
    assert "http://127.0.0.1:1 cannot be reached" in result.err
    assert "check the address" in result.err


def test_a_folder_with_something_in_it_is_never_touched(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "notes.txt").write_text("mine")
    result = superbiz("--prometheus", prometheus.url, *SPAN, "--out", "inc")
    assert result.code == 2
    assert "not empty; choose another --out" in result.err
    assert (tmp_path / "inc" / "notes.txt").read_text() == "mine"


def test_an_empty_folder_is_filled(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    (tmp_path / "inc").mkdir()
    assert superbiz("--prometheus", prometheus.url, *SPAN, "--out", "inc").code == 0
    assert (tmp_path / "inc" / "metrics.parquet").is_file()


def test_the_folder_one_stands_in_is_filled(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert superbiz("--prometheus", prometheus.url, *SPAN, "--out", ".").code == 0
    assert (tmp_path / "here" / "metrics.parquet").is_file()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["here"]


def test_a_full_disk_is_one_line_and_leaves_nothing(
    prometheus: PrometheusServer, tmp_path: Path
) -> None:
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))\n"
        "from superbizagent.cli.app import run\n"
        "run(sys.argv[1:])\n"
    )
    result = subprocess.run(
        [
            sys.executable, "-c", program, "record", "--prometheus", prometheus.url, *SPAN,
            "--out", "inc",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    assert "'inc' cannot be written: File too large; free space" in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_line(
    prometheus: PrometheusServer, superbiz: Any
) -> None:
    result = superbiz("--prometheus", prometheus.url, *SPAN, "--out", "/proc/incident")
    assert result.code == 1
    assert "'/proc/incident' cannot be written" in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--last", "soon"], "no length of time"),
        (["--from", "yesterday-ish"], "is no time"),
        (["--from", "2026-04-01T10:00Z", "--to", "2026-04-01T09:00Z"], "swap them"),
        (["--from", "-10m", "--last", "5m"], "choose one"),
        (["--logs", "shop=/nowhere/*.log"], "matches no file; check the path"),
        (["--logs", "=shop.log"], "write NAME=FILE"),
        (["--log-tz", "Mars/Olympus"], "is no time zone"),
        (["--header", "X-Scope-OrgID"], "Name: value"),
        (["--alert", "missing.json"], "check the path"),
        (["--topology", "missing.yaml"], "does not exist"),
        (["--prometheus", "localhost:9090"], "no HTTP address"),
    ],
)
def test_wrong_usage_is_one_line_that_says_what_to_do(
    superbiz: Any, args: list[str], message: str
) -> None:
    result = superbiz("--prometheus", "http://127.0.0.1:1", "--out", "inc", *args)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err


def traced(minutes: float, trace: str, service: str, operation: str = "GET /") -> dict[str, Any]:
    start = START + timedelta(minutes=minutes)
    return {
        "trace_id": trace, "span_id": f"{trace}-{service}", "parent_id": "", "service": service,
        "operation": operation, "start": start.isoformat(), "duration_ms": 20, "status": "503",
    }  # fmt: skip


def test_spans_are_cut_to_the_span_and_the_services_and_masked(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path
) -> None:
    rows = [
        traced(5, "a", "shop", f"SELECT {SECRET}"),
        traced(5, "a", "stock"),
        traced(6, "b", "elsewhere"),
        traced(-60, "c", "shop"),
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "spans.jsonl").write_text(f"{lines}broken\n")
    result = superbiz(
        "--prometheus", prometheus.url, "--service", "shop", *SPAN, "--traces", "spans.jsonl",
        "--out", "inc",
    )  # fmt: skip
    assert result.code == 0, result.err
    assert "traces.parquet" in result.out
    assert "2 spans, 1 traces" in result.out
    assert "spans.jsonl: 1 lines are no JSON and were left out" in result.err
    table = pl.read_parquet(tmp_path / "inc" / "traces.parquet")
    assert table["service"].to_list() == ["shop", "stock"]
    assert table["error"].to_list() == ["503", "503"]
    assert "hunter2" not in str(table.to_dicts())
    query = TraceQuery(windows=Windows(incident=WHOLE, baselines=()))
    answer = asyncio.run(BundleSource(tmp_path / "inc").read_spans(query))
    assert answer.output is not None
    assert answer.stats["spans"] == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "the file is empty"), ("[1, 2]", "neither OTLP, Jaeger nor Zipkin JSON")],
)
def test_a_file_without_spans_is_one_line(
    prometheus: PrometheusServer, superbiz: Any, tmp_path: Path, text: str, reason: str
) -> None:
    (tmp_path / "spans.json").write_text(text)
    result = superbiz(
        "--prometheus", prometheus.url, *SPAN, "--traces", "spans.json", "--out", "inc"
    )
    assert result.code == 2
    assert reason in result.err
    assert result.err.count("--traces") == 1
    assert not (tmp_path / "inc").exists()
