"""Identifiers are derived, spans are closed and in UTC."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from superbizagent.domain.ids import derived_id, uuid7
from superbizagent.domain.window import Window, Windows, from_ms, to_ms

INSTANTS = st.datetimes(
    min_value=datetime(1971, 1, 1),  # noqa: DTZ001 - the zone is drawn
    max_value=datetime(9000, 1, 1),  # noqa: DTZ001 - the zone is drawn
    timezones=st.just(UTC),
)


@given(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
def test_a_uuid7_holds_its_time_and_its_version(unix_ms: int, random: bytes) -> None:
    value = uuid.UUID(uuid7(unix_ms, random))
    assert value.version == 7
    assert value.variant == uuid.RFC_4122
    assert value.int >> 80 == unix_ms


def test_a_later_uuid7_sorts_later() -> None:
    noise = b"\xff" * 10, b"\x00" * 10
    assert uuid7(1_700_000_000_000, noise[0]) < uuid7(1_700_000_000_001, noise[1])
    assert uuid7(1, noise[0]) != uuid7(1, noise[1])


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_derived_id_is_the_same_on_every_replay(session_id: str, key: str) -> None:
    first = derived_id(session_id, key)
    assert first == derived_id(session_id, key)
    assert first != derived_id(session_id, key + "x")
    assert first != derived_id(session_id + "x", key)
    value = uuid.UUID(first)
    assert (value.version, value.variant) == (8, uuid.RFC_4122)


@given(INSTANTS)
def test_milliseconds_go_there_and_back(at: datetime) -> None:
    whole = at.replace(microsecond=at.microsecond // 1000 * 1000)
    assert from_ms(to_ms(whole)) == whole


@given(INSTANTS, INSTANTS, INSTANTS, INSTANTS)
def test_the_common_part_of_two_spans(a: datetime, b: datetime, c: datetime, d: datetime) -> None:
    one = Window(start=min(a, b), end=max(a, b))
    two = Window(start=min(c, d), end=max(c, d))
    common = one.clip(two)
    assert common == two.clip(one)
    for at in (a, b, c, d):
        both = one.covers(at) and two.covers(at)
        assert both == (common is not None and common.covers(at))


def test_a_span_is_ordered_closed_and_in_utc() -> None:
    start = datetime.fromisoformat("2026-07-06T20:00:00+08:00")
    window = Window(start=start, end=start + timedelta(minutes=5))
    assert window.start.tzinfo is UTC
    assert window.length == timedelta(minutes=5)
    assert window.end_ms - window.start_ms == 300_000
    assert window.covers(window.start)
    assert window.covers(window.end)
    assert window.clip(Window(start=window.end, end=window.end)) is not None
    with pytest.raises(ValidationError, match="before it starts"):
        Window(start=window.end, end=window.start)
    with pytest.raises(ValidationError, match="needs a time zone"):
        Window(start=datetime(2026, 1, 1), end=window.end)  # noqa: DTZ001 - what is refused


def test_the_whole_reaches_from_the_earliest_baseline_to_the_end() -> None:
    at = datetime(2026, 7, 6, tzinfo=UTC)
    incident = Window(start=at, end=at + timedelta(hours=1))
    day = timedelta(days=1)
    before = Window(start=at - day, end=at - day + timedelta(hours=1))
    assert Windows(incident=incident, baselines=(before,)).whole == Window(
        start=before.start, end=incident.end
    )
    assert Windows(incident=incident, baselines=()).whole == incident
