"""What stored outputs hold beside the facts that a report cites."""

import re
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from analysis_builders import START, System, entity_of, healthy_system, pool_incident
from diagnosing import diagnose
from grounds import STEP, WINDOWS, call, logs, metrics, topology
from superbizagent.analysis.claims.evidence._sums import histogram_quantiles
from superbizagent.analysis.claims.evidence.readings import readings_of
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import Edge, Topology, TopologyNode, decode, encode
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels, Series, SeriesSet
from superbizagent.domain.window import Window
from superbizagent.investigation.facts.reader import entity_reader

EXAMPLE = Path(__file__).parents[4] / "examples" / "mysql-connection-pool"
LABELS = ("service_name", "service", "app", "app_kubernetes_io_name", "job", "container", "host")

Floats = NDArray[np.float64]
Read = Callable[[Labels], str | None]


@pytest.fixture(scope="module")
def diagnosed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evidence, Scope]:
    done = diagnose(EXAMPLE, tmp_path_factory.mktemp("data")).diagnosis
    return done.evidence, done.scope


@pytest.fixture(scope="module")
def example(diagnosed: tuple[Evidence, Scope]) -> tuple[Fact, ...]:
    evidence, scope = diagnosed
    return readings_of(evidence, scope.windows, scope.step, entity_reader(scope, LABELS))


def read(*rows: ToolInvocation) -> dict[str, Fact]:
    found = readings_of(Evidence(invocations=rows), WINDOWS, STEP, entity_of)
    return {fact.id: fact for fact in found}


# What the samples give ----------------------------------------------------------------------------


def within(series: Series, window: Window) -> Floats:
    """Finite values in a window, by a plain loop."""
    pairs = zip(series.times.tolist(), series.values.tolist(), strict=True)
    return np.array(
        [v for t, v in pairs if window.start_ms <= t <= window.end_ms and np.isfinite(v)]
    )


def rates(series: Series) -> tuple[list[int], list[float]]:
    """Increase per second from sample to sample; a fall or a long hole gives none."""
    times, values = series.times.tolist(), series.values.tolist()
    usual = (times[-1] - times[0]) / (len(times) - 1)
    found = [
        (t, (b - a) / (t - s) * 1000)
        for s, t, a, b in zip(times, times[1:], values, values[1:], strict=False)
        if b >= a and t - s <= 5 * usual
    ]
    return [t for t, _ in found], [r for _, r in found]


def risen(series: Series, window: Window, history: int) -> float:
    """How much a counter counted in a window, by a plain loop."""
    total, last = 0.0, None
    spacing = float(np.diff(series.times).mean()) if len(series.times) > 1 else 0.0
    if int(series.times[0]) > history + 3 * spacing:
        last = 0.0  # it was born under our eyes
    for at, value in zip(series.times.tolist(), series.values.tolist(), strict=True):
        inside = window.start_ms <= at <= window.end_ms
        if inside and last is not None:
            total += value - last if value >= last else value
        last = value
    return total


STATISTICS: dict[str, Callable[[Floats], float]] = {
    "mean": lambda v: float(v.mean()),
    "median": lambda v: float(np.median(v)),
    "min": lambda v: float(v.min()),
    "max": lambda v: float(v.max()),
    "first": lambda v: float(v[0]),
    "last": lambda v: float(v[-1]),
    "constant": lambda v: float(v[-1]),
}


def by_id(evidence: Evidence, fact: Fact) -> Series:
    row = evidence.of(fact.call)
    assert row is not None
    assert isinstance(row.output, SeriesSet)
    return row.output[int(fact.place.split("/")[1])]


def test_levels_are_those_of_the_samples(
    diagnosed: tuple[Evidence, Scope], example: tuple[Fact, ...]
) -> None:
    checked = 0
    for fact in example:
        if fact.statistic in STATISTICS and fact.place.startswith("series/"):
            assert fact.window is not None
            values = within(by_id(diagnosed[0], fact), fact.window)
            assert fact.value == round_significant(STATISTICS[fact.statistic](values)), fact.id
            checked += 1
    assert checked > 1000


def test_rates_are_those_of_the_counters(
    diagnosed: tuple[Evidence, Scope], example: tuple[Fact, ...]
) -> None:
    checked = 0
    for fact in example:
        kind = fact.statistic.removeprefix("rate_")
        own = fact.statistic.startswith("rate_") and fact.place.startswith("series/")
        if not own or kind not in STATISTICS or fact.id.endswith(".overall"):
            continue
        assert fact.window is not None
        series = by_id(diagnosed[0], fact)
        times, values = rates(series)
        if int(series.times[0]) > diagnosed[1].windows.whole.start_ms + 60_000:
            continue  # born late: its first step counts from nothing
        inside = [
            v
            for t, v in zip(times, values, strict=True)
            if fact.window.start_ms <= t <= fact.window.end_ms
        ]
        expected = STATISTICS[kind](np.array(inside))
        assert fact.value == pytest.approx(expected, rel=1e-5), fact.id
        checked += 1
    assert checked > 1500


def test_increases_are_those_of_the_counters(
    diagnosed: tuple[Evidence, Scope], example: tuple[Fact, ...]
) -> None:
    evidence, scope = diagnosed
    history = scope.windows.whole.start_ms
    found = [f for f in example if f.statistic == "increase" and f.place.startswith("series/")]
    assert len(found) > 500
    for fact in found:
        assert fact.window is not None
        expected = risen(by_id(evidence, fact), fact.window, history)
        assert fact.value == pytest.approx(expected, rel=1e-5, abs=1e-9), fact.id


def test_sums_add_up_the_series_that_they_name(
    diagnosed: tuple[Evidence, Scope], example: tuple[Fact, ...]
) -> None:
    evidence, scope = diagnosed
    history = scope.windows.whole.start_ms
    found = [
        f for f in example if f.place.startswith("sum/") and f.statistic in {"increase", "requests"}
    ]
    assert len(found) > 50
    for fact in found:
        row = evidence.of(fact.call)
        assert row is not None
        assert isinstance(row.output, SeriesSet)
        assert fact.window is not None
        total = 0.0
        for k in map(int, fact.place.removeprefix("sum/").split(",")):
            total += risen(row.output[k], fact.window, history)
        assert fact.value == pytest.approx(total, rel=1e-5, abs=1e-9), fact.id


def test_the_example_s_sums_say_what_users_got(example: tuple[Fact, ...]) -> None:
    metric = "http_server_request_duration_seconds"
    order = {
        (f.name, f.statistic, f.id.split(".")[2]): f.value
        for f in example
        if f.entity.endswith("/order-service") and f.id.startswith("E6.g")
    }
    # 3,690 requests since it hurts and 716 failures are stored facts already.
    assert order[f"{metric}_count", "share", "since"] == round_significant(716 / 3690)
    assert order[f"{metric}_sum", "mean_mean", "before"] == pytest.approx(0.0310479)
    assert order[f"{metric}_sum", "mean_mean_since", "since"] == pytest.approx(2.63558)


# One series once ----------------------------------------------------------------------------------


def test_ids_are_unique_and_lead_to_their_call(
    diagnosed: tuple[Evidence, Scope], example: tuple[Fact, ...]
) -> None:
    stored = diagnosed[0].facts()
    assert len({f.id for f in example}) == len(example)
    assert not stored.keys() & {f.id for f in example}
    for fact in example:
        assert fact.id.startswith(f"E{fact.call}.")
        assert diagnosed[0].of(fact.call) is not None


def test_a_stored_fact_is_not_read_again(
    diagnosed: tuple[Evidence, Scope], example: tuple[Fact, ...]
) -> None:
    def said(facts: Sequence[Fact]) -> set[tuple[object, ...]]:
        return {
            (f.call, f.place, f.name, f.statistic, f.value, f.window)
            for f in facts
            if f.window is not None
        }

    stored = said(tuple(diagnosed[0].facts().values()))
    # The baseline of a reading ends a step before the incident, which here changes nothing.
    assert not stored & said(example)


def test_a_check_s_call_adds_no_series_twice(example: tuple[Fact, ...]) -> None:
    assert {f.call for f in example if ".s" in f.id} == {6, 7, 8, 9}


def test_two_sources_may_hold_one_name() -> None:
    labels = {"__name__": "queue_length", "service": "web"}
    times = START + np.arange(0, 2700, 15, dtype=np.int64) * 1000
    one = SeriesSet.of([(labels, times, np.full(len(times), 3.0))])
    two = SeriesSet.of([(labels, times, np.full(len(times), 5.0))])
    found = read(metrics(1, one), metrics(2, two), metrics(3, one))
    values = {i: f.value for i, f in found.items() if f.id.endswith("s0.constant")}
    assert values == {"E1.s0.constant": 3.0, "E2.s0.constant": 5.0}


def test_every_series_with_a_sample_is_read_but_buckets(
    diagnosed: tuple[Evidence, Scope], example: tuple[Fact, ...]
) -> None:
    evidence, scope = diagnosed
    read_names = {f.name for f in example if ".s" in f.id}
    spans = (scope.windows.incident, *scope.windows.baselines)
    sets = [row.output for row in evidence.invocations if isinstance(row.output, SeriesSet)]
    for series in (one for output in sets for one in output):
        seen = any(len(within(series, span)) for span in spans)
        told = not series.name.endswith(("_bucket", "_created")) and series.name[:5] != "rule:"
        assert (str(series) in read_names) == (seen and told), str(series)


def test_the_same_evidence_gives_the_same_readings(
    diagnosed: tuple[Evidence, Scope], example: tuple[Fact, ...]
) -> None:
    evidence, scope = diagnosed
    stored = tuple(
        row.model_copy(update={"output": decode(encode(row.output))}) if row.output else row
        for row in evidence.invocations
    )
    again = readings_of(
        Evidence(invocations=stored), scope.windows, scope.step, entity_reader(scope, LABELS)
    )
    assert again == example


def test_reading_the_example_is_quick(diagnosed: tuple[Evidence, Scope]) -> None:
    evidence, scope = diagnosed
    took: list[float] = []
    for _ in range(3):
        start = time.process_time()
        readings_of(evidence, scope.windows, scope.step, entity_reader(scope, LABELS))
        took.append(time.process_time() - start)
    # 0.08 s on an idle core; four times that is another algorithm.
    assert min(took) < 0.32


# Whatever the samples are -------------------------------------------------------------------------


@st.composite
def series_sets(draw: st.DrawFn) -> SeriesSet:
    """Two gauges and a counter with a restart, some samples missing; values from a seed."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([1e-6, 1.0, 1e6]))
    share = draw(st.floats(0.05, 1.0))
    restart = draw(st.integers(1, 179))
    times = START + np.arange(0, 2700, 15, dtype=np.int64) * 1000
    rows: list[tuple[Labels, NDArray[np.int64], Floats]] = []
    for name in ("queue_length", "pool_used", "jobs_total"):
        data = scale * random.exponential(1.0, 180)
        if name == "jobs_total":
            data = np.cumsum(data)
            data[restart:] -= data[restart - 1]
        keep = random.random(180) < share
        keep[[0, -1]] = True
        rows.append(({"__name__": name, "service": "web"}, times[keep], data[keep]))
    return SeriesSet.of(rows)


@given(series_sets())
def test_every_reading_is_what_the_samples_give(series: SeriesSet) -> None:
    rows = [call(1, series)]
    found = readings_of(Evidence(invocations=tuple(rows)), WINDOWS, STEP, entity_of)
    checked = 0
    for fact in found:
        match = re.fullmatch(r"series/([0-9]+)", fact.place)
        if match is None or fact.window is None:
            continue
        one = series[int(match[1])]
        if fact.statistic in STATISTICS:
            expected = STATISTICS[fact.statistic](within(one, fact.window))
        elif fact.statistic == "increase":
            expected = risen(one, fact.window, WINDOWS.whole.start_ms)
        else:
            continue
        assert fact.value == pytest.approx(expected, rel=6e-6, abs=1e-9), fact.id
        checked += 1
    assert checked >= 10


# Percentiles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "counts", "expected"),
    [
        # Half of the first bucket; then linear in the second; beyond the last bound is that bound.
        ([0.1, 0.5, np.inf], [100, 100, 100], (0.05, 0.09, 0.095, 0.099)),
        ([0.1, 0.5, np.inf], [0, 100, 100], (0.3, 0.46, 0.48, 0.496)),
        ([0.1, 0.5, np.inf], [10, 20, 100], (0.5, 0.5, 0.5, 0.5)),
        ([0.1, 0.5, np.inf], [0, 0, 0], ()),
        ([0.1, 0.5], [1, 2], ()),
        ([np.inf], [3], ()),
        ([], [], ()),
    ],
)
def test_percentiles_as_prometheus_estimates_them(
    bounds: list[float], counts: list[float], expected: tuple[float, ...]
) -> None:
    assert histogram_quantiles(bounds, counts) == pytest.approx(expected)


def test_percentiles_of_a_system_s_histogram() -> None:
    system = System()
    flat = np.full(len(system.seconds), 1.0)
    for bound, share in (("0.1", 0.5), ("1", 0.75), ("+Inf", 1.0)):
        for route in ("/a", "/b"):
            total = np.cumsum(flat * 100 * share).astype(np.float64)
            system.gauge("web", "request_seconds_bucket", total, le=bound, route=route)
    found = read(call(1, system.series))
    p50 = [f for f in found.values() if f.statistic == "p50" and f.name == "request_seconds_bucket"]
    assert [f.value for f in p50] == pytest.approx([0.1, 0.1])
    assert {f.unit for f in p50} == {"s"}
    assert {f.statistic for f in found.values() if ".g" in f.id} == {"p50", "p90", "p95", "p99"}


# Courses, levels of things, logs, topology --------------------------------------------------------


def test_which_way_and_since_when() -> None:
    system = pool_incident()
    found = read(metrics(1, system.series))
    ways = {
        f.name.partition("{")[0]: f.value
        for f in found.values()
        if f.statistic == "direction" and f.entity.endswith("/order-service")
    }
    assert ways["http_server_request_duration_seconds_p95"] == "up"
    assert ways["process_resident_memory_bytes"] in {"flat", ""}
    assert ways["db_client_connection_max"] == "flat"


def test_connections_add_up_over_their_states() -> None:
    system = System()
    system.gauge("web", "db_connection_count", np.where(system.faulty, 7.0, 3.0), state="used")
    system.gauge("web", "db_connection_count", np.where(system.faulty, 3.0, 7.0), state="idle")
    system.gauge("web", "temperature_celsius", system.noise(20, 1), room="a")
    system.gauge("web", "temperature_celsius", system.noise(20, 1), room="b")
    found = read(call(1, system.series))
    sums = {f.id: (f.name, f.value) for f in found.values() if f.place.startswith("sum/")}
    # The two states always add up to ten; temperatures add up to nothing.
    assert set(sums.values()) == {("db_connection_count", 10.0)}


def test_templates_and_severities_are_counted() -> None:
    digest = pool_incident().digest()
    found = read(logs(2, digest))
    errors = [t for t in digest.templates if t.service == "user-service" and t.severity == "error"]
    service = sorted({t.service for t in digest.templates}).index("user-service")
    during = sum(t.incident_count for t in errors)
    before = sum(t.baseline_count for t in errors)
    assert during > 0
    assert found[f"E2.v{service}.error_records"].value == float(during)
    assert found[f"E2.v{service}.before.error_records"].value == float(before)
    assert found[f"E2.v{service}.warning_records"].value == 0.0
    last = [f for f in found.values() if f.statistic == "last_at"]
    assert {f.at for f in last} == {t.last_at for t in digest.templates}


def test_no_totals_where_templates_were_left_out() -> None:
    digest = pool_incident().digest().model_copy(update={"templates_left_out": 1})
    assert isinstance(digest, LogDigest)
    found = read(logs(2, digest))
    assert found
    assert not [i for i in found if i.startswith("E2.v")]


def test_callers_and_callees_are_counted() -> None:
    edges = (("web", "db"), ("api", "db"), ("web", "api"), ("db", "db"))
    value = Topology(
        nodes=(TopologyNode(name="alone"),),
        edges=tuple(Edge(caller=a, callee=b) for a, b in edges),
    )
    found = read(topology(3, value))
    counts = {(f.name, f.statistic): f.value for f in found.values()}
    assert counts["edge:db", "callers"] == 2.0
    assert counts["edge:db", "callees"] == 0.0
    assert counts["edge:web", "callees"] == 2.0
    assert counts["edge:alone", "callers"] == 0.0


def test_without_calls_there_is_nothing_to_read() -> None:
    assert readings_of(Evidence(), WINDOWS, timedelta(seconds=5), entity_of) == ()
    assert read(call(1, SeriesSet())) == {}


def test_a_system_that_never_moved_reads_as_constant() -> None:
    system = healthy_system()
    system.rows = []
    system.gauge("web", "pool_limit_count", np.full(len(system.seconds), 50.0))
    found = read(call(1, system.series))
    assert found["E1.s0.constant"].value == 50.0
    assert found["E1.s0.before.constant"].value == 50.0
    assert "E1.s0.mean" not in found
