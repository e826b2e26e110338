"""What may not change a ranking, and what may not become one."""

from collections.abc import Callable
from datetime import timedelta

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import facts_of_series
from superbizagent.analysis.findings import findings_from_series, number_findings
from superbizagent.analysis.ranking import Ranking, RankingInput, rank_causes
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.window import Window, Windows, from_ms

Row = tuple[Labels, NDArray[np.int64], NDArray[np.float64]]

START = 1_790_000_000_000
STEP = 15_000
BEFORE, DURING = 60, 20
TIMES = START + STEP * np.arange(BEFORE + DURING, dtype=np.int64)
WINDOWS = Windows(
    incident=Window(start=from_ms(int(TIMES[BEFORE])), end=from_ms(int(TIMES[-1]))),
    baselines=(Window(start=from_ms(START), end=from_ms(int(TIMES[BEFORE]) - 120_000)),),
)
GRAPH = Topology(edges=(Edge(caller="web", callee="cart"), Edge(caller="web", callee="pay")))
SERVICES = ("web", "cart", "pay", "mail", "stock")


def _entity(labels: Labels) -> str | None:
    return f"//service/{labels['service']}" if labels.get("service") else None


def _rank(rows: list[Row], graph: Topology = GRAPH) -> Ranking:
    lengths = [len(times) for _, times, _ in rows]
    series = SeriesSet(
        tuple(labels for labels, _, _ in rows),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int64), *(times for _, times, _ in rows)]),
        np.concatenate([np.zeros(0), *(values for _, _, values in rows)]),
    )
    deviations = measure(series, WINDOWS, timedelta(milliseconds=STEP))
    facts = facts_of_series(1, series, deviations, _entity, len(series))
    findings = number_findings(findings_from_series(series, deviations, facts, _entity))
    call = MetricCall(1, series, deviations, facts)
    return rank_causes(RankingInput(_entity, metrics=(call,), findings=findings, topology=graph))


def _shop(seed: int = 0) -> list[Row]:
    """Latency and processor of five services; ``pay`` becomes busy and slow, ``web`` with it."""
    random = np.random.default_rng(seed)
    rows: list[Row] = []
    for name in SERVICES:
        slow = 0.2 + 0.01 * random.normal(size=len(TIMES))
        busy = 40 + random.normal(size=len(TIMES))
        if name in {"pay", "web"}:
            slow[BEFORE:] += 0.8
        if name == "pay":
            busy[BEFORE:] += 45
        labels = {"service": name, "__name__": "request_latency_seconds"}
        rows.append((labels, TIMES, slow))
        rows.append(({"service": name, "__name__": "cpu_usage_percent"}, TIMES, busy))
    return rows


def _scores(ranking: Ranking) -> dict[str, float]:
    return {c.entity: c.score for c in ranking.suspects}


def _same(a: Ranking, b: Ranking) -> None:
    assert [c.entity for c in a.candidates] == [c.entity for c in b.candidates]
    assert _scores(a) == pytest.approx(_scores(b), rel=1e-4, abs=1e-6)
    assert a.health.is_calm == b.health.is_calm


def test_the_shop_has_a_cause() -> None:
    ranking = _rank(_shop())
    assert ranking.candidates[0].entity == "//service/pay"
    assert ranking.margin > 0.2


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 5), order=st.permutations(range(2 * len(SERVICES))))
def test_the_order_of_series_does_not_matter(seed: int, order: list[int]) -> None:
    rows = _shop(seed)
    _same(_rank(rows), _rank([rows[k] for k in order]))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 5), data=st.data())
def test_neither_the_order_of_samples_nor_their_repetition_matters(
    seed: int, data: st.DataObject
) -> None:
    rows = _shop(seed)
    mixed: list[Row] = []
    for labels, times, values in rows:
        again = data.draw(st.lists(st.integers(0, len(times) - 1), max_size=10))
        order = np.random.default_rng(len(mixed)).permutation([*range(len(times)), *again])
        mixed.append((labels, times[order], values[order]))
    _same(_rank(rows), _rank(mixed))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 5), factor=st.sampled_from([2.0, 16.0, 1024.0, 1e6]))
def test_the_scale_of_a_series_does_not_matter(seed: int, factor: float) -> None:
    rows = _shop(seed)
    scaled = [
        (labels | {"__name__": "cpu_time"}, times, values)
        if labels["__name__"].startswith("cpu")
        else (labels, times, values)
        for labels, times, values in rows
    ]
    larger = [
        (labels, times, values * factor if labels["__name__"] == "cpu_time" else values)
        for labels, times, values in scaled
    ]
    _same(_rank(scaled), _rank(larger))


def test_the_unit_of_a_series_does_not_matter() -> None:
    rows = _shop()
    in_ms = [
        (labels | {"__name__": "request_latency_milliseconds"}, times, values * 1000)
        if "latency" in labels["__name__"]
        else (labels, times, values)
        for labels, times, values in rows
    ]
    _same(_rank(rows), _rank(in_ms))


@pytest.mark.parametrize("copies", [1, 5])
def test_a_series_that_is_there_several_times_has_one_vote(copies: int) -> None:
    rows = _shop()
    more = [
        (labels | {"instance": str(k)}, times, values)
        for labels, times, values in rows
        if labels["service"] == "mail"
        for k in range(copies)
    ]
    _same(_rank(rows), _rank([*rows, *more]))


def _all(values: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> list[Row]:
    return [(labels, times, values(old)) for labels, times, old in _shop()]


NOTHING_TO_SAY: dict[str, list[Row]] = {
    "no series": [],
    "series without samples": [(row[0], TIMES[:0], row[2][:0]) for row in _shop()],
    "one sample before": [(row[0], TIMES[:1], row[2][:1]) for row in _shop()],
    "one sample during": [(row[0], TIMES[-1:], row[2][-1:]) for row in _shop()],
    "only before": [(row[0], TIMES[:BEFORE], row[2][:BEFORE]) for row in _shop()],
    "constant": _all(lambda old: np.full(len(old), 7.0)),
    "zero": _all(lambda old: np.zeros(len(old))),
    "missing": _all(lambda old: np.full(len(old), np.nan)),
    "infinite": _all(lambda old: np.where(np.arange(len(old)) % 2, np.inf, -np.inf)),
    "huge": _all(lambda old: np.full(len(old), 1e300)),
    "one time": [(row[0], np.full(len(TIMES), TIMES[0]), row[2]) for row in _shop()],
    "of nobody": [({"__name__": row[0]["__name__"]}, row[1], row[2]) for row in _shop()],
}


@pytest.mark.parametrize("name", NOTHING_TO_SAY)
def test_nothing_becomes_no_ranking(name: str) -> None:
    ranking = _rank(NOTHING_TO_SAY[name])
    assert ranking.candidates == ()
    assert ranking.suspects == ()
    assert ranking.margin == 0.0
    assert ranking.health.is_calm


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 3),
    bad=st.sampled_from([np.nan, np.inf, -np.inf, 1e300, -1e300, -5.0]),
    share=st.floats(0.02, 0.3),
)
def test_bad_samples_among_good_ones_break_nothing(seed: int, bad: float, share: float) -> None:
    random = np.random.default_rng(seed)
    rows = [
        (labels, times, np.where(random.random(len(values)) < share, bad, values))
        for labels, times, values in _shop(seed)
    ]
    ranking = _rank(rows)
    assert all(np.isfinite(c.score) and c.score > 0 for c in ranking.suspects)
    if not np.isfinite(bad) or abs(bad) > 1e150:
        assert ranking.candidates[0].entity == "//service/pay"


def test_counters_that_go_below_nothing_are_read_as_they_stand() -> None:
    rows = _shop()
    falling = -np.arange(len(TIMES), dtype=np.float64)
    rows.append(({"service": "mail", "__name__": "mails_total"}, TIMES, falling))
    assert _rank(rows).candidates[0].entity == "//service/pay"


def test_names_that_say_nothing_are_ranked_as_well() -> None:
    rows = [(row[0] | {"__name__": f"m{k % 2}"}, row[1], row[2]) for k, row in enumerate(_shop())]
    assert _rank(rows).suspects[0].entity == "//service/pay"


def test_without_a_graph_there_is_a_ranking_too() -> None:
    assert _rank(_shop(), Topology()).candidates[0].entity == "//service/pay"


def test_a_graph_with_loops_and_strangers_breaks_nothing() -> None:
    pairs = [("web", "pay"), ("pay", "web"), ("pay", "pay"), ("ghost", "pay"), ("mail", "ghost")]
    ranking = _rank(_shop(), Topology(edges=tuple(Edge(caller=a, callee=b) for a, b in pairs)))
    assert {c.entity for c in ranking.candidates} <= {f"//service/{n}" for n in SERVICES}
    assert ranking.candidates
