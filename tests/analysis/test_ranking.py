"""Which entity is named, with which parts of its score, and when none is."""

from collections.abc import Mapping
from datetime import timedelta

import numpy as np
import pytest

from analysis_builders import START, System, entity_of, healthy_system, pool_incident
from superbizagent.analysis.alert_channel import AlertFocus
from superbizagent.analysis.ranking import Ranking, RankingInput, rank_causes
from superbizagent.domain.finding import CandidateCause, FaultKind
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import from_ms

ORDER = "//service/order-service"


def _terms(cause: CandidateCause) -> Mapping[str, float]:
    return {t.name: t.value for t in cause.terms}


@pytest.mark.parametrize("seed", range(4))
def test_an_exhausted_pool_is_found_at_its_caller_not_at_the_calm_database(seed: int) -> None:
    found = pool_incident(seed).rank()
    first = found.candidates[0]
    assert (first.entity, first.fault_kind) == (ORDER, FaultKind.POOL_EXHAUSTION)
    assert found.margin >= 0.6
    assert first.onset_at is not None
    assert first.onset_uncertainty is not None
    assert abs(first.onset_at - from_ms(START + 40 * 60_000)) <= first.onset_uncertainty
    assert "//service/mysql" not in {c.entity for c in found.candidates}


def test_the_terms_are_visible_cite_facts_and_add_up() -> None:
    found = pool_incident().rank()
    for cause in found.candidates:
        assert cause.score == pytest.approx(sum(t.value for t in cause.terms), rel=1e-5)
    first = found.candidates[0]
    assert {"metrics", "logs", "saturation"} <= set(_terms(first))
    assert all(t.fact_ids for t in first.terms if t.name != "explained_by_callee")
    assert {i.split(".")[0] for t in first.terms for i in t.fact_ids} == {"E1", "E2"}
    assert first.finding_ids


def test_what_its_callee_explains_is_taken_from_the_caller_and_shown() -> None:
    found = pool_incident().rank()
    caller = next(c for c in found.suspects if c.entity == "//service/user-service")
    terms = _terms(caller)
    assert terms["explained_by_callee"] < 0
    assert terms["metrics"] + terms["explained_by_callee"] >= 0
    assert "lat=1.00" in next(t.note for t in caller.terms if t.name == "explained_by_callee")


@pytest.mark.parametrize("step", [15, 30, 60])
def test_another_sampling_step_reads_the_same(step: float) -> None:
    found = pool_incident(2, step).rank()
    assert found.candidates[0].entity == ORDER
    assert found.candidates[0].fault_kind is FaultKind.POOL_EXHAUSTION
    onset = found.candidates[0].onset_at
    assert onset is not None
    assert abs(onset - from_ms(START + 40 * 60_000)) <= timedelta(seconds=2 * step)


def test_another_name_gives_the_other_name() -> None:
    found = pool_incident(name="checkout").rank()
    assert found.candidates[0].entity == "//service/checkout"
    assert not any("order-service" in c.entity for c in found.suspects)


def test_without_the_pools_signals_the_pool_is_not_named() -> None:
    found = pool_incident(signals=False).rank()
    assert all(c.fault_kind is not FaultKind.POOL_EXHAUSTION for c in found.candidates)


@pytest.mark.parametrize("step", [15.0, 60.0])
@pytest.mark.parametrize("seed", range(10))
def test_a_healthy_system_gives_no_candidate(seed: int, step: float) -> None:
    found = healthy_system(seed, step).rank()
    assert found.candidates == ()
    assert found.margin == 0
    assert found.health.is_calm
    assert found.health.strength < found.health.bar


def test_nothing_looked_at_gives_nothing() -> None:
    found = rank_causes(RankingInput(entity_of=entity_of))
    assert (found.candidates, found.suspects, found.margin) == ((), (), 0.0)
    assert found.health.is_calm


def test_only_entities_in_scope_are_candidates() -> None:
    found = pool_incident().rank(entities=("//service/user-service", "//service/mysql"))
    assert {c.entity for c in found.suspects} <= {"//service/user-service", "//service/mysql"}


def test_an_entity_without_a_finding_is_never_a_candidate() -> None:
    found = pool_incident().rank()
    named = {c.entity for c in found.candidates}
    assert named <= {ORDER, "//service/user-service"}
    assert all(c.finding_ids for c in found.candidates)


def _memory_leak(seed: int) -> System:
    system = healthy_system(seed)
    since = np.maximum(0.0, system.seconds - system.fault_at)
    for k, (labels, times, values) in enumerate(system.rows):
        if labels["__name__"] == "process_resident_memory_bytes" and labels["service"] == "web":
            grown = np.interp((times - START) / 1000, system.seconds, since) * 1.5e6
            system.rows[k] = (labels, times, values + grown)
    return system


@pytest.mark.parametrize("seed", range(3))
def test_one_family_far_off_is_enough(seed: int) -> None:
    first = _memory_leak(seed).rank().candidates[0]
    assert (first.entity, first.fault_kind) == ("//service/web", FaultKind.MEMORY)


def test_an_entity_that_fell_silent_is_the_cause_of_its_callers_errors() -> None:
    system = healthy_system()
    slow = system.faulty.astype(np.float64)
    for k, (labels, times, values) in enumerate(system.rows):
        if labels["service"] == "order-service":
            kept = times < START + system.fault_at * 1000 - 46_000
            system.rows[k] = (labels, times[kept], values[kept])
    failed = system.noise(0.02, 0.02) + 0.4 * slow
    system.counter("user-service", "http_client_errors_total", failed)
    found = system.rank()
    silent = next(c for c in found.candidates if c.entity == ORDER)
    assert silent.fault_kind is FaultKind.RESTART


def test_a_recording_that_ends_early_is_no_outage() -> None:
    system = healthy_system()
    system.rows = [
        (labels, times[:156], values[:156])  # 39 minutes
        for labels, times, values in system.rows
    ]
    assert system.rank().candidates == ()


def _chain() -> System:
    """Four services in a row, the third slow, the first alerted; one aside is slow by itself."""
    system = System()
    slow = system.faulty * 0.8
    for name, added in (("edge", 0.7), ("web", 0.75), ("cart", 0.8), ("stock", 0.0)):
        system.counter(name, "http_server_requests_total", system.noise(20, 2))
        latency = system.noise(0.1, 0.005) + added * slow
        system.gauge(name, "http_server_latency_average", latency)
    system.counter("batch", "http_server_requests_total", system.noise(0.05, 0.01))
    system.gauge("batch", "http_server_latency_average", system.noise(0.1, 0.005) + 0.4 * slow)
    system.edges += [("edge", "web"), ("web", "cart"), ("cart", "stock"), ("edge", "batch")]
    return system


def _ranked_for_alert(system: System, family: str = "lat") -> Ranking:
    at = from_ms(START + (system.fault_at + 60) * 1000)
    return system.rank(alert=AlertFocus(entry="//service/edge", family=family, at=at))


def test_of_a_chain_of_slow_services_the_deepest_explains_the_alert() -> None:
    found = _ranked_for_alert(_chain())
    assert found.candidates[0].entity == "//service/cart"
    assert "alert" in _terms(found.candidates[0])
    assert found.candidates[0].path == ("cart", "web", "edge")


def test_a_slow_service_that_is_hardly_called_explains_little() -> None:
    found = _ranked_for_alert(_chain())
    order = [c.entity for c in found.suspects]
    assert order.index("//service/cart") < order.index("//service/batch")


def test_an_alert_of_another_kind_or_without_a_graph_leaves_the_other_channels() -> None:
    other = _ranked_for_alert(_chain(), "cpu")
    assert all("alert" not in _terms(c) for c in other.suspects)
    bare = _chain()
    bare.edges.clear()
    assert all("alert" not in _terms(c) for c in _ranked_for_alert(bare).suspects)


def test_the_same_evidence_gives_the_same_ranking_in_any_order() -> None:
    system = pool_incident()
    turned = pool_incident()
    turned.rows = turned.rows[::-1]
    assert system.rank() == turned.rank()


def test_infinite_and_missing_values_do_not_rank() -> None:
    system = healthy_system()
    for k, (labels, times, values) in enumerate(system.rows):
        broken = values.copy()
        broken[::2] = np.inf
        broken[1::4] = np.nan
        system.rows[k] = (labels, times, broken)
    assert system.rank().candidates == ()
    system.rows = [(labels, times, np.full(len(times), np.nan)) for labels, times, _ in system.rows]
    assert len(SeriesSet.of(system.rows)) > 0
    assert system.rank().candidates == ()


def test_the_way_to_the_symptom_is_the_shortest_and_absent_when_there_is_none() -> None:
    system = _chain()
    system.edges += [("edge", "cart"), ("cart", "web")]
    found = {c.entity: c.path for c in _ranked_for_alert(system).suspects}
    assert found["//service/cart"] == ("cart", "edge")
    lone = _chain()
    lone.edges.remove(("edge", "batch"))
    lone.edges.append(("cart", "web"))
    found = {c.entity: c.path for c in _ranked_for_alert(lone).suspects}
    assert found["//service/batch"] == ()


def test_what_no_family_claims_makes_no_candidate() -> None:
    system = pool_incident()
    strange = np.where(system.faulty, 1e6, 1.0)
    system.gauge("bystander", "some_internal_value", strange)
    found = system.rank()
    assert "//service/bystander" in {c.entity for c in found.suspects}
    assert "//service/bystander" not in {c.entity for c in found.candidates}
