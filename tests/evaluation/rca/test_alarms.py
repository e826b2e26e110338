"""False alarms and detections, with thresholds from other windows."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from superbizagent.analysis.families import FAMILIES
from superbizagent.analysis.learnt import ERROR_LINES
from superbizagent.analysis.metric_channel import FamilyTable
from superbizagent.evaluation.rca.alarms import JudgedWindow, alarm_rates, good_windows

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DOOR, PAY = "//entry/_entry", "//service/pay"


def window(minute: int, lat: float, *, faulty: bool = False, of: str = "shop") -> JudgedWindow:
    """A window in which the latency of one of two entities is so far off."""
    start = NOON + timedelta(minutes=minute)
    evidence = np.zeros((2, len(FAMILIES)))
    evidence[1, FAMILIES.index("lat")] = lat
    null = np.zeros((6, *evidence.shape))
    return JudgedWindow(
        set=of,
        start=start,
        end=start + timedelta(minutes=5),
        table=FamilyTable((DOOR, PAY), evidence, null, np.zeros_like(evidence), ({}, {})),
        is_faulty=faulty,
        focus=(DOOR,),
    )


def beside(one: JudgedWindow, requests: tuple[str, ...] = (), lines: float = 0.0) -> JudgedWindow:
    """The same with spans and records that were looked at."""
    return JudgedWindow(
        one.set, one.start, one.end, one.table, one.is_faulty, one.focus,
        channels={ERROR_LINES: {PAY: lines}}, requests=frozenset(requests),
    )  # fmt: skip


def history(count: int = 60, of: str = "shop") -> list[JudgedWindow]:
    return [window(10 * k, k % 10 / 10, of=of) for k in range(count)]


def test_faults_beyond_all_good_days_are_detected_and_others_are_not() -> None:
    faults = [window(1000, 5.0, faulty=True), window(1010, 0.5, faulty=True)]
    found = alarm_rates([*history(), *faults])
    assert found["shop"].detected["learnt"].hits == 1
    assert found["shop"].detected["built_in"].hits == 1
    assert found["shop"].false_alarms["learnt"].total == 60
    assert found["shop"].false_alarms["learnt"].hits == 0
    assert found["pooled"].as_json() == found["shop"].as_json()


def test_what_a_system_does_on_any_day_is_no_alarm_once_it_was_learnt() -> None:
    restless = [window(10 * k, 6.0 * (k % 10) / 10) for k in range(60)]
    found = alarm_rates(restless)["shop"].false_alarms
    assert found["built_in"].hits > 20
    assert found["learnt"].hits == 0


def test_a_window_is_not_judged_by_itself_nor_by_what_shares_its_time() -> None:
    twins = [window(2000, 5.0), window(2002, 5.0)]
    found = alarm_rates([*history(), *twins])["shop"]
    assert found.false_alarms["learnt"].hits == 2
    apart = [window(2000, 5.0), window(2010, 5.0)]
    assert alarm_rates([*history(), *apart])["shop"].false_alarms["learnt"].hits == 0


def test_requests_that_go_wrong_and_new_error_lines_count_where_nobody_learnt_of_them() -> None:
    calm = window(1000, 0.5, faulty=True)
    faults = [beside(calm, requests=(PAY,)), beside(calm, lines=3.0), beside(calm)]
    found = alarm_rates([*history(), *faults])["shop"]
    assert (found.detected["learnt"].hits, found.detected["built_in"].hits) == (2, 2)
    assert found.with_spans == 0
    # Who has such lines on every good day is used to them.
    used = [beside(w, lines=3.0) for w in history()]
    found = alarm_rates([*used, beside(calm, lines=3.0), beside(calm, lines=6.0)])["shop"]
    assert found.detected["learnt"].hits == 1
    assert found.false_alarms["built_in"].hits == 60
    assert found.false_alarms["learnt"].hits == 0
    assert found.with_spans == 60


def test_sets_are_learnt_apart_and_pooled_by_counts() -> None:
    fault = window(1000, 5.0, faulty=True, of="b")
    few = [window(10 * k, 0.1, of="b") for k in range(10)]
    found = alarm_rates([*history(of="a"), *few, fault])
    assert list(found) == ["a", "b", "pooled"]
    # Ten windows fit no quantile; the built-in bar needs none.
    assert found["b"].detected["learnt"].total == 0
    assert found["b"].detected["built_in"].total == 1
    assert found["pooled"].false_alarms["built_in"].total == 70
    assert found["pooled"].false_alarms["learnt"].total == 60


def test_minutes_in_which_a_fault_was_not_over_are_not_good() -> None:
    fault = window(100, 5.0, faulty=True)
    assert good_windows([fault, window(105, 0.1), window(109, 0.1)]) == [fault]
    later = [window(110, 0.1), window(99, 0.1), window(105, 0.1, of="other")]
    assert good_windows([fault, *later]) == [fault, *later]


@pytest.mark.parametrize("count", [0, 1])
def test_few_or_no_windows_are_no_error(count: int) -> None:
    assert alarm_rates(history(count))["pooled"].false_alarms["learnt"].value is None
