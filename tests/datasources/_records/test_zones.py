"""Zone-less times: a zone is told, inferred with a reason, or asked for."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from numpy.typing import NDArray

from superbizagent.datasources._records.clocks import FileClock
from superbizagent.datasources._records.stamps import DATE_LESS, YEAR_LESS, Stamps
from superbizagent.datasources._records.zones import (
    OFFSETS_MS,
    Zone,
    ZoneEvidence,
    decide_zone,
    fixed_zone,
    label_of,
)

HOUR = 3_600_000
NOON = round(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp() * 1000)
LONG_AGO = NOON + 400 * 24 * HOUR
"""A time of writing that says nothing: the file was copied later."""


def lines(first_hour: float, last_hour: float, count: int = 200) -> NDArray[np.int64]:
    return (NOON + np.linspace(first_hour, last_hour, count) * HOUR).astype(np.int64)


def span(first_hour: float, last_hour: float) -> tuple[int, int]:
    return (NOON + round(first_hour * HOUR), NOON + round(last_hour * HOUR))


@pytest.mark.parametrize("offset", OFFSETS_MS, ids=label_of)
def test_lines_over_the_same_time_as_the_question_tell_any_zone(offset: int) -> None:
    local = lines(0, 0.75) + offset
    zone = decide_zone(ZoneEvidence(local, LONG_AGO, [span(0, 0.75)]))
    assert zone.label == label_of(offset)
    assert not zone.ambiguous
    assert zone.to_utc(local).tolist() == lines(0, 0.75).tolist()


def test_a_log_much_longer_than_the_question_is_ambiguous() -> None:
    zone = decide_zone(ZoneEvidence(lines(-48, 48), LONG_AGO, [span(0, 1)]))
    assert zone.ambiguous
    assert zone.offset_ms == 0
    assert "pass --log-tz" in zone.reason


def test_the_time_of_writing_decides_what_overlap_cannot() -> None:
    local = lines(-48, 2) + 8 * HOUR
    written = NOON + 2 * HOUR + 20_000
    zone = decide_zone(ZoneEvidence(local, written, [span(0, 1)]))
    assert zone.label == "+08:00"
    assert "written" in zone.reason


def test_the_time_of_writing_is_enough_without_a_question() -> None:
    zone = decide_zone(ZoneEvidence(lines(-1, 0) - 5 * HOUR, NOON + 3_000))
    assert (zone.label, zone.ambiguous) == ("-05:00", False)


def test_a_zone_of_few_people_is_not_taken_from_the_time_of_writing_alone() -> None:
    zone = decide_zone(ZoneEvidence(lines(-1, 0) - round(9.5 * HOUR), NOON + 3_000))
    assert zone.reason == "nothing tells the zone; taken as UTC"


def test_without_any_evidence_utc_is_taken_and_said() -> None:
    zone = decide_zone(ZoneEvidence(lines(-1, 0), LONG_AGO))
    assert zone.ambiguous
    assert "taken as UTC" in zone.reason


def test_a_log_that_overlaps_in_no_zone_is_said_to() -> None:
    zone = decide_zone(ZoneEvidence(lines(500, 501), LONG_AGO, [span(0, 1)]))
    assert "in no zone" in zone.reason


def test_utc_is_not_taken_where_other_zones_fit_equally_but_utc_does_not() -> None:
    # Two minutes of lines fall whole into a question of three hours at several offsets.
    zone = decide_zone(ZoneEvidence(lines(8.5, 8.53), LONG_AGO, [span(0, 3)]))
    assert zone.ambiguous
    assert zone.label == ""
    assert "UTC does not" in zone.reason


def test_a_told_zone_with_summer_time_is_applied_by_the_hour() -> None:
    zone = fixed_zone(ZoneInfo("Europe/Berlin"), "told")
    local = [datetime(2026, 3, 29, 1, 30), datetime(2026, 3, 29, 3, 30)]  # noqa: DTZ001
    ms = np.array([round(t.replace(tzinfo=UTC).timestamp() * 1000) for t in local])
    utc = [datetime.fromtimestamp(m / 1000, UTC).hour for m in zone.to_utc(ms).tolist()]
    assert utc == [0, 1]
    assert zone.label == "Europe/Berlin"


def test_a_told_offset_names_itself() -> None:
    assert fixed_zone(timezone(timedelta(hours=5, minutes=30)), "told").label == "+05:30"


def clock(at: datetime, zone: Zone | None = None) -> FileClock:
    return FileClock(zone or Zone(), round(at.timestamp() * 1000))


def year_less(month: int, day: int) -> Stamps:
    found = Stamps.none(1)
    at = datetime(1972, month, day, 12, tzinfo=UTC)
    found.ms[0], found.kind[0] = round(at.timestamp() * 1000), YEAR_LESS
    return found


@pytest.mark.parametrize(
    ("month", "day", "reference", "expected"),
    [
        (12, 31, datetime(2026, 1, 2, tzinfo=UTC), datetime(2025, 12, 31, 12, tzinfo=UTC)),
        (1, 2, datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 2, 12, tzinfo=UTC)),
        (1, 1, datetime(2025, 12, 31, 23, tzinfo=UTC), datetime(2026, 1, 1, 12, tzinfo=UTC)),
        (2, 29, datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 2, 29, 12, tzinfo=UTC)),
        (3, 1, datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (3, 1, datetime(2024, 6, 1, tzinfo=UTC), datetime(2024, 3, 1, 12, tzinfo=UTC)),
        (9, 1, datetime(2026, 6, 1, tzinfo=UTC), datetime(2025, 9, 1, 12, tzinfo=UTC)),
    ],
)
def test_a_missing_year_is_the_one_nearest_below(
    month: int, day: int, reference: datetime, expected: datetime
) -> None:
    utc, dated = clock(reference).utc(year_less(month, day))
    assert dated.all()
    assert datetime.fromtimestamp(int(utc[0]) / 1000, UTC) == expected


@pytest.mark.parametrize(
    ("hour", "day"), [(23, 28), (1, 1), (11, 1), (13, 28)], ids=["before", "after", "near", "far"]
)
def test_a_missing_date_is_the_nearest(hour: int, day: int) -> None:
    found = Stamps.none(1)
    found.ms[0], found.kind[0] = hour * HOUR, DATE_LESS
    utc, _ = clock(datetime(2026, 3, 1, 0, 30, tzinfo=UTC)).utc(found)
    at = datetime.fromtimestamp(int(utc[0]) / 1000, UTC)
    assert (at.day, at.hour) == (day, hour)
