"""Logs and traces are learnt beside the metrics, and a diagnosis is held against them."""

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import prometheus_server
from commanding import Superbiz
from fault_server import Reply
from jaeger_server import JaegerServer
from loki_server import LokiServer
from past_recordings import write_recording
from prometheus_server import PrometheusServer
from shop_history import span_before, write_history
from span_recordings import START, request

LOUD_AT, CALM_AT, FAULT_AT = 114, 150, 170
"""Minutes of a recording: payment complains as on any day, all is quiet, the label's fault."""
BESIDE = ("error_lines", "wire", "pattern", "span_errors")


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop in which payment is reached late, and complains, every now and then."""
    return write_recording(tmp_path_factory.mktemp("usual") / "shop")


def diagnosed(superbiz: Superbiz, folder: Path, minute: int, *more: str) -> dict[str, Any]:
    start = START + timedelta(minutes=minute)
    span = ("--from", start.isoformat(), "--to", (start + timedelta(minutes=10)).isoformat())
    asked = more or ("--question", "is all well?")
    ended = superbiz("diagnose", folder, *span, *asked, "--json", "-q")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)["report"]


def reasons(report: dict[str, Any]) -> list[str]:
    [sure] = [c for c in report["claims"] if c["section"] == "sureness"]
    return sure["extras"]["reasons"]


def said(report: dict[str, Any]) -> str:
    return " ".join(c["text"] for c in report["claims"] if c["section"] == "sureness")


def forget_beside(tmp_path: Path, *signals: str) -> None:
    """Leave in the database what a version wrote that learnt metrics alone."""
    with sqlite3.connect(tmp_path / "data" / "superbiz.db") as database:
        for signal in signals or BESIDE:
            database.execute(
                "delete from health_baseline where entity = '' and signal like ?", (f"{signal}/%",)
            )


# Learning ----------------------------------------------------------------------------------------


def test_logs_and_traces_are_learnt_from_the_windows_of_the_metrics(
    superbiz: Superbiz, usual: Path
) -> None:
    told = superbiz("baseline", "learn", "--bundle", usual, "-q").out
    [windows] = re.findall(r": (\d+) windows of ", told.splitlines()[0])
    assert f"logs: learnt, {windows} windows of " in told
    assert f"traces: learnt, {windows} windows of " in told
    shown = superbiz("baseline", "show").out
    assert f"traces: wire, pattern, span_errors, of {windows} windows that had any" in shown
    assert f"logs: error_lines, of {windows} windows that had any" in shown
    [row] = json.loads(superbiz("baseline", "show", "--json").out)["baselines"]
    bands = {b["signal"]: b for b in row["lengths"][0]["bands"] if not b["entity"]}
    assert set(BESIDE) < set(bands)
    assert bands["wire"]["q95"] > bands["wire"]["median"]


def test_traces_of_too_few_windows_are_not_learnt_and_that_is_said(
    superbiz: Superbiz, tmp_path: Path
) -> None:
    late = timedelta(minutes=136)
    folder = write_recording(tmp_path / "late", logs=False, traces_from=late)
    told = superbiz("baseline", "learn", "--bundle", folder, "-q").out
    assert "logs: not learnt, there was nothing to read\n" in told
    few = re.findall(r"traces: not learnt, only (\d+) windows of \S+ had any, and 50 are", told)
    assert 0 < int(few[0]) < 50
    shown = superbiz("baseline", "show").out
    assert "logs: not learnt" in shown
    assert "traces: not learnt" in shown
    found = diagnosed(superbiz, folder, CALM_AT)
    assert found["verdict"] == "healthy"
    assert "what its traces show on good days has not been learnt" in said(found)
    assert "logs" not in said(found)


# Holding against it ------------------------------------------------------------------------------


def test_what_logs_and_traces_show_on_any_day_is_no_trouble_once_it_was_learnt(
    superbiz: Superbiz, usual: Path, tmp_path: Path
) -> None:
    before = diagnosed(superbiz, usual, LOUD_AT)
    assert before["verdict"] == "likely"
    assert before["entity"].endswith("/payment")
    superbiz("baseline", "learn", "--bundle", usual, "-q")
    after = diagnosed(superbiz, usual, LOUD_AT)
    assert reasons(after)[0] == "nothing_abnormal"
    assert diagnosed(superbiz, usual, CALM_AT)["verdict"] == "healthy"
    assert superbiz("replay", "last").out.startswith("same bytes: sha256:")
    # What is not known of them is held against the bar for all systems, as before.
    forget_beside(tmp_path)
    assert diagnosed(superbiz, usual, LOUD_AT)["verdict"] == "likely"


@pytest.mark.parametrize(
    ("fault", "kept"),
    [
        ({"fault_ms": 3000.0}, "traces"),
        ({"fault_errors": 40}, "logs"),
    ],
)
def test_what_is_beyond_all_good_days_is_trouble_by_logs_or_traces_alone(
    superbiz: Superbiz, tmp_path: Path, fault: dict[str, Any], kept: str
) -> None:
    only = {"logs": kept == "logs", "traces_from": timedelta(0) if kept == "traces" else None}
    folder = write_recording(tmp_path / "shop", **only, **fault)
    superbiz("baseline", "learn", "--bundle", folder, "-q")
    assert diagnosed(superbiz, folder, CALM_AT)["verdict"] == "healthy"
    found = diagnosed(superbiz, folder, FAULT_AT)
    assert found["verdict"] != "healthy"
    assert "nothing_abnormal" not in reasons(found)


def test_a_baseline_of_an_older_version_is_read_and_what_it_lacks_is_said(
    superbiz: Superbiz, usual: Path, tmp_path: Path
) -> None:
    superbiz("baseline", "learn", "--bundle", usual, "-q")
    forget_beside(tmp_path)
    found = diagnosed(superbiz, usual, CALM_AT)
    assert found["verdict"] == "healthy"
    assert reasons(found)[-2:] == ["logs_not_learnt", "traces_not_learnt"]
    assert "has not been learnt (superbiz baseline learn): they were held against" in said(found)
    chinese = diagnosed(superbiz, usual, CALM_AT, "--question", "现在一切正常吗？")
    assert chinese["verdict"] == "healthy"
    assert "尚未学习其链路追踪在正常时的情况" in said(chinese)
    shown = superbiz("baseline", "show").out
    assert "logs: not learnt" in shown
    assert "traces: not learnt" in shown


def test_what_was_learnt_is_not_healthy_when_there_is_nothing_to_compare(
    superbiz: Superbiz, usual: Path, tmp_path: Path
) -> None:
    superbiz("baseline", "learn", "--bundle", usual, "-q")
    kept = usual / "traces.jsonl"
    kept.rename(tmp_path / "away")
    # From the last minutes alone nobody learns what a request does.
    late = write_recording(tmp_path / "late", traces_from=timedelta(minutes=168))
    kept.symlink_to(late / "traces.jsonl")
    try:
        found = diagnosed(superbiz, usual, 155)
    finally:
        kept.unlink()
        (tmp_path / "away").rename(kept)
    assert found["verdict"] == "inconclusive"
    assert "traces_not_compared" in reasons(found)


# Live systems ------------------------------------------------------------------------------------

CALM_UNTIL = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=20)
HISTORY = timedelta(hours=56)
EVERY = timedelta(minutes=3)


@pytest.fixture(scope="module")
def live(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[PrometheusServer, JaegerServer, LokiServer]]:
    """A calm shop of two days and some hours, of which three servers know a part each."""
    prometheus_server.need("prometheus")
    metrics = PrometheusServer(tmp_path_factory.mktemp("shop"))
    write_history(metrics, *span_before(CALM_UNTIL, hours=HISTORY / timedelta(hours=1)))
    # A request at the very end of a window has not done all that it does in it.
    last = CALM_UNTIL - timedelta(seconds=40)
    times = [last - k * EVERY for k in range(round(HISTORY / EVERY))]
    traces = JaegerServer(
        [s for k, at in enumerate(times) for s in request(k, at - START, 3.0 * (1 + (k % 7) / 50))]
    )
    logs = LokiServer()
    lines = [(at, f"INFO charged order {k}") for k, at in enumerate(reversed(times))]
    logs.push({"app": "payments"}, lines)
    yield metrics, traces, logs
    for server in (metrics, traces, logs):
        server.stop()


@pytest.mark.real_server
@pytest.mark.slow
def test_live_servers_teach_what_each_knows(
    superbiz: Superbiz, live: tuple[PrometheusServer, JaegerServer, LokiServer]
) -> None:
    metrics, traces, logs = live
    flags = ("--prometheus", metrics.url, "--jaeger", traces.url, "--loki", logs.url)
    ended = superbiz("baseline", "learn", *flags, "--since", "54h", "-q")
    assert ended.code == 0, ended.err
    assert ended.out.startswith(f"learnt {metrics.url}: ")
    assert re.search(r"\nlogs: learnt, \d\d windows of 10m, \d\d windows of 60m\n", ended.out)
    assert re.search(r"\ntraces: learnt, \d\d windows of 10m, \d\d windows of 60m\n", ended.out)
    start = CALM_UNTIL - timedelta(hours=1)
    span = ("--from", start.isoformat(), "--to", CALM_UNTIL.isoformat())
    asked = ("--question", "is all well?", "--json", "-q", *span)
    found = json.loads(superbiz("diagnose", *flags, *asked).out)["report"]
    assert (found["verdict"], reasons(found)[-1]) == ("healthy", "no_alert_fires")


@pytest.mark.real_server
@pytest.mark.slow
def test_a_server_of_logs_that_fails_leaves_the_metrics_to_be_learnt(
    superbiz: Superbiz, live: tuple[PrometheusServer, JaegerServer, LokiServer]
) -> None:
    metrics, _, logs = live
    logs.faults["/query_range"] = lambda _: Reply(500, b"ring is empty", "text/plain")
    try:
        flags = ("--prometheus", metrics.url, "--loki", logs.url, "--since", "54h", "-q")
        ended = superbiz("baseline", "learn", *flags)
    finally:
        logs.faults.clear()
    assert ended.code == 0, ended.err
    assert "logs: not learnt, there was nothing to read" in ended.out
    assert re.search("loki.* read .*: .*ring is empty", ended.out)
