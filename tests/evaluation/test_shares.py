import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.evaluation.shares import Share, tally


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        # Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_that_of_wilson(hits: int, total: int, low: float, high: float) -> None:
    found = Share(hits, total).interval
    assert found == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 5000), st.data())
def test_the_interval_holds_the_share_and_narrows(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    share = Share(hits, total)
    low, high = share.interval
    assert 0 <= low <= hits / total + 1e-12
    assert hits / total - 1e-12 <= high <= 1
    wide = Share(4 * hits, 4 * total).interval
    assert wide[1] - wide[0] < high - low


def test_a_share_of_nothing_is_none() -> None:
    assert Share().value is None
    assert Share().as_json() == {"hits": 0, "total": 0, "share": None, "interval": [0.0, 1.0]}
    assert str(Share()) == "-"


def test_a_tally_counts_by_key_in_order() -> None:
    found = tally([("b", True), ("a", False), ("b", False)])
    assert list(found.items()) == [("a", Share(0, 1)), ("b", Share(1, 2))]
