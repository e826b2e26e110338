"""One value has one form."""

import random
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from superbizagent.domain.canonical import (
    canonical_bytes,
    digest,
    digest_bytes,
    loads,
    round_significant,
)
from superbizagent.domain.entity import Entity
from superbizagent.domain.window import Window

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text() | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def shuffled(value: Any) -> Any:
    """The same value with the keys of every object in another order."""
    if isinstance(value, dict):
        items: list[tuple[str, Any]] = list(value.items())  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] - any JSON
        random.Random(len(items)).shuffle(items)  # noqa: S311 - any order will do
        return {k: shuffled(v) for k, v in reversed(items)}
    if isinstance(value, list):
        return [shuffled(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
    return value


@given(JSON)
def test_the_order_of_keys_does_not_matter(value: Any) -> None:
    assert canonical_bytes(shuffled(value)) == canonical_bytes(value)
    assert digest(shuffled(value)) == digest(value)


@given(JSON)
def test_canonical_bytes_are_json_and_a_fixed_point(value: Any) -> None:
    data = canonical_bytes(value)
    assert canonical_bytes(loads(data)) == data


def test_the_form_is_this_one() -> None:
    value = {
        "b": [1, 2.0, None, True, float("nan")],
        "a": datetime(2026, 7, 6, 20, tzinfo=timezone(timedelta(hours=8))),
        "数": frozenset({"y", "x"}),
        "entity": Entity(name="pay"),
        1: "key",
    }
    assert canonical_bytes(value).decode() == snapshot(
        '{"1":"key","a":"2026-07-06T20:00:00+08:00","b":[1,2.0,null,true,null],'
        '"entity":{"cluster":"","kind":"service","name":"pay","namespace":""},"数":["x","y"]}'
    )
    assert (
        digest({})
        == digest_bytes(b"{}")
        == snapshot("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    )


def test_a_model_and_its_json_are_the_same() -> None:
    window = Window(start=datetime(2026, 1, 1, tzinfo=UTC), end=datetime(2026, 1, 2, tzinfo=UTC))
    assert canonical_bytes(window) == canonical_bytes(window.model_dump(mode="json"))
    assert canonical_bytes([window]) == canonical_bytes([window.model_dump(mode="json")])


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(TypeError, match=r"object has no canonical form|not JSON serializable"):
        canonical_bytes({"x": object()})
    with pytest.raises(ValueError, match="unexpected"):
        loads("{'a': 1}")


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_rounding_keeps_six_digits_and_is_a_fixed_point(value: float) -> None:
    rounded = round_significant(value)
    assert round_significant(rounded) == rounded
    assert rounded == pytest.approx(value, rel=1e-5, abs=1e-300)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, 0.0), (1234567.0, 1234570.0), (-0.00012345678, -0.000123457), (float("inf"),) * 2],
)
def test_rounding(value: float, expected: float) -> None:
    assert round_significant(value) == expected


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_sums_in_another_order_round_to_the_same(values: list[float]) -> None:
    forward, backward = sum(values), sum(reversed(values))
    scale = max(abs(v) for v in values)
    if abs(forward) > 1e-3 * scale:  # where they do not cancel out
        assert round_significant(forward) == pytest.approx(round_significant(backward), rel=2e-6)
