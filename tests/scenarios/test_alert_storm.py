"""A storm of alerts through the command line: alone, with a server that is gone, and with data."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from diagnosing import cause_of, diagnose, report_of
from superbizagent.analysis.alert_evidence import ALERT_TERMS
from superbizagent.cli.render import render_terminal
from superbizagent.domain.finding import CandidateCause, FaultKind, Verdict
from superbizagent.domain.report import Envelope, Section
from superbizagent.errors import UsageError
from superbizagent.investigation.run import Finished

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
SCREENS = Path(__file__).parents[1] / "cli" / "screens"
HEALTHY = Path(__file__).parents[2] / "examples" / "healthy"
EXAMPLE = Path(__file__).parents[2] / "examples" / "mysql-connection-pool"
ENVELOPE = Envelope(
    session_id="0192e5f0-7b1c-7c7e-b1a2-0123456789ab", seconds=0.4, queries=1, gate="PASS"
)


def fired(name: str, service: str, seconds: int, **labels: str) -> dict[str, Any]:
    at = AT + timedelta(seconds=seconds)
    own = {"alertname": name, "service": service, "severity": "warning", **labels}
    return {"status": "firing", "labels": own, "startsAt": at.isoformat()}


STORM = [
    fired("CpuUsageHigh", "ledger", 0),
    fired("LatencyP95High", "ledger", 30),
    fired("CallLatencyHigh", "ledger", 40, client="booking", server="ledger"),
    fired("CallLatencyHigh", "ledger", 40, client="refund", server="ledger"),
    fired("LatencyP95High", "booking", 60),
    fired("LatencyP95High", "refund", 70),
    fired("ErrorRateHigh", "portal", 95, severity="critical"),
    *(fired("TrafficLow", place, 100) for place in ("mailer", "seatmap", "pricing")),
]


def storm(folder: Path, alerts: list[dict[str, Any]], **flags: Any) -> Finished:
    path = folder / "storm.json"
    body = {"version": "4", "status": "firing", "receiver": "r", "alerts": alerts}
    path.write_text(json.dumps(body), encoding="utf-8")
    return diagnose(flags.pop("bundle", None), folder, alert=str(path), **flags)


def first_of(finished: Finished) -> CandidateCause:
    return finished.diagnosis.analysis.candidates[0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_alerts_alone_give_a_likely_cause_with_the_alerts_that_carry_it(
    language: str, tmp_path: Path
) -> None:
    finished = storm(tmp_path, STORM, lang=language)
    report = report_of(finished)
    assert cause_of(finished) == ("ledger", "cpu")
    assert report.verdict is Verdict.LIKELY
    assert report.rejected == ()
    text = render_terminal(report, ENVELOPE)
    expected = SCREENS / f"storm.{language}.txt"
    assert text == expected.read_text(encoding="utf-8")
    assert all(cell_len(line) <= 100 for line in text.splitlines())


def test_every_term_cites_alerts_that_are_stored(tmp_path: Path) -> None:
    finished = storm(tmp_path, STORM)
    first = first_of(finished)
    facts = finished.diagnosis.evidence.facts()
    assert {t.name for t in first.terms} <= {*ALERT_TERMS, "explained_by_callee"}
    assert first.score == pytest.approx(sum(t.value for t in first.terms), rel=1e-4)
    cited = {facts[i].name for t in first.terms for i in t.fact_ids}
    assert cited == {"alert:CpuUsageHigh", "alert:LatencyP95High", "alert:CallLatencyHigh"}
    callers = [c for c in finished.diagnosis.analysis.candidates if c.entity.endswith("booking")]
    assert any(t.name == "explained_by_callee" and t.value < 0 for t in callers[0].terms)


def test_what_is_only_felt_is_no_cause(tmp_path: Path) -> None:
    felt = [fired("LatencyP95High", "ledger", 0), *STORM[4:]]
    report = report_of(storm(tmp_path, felt))
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.rejected == ()
    said = report.section(Section.SURENESS)[0].text
    assert "it rests on alerts alone" in said
    assert "only the symptom itself was found" in said


def test_two_that_are_alike_are_no_likely_cause(tmp_path: Path) -> None:
    twins = [*STORM[:1], fired("CpuUsageHigh", "mailer", 5), *STORM[7:]]
    finished = storm(tmp_path, twins)
    assert report_of(finished).verdict is Verdict.INCONCLUSIVE
    assert finished.diagnosis.analysis.verdict_reasons[:2] == ("only_alerts", "margin_small")


def test_a_thousand_alerts_leave_a_first_screen(tmp_path: Path) -> None:
    names = ("LatencyP95High", "ErrorRateHigh", "TrafficLow")
    many = [fired(names[k % 3], f"svc-{k % 89}", k % 300, id=str(k)) for k in range(1000)]
    finished = storm(tmp_path, [*many, fired("MemoryUsageHigh", "ledger", 5)])
    assert cause_of(finished) == ("ledger", FaultKind.MEMORY.value)
    text = render_terminal(report_of(finished), ENVELOPE)
    rows = [max(1, -(-cell_len(line) // 100)) for line in text.splitlines()]
    assert sum(rows) <= 25


def test_too_few_alerts_are_no_storm(tmp_path: Path) -> None:
    one_entity = [fired(name, "ledger", 0) for name in ("CpuUsageHigh", "LatencyP95High", "X")]
    for alerts in (STORM[:1], STORM[:2], one_entity):
        with pytest.raises(UsageError, match="nothing to look at"):
            storm(tmp_path, alerts)


@pytest.mark.real_server
def test_where_no_metrics_can_be_reached_the_alerts_are_ranked_and_that_is_said(
    tmp_path: Path,
) -> None:
    gone = "http://127.0.0.1:9"
    finished = storm(tmp_path, STORM, prometheus=gone)
    assert cause_of(finished) == ("ledger", "cpu")
    reasons = finished.diagnosis.analysis.verdict_reasons
    assert reasons[0] == "only_alerts"
    assert "source_failed:prometheus" in reasons
    unseen = " ".join(c.text for c in report_of(finished).section(Section.NOT_SEEN))
    assert "prometheus" in unseen
    assert "no metrics were read" in unseen


def test_beside_data_alerts_add_terms_and_the_cause_stays(tmp_path: Path) -> None:
    plain = first_of(diagnose(EXAMPLE, tmp_path / "plain"))
    began = json.loads((EXAMPLE / "alert.json").read_text(encoding="utf-8"))["alerts"][0]
    names = ("order-service", "user-service", "order-service")
    more = [
        {**began, "labels": {**began["labels"], "alertname": name, "service": service}}
        for name, service in zip(("PoolFull", "LatencyHigh", "ErrorsHigh"), names, strict=True)
    ]
    (tmp_path / "storm").mkdir()
    finished = storm(tmp_path / "storm", [began, *more], bundle=EXAMPLE)
    first = first_of(finished)
    assert (first.entity, first.fault_kind) == (plain.entity, plain.fault_kind)
    assert {t.name for t in first.terms} & ALERT_TERMS
    assert report_of(finished).verdict is Verdict.ROOT_CAUSE_FOUND
    assert report_of(finished).rejected == ()


def test_who_was_looked_at_and_is_well_is_no_cause_for_its_alerts(tmp_path: Path) -> None:
    """Of the others, whom no source knows, alerts are all there is."""
    inside = round((datetime(2026, 11, 30, 12, 55, tzinfo=UTC) - AT).total_seconds())
    known = [fired("CpuUsageHigh", "order-service", inside + k) for k in range(3)]
    others = [fired("MemoryUsageHigh", "ledger", inside), fired("TrafficLow", "mailer", inside)]
    finished = storm(tmp_path, [*known, *others], bundle=HEALTHY)
    named = {c.entity.rsplit("/", 1)[-1] for c in finished.diagnosis.analysis.candidates}
    assert "ledger" in named
    assert "order-service" not in named
    assert "nothing_abnormal" in finished.diagnosis.analysis.verdict_reasons
    assert report_of(finished).rejected == ()


def test_an_incident_with_one_alert_has_no_term_of_alerts(tmp_path: Path) -> None:
    finished = diagnose(EXAMPLE, tmp_path)
    named = {t.name for c in finished.diagnosis.analysis.candidates for t in c.terms}
    assert not named & ALERT_TERMS
    assert "payload" not in {s.name for s in finished.diagnosis.scope.sources}
