"""False alarms and detections, with thresholds from other windows."""

from datetime import UTC, datetime, timedelta

import pytest

from superbizagent.domain.learnt import WHOLE
from superbizagent.evaluation.healthy_windows import JudgedWindow, false_alarms_of, rates_text

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def window(
    minute: int, strength: float, *, faulty: bool = False, alarms: bool = False, of: str = "shop"
) -> JudgedWindow:
    start = NOON + timedelta(minutes=minute)
    return JudgedWindow(
        set=of,
        start=start,
        end=start + timedelta(minutes=5),
        signals={(WHOLE, "strength"): strength},
        is_faulty=faulty,
        alarms=alarms,
    )


def history(count: int = 60, of: str = "shop") -> list[JudgedWindow]:
    return [window(10 * k, k % 10 / 10, of=of) for k in range(count)]


def test_faults_beyond_all_good_days_are_detected_and_others_are_not() -> None:
    faults = [window(1000, 3.0, faulty=True), window(1010, 0.5, faulty=True, alarms=True)]
    found = false_alarms_of([*history(), *faults])
    assert found["shop"].detected["q975"].hits == 1
    assert found["shop"].detected["built_in"].hits == 1
    assert found["shop"].false_alarms["q975"].total == 60
    assert found["shop"].false_alarms["q975"].hits == 0
    assert found["pooled"].as_json() == found["shop"].as_json()


def test_a_window_is_not_judged_by_itself_nor_by_what_shares_its_time() -> None:
    twins = [window(2000, 5.0), window(2002, 5.0)]
    found = false_alarms_of([*history(), *twins])["shop"]
    assert found.false_alarms["q975"].hits == 2
    apart = [window(2000, 5.0), window(2010, 5.0)]
    assert false_alarms_of([*history(), *apart])["shop"].false_alarms["q975"].hits == 0


def test_sets_are_learnt_apart_and_pooled_by_counts() -> None:
    fault = window(1000, 3.0, faulty=True, of="b")
    few = [window(10 * k, 0.1, of="b") for k in range(10)]
    found = false_alarms_of([*history(of="a"), *few, fault])
    assert list(found) == ["a", "b", "pooled"]
    # Ten windows fit no quantile; the built-in bar needs none.
    assert found["b"].detected["q95"].total == 0
    assert found["b"].detected["built_in"].total == 1
    assert found["pooled"].false_alarms["built_in"].total == 70
    assert found["pooled"].false_alarms["q95"].total == 60


@pytest.mark.parametrize("count", [0, 1])
def test_few_or_no_windows_are_no_error(count: int) -> None:
    found = false_alarms_of(history(count))
    assert found["pooled"].false_alarms["q95"].value is None
    assert len(list(rates_text(found))) == 1 + 3 * len(found)
