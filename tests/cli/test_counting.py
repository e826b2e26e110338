"""A reader can check an increase with two samples."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import EvidenceStatus, RangeQuery
from superbizagent.domain.window import Window, from_ms, to_ms
from superbizagent.investigation.explanation.counting import counting_lines, is_counted, rows_of
from superbizagent.investigation.wording.explaining import explaining_words

START = to_ms(datetime(2026, 3, 4, 12, 0, tzinfo=UTC))


def at(minute: int) -> datetime:
    return from_ms(START + 60_000 * minute)


def explained(statistic: str, *values: list[float], window: tuple[int, int] = (3, 5)) -> list[str]:
    """Series a minute apart that end together after ten minutes; the look begins an hour before."""
    series = SeriesSet.of(
        (
            {"__name__": "c_total", "n": str(n)},
            np.arange(6 - len(one), 6, dtype=np.int64) * 60_000 + START,
            np.array(one, np.float64),
        )
        for n, one in enumerate(values)
    )
    look = Window(start=at(-60), end=at(5))
    query = RangeQuery(selector=Selector(), window=look)
    call = ToolInvocation(
        id="row",
        session_id="session",
        call=PlannedCall(
            number=1,
            tool=ToolName.QUERY_METRICS,
            source="shop",
            input=query.model_dump(mode="json"),
            purpose="sweep",
        ),
        status=EvidenceStatus.OK,
        started_at=at(5),
        output=series,
    )
    place = f"sum/{','.join(str(n) for n in range(len(values)))}"
    fact = Fact(
        id="E1.1",
        name="c_total",
        statistic=statistic,
        value=120.0,
        unit="s",
        window=Window(start=at(window[0]), end=at(window[1])),
        place=place,
    )
    assert is_counted(fact)
    return counting_lines(fact, call, series, ZoneInfo("UTC"), explaining_words(Language.EN))


def test_first_and_last_sample_and_their_difference() -> None:
    assert explained("increase", [10, 12, 15, 20, 26, 33]) == [
        'c_total{n="0"}',
        "  12:02:00.000  15.0  the last before the window",
        "  12:05:00.000  33.0",
        "  difference    18.0",
    ]


def test_a_counter_that_was_not_there_is_counted_from_zero() -> None:
    assert explained("increase", [4, 9]) == [
        'c_total{n="0"}',
        "  12:04:00.000  4.0  its first sample: counted from zero",
        "  12:05:00.000  9.0",
        "  difference    9.0",
    ]


def test_a_restart_is_told() -> None:
    lines = explained("increase", [10, 12, 15, 20, 2, 6])
    assert lines[3:] == [
        "  difference    -9.0",
        "  it fell in between (a restart counts from zero); all steps: 11.0",
    ]


def test_several_series_are_added_up() -> None:
    lines = explained("failed", [10, 12, 15, 20, 26, 33], [4, 9])
    assert lines[-1] == "all 2 together: 27.0"
    assert explained("elapsed", [1, 2, 3, 4, 5, 6])[-1].endswith(": 120.0 s")


def test_a_mean_names_its_first_and_last_sample() -> None:
    assert explained("mean", [1, 2, 3, 4, 5, 9]) == [
        'c_total{n="0"}',
        "  12:03:00.000  4.0",
        "  12:05:00.000  9.0",
        "  mean of the 3 samples from the first to the last: 6.0",
    ]


@pytest.mark.parametrize("statistic", ["increase", "mean"])
def test_a_window_without_samples_has_none_to_show(statistic: str) -> None:
    assert explained(statistic, [1, 2], window=(-30, -20))[-1] == "  no sample in the window"


def test_places_name_their_series() -> None:
    def rows(place: str) -> tuple[int, ...]:
        return rows_of(Fact(id="E1.1", name="x", value=1.0, place=place))

    assert rows("series/3/sample/7") == (3,)
    assert rows("sum/3,7") == (3, 7)
    assert rows("output") == ()
