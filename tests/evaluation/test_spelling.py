import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.domain.fact import Fact
from superbizagent.evaluation.mutations.spelling import (
    Sayable,
    Speller,
    other_unit,
    says,
    spelled,
)

UNITS = ("s", "ratio", "bytes", "", "records", "MiB", "/s", "s/s", "milli")


def _fact(value: float, unit: str = "") -> Fact:
    return Fact(id="E1.1", entity="//service/a", name="m", value=value, unit=unit)


@pytest.mark.parametrize(
    ("text", "up", "down"),
    [
        ("716", "717", "715"),
        ("2.64 s", "2.65 s", "2.63 s"),
        ("19.4%", "19.5%", "19.3%"),
        ("19.4 %", "19.5 %", "19.3 %"),
        ("9.9 ms", "10.0 ms", "9.8 ms"),
        ("12,999", "13,000", "12,998"),
        ("1.5e+06", "1.6e+06", "1.4e+06"),
        ("31 毫秒", "32 毫秒", "30 毫秒"),
    ],
)
def test_the_last_written_digit_moves(text: str, up: str, down: str) -> None:
    number = spelled(text)
    assert number is not None
    assert (number.moved(1), number.moved(-1), number.moved(0)) == (up, down, text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("31 ms", "31 s"),
        ("2.64 s", "2.64 ms"),
        ("1.2/s", None),
        ("8 min", "8 s"),
        ("8 分钟", "8 秒"),
        ("86.3 MiB", "86.3 GiB"),
        ("716", None),
        ("19.4 %", None),
    ],
)
def test_a_unit_has_a_neighbour_or_none(text: str, other: str | None) -> None:
    number = spelled(text)
    assert number is not None
    assert other_unit(number) == other


@pytest.mark.parametrize("text", ["", "none", "nothing", "五", "s 3"])
def test_what_does_not_begin_with_digits_is_no_number(text: str) -> None:
    assert spelled(text) is None


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("31.4 ms", True),  # the value itself
        ("0.0314 s", True),
        ("31 ms", True),  # rounded
        ("32 ms", False),
        ("1.5 s", True),
        ("49.4-fold", True),  # the ratio of both: 1.55 / 0.0314
        ("1.52 s", True),  # their difference
        ("700 ms", False),
    ],
)
def test_what_could_be_true_of_the_facts_is_allowed(text: str, allowed: bool) -> None:  # noqa: FBT001
    facts = [_fact(0.0314, "s"), _fact(1.55, "s")]
    assert Sayable.of(facts).allows(text) is allowed


@given(
    st.floats(1e-3, 1e9, allow_nan=False),
    st.sampled_from(UNITS),
    st.booleans(),
)
def test_a_written_value_is_said_by_its_fact_and_its_neighbour_two_steps_off_is_not(
    value: float,
    unit: str,
    chinese: bool,  # noqa: FBT001
) -> None:
    fact = _fact(value, unit)
    text = Speller(chinese=chinese)(value, unit)
    assert Sayable.of([fact]).allows(text)
    number = spelled(text)
    assert number is not None
    for steps in (-2, 2):
        assert not says(number.moved(steps), [fact])


def test_zero_has_no_ratio() -> None:
    found = Sayable.of([_fact(0.0), _fact(5.0)])
    assert all(math.isfinite(value) for value in found.values)
