"""Findings: what is abnormal, numbered by strength, each with facts."""

from datetime import timedelta

import numpy as np

from analysis_builders import START, System, entity_of, healthy_system, pool_incident
from superbizagent.analysis.abnormal import is_abnormal
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import facts_of_alerts, facts_of_changes, facts_of_series
from superbizagent.analysis.findings import (
    findings_from_alerts,
    findings_from_changes,
    findings_from_series,
    number_findings,
)
from superbizagent.domain.alert import Alert
from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.domain.outputs import AlertList, Change, ChangeList
from superbizagent.domain.window import from_ms

STEP = timedelta(seconds=15)


def _findings(system: System, call: int = 1, limit: int = 50) -> tuple[Finding, ...]:
    deviations = measure(system.series, system.windows, STEP)
    facts = facts_of_series(call, system.series, deviations, entity_of, limit)
    return findings_from_series(system.series, deviations, facts, entity_of)


def test_what_moved_is_found_with_size_direction_time_and_facts() -> None:
    found = {f.subject: f for f in _findings(pool_incident())}
    waiting = found['db_client_connection_pending_requests{service="order-service"}']
    assert waiting.kind is FindingKind.METRIC_DEVIATION
    assert (waiting.family, waiting.direction, waiting.ongoing) == ("saturation", 1, True)
    assert waiting.baseline is not None
    assert waiting.incident is not None
    assert waiting.extreme is not None
    assert waiting.baseline < waiting.incident < waiting.extreme
    assert waiting.onset_at == from_ms(START + 40 * 60_000)
    assert waiting.onset_uncertainty is not None
    assert waiting.onset_uncertainty >= STEP
    assert len(waiting.fact_ids) == 5
    assert "db_client_connection_max" not in " ".join(found)


def test_a_healthy_system_has_next_to_no_finding() -> None:
    counts = [len(_findings(healthy_system(seed))) for seed in range(10)]
    assert sum(counts) <= 2


def test_many_series_raise_the_bar() -> None:
    times = START + 15_000 * np.arange(180)
    random = np.random.default_rng(1)
    system = System()
    for k in range(3000):
        values = random.standard_t(3, len(times))
        system.rows.append(({"__name__": "x", "service": "a", "k": str(k)}, times, values))
    deviations = measure(system.series, system.windows, STEP)
    assert is_abnormal(deviations).sum() == 0


def test_a_finding_without_facts_is_left_out() -> None:
    assert len(_findings(pool_incident(), limit=2)) == 2


def test_new_errors_are_series_that_appeared() -> None:
    system = healthy_system()
    late = system.seconds >= system.fault_at
    system.counter("web", "app_errors_total", np.where(late, 3.0, 0.0), error_type="KeyError")
    labels, times, values = system.rows[-1]
    kept = times >= START + system.fault_at * 1000
    system.rows[-1] = (labels, times[kept], values[kept] - 1000.0)
    found = [f for f in _findings(system) if "KeyError" in f.subject]
    assert [f.kind for f in found] == [FindingKind.SERIES_APPEARED]
    assert found[0].baseline is None
    assert found[0].unit == "/s"


def test_numbers_are_by_strength_and_the_same_series_is_one_finding() -> None:
    one, two = _findings(pool_incident(), 1), _findings(pool_incident(), 2)
    found = number_findings(one, two)
    assert [f.id for f in found] == [f"F{k}" for k in range(1, len(found) + 1)]
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
    assert len(found) == len(one)
    assert {i.split(".")[0] for i in found[0].fact_ids} == {"E1", "E2"}


def test_alerts_and_changes_are_findings_without_a_score() -> None:
    alerts = AlertList(
        alerts=(
            Alert(labels={"alertname": "Slow", "service": "web"}, starts_at=from_ms(START)),
            Alert(labels={"alertname": "Nobody"}),
        )
    )
    changes = ChangeList(
        changes=(
            Change(at=from_ms(START), entity="web", summary="web 2.1"),
            Change(at=from_ms(START), entity="", summary="unknown"),
        )
    )
    fired = findings_from_alerts(alerts, facts_of_alerts(1, alerts, entity_of), entity_of)
    done = findings_from_changes(changes, facts_of_changes(2, changes, entity_of))
    assert [(f.kind, f.subject, f.score, f.ongoing) for f in fired] == [
        (FindingKind.ALERT, "Slow", 0.0, True)
    ]
    assert [(f.kind, f.subject, f.score) for f in done] == [(FindingKind.CHANGE, "web 2.1", 0.0)]
    assert fired[0].fact_ids[0] == "E1.2"
    assert done[0].fact_ids == ("E2.2",)
