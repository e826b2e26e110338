"""The service beside a real Alertmanager: a real fault, its alert by webhook, a message."""

import asyncio
import json
import shutil
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lab import scenarios
from lab.faults import fault_of
from lab.processes import free_ports
from lab.stack import Stack
from lab.timing import FAST
from serving import Service, serving

pytestmark = [pytest.mark.lab, pytest.mark.real_server, pytest.mark.timeout(400)]

PACE = scenarios.Pace(baseline_seconds=24.0, after_alert_seconds=30.0)


@contextmanager
def mailbox() -> Generator[tuple[str, list[Any]]]:
    """A receiver of messages, as Apprise sends them as JSON."""
    messages: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            messages.append(json.loads(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so there
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"json://127.0.0.1:{server.server_address[1]}/", messages
    finally:
        server.shutdown()
        server.server_close()


def test_a_live_alert_becomes_a_message(tmp_path: Path) -> None:
    [port] = free_ports(1)
    fault = fault_of("mysql-connection-pool")
    # Below /tmp, because socket paths are limited to 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="lab-", dir="/tmp"))
    try:
        with mailbox() as (channel, messages):
            found = asyncio.run(_run(folder, tmp_path / "data", port, channel, fault, messages))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    incident, trace = found
    assert incident["status"] in {"firing", "resolved"}
    assert incident["session_id"] == trace["session"]["session_id"]
    assert trace["session"]["verdict"] in {"root_cause_found", "likely"}
    assert trace["session"]["channel"] == "AIOPS"
    assert trace["evaluations"]["aiops_rule_evaluation"]["verdict"] == "PASS"
    assert len(messages) <= 2, "one message an incident, and callers may have one of their own"
    lines = messages[0]["message"].splitlines()
    assert len(lines) <= 10
    names = {cause.name for cause in fault.truth.entities}
    assert any(name in messages[0]["message"] for name in names)
    assert f"/traces/{incident['session_id']}" in messages[0]["message"]


async def _run(  # noqa: PLR0917 - what a run is made of
    folder: Path, data: Path, port: int, channel: str, fault: Any, messages: list[Any]
) -> tuple[Any, Any]:
    hook = f"http://127.0.0.1:{port}/api/alerts/alertmanager"
    async with Stack(folder, FAST, receivers=(hook,)) as stack:
        settings = {
            "SUPERBIZ_SOURCES__PROMETHEUS__URL": stack.prometheus_url,
            "SUPERBIZ_SOURCES__ALERTMANAGER__URL": stack.alertmanager_url,
            "SUPERBIZ_INTAKE__SETTLE_SECONDS": "2",
            "SUPERBIZ_SERVICE__PUBLIC_URL": f"http://127.0.0.1:{port}",
            "SUPERBIZ_NOTIFY__APPRISE": json.dumps({"mailbox": channel}),
        }
        with serving(data, "--port", str(port), recording="", **settings) as service:
            running = asyncio.create_task(scenarios.incident(stack, fault, PACE))
            found = await asyncio.to_thread(_wait_for_message, service, messages, running)
            await running
    return found


def _wait_for_message(
    service: Service, messages: list[Any], running: asyncio.Task[Any]
) -> tuple[Any, Any]:
    """Wait until the message has come; return incident and trace."""
    end = time.monotonic() + 240
    while not messages and not running.done() and time.monotonic() < end:
        time.sleep(0.5)
    with service.client() as client:
        incidents = client.get("/api/incidents").json()["data"]
        assert messages, (incidents, service.log.read_text())
        told = messages[0]["message"]
        diagnosed = [one for one in incidents["incidents"] if one["session_id"]]
        [incident] = [one for one in diagnosed if one["session_id"] in told]
        trace = client.get(f"/api/traces/{incident['session_id']}").json()["data"]
    return incident, trace
