"""Learn what a system is like, and hold it against that."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import prometheus_server
import variants
from commanding import Ended, Superbiz
from prometheus_server import PrometheusServer
from shop_history import span_before, write_history

pytestmark = pytest.mark.real_server

CALM_UNTIL = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=20)
TROUBLE = (("__name__", "ALERTS"), ("alertname", "WebSlow"), ("alertstate", "firing"))
HEARTBEAT = (("__name__", "ALERTS"), ("alertname", "Watchdog"), ("alertstate", "firing"))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusServer]:
    """A Prometheus with three good days until twenty minutes ago, but for one alert."""
    prometheus_server.need("prometheus")
    server = PrometheusServer(tmp_path_factory.mktemp("shop"))
    write_history(server, *span_before(CALM_UNTIL, days=3))
    noon = round((CALM_UNTIL - timedelta(hours=10)).timestamp() * 1000)
    server.write({TROUBLE: [(noon + 60_000 * k, 1.0) for k in range(5)]})
    server.write({HEARTBEAT: [(noon - 3_600_000 * k, 1.0) for k in range(40)]})
    yield server
    server.stop()


@pytest.fixture
def learnt(superbiz: Superbiz, shop: PrometheusServer) -> Superbiz:
    """The command line of somebody who has learnt the shop."""
    ended = superbiz("baseline", "learn", "--prometheus", shop.url, "--since", "3d", "-q")
    assert ended.code == 0, ended.err
    return superbiz


def asked(shop: PrometheusServer, question: str, *more: str) -> tuple[str, ...]:
    """Ask about the last calm hour."""
    start = CALM_UNTIL - timedelta(hours=1)
    span = ("--from", start.isoformat(), "--to", CALM_UNTIL.isoformat())
    flags = ("--prometheus", shop.url, "--question", question, "--json", "-q")
    return ("diagnose", *flags, *span, *more)


def report(ended: Ended) -> dict[str, Any]:
    assert ended.code == 0, ended.err
    return json.loads(ended.out)["report"]


def said(found: dict[str, Any], section: str) -> str:
    return " ".join(c["text"] for c in found["claims"] if c["section"] == section)


# Learning ----------------------------------------------------------------------------------------


def test_what_was_learnt_is_told_shown_and_forgotten(
    superbiz: Superbiz, shop: PrometheusServer
) -> None:
    told = superbiz("baseline", "learn", "--prometheus", shop.url, "--since", "3d")
    assert told.out.startswith(f"learnt {shop.url}: "), told.err
    counts = [int(n) for n in re.findall(r"(\d+) windows of", told.out)]
    assert all(60 <= n <= 72 for n in counts)
    assert len(counts) == 2
    # An hour and its last ten minutes lie in the alert; the heartbeat is no trouble.
    assert 1 <= int(re.findall(r"left out (\d+) windows in which alerts", told.out)[0]) <= 3
    assert "reading" in told.err
    shown = superbiz("baseline", "show").out
    assert shop.url in shown
    assert "too old" not in shown
    assert "surprise" in shown
    [row] = json.loads(superbiz("baseline", "show", "--json").out)["baselines"]
    assert {b["signal"] for b in row["lengths"][0]["bands"]} >= {"strength", "err", "lat"}
    assert superbiz("doctor", "--prometheus", shop.url).out.count("learnt 0 days ago") == 1
    assert superbiz("baseline", "forget").out == f"forgot {shop.url}\n"
    assert "nothing was learnt yet" in superbiz("baseline", "show").out
    assert "not learnt" in superbiz("doctor", "--prometheus", shop.url).out


def test_learning_twice_leaves_one_result(learnt: Superbiz, shop: PrometheusServer) -> None:
    first = learnt("baseline", "show", "--json").out
    learnt("baseline", "learn", "--prometheus", shop.url, "--since", "3d", "-q")
    again = learnt("baseline", "show", "--json").out
    assert len(json.loads(again)["baselines"]) == len(json.loads(first)["baselines"]) == 1


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (("--since", "1d"), "--since 1d is too short for 50 windows of an hour; take 2d 4h or"),
        (("--since", "soon"), "'soon' is no length of time"),
        (("--source", "staging"), "--source 'staging' is no server with metrics, logs or traces;"),
        (("--bundle", "."), "--bundle is learnt from alone"),
    ],
)
def test_what_cannot_be_learnt_from_is_said_in_one_line(
    superbiz: Superbiz, shop: PrometheusServer, flags: tuple[str, ...], line: str
) -> None:
    ended = superbiz("baseline", "learn", "--prometheus", shop.url, *flags)
    assert ended.code == 2
    assert line in ended.error


def test_too_little_history_stores_nothing(
    superbiz: Superbiz, tmp_path: Path, shop: PrometheusServer
) -> None:
    del shop
    server = PrometheusServer(_folder(tmp_path / "young"))
    write_history(server, *span_before(CALM_UNTIL, hours=9))
    try:
        ended = superbiz("baseline", "learn", "--prometheus", server.url, "--since", "7d", "-q")
    finally:
        server.stop()
    assert ended.code == 3
    assert re.search(r"\d usable windows of 60m, and 50 are needed", ended.error)
    assert "nothing was stored. That takes 2d 3h of good history" in ended.error
    assert "nothing was learnt yet" in superbiz("baseline", "show").out


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_an_incident_of_a_stored_session_is_no_good_day(
    learnt: Superbiz, shop: PrometheusServer, tmp_path: Path
) -> None:
    [before] = json.loads(learnt("baseline", "show", "--json").out)["baselines"]
    report(learnt(*asked(shop, "is all well?")))
    with sqlite3.connect(tmp_path / "data" / "superbiz.db") as database:
        database.execute("update diagnosis_session set verdict = 'likely'")
    learnt("baseline", "learn", "--prometheus", shop.url, "--since", "3d", "-q")
    [after] = json.loads(learnt("baseline", "show", "--json").out)["baselines"]
    assert after["left_out"] > before["left_out"]


def test_after_an_interruption_what_was_read_counts_or_is_said_to_be_too_little(
    shop: PrometheusServer, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "superbizagent", "baseline", "learn", "--since", "3d"]
    environment = {**os.environ, "SUPERBIZ_DATA_DIR": str(tmp_path / "data"), "TZ": "UTC"}
    with subprocess.Popen(
        [*command, "--prometheus", shop.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        assert process.stderr is not None
        first = process.stderr.read(len("reading"))
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=60)
    assert first == "reading"
    assert process.returncode == 3
    assert "interrupted; nothing was stored" in rest
    assert "Traceback" not in rest


def test_a_recording_teaches_what_was_before_its_fault(superbiz: Superbiz) -> None:
    bundle = variants.POOL
    told = superbiz("baseline", "learn", "--bundle", bundle, "-q")
    assert re.search(r"learnt bundle .*: \d\d windows of ", told.out), told.err
    assert "the windows overlap: one begins every 5s" in told.out
    [row] = json.loads(superbiz("baseline", "show", "--json").out)["baselines"]
    fault = datetime(2026, 11, 30, 12, 41, 17, tzinfo=UTC)
    assert datetime.fromisoformat(row["span"]["end"]) < fault
    found = report(superbiz("diagnose", bundle, "--json", "-q"))
    assert found["verdict"] == "root_cause_found"
    assert superbiz("replay", "last").out.startswith("same bytes")


def test_a_short_recording_teaches_nothing(superbiz: Superbiz, tmp_path: Path) -> None:
    folder = variants.copy(variants.POOL, tmp_path / "short")
    variants.thinned(folder, 60)
    ended = superbiz("baseline", "learn", "--bundle", folder, "-q")
    assert ended.code == 3
    assert "and 50 are needed" in ended.error
    assert "nothing was learnt yet" in superbiz("baseline", "show").out


# Healthy -----------------------------------------------------------------------------------------


def test_a_calm_system_is_healthy_once_it_was_learnt(
    superbiz: Superbiz, shop: PrometheusServer
) -> None:
    before = report(superbiz(*asked(shop, "is all well?")))
    assert before["verdict"] == "inconclusive"
    assert "has not been learnt (superbiz baseline learn)" in said(before, "sureness")
    superbiz("baseline", "learn", "--prometheus", shop.url, "--since", "3d", "-q")
    after = report(superbiz(*asked(shop, "is all well?")))
    assert after["verdict"] == "healthy"
    assert after["title"] == "all services: healthy"
    assert "Nothing abnormal was found: none of the 21 series" in said(after, "what")
    assert re.search(r"in the \d\d windows without trouble since .* \[E2.1\]", said(after, "why"))
    assert after["rejected"] == []
    # What it was held against is evidence like any other.
    assert "get_baseline" in superbiz("explain", "last", "E2.1").out


def test_it_is_said_in_chinese_too(learnt: Superbiz, shop: PrometheusServer) -> None:
    found = report(learnt(*asked(shop, "现在一切正常吗？")))
    assert found["verdict"] == "healthy"
    assert found["title"].endswith("：健康")
    assert "个无故障时段的情况一致" in said(found, "why")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("checkout is slow", "symptom_reported"),
        ("why does orders fail?", "symptom_reported"),
        ("订单服务很慢", "symptom_reported"),
        ("为什么支付报错？", "symptom_reported"),
    ],
)
def test_what_somebody_suffers_from_is_never_called_healthy(
    learnt: Superbiz, shop: PrometheusServer, question: str, reason: str
) -> None:
    found = report(learnt(*asked(shop, question)))
    assert found["verdict"] == "inconclusive"
    [sure] = [c for c in found["claims"] if c["section"] == "sureness"]
    assert reason in sure["extras"]["reasons"]


def test_a_firing_alert_is_never_called_healthy(learnt: Superbiz, shop: PrometheusServer) -> None:
    start = CALM_UNTIL - timedelta(hours=10, minutes=30)
    flags = ("--from", start.isoformat(), "--to", (start + timedelta(minutes=34)).isoformat())
    found = report(learnt("diagnose", "--prometheus", shop.url, *flags, "--json", "-q"))
    assert found["verdict"] == "inconclusive"
    assert "WebSlow is firing" in said(found, "sureness")


def test_what_was_learnt_too_long_ago_is_not_used_for_that(
    learnt: Superbiz, shop: PrometheusServer, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "data" / "superbiz.db") as database:
        old = (datetime.now(UTC) - timedelta(days=31)).strftime("%Y-%m-%d %H:%M:%S.%f")
        database.execute("update health_baseline set updated_at = ?", (old,))
    found = report(learnt(*asked(shop, "is all well?")))
    assert found["verdict"] == "inconclusive"
    assert "learnt more than a month ago" in said(found, "sureness")
    assert "31 days ago: too old to be used, learn it again" in learnt("baseline", "show").out
    assert "learnt 31 days ago" in learnt("doctor", "--prometheus", shop.url).out


def test_a_damaged_baseline_stops_no_diagnosis(
    learnt: Superbiz, shop: PrometheusServer, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "data" / "superbiz.db") as database:
        database.execute("update health_baseline set details = '{}'")
    ended = learnt(*asked(shop, "is all well?"))
    assert report(ended)["verdict"] == "inconclusive"
    assert "learn it again with superbiz baseline learn" in ended.err


def test_a_replay_needs_no_baseline(learnt: Superbiz, shop: PrometheusServer) -> None:
    assert report(learnt(*asked(shop, "is all well?")))["verdict"] == "healthy"
    learnt("baseline", "forget")
    assert learnt("replay", "last").out.startswith("same bytes: sha256:")
    assert learnt("trace", "verify", "last").code == 0


def test_a_fault_of_a_learnt_system_is_not_healthy(superbiz: Superbiz, tmp_path: Path) -> None:
    prometheus_server.need("prometheus")
    server = PrometheusServer(_folder(tmp_path / "broken"))
    url = ("--prometheus", server.url)
    try:
        write_history(server, *span_before(CALM_UNTIL, days=3))
        assert superbiz("baseline", "learn", *url, "--since", "3d", "-q").code == 0
        write_history(server, CALM_UNTIL, datetime.now(UTC), broken=True, seed=2)
        span = ("--from", CALM_UNTIL.isoformat(), "--to", datetime.now(UTC).isoformat())
        found = report(superbiz("diagnose", *url, *span, "--json", "-q"))
    finally:
        server.stop()
    assert found["verdict"] != "healthy"
    assert found["entity"].endswith("/orders")
