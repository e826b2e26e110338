"""What is recorded and not diagnosed, with its reason, and that it groups nothing."""

import pytest

from alert_streams import START, alert, at, grouper
from superbizagent.analysis.incidents.skipping import skip_reason
from superbizagent.domain.alert import Alert
from superbizagent.domain.grouping import ReasonCode, SkipReason
from superbizagent.domain.intake import IntakeConfig, MaintenanceWindow

WORK = MaintenanceWindow(name="switch", match={"cluster": "east-*"}, start=at(-60), end=at(60))


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (alert("Watchdog", severity="critical"), SkipReason.HEARTBEAT),
        (alert("InfoInhibitor"), SkipReason.HEARTBEAT),
        (alert("DeadMansSwitch"), SkipReason.HEARTBEAT),
        (alert(severity="none"), SkipReason.HEARTBEAT),
        (alert(severity="Info"), SkipReason.SEVERITY),
        (alert(extra={"status": {"silencedBy": ["s1"]}}), SkipReason.SILENCED),
        (alert(extra={"status": {"inhibitedBy": ["f1"]}}), SkipReason.INHIBITED),
        (alert(cluster="east-1"), SkipReason.MAINTENANCE),
        (alert(cluster="west-1"), None),
        (alert(severity="warning", extra={"status": {"silencedBy": []}}), None),
        (alert(extra={"status": "active"}), None),
    ],
)
def test_who_asks_nobody_to_act(one: Alert, code: SkipReason | None) -> None:
    found = skip_reason(one, START, IntakeConfig(maintenance=(WORK,)))
    assert (found.code if found else None) is code


def test_what_is_recorded_alone_groups_nothing() -> None:
    made = grouper()
    info = made.place(alert("Throttled", service="a", severity="info"), at(0))
    real = made.place(alert(service="a", severity="warning"), at(1))
    assert info.incident_id != real.incident_id
    assert made.incident(info.incident_id).skipped is SkipReason.SEVERITY
    late = made.place(alert("Restarted", service="a", severity="info"), at(2))
    assert (late.incident_id, late.reason.code) == (real.incident_id, ReasonCode.RECORDED)
    state = made.incident(real.incident_id)
    assert (state.alert_count, state.recorded_count, state.skipped) == (1, 1, None)


def test_what_is_recorded_of_one_place_is_one_entry() -> None:
    made = grouper()
    for k in range(50):
        made.place(alert(f"Info{k}", service="a", severity="info"), at(k))
    assert len(made) == 1


def test_an_alert_whose_silence_ended_asks_somebody_to_act() -> None:
    made = grouper()
    silenced = {"status": {"silencedBy": ["s1"]}}
    made.place(alert(service="a", extra=silenced), at(0))
    again = made.place(alert(service="a"), at(60))
    state = made.incident(again.incident_id)
    assert (again.is_duplicate, state.skipped, state.alert_count) == (False, None, 1)
    assert made.place(alert("HighErrorRate", service="a"), at(61)).incident_id == state.incident_id


@pytest.mark.parametrize(
    ("seconds", "covered"),
    [(-11 * 3600 + 1, True), (-9 * 3600, True), (-7 * 3600, False), (13 * 3600, False)],
)
def test_weekly_work_goes_on_past_midnight(seconds: int, covered: bool) -> None:  # noqa: FBT001
    """START is Monday, 9:00 UTC; the work lasts from Sunday 22:00 to Monday 2:00."""
    work = MaintenanceWindow.model_validate(
        {
            "name": "backup",
            "match": {"service": "*"},
            "weekdays": ["sun"],
            "from_time": "22:00",
            "to_time": "02:00",
        }
    )
    assert work.covers({"service": "a"}, at(seconds)) is covered
