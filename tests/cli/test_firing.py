"""What fires now, and alerts that were pasted: which is diagnosed, and what is said of the rest."""

import re
from pathlib import Path

import pytest

import fault_server
import variants
from commanding import Ended, Superbiz
from diagnosing import diagnose, report_of
from fault_server import FaultServer, success
from superbizagent.domain.report import Section

pytestmark = pytest.mark.real_server
faulty = fault_server.faulty

AT = "2026-03-01T12:03:00Z"
RULE = {
    "type": "alerting",
    "name": "Slow",
    "query": 'latency_seconds{job="orders"} > 0.5',
    "duration": 60,
    "labels": {"severity": "critical"},
}


def firing(name: str, **labels: str) -> dict[str, object]:
    about = {"alertname": name, "job": "orders", **labels}
    return {"labels": about, "annotations": {}, "state": "firing", "activeAt": AT}


@pytest.fixture
def server(faulty: FaultServer) -> FaultServer:
    """A server on which three alerts fire and a heartbeat."""
    rows = [
        firing("Slow", severity="critical"),
        firing("Full", severity="warning", disk="/it's"),
        firing("Old", severity="warning"),
        firing("Watchdog", severity="info"),
    ]
    faulty.faults["/api/v1/alerts"] = lambda _: success({"alerts": rows})
    faulty.faults["/api/v1/query"] = fault_server.fired("Slow", "Full", "Old")
    return faulty


def flat(ended: Ended) -> str:
    return " ".join(ended.out.split())


def test_the_most_severe_is_diagnosed_and_the_others_come_with_a_command(
    superbiz: Superbiz, server: FaultServer
) -> None:
    ended = superbiz("diagnose", "--prometheus", server.url, "--lang", "en", "--full")
    assert ended.code == 0
    assert "3 firing: Slow, Full, Old" in ended.err or "3 firing: " in ended.err
    assert "left out, because they always fire: Watchdog" in flat(ended)
    commands = re.findall(r"superbiz diagnose --alert .*", ended.out)
    assert len(commands) == 2
    assert '\'Full{disk="/it\'\\\'\'s",job="orders",severity="warning"}\'' in ended.out


@pytest.mark.parametrize(
    "pasted",
    ["[FIRING:1] Slow orders (critical)", 'Slow{job="orders"}', '{"labels":{"alertname":"Slow"}}'],
)
def test_a_pasted_alert_gets_its_time_from_what_fires(
    superbiz: Superbiz, server: FaultServer, pasted: str
) -> None:
    flags = ("--prometheus", server.url, "--alert", pasted, "--lang", "en", "--full")
    ended = superbiz("diagnose", *flags)
    assert ended.code == 0
    assert "Slow fired at 2026-03-01 12:03:00" in flat(ended)


def test_a_pasted_alert_that_does_not_fire_is_said(superbiz: Superbiz, server: FaultServer) -> None:
    flags = ("--prometheus", server.url, "--alert", 'Gone{job="orders"}', "--lang", "en", "--full")
    ended = superbiz("diagnose", *flags)
    assert "does not fire now: Gone" in ended.err
    assert ended.code == 3, "the last hour is looked at, and that server has nothing of it"


def test_pending_is_told_from_firing_by_the_rules_for(
    superbiz: Superbiz, server: FaultServer
) -> None:
    groups = {"groups": [{"name": "g", "rules": [RULE]}]}
    server.faults["/api/v1/rules"] = lambda _: success(groups)
    ended = superbiz("diagnose", "--prometheus", server.url, "--lang", "en", "--full")
    # Prometheus says since when it is active; it fired a minute later.
    assert "Slow fired at 2026-03-01 12:04:00" in flat(ended)
    assert f"The rule of alert Slow is, for 1m: {RULE['query']}" in flat(ended)


def test_a_server_without_rules_is_no_failure(superbiz: Superbiz, server: FaultServer) -> None:
    server.faults["/api/v1/rules"] = lambda _: fault_server.Reply(404, b"no")
    ended = superbiz("diagnose", "--prometheus", server.url, "--lang", "en", "--full")
    assert ended.code == 0
    assert "the alert's own rule is not known" in flat(ended)


def test_an_alert_on_the_command_line_is_read_like_a_file(tmp_path: Path) -> None:
    text = (variants.POOL / "alert.json").read_text(encoding="utf-8")
    folder = variants.copy(variants.POOL, tmp_path / "incident")
    (folder / "alert.json").unlink()
    report = report_of(diagnose(folder, tmp_path / "data", alert=text))
    what = " ".join(claim.text for claim in report.section(Section.WHAT))
    assert "OrderServiceConnectionPoolExhausted fired at 12:43:00, 101 s after its rule" in what


def test_a_name_that_is_no_file_and_no_alert_is_one_line(superbiz: Superbiz) -> None:
    ended = superbiz("diagnose", "--alert", "alrt.json", "--prometheus", "http://127.0.0.1:1")
    assert ended.code == 2
    assert "'alrt.json' cannot be read" in ended.error
