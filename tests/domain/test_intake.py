"""Settings of intake and of storms: bad ones are refused in words."""

from typing import Any

import pytest
from pydantic import ValidationError

from superbizagent.domain.intake import IntakeConfig, MaintenanceWindow, StormConfig

ONCE = {"start": "2026-03-02T09:00:00Z", "end": "2026-03-02T10:00:00Z"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "give start and end, or from_time and to_time"),
        ({**ONCE, "from_time": "10:00", "to_time": "11:00"}, "give start and end, or"),
        ({"start": ONCE["start"]}, "give start and end, or"),
        ({"start": ONCE["end"], "end": ONCE["start"]}, "swap them"),
        ({"start": "2026-03-02T09:00:00", "end": ONCE["end"]}, "needs a time zone"),
        ({"from_time": "10:00", "to_time": "10:00"}, "are equal"),
        ({**ONCE, "timezone": "Mars/Base"}, "is no time zone"),
        ({**ONCE, "match": {}}, "at least 1 item"),
    ],
)
def test_bad_maintenance_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        MaintenanceWindow.model_validate({"name": "work", "match": {"cluster": "a"}, **given})


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (IntakeConfig, {"settle_seconds": -1}, "greater than or equal to 0"),
        (IntakeConfig, {"settle_seconds": 5, "settle_critical_seconds": 6}, "cannot wait longer"),
        (IntakeConfig, {"group_window_minutes": 5}, "Extra inputs"),
        (StormConfig, {"max_concurrent": 0}, "greater than or equal to 1"),
        (StormConfig, {"max_per_day": 5}, "max_per_day is below max_in_window"),
        (StormConfig, {"grown_factor": 1}, "greater than 1"),
    ],
)
def test_bad_settings_are_refused(kind: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        kind.model_validate(given)


def test_severities_are_compared_in_lower_case() -> None:
    assert IntakeConfig(skipped_severities=("Info",)).skipped_severities == ("info",)
