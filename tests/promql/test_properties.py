"""What must hold whatever was recorded and asked."""

import contextlib
import itertools
import math
import random
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.promql.data import END, START, as_series_set, random_series
from benchmarks.promql.queries import random_query
from promql_recording import Recording, record
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import QueryError
from superbizagent.promql import Server, evaluate_instant, evaluate_range, parse_query
from superbizagent.promql import _select as selection

SEEDS = st.integers(0, 2**32)
VALUES = st.floats(-1e6, 1e6, width=32)
GAPS = st.lists(st.one_of(st.none(), st.just("stale"), VALUES, st.just(math.nan)), max_size=25)
Columns = list[float | str | None]


def answers(samples: SeriesSet, text: str, times: list[int]) -> dict[str, dict[int, float]] | None:
    """Every instant asked on its own; None when any is refused."""
    found: dict[str, dict[int, float]] = {}
    for at in times:
        try:
            answer = evaluate_instant(parse_query(text), samples, from_ms(at))
        except QueryError:
            return None
        for row in answer:
            found.setdefault(str(row), {})[at] = float(row.values[0])
    return found


@given(SEEDS)
def test_a_range_query_is_its_instants(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    samples = as_series_set(random_series(seed % 5))
    text = random_query(draw, (START, END))
    if "start()" in text or "end()" in text:
        return  # they mean the whole query
    step = draw.choice((1_000, 15_000, 60_000))
    first = draw.randrange(START, END)
    times = [first + k * step for k in range(5)]
    each = answers(samples, text, times)
    window = Window(start=from_ms(times[0]), end=from_ms(times[-1]))
    try:
        found = evaluate_range(parse_query(text), samples, window, timedelta(milliseconds=step))
    except QueryError:
        return  # a range may be refused for what its instants do not see: series that never meet
    assert each is not None
    whole = {
        str(row): dict(zip(row.times.tolist(), row.values.tolist(), strict=True)) for row in found
    }
    assert whole.keys() == each.keys()
    for name, row in whole.items():
        assert row.keys() == each[name].keys()
        for at, value in row.items():
            assert value == pytest.approx(each[name][at], rel=1e-9, abs=1e-9, nan_ok=True)


@given(SEEDS)
@example(839889360)  # quantile_over_time of a subquery that is empty
def test_samples_outside_of_those_needed_change_nothing(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    samples = as_series_set(random_series(seed % 5))
    query = parse_query(random_query(draw, (START, END)))
    first = draw.randrange(START, END)
    window = Window(start=from_ms(first), end=from_ms(first + 120_000))
    needed = query.samples_needed(window)
    kept = SeriesSet.of(
        (row.labels, row.times[inside], row.values[inside])
        for row in samples
        for inside in [(row.times >= needed.start_ms) & (row.times <= needed.end_ms)]
        if any(selector.matches(row.labels) for selector in query.selectors)
    )
    step = timedelta(seconds=30)
    try:
        whole = evaluate_range(query, samples, window, step)
    except QueryError:
        with pytest.raises(QueryError):
            evaluate_range(query, kept, window, step)
        return
    part = evaluate_range(query, kept, window, step)
    assert part.labels == whole.labels
    assert part.times.tolist() == whole.times.tolist()
    assert part.values.tolist() == pytest.approx(whole.values.tolist(), nan_ok=True)


@given(SEEDS)
def test_damaged_text_is_evaluated_or_refused_by_name(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    text = list(random_query(draw, (START, END)))
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(text))
        text[place] = draw.choice(("", "(", ")", "@", '"', " 9e", "-", *random_query(draw, (0, 1))))
    samples, at = as_series_set(random_series(1)), from_ms(START + 600_000)
    # Any other error fails the test.
    with contextlib.suppress(QueryError):
        evaluate_instant(parse_query("".join(text)), samples, at)


def naive(values: Columns, start: float, end: float, *, left_open: bool) -> list[float]:
    """The samples of a window, looked for one by one."""
    found: list[float] = []
    for number, value in enumerate(values):
        at = number * 15
        if value is None or isinstance(value, str) or at > end:
            continue
        if at > start or (at == start and not left_open):
            found.append(value)
    return found


def _changes(window: list[float]) -> float:
    pairs = itertools.pairwise(window)
    return sum(a != b and not (math.isnan(a) and math.isnan(b)) for a, b in pairs)


def _resets(window: list[float]) -> float:
    return sum(b < a for a, b in itertools.pairwise(window))


def _extreme(window: list[float], choose: Callable[[list[float]], float]) -> float:
    defined = [value for value in window if not math.isnan(value)]
    return choose(defined) if defined else math.nan


NAIVE: dict[str, Callable[[list[float]], float]] = {
    "sum_over_time": math.fsum,
    "avg_over_time": lambda w: math.fsum(w) / len(w),
    "min_over_time": lambda w: _extreme(w, min),
    "max_over_time": lambda w: _extreme(w, max),
    "count_over_time": len,
    "last_over_time": lambda w: w[-1],
    "present_over_time": lambda _: 1.0,
    "changes": _changes,
    "resets": _resets,
    "stdvar_over_time": lambda w: float(np.var(w)),
    "stddev_over_time": lambda w: float(np.std(w)),
}


@pytest.mark.parametrize("function", NAIVE)
@given(values=GAPS, seconds=st.integers(1, 200), at=st.integers(0, 500), third=st.booleans())
def test_windows_hold_what_a_plain_search_finds(
    function: str, values: Columns, seconds: int, at: int, *, third: bool
) -> None:
    recording = record({"a": values}, version="3.0.0" if third else "2.42.0")
    window = naive(values, at - seconds, at, left_open=third)
    found = list(recording.at(f"{function}(a[{seconds}s])", at).values())
    expected = [NAIVE[function](window)] if window else []
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-3, nan_ok=True)


@given(values=GAPS, seconds=st.integers(16, 200), at=st.integers(0, 500))
def test_an_increase_is_never_negative_and_a_rate_is_it_per_second(
    values: Columns, seconds: int, at: int
) -> None:
    counter = [abs(value) if isinstance(value, float) else value for value in values]
    recording = record({"a": counter})
    grown = recording.at(f"increase(a[{seconds}s])", at)
    rate = recording.at(f"rate(a[{seconds}s])", at)
    assert grown.keys() == rate.keys()
    for name, value in grown.items():
        assert math.isnan(value) or value >= 0
        assert rate[name] == pytest.approx(value / seconds, nan_ok=True)


def three(values: list[Columns]) -> Recording:
    return record({f'a{{i="{k}",half="{k % 2}"}}': column for k, column in enumerate(values)})


@given(st.lists(GAPS, min_size=1, max_size=5), st.integers(0, 400))
def test_groups_add_up_to_the_whole(values: list[Columns], at: int) -> None:
    recording = three(values)
    for total in ("sum(a)", "count(a)"):
        by_half = recording.at(total.replace("(", " by (half) (", 1), at)
        whole = recording.at(total, at)
        expected = [math.fsum(by_half.values())] if by_half else []
        assert list(whole.values()) == pytest.approx(expected, rel=1e-9, abs=1e-6, nan_ok=True)
    assert recording.at("max(max by (half) (a))", at) == pytest.approx(
        recording.at("max(a)", at), nan_ok=True
    )


@given(st.lists(GAPS, min_size=1, max_size=4), st.integers(0, 400), st.floats(-1e5, 1e5))
def test_sets_split_a_vector(values: list[Columns], at: int, limit: float) -> None:
    recording = three(values)
    condition = f"(a > {limit})"
    both = recording.at(f"a and {condition}", at)
    rest = recording.at(f"a unless {condition}", at)
    whole = recording.at("a", at)
    assert both.keys().isdisjoint(rest.keys())
    assert {**both, **rest}.keys() == whole.keys()
    assert recording.at(f"{condition} or a", at) == pytest.approx(whole, nan_ok=True)


@given(st.lists(GAPS, min_size=1, max_size=5), st.integers(0, 400), st.integers(0, 6))
def test_the_top_of_a_vector_is_its_largest_values(
    values: list[Columns], at: int, count: int
) -> None:
    recording = three(values)
    whole, top = recording.at("a", at), recording.at(f"topk({count}, a)", at)

    def rank(value: float) -> float:
        return -math.inf if math.isnan(value) else value

    largest = sorted(map(rank, whole.values()), reverse=True)[:count]
    assert sorted(map(rank, top.values()), reverse=True) == largest
    assert top.keys() <= whole.keys()


@given(values=GAPS, offset=st.integers(-300, 300), at=st.integers(0, 500))
def test_an_offset_is_the_query_asked_at_another_time(
    values: Columns, offset: int, at: int
) -> None:
    recording = record({"a": values})
    for query in (
        "a {}",
        "sum_over_time(a[1m] {})",
        "rate(a[2m] {})",
        "max_over_time(a[1m:7s] {})",
    ):
        shifted = recording.at(query.format(f"offset {offset}s" if offset else ""), at)
        plain = recording.at(query.format(""), at - offset)
        assert shifted == pytest.approx(plain, nan_ok=True), query


@given(values=GAPS, version=st.sampled_from(["2.42.0", "3.1.0"]), at=st.integers(0, 500))
def test_a_subquery_on_the_grid_of_a_full_series_is_its_range(
    values: Columns, version: str, at: int
) -> None:
    full = [value if isinstance(value, float) else 0.0 for value in values]
    recording = record({"a": full}, version=version)
    at = min(at, max(len(full) - 1, 0) * 15)
    for function in ("sum_over_time", "rate", "changes", "count_over_time"):
        by_range = recording.at(f"{function}(a[1m])", at)
        assert recording.at(f"{function}(a[1m:15s])", at) == pytest.approx(by_range, nan_ok=True), (
            function
        )


def test_blocks_of_series_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = as_series_set(random_series(3))
    window = Window(start=from_ms(START + 600_000), end=from_ms(START + 900_000))
    texts = (
        "{job=~'.+'}",
        "timestamp(load)",
        "rate(requests_total[2m] offset 1m)",
        "quantile_over_time(0.7, load[3m])",
        "stddev_over_time(load[3m])",
        "predict_linear(queue[4m], 60)",
    )

    def ask() -> list[list[float]]:
        found = [
            evaluate_range(parse_query(text), samples, window, timedelta(seconds=20), Server())
            for text in texts
        ]
        return [row.values.tolist() for answer in found for row in answer]

    whole = ask()
    monkeypatch.setattr(selection, "_BLOCK_CELLS", 20)
    monkeypatch.setattr("superbizagent.promql._over_time._BLOCK_SAMPLES", 30)
    for one, other in zip(ask(), whole, strict=True):
        assert one == pytest.approx(other, nan_ok=True)
