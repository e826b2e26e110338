"""Thresholds that are learnt: what holds whatever the history was like."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.analysis.families import FAMILIES
from superbizagent.analysis.health import learnt_health_of
from superbizagent.analysis.learnt import (
    ERROR_LINES,
    Learnt,
    families_of,
    learn_bands,
    learnt_families,
    signals_of,
    surprise_of,
)
from superbizagent.analysis.metric_channel import FamilyTable
from superbizagent.domain.learnt import LEAST_WINDOWS, SURPRISE, WHOLE, LearntLength
from superbizagent.domain.source import Signal

ENTITIES = ("//service/a", "//service/b", "//service/c")
LENGTH = timedelta(minutes=10)
value = st.floats(0, 8)
windows = st.lists(
    st.fixed_dictionaries({(WHOLE, "strength"): value, (WHOLE, "lat"): value, ("a", "lat"): value}),
    min_size=1,
    max_size=80,
)
Window = dict[tuple[str, str], float]


def known(seen: list[Window]) -> LearntLength:
    return LearntLength(length=LENGTH, windows=len(seen), bands=learn_bands(seen))


@given(windows, st.randoms())
def test_the_order_of_the_windows_does_not_matter(seen: list[Window], random: object) -> None:
    shuffled = list(seen)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert learn_bands(shuffled) == learn_bands(seen)


@given(windows)
def test_limits_are_ordered_and_were_reached(seen: list[Window]) -> None:
    for band in learn_bands(seen):
        assert band.median <= band.q95 <= band.q975 <= band.largest
        assert band.samples == len(seen)


@given(windows)
def test_few_of_the_windows_themselves_are_beyond_the_limit(seen: list[Window]) -> None:
    length = known(seen)
    found = [surprise_of(w, length) for w in seen]
    assert sum(s > q975 + 1e-5 for s, _, q975 in found) <= 0.025 * len(seen)
    assert sum(s > q95 + 1e-5 for s, q95, _ in found) <= 0.05 * len(seen)


@given(windows, value, value)
def test_more_is_never_less_unusual(seen: list[Window], low: float, more: float) -> None:
    length = known(seen)
    few, many = ({(WHOLE, "lat"): v} for v in (low, low + more))
    assert surprise_of(many, length)[0] >= surprise_of(few, length)[0]


@given(windows)
def test_a_further_window_like_the_largest_never_lowers_the_limit(seen: list[Window]) -> None:
    largest = {k: max(w[k] for w in seen) for k in seen[0]}
    before, after = (
        {(b.entity, b.signal): b.q975 for b in learn_bands(w)} for w in (seen, [*seen, largest])
    )
    plain = [k for k in before if k[1] != SURPRISE]
    assert all(after[k] >= before[k] for k in plain)


def test_of_fifty_windows_the_limit_is_the_largest() -> None:
    # One in forty of so few is one and a quarter: only what never happened is beyond it.
    seen = [{(WHOLE, "lat"): float(k)} for k in range(50)]
    [lat] = [b for b in learn_bands(seen) if b.signal == "lat"]
    assert (lat.median, lat.q95, lat.q975) == (24.5, 48.0, 49.0)


def test_nothing_is_learnt_from_nothing() -> None:
    with pytest.raises(ValueError, match="no window"):
        learn_bands([])


# Logs and traces ---------------------------------------------------------------------------------

had = st.lists(st.tuples(value, st.none() | value, st.none() | value), min_size=1, max_size=140)


def with_families(rows: list[tuple[float, float | None, float | None]]) -> list[Window]:
    """Windows of which not all had log records, or spans."""
    names = ("lat", ERROR_LINES, "wire")
    return [
        {(WHOLE, name): v for name, v in zip(names, row, strict=True) if v is not None}
        for row in rows
    ]


@given(had)
def test_a_family_is_learnt_from_the_windows_that_have_it_when_these_are_enough(
    rows: list[tuple[float, float | None, float | None]],
) -> None:
    seen = with_families(rows)
    length = known(seen)
    learnt = learnt_families(length)
    for family, name in ((Signal.LOGS, ERROR_LINES), (Signal.TRACES, "wire")):
        own = sum((WHOLE, name) in window for window in seen)
        band = length.band(WHOLE, name)
        assert (band is not None) == (family in learnt)
        assert own >= LEAST_WINDOWS or band is None
        assert band is None or band.samples == own
    complete = [window for window in seen if learnt <= families_of(window)]
    assert len(complete) >= min(LEAST_WINDOWS, len(seen))
    found = [surprise_of(window, length) for window in complete]
    assert sum(s > q975 + 1e-5 for s, _, q975 in found) <= 0.025 * len(complete)


@given(st.integers(50, 120), st.integers(0, 120), value)
def test_windows_without_spans_do_not_lower_what_spans_show(
    count: int, without: int, most: float
) -> None:
    spans = [{(WHOLE, "lat"): 0.3, (WHOLE, "wire"): most * k / count} for k in range(count)]
    bare = [{(WHOLE, "lat"): 0.3} for _ in range(without)]
    limits = [known(w).band(WHOLE, SURPRISE) for w in (spans, [*spans, *bare])]
    assert limits[0] == limits[1]


def test_families_that_seldom_come_together_are_not_learnt_together() -> None:
    logs = [(0.3, 1.0, None)] * 60
    traces = [(0.3, None, 1.0)] * 70
    assert learnt_families(known(with_families([*logs, *traces]))) == {Signal.TRACES}


# On a system -------------------------------------------------------------------------------------


def table(**evidence: float) -> FamilyTable:
    """Evidence of the first of three entities."""
    values = np.full((3, len(FAMILIES)), 0.3)
    for family, one in evidence.items():
        values[0, FAMILIES.index(family)] = one
    null = np.full((6, *values.shape), 0.69)
    return FamilyTable(ENTITIES, values, null, np.zeros_like(values), ({}, {}, {}))


def restless(family: str, most: float) -> LearntLength:
    """Learn a system in which a family does much on any day."""
    return known([dict(signals_of(table(**{family: most * k / 60}))) for k in range(60)])


def test_what_a_system_does_on_any_day_is_not_abnormal_there() -> None:
    learnt = Learnt(restless("lat", 6.0))
    found = learnt_health_of(table(lat=5.0), learnt, {})
    assert found.is_calm
    assert found.as_learnt
    assert not learnt_health_of(table(lat=5.0), Learnt(restless("lat", 1.0)), {}).is_calm


def test_only_the_entity_that_is_beyond_is_named() -> None:
    found = learnt_health_of(table(err=4.0), Learnt(restless("lat", 2.0)), {})
    assert found.abnormal == ENTITIES[:1]
    assert found.as_learnt is False


def test_the_errors_of_the_entity_in_question_count_by_its_own_past() -> None:
    quiet = [dict(signals_of(table(lat=0.3))) for _ in range(60)]
    for k, window in enumerate(quiet):
        window[WHOLE, "lat"] = 6.0 * k / 60  # others are slow on any day
        window[WHOLE, "strength"] = 2.0 * k / 60
    unasked = learnt_health_of(table(lat=3.0), Learnt(known(quiet)), {})
    asked = learnt_health_of(table(lat=3.0), Learnt(known(quiet), ENTITIES[:1]), {})
    assert unasked.is_calm
    assert asked.abnormal == ENTITIES[:1]


def test_new_error_lines_and_what_explains_the_alert_end_the_calm() -> None:
    learnt = Learnt(restless("lat", 6.0))
    loud = learnt_health_of(table(), learnt, {ERROR_LINES: {"//service/z": float(np.log1p(10))}})
    assert loud.abnormal == ("//service/z",)
    assert loud.as_learnt is False
    assert not learnt_health_of(table(), learnt, {}, {"//service/b"}).is_calm


def test_a_channel_beside_the_metrics_is_held_against_its_own_past() -> None:
    seen = [dict(signals_of(table(), {"wire": {ENTITIES[1]: 1.0 + k / 60}})) for k in range(60)]
    learnt = Learnt(known(seen))
    slow = learnt_health_of(table(), learnt, {"wire": {ENTITIES[1]: 5.0}})
    usual = learnt_health_of(table(), learnt, {"wire": {ENTITIES[1]: 1.5}})
    assert slow.abnormal == ENTITIES[1:2]
    assert usual.is_calm


def test_what_was_looked_at_in_some_windows_only_is_not_learnt() -> None:
    seen = [dict(signals_of(table(), {"wire": {ENTITIES[1]: 1.0}} if k % 2 else None))
            for k in range(60)]  # fmt: skip
    assert known(seen).band(WHOLE, "wire") is None
    assert known(seen).band(WHOLE, "lat") is not None
    loud = learnt_health_of(table(), Learnt(known(seen)), {"wire": {ENTITIES[1]: 5.0}})
    assert loud.is_calm
    own = learnt_health_of(table(), Learnt(known(seen)), requests=ENTITIES[1:2])
    assert own.abnormal == ENTITIES[1:2]
