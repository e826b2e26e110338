"""The real service in a process of its own: a small storm, a kill in its middle, changes told."""

import json
import os
import signal
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from alert_service import alert, body_of
from benchmarks.service import Service, serving
from benchmarks.storm import run_storm
from benchmarks.storm_alerts import make_storm
from benchmarks.storm_sender import Answer, Request, send_all

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "mysql-connection-pool"

pytestmark = [pytest.mark.real_server, pytest.mark.slow, pytest.mark.timeout(240)]


def post(service: Service, path: str, body: Any) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{service.port}{path}", data=data)
    with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310 - ours
        return json.load(response)["data"]


def get(service: Service, path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{service.port}{path}", timeout=30) as response:
        return json.load(response)["data"]


def wait_for(service: Service, query: str, seconds: float = 90) -> int:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if found := service.number(query):
            return found
        time.sleep(0.2)
    pytest.fail(f"nothing came of {query}")


def test_a_small_storm_loses_nothing_and_costs_little() -> None:
    found = run_storm(2, "edge", count=600, rate=150, after=8)
    assert found.accepted == 600
    assert found.lost == 0
    assert found.retries == 0
    assert 1 <= found.sessions <= 8
    assert found.reports >= 1
    assert found.first_report_seconds is not None
    assert found.first_report_seconds <= 60
    assert found.incidents >= 2
    # Room for a machine that does other things, too; `python -m benchmarks.storm` has the bounds.
    assert found.p99_ms < 3000


def test_a_kill_in_a_storm_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Clients send again what was not answered, as Alertmanager does."""
    import asyncio

    storm = make_storm(4, "mixed", count=500)
    requests = [Request(k / 150, one.body) for k, one in enumerate(storm.deliveries)]
    data, answers = tmp_path / "data", list[Answer]()
    data.mkdir()
    with serving(EXAMPLE, data) as first:
        port = first.port
        sending = threading.Thread(
            target=lambda: answers.extend(
                asyncio.run(send_all(port, "/api/alerts/alertmanager", requests, 8))
            )
        )
        sending.start()
        wait_for(first, "SELECT count(*) > 100 FROM alert", 30)
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
    with serving(EXAMPLE, data, port=port) as second:
        sending.join(120)
        assert not sending.is_alive()
        assert [a.status for a in answers] == [202] * 500
        assert any(a.retries for a in answers)
        told = {a.data["alert_ids"][0] for a in answers}
        stored = {str(row[0]) for row in second.rows("SELECT alert_id FROM alert")}
        assert told == stored
        counted = second.number("SELECT sum(times) FROM alert")
        assert 500 <= counted <= 500 + 8  # what was committed and not answered came twice
        doubled = (
            "SELECT count(*) FROM (SELECT 1 FROM alert GROUP BY fingerprint HAVING count(*) > 1)"
        )
        assert second.number(doubled) == 0


def test_a_reported_change_is_evidence(tmp_path: Path) -> None:
    body = (EXAMPLE / "alert.json").read_bytes()
    at = json.loads(body)["alerts"][0]["startsAt"]
    with serving(EXAMPLE) as service:
        post(
            service,
            "/api/changes",
            {"service": "order-service", "at": at, "kind": "config", "title": "pool of 3 at most"},
        )
        told = post(service, "/api/alerts/alertmanager", body)
        wait_for(service, "SELECT count(*) FROM diagnosis_session WHERE status = 'completed'")
        found = get(service, f"/api/incidents/{told['incident_id']}")
        assert [one["status"] for one in found["sessions"]] == ["completed"]
        rows = service.rows(
            "SELECT input, output_preview FROM tool_invocation WHERE data_source = ?",
            "reported_changes",
        )
        assert rows
        assert any("pool of 3 at most" in str(row) for row in rows)


def test_what_is_not_diagnosed_is_said(tmp_path: Path) -> None:
    with serving(EXAMPLE) as service:
        post(service, "/api/alerts/alertmanager", body_of(alert("Watchdog", severity="none")))
        told = post(service, "/api/alerts/alertmanager", body_of(alert(service="a")))
        wait_for(service, "SELECT count(*) FROM incident WHERE waiting IS NOT NULL", 20)
        found = get(service, f"/api/incidents/{told['incident_id']}")
        assert found["waiting"]["code"] == "settling"
        assert found["waiting"]["zh"]
        (skipped,) = get(service, "/api/incidents?skipped=1")["incidents"]
        assert skipped["skipped"] == "heartbeat"
