"""What is sent to a server for one selector."""

import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.recorded import START
from superbizagent.datasources.prometheus.asking import alternatives, raw, stepped
from superbizagent.domain.selector import Matcher, MatchOp, Selector, literal
from superbizagent.domain.window import Window

UP = Selector(name="up")


def listing(value: str) -> Matcher:
    return Matcher(label="job", op=MatchOp.REGEX, value=value)


@given(st.lists(st.text(min_size=1), min_size=1))
def test_quoted_values_are_read_back_and_match_only_themselves(values: list[str]) -> None:
    pattern = "|".join(map(literal, values))
    assert alternatives(listing(pattern)) == tuple(values)
    assert all(re.fullmatch(f"(?s:{pattern})", value) for value in values)
    assert not re.fullmatch(f"(?s:{pattern})", "".join(values) + "x")


@pytest.mark.parametrize("pattern", ["a.*", "a|b+", "(a|b)", "a|", "", "[ab]", "a\\d", "a\\"])
def test_what_describes_values_lists_none(pattern: str) -> None:
    assert alternatives(listing(pattern)) == ()


def test_an_equal_matcher_lists_its_value() -> None:
    assert alternatives(Matcher(label="job", value="a.b|c")) == ("a.b|c",)


@given(
    st.integers(0, 10**9), st.integers(1, 50_000), st.sampled_from([1, 999, 1000, 15_000, 60_000])
)
def test_steps_end_with_the_window_stay_in_it_and_below_every_limit(
    length_ms: int, points: int, interval_ms: int
) -> None:
    window = Window(start=START, end=START + timedelta(milliseconds=length_ms))
    asked = dict(stepped(UP, window, points, interval_ms).params)
    start, end = (round(float(asked[k]) * 1000) for k in ("start", "end"))
    step = round(float(asked["step"]) * 1000)
    assert end == window.end_ms
    assert start >= window.start_ms
    assert (end - start) % step == 0
    assert (end - start) // step + 1 <= min(points, 11_000)
    assert step % interval_ms == 0


def test_both_ends_of_the_window_are_asked_for() -> None:
    window = Window(start=START, end=START + timedelta(minutes=1))
    assert dict(raw(UP, window).params) == {"query": "up[60001ms]", "time": "1772366460.000"}
