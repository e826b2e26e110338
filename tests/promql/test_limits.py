"""Questions that have no answer, and how long answers take."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from promql_recording import T0, record
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import QueryError
from superbizagent.promql import evaluate_range, parse_query

if TYPE_CHECKING:
    from collections.abc import Callable

HOUR = Window(start=from_ms(T0), end=from_ms(T0 + 3_600_000))


@pytest.mark.parametrize("text", ["a[5m]", "a[5m:1m]", '"text"'])
def test_a_range_or_a_string_has_no_value_at_a_step(text: str) -> None:
    with pytest.raises(QueryError, match="gives a range or a string"):
        record({"a": [1]}).over(text, 0, 60, 15)
    with pytest.raises(QueryError, match="gives a string"):
        record({"a": [1]}).at('"text"')


def test_more_steps_than_the_server_answers_are_refused() -> None:
    recording = record({"a": [1]})
    assert recording.over("a", 0, 10.999, 0.001) != {}
    with pytest.raises(QueryError, match="11001 steps are more than 11000; widen the step"):
        recording.over("a", 0, 11, 0.001)
    for step in (0, -1, 0.0004):
        with pytest.raises(QueryError, match="at least 1 ms"):
            recording.over("a", 0, 11, step)


def test_what_would_fill_the_memory_is_refused() -> None:
    recording = record({"a": [1], "b": [2]})
    with pytest.raises(
        QueryError, match=r"1 series at \d+ steps are more than the 50000000 values"
    ):
        recording.at("max_over_time(a[100y:1ms])")
    for query in ('{__name__=~"a|b"}', 'sum(count_over_time({__name__=~"a|b"}[1m]))'):
        with pytest.raises(QueryError, match="2 series at 3000"):
            recording.at(f"max_over_time(({query})[30000s:1ms])")


def test_the_last_step_is_the_end_when_it_is_on_the_way() -> None:
    recording = record({"a": [1] * 9})
    assert list(recording.over("a", 0, 30, 15)["a"]) == [0, 15, 30]
    assert list(recording.over("a", 0, 29, 15)["a"]) == [0, 15]
    assert list(recording.over("a", 7, 7, 15)["a"]) == [7]


def test_a_thousand_series_cost_no_loop_over_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    times = T0 - 900_000 + np.arange(301, dtype=np.int64) * 15_000
    samples = SeriesSet.of(
        ({"__name__": "a", "i": str(k), "job": str(k % 10)}, times, np.arange(301.0) * 1.5)
        for k in range(1000)
    )
    searches: list[int] = []
    plain: Callable[..., Any] = np.searchsorted

    def counted(*arguments: Any, **named: Any) -> Any:
        searches.append(1)
        return plain(*arguments, **named)

    monkeypatch.setattr(np, "searchsorted", counted)
    query = parse_query("sum by (job) (rate(a[5m]))")
    found = evaluate_range(query, samples, HOUR, timedelta(seconds=15))
    assert len(found) == 10
    assert found[0].values.tolist() == pytest.approx([10.0] * 241)
    assert len(searches) <= 4, "two binary searches answer every window at once"
