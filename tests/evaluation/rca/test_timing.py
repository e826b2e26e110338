"""What is seen of a recording in each mode of time."""

from datetime import timedelta
from pathlib import Path

import pytest

from labelled_recordings import DURING, INJECT, STEP, write_case
from superbizagent.domain.window import from_ms
from superbizagent.evaluation.rca.core import Seen
from superbizagent.evaluation.rca.recordings import CaseFolder, Recording, read_recording
from superbizagent.evaluation.rca.timing import TimeMode, alert_delay, sight_of

BEGIN = from_ms(INJECT * 1000)


def _recording(tmp_path: Path, **label: object) -> Recording:
    return read_recording(CaseFolder("shop", write_case(tmp_path / "a", **label)))  # pyright: ignore[reportArgumentType]


def test_with_the_time_known_the_fault_is_the_incident(tmp_path: Path) -> None:
    sight = sight_of(_recording(tmp_path), TimeMode.EXACT)
    assert sight is not None
    windows = sight.scope.windows
    assert (windows.incident.start, windows.start_is_known) == (BEGIN, True)
    assert windows.incident.end <= BEGIN + timedelta(seconds=STEP * DURING)
    assert sight.focus is None


def test_an_alert_comes_minutes_later_and_nothing_after_it_is_seen(tmp_path: Path) -> None:
    recording = _recording(tmp_path)
    sight = sight_of(recording, TimeMode.ALERT)
    assert sight is not None
    assert sight.end == BEGIN + alert_delay("a")
    windows = sight.scope.windows
    assert windows.incident.end == sight.end
    assert windows.incident.start < BEGIN
    assert not windows.start_is_known
    assert sight.focus is not None
    assert (sight.focus.entry, sight.focus.family) == ("//service/web", "other")
    seen = Seen(recording, sight).series.times
    assert int(seen.max()) <= windows.incident.end_ms
    assert len(seen) < len(recording.series.times)


def test_the_delay_is_drawn_by_the_name_and_within_bounds() -> None:
    delays = [alert_delay(f"case-{k}") for k in range(500)]
    assert delays == [alert_delay(f"case-{k}") for k in range(500)]
    assert min(delays) >= timedelta(minutes=2)
    assert max(delays) <= timedelta(minutes=5)
    assert len(set(delays)) > 100


def test_the_alert_of_the_case_itself_is_taken(tmp_path: Path) -> None:
    at = INJECT + 95
    recording = _recording(tmp_path, alert_time=at, alert_metric="web|latency_p95")
    sight = sight_of(recording, TimeMode.ALERT)
    assert sight is not None
    assert sight.end == from_ms((at + STEP) * 1000)
    assert sight.focus is not None
    assert (sight.focus.family, sight.focus.at) == ("lat", from_ms(at * 1000))


def test_without_a_time_nothing_of_the_label_is_told(tmp_path: Path) -> None:
    sight = sight_of(_recording(tmp_path, alert_time=INJECT + 95), TimeMode.NONE)
    assert sight is not None
    assert sight.focus is None
    assert sight.scope.windows.incident.start not in {BEGIN, from_ms((INJECT + 95) * 1000)}
    assert sight.scope.symptom_at is None


@pytest.mark.parametrize("mode", [TimeMode.EXACT, TimeMode.ALERT])
def test_a_label_without_a_time_has_no_such_mode(tmp_path: Path, mode: TimeMode) -> None:
    assert sight_of(_recording(tmp_path, inject_time=None, end_time=None), mode) is None
