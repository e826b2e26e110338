"""Facts: fixed order, verbatim quotes, places in the output."""

from datetime import timedelta

import numpy as np
import pytest

from analysis_builders import START, System, entity_of, healthy_system, pool_incident
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import (
    facts_of_alerts,
    facts_of_changes,
    facts_of_series,
    facts_of_topology,
)
from superbizagent.analysis.log_facts import facts_of_logs
from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.fact import Fact
from superbizagent.domain.outputs import AlertList, Change, ChangeList, Edge, Topology
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, Windows, from_ms

STEP = timedelta(seconds=15)


def _facts(system: System, limit: int = 30) -> tuple[Fact, ...]:
    deviations = measure(system.series, system.windows, STEP)
    return facts_of_series(3, system.series, deviations, entity_of, limit)


def _of(facts: tuple[Fact, ...], name: str) -> dict[str, Fact]:
    return {f.statistic: f for f in facts if f.name.startswith(name)}


def test_counts_come_first_and_ids_are_in_order() -> None:
    facts = _facts(pool_incident())
    assert [f.id for f in facts] == [f"E3.{k}" for k in range(1, len(facts) + 1)]
    assert (facts[0].name, facts[0].value) == (
        "series_examined",
        float(len(pool_incident().series)),
    )
    assert facts[1].name == "series_abnormal"
    assert facts[1].value is not None
    assert float(facts[1].value) >= 5


def test_a_gauge_gives_its_median_mean_extreme_last_and_onset() -> None:
    system = pool_incident()
    found = _of(_facts(system), "db_client_connection_pending_requests")
    assert set(found) == {"median", "mean", "max", "last", "onset_at"}
    top = found["max"]
    assert top.entity == "//service/order-service"
    assert top.window == system.windows.incident
    assert found["median"].window == system.windows.baselines[0]
    assert found["onset_at"].at == from_ms(START + 40 * 60_000)


def test_quotes_are_samples_of_the_output_at_their_place() -> None:
    system = pool_incident()
    series = system.series
    quoted = [f for f in _facts(system) if f.place.count("/") == 3]
    assert quoted
    for fact in quoted:
        _, row, _, sample = fact.place.split("/")
        one = series[int(row)]
        value = float(one.values[int(sample)])
        assert str(one) == fact.name
        assert fact.quote.split(" ")[1] == repr(value)
        assert fact.at == from_ms(int(one.times[int(sample)]))
        if fact.statistic in {"max", "min", "last"}:
            assert fact.value == pytest.approx(value, rel=1e-5)


def test_statistics_of_a_counter_are_of_its_rate() -> None:
    found = _of(_facts(pool_incident()), "http_server_responses_total")
    assert {"rate_median", "rate_mean", "rate_max", "rate_last", "onset_at"} == set(found)
    assert found["rate_mean"].unit == "/s"


def test_only_the_strongest_series_have_facts() -> None:
    names = {f.name for f in _facts(pool_incident(), 2) if f.place != "output"}
    assert len(names) == 2
    assert "db_client_connection_max" not in " ".join(names)


def test_a_series_without_a_fault_has_no_onset() -> None:
    assert not [f for f in _facts(healthy_system(), 500) if f.statistic == "onset_at"]


def test_series_without_a_sample_in_the_incident_were_not_examined() -> None:
    system = healthy_system()
    later = system.windows.incident.end + timedelta(days=1)
    incident = Window(start=later, end=later + timedelta(minutes=10))
    windows = Windows(incident=incident, baselines=system.windows.baselines)
    series = system.series
    outside = facts_of_series(3, series, measure(series, windows, STEP), entity_of)
    inside = _facts(system)
    for name in ("series_examined", "symptom_series_examined"):
        assert _of(outside, name)["count"].value == 0
        assert _of(inside, name)["count"].value


def test_an_empty_call_says_that_nothing_was_found() -> None:
    system = healthy_system()
    deviations = measure(SeriesSet(), system.windows, STEP)
    facts = facts_of_series(7, SeriesSet(), deviations, entity_of)
    assert [(f.id, f.name, f.value, f.statistic) for f in facts] == [
        ("E7.1", "series_examined", 0.0, "count"),
        ("E7.2", "series_abnormal", 0.0, "count"),
        ("E7.3", "symptom_series_examined", 0.0, "count"),
    ]
    assert facts[0].window == system.windows.whole


def test_an_entity_that_fell_silent_has_a_count_of_zero() -> None:
    system = healthy_system()
    for k, (labels, times, values) in enumerate(system.rows):
        if labels["service"] == "mysql":
            kept = times < START + 30 * 60_000
            system.rows[k] = (labels, times[kept], values[kept])
    facts = _facts(system)
    silent = [f for f in facts if f.entity == "//service/mysql" and f.statistic == "count"]
    assert {f.value for f in silent} == {0.0}


def test_facts_are_the_same_for_the_same_output() -> None:
    assert _facts(pool_incident()) == _facts(pool_incident())


def test_b10_log_facts_name_service_level_message_and_numbers() -> None:
    digest = pool_incident().digest()
    facts = facts_of_logs(2, digest, entity_of)
    pool = [f for f in facts if f.entity == "//service/order-service"]
    name = next(f.name for f in pool if "Connection is not available" in str(f.value))
    said = {f.statistic: f.value for f in pool if f.name == name}
    assert said["service"] == "order-service"
    assert said["severity"] == "error"
    assert "Connection is not available" in str(said["message"])
    numbers = {f.name: f for f in pool if f.statistic == "max"}
    assert numbers["field:pool_active"].value == 50
    assert numbers["field:pool_max"].value == 50
    assert numbers["field:waiting_threads"].value == 23
    assert "waiting_threads=23" in numbers["field:waiting_threads"].quote
    line = numbers["field:waiting_threads"].place.split("/")[-1]
    assert digest.lines[int(line)].text == numbers["field:waiting_threads"].quote


def test_log_facts_count_what_was_read_even_when_nothing_was() -> None:
    empty = healthy_system()
    empty.logs.clear()
    facts = facts_of_logs(2, empty.digest(), entity_of)
    assert [(f.name, f.value) for f in facts] == [("records", 0.0), ("records_read", 0.0)]


def test_b11_alert_facts_name_alerts_and_services() -> None:
    alert = Alert(
        labels={"alertname": "PoolExhausted", "service": "order-service", "severity": "critical"},
        annotations={"summary": "pool is used up"},
        status=AlertStatus.FIRING,
        starts_at=from_ms(START),
    )
    facts = facts_of_alerts(1, AlertList(alerts=(alert,)), entity_of)
    assert (facts[0].name, facts[0].value) == ("alerts", 1.0)
    said = {f.statistic: f for f in facts[1:]}
    assert {f.name for f in facts[1:]} == {"alert:PoolExhausted"}
    assert {f.entity for f in facts[1:]} == {"//service/order-service"}
    assert said["service"].value == "order-service"
    assert said["status"].value == "firing"
    assert said["first_at"].at == from_ms(START)
    assert said["summary"].quote == "pool is used up"
    assert said["severity"].place == "alert/0"


def test_alerts_changes_and_edges_of_nobody_are_counted_all_the_same() -> None:
    assert facts_of_alerts(1, AlertList(), entity_of)[0].value == 0
    assert facts_of_changes(1, ChangeList(), entity_of)[0].value == 0
    assert facts_of_topology(1, Topology(), entity_of)[0].value == 0


def test_changes_and_edges_have_facts() -> None:
    change = Change(at=from_ms(START), entity="web", kind="deploy", summary="web 2.1")
    facts = facts_of_changes(1, ChangeList(changes=(change,)), entity_of)
    assert (facts[1].name, facts[1].value, facts[1].entity) == (
        "change:deploy",
        "web 2.1",
        "//service/web",
    )
    edges = facts_of_topology(1, Topology(edges=(Edge(caller="web", callee="db"),)), entity_of)
    assert (edges[1].value, edges[1].quote, edges[1].place) == ("db", "web -> db", "edge/0")


def test_a_derived_value_without_a_sample_has_no_quote() -> None:
    times = START + 15_000 * np.arange(160)
    doubled = np.concatenate([times, times])
    values = np.concatenate([np.full(160, 1.0), np.full(160, 2.0)])
    system = System()
    system.rows.append(({"__name__": "x", "service": "a"}, doubled, values))
    assert {f.statistic for f in _facts(system) if f.name.startswith("x")} >= {"median", "last"}
