"""What is diagnosed when, what waits and why, what it may cost."""

import random
from datetime import timedelta
from typing import Any

import pytest

from alert_streams import alert, at, grouper
from superbizagent.analysis.incidents.dispatch import decide
from superbizagent.domain.grouping import (
    CoreKind,
    Decision,
    Diagnosis,
    IncidentState,
    ReasonCode,
    SkipReason,
)
from superbizagent.domain.intake import IntakeConfig, StormConfig

INTAKE = IntakeConfig()


def state(name: str = "i1", **fields: Any) -> IncidentState:
    times: dict[str, Any] = {"opened_at": at(0), "started_at": at(0), "last_new_at": at(0)}
    core: dict[str, Any] = {"core": f"service-{name}", "core_kind": CoreKind.SERVICE}
    least: dict[str, Any] = {"incident_id": name, "severity": "warning", "alert_count": 1}
    return IncidentState.model_validate({**least, **core, **times, **fields})


def done(name: str = "i1", started: float = 0, **fields: Any) -> Diagnosis:
    given: dict[str, Any] = {"service": f"//service/service-{name}", "severity": "warning"}
    times: dict[str, Any] = {"started_at": at(started), "ended_at": at(started + 30)}
    return Diagnosis.model_validate(
        {"incident_id": name, "alert_count": 1, **given, **times, **fields}
    )


def decided(*states: IncidentState, past: Any = (), now: float = 60, **storm: Any) -> Decision:
    return decide(states, list(past), at(now), INTAKE, StormConfig(**storm))


def test_an_incident_is_diagnosed_after_its_settle_time() -> None:
    (wait,) = decided(state(), now=59).waits
    assert (wait.reason.code, wait.until) == (ReasonCode.SETTLING, at(60))
    (start,) = decided(state(), now=60).starts
    assert (start.incident_id, start.reason.code) == ("i1", ReasonCode.FIRST)
    assert decided(state(severity="critical"), now=0).starts != ()


def test_the_gravest_then_the_largest_then_the_oldest_goes_first() -> None:
    states = [
        state("rest", severity=""),
        state("small"),
        state("large", alert_count=9),
        state("old", opened_at=at(-5)),
        state("error", severity="error"),
        state("critical", severity="critical"),
    ]
    expected = ["critical", "error", "large", "old", "small", "rest"]
    for seed in range(5):
        random.Random(seed).shuffle(states)  # noqa: S311 - an order, no secret
        found = decided(*states, max_concurrent=6)
        assert [s.incident_id for s in found.starts] == expected


def test_what_resolves_in_its_settle_time_is_not_diagnosed() -> None:
    over = state(status="resolved", resolved_at=at(30))
    (skip,) = decided(over).skips
    assert (skip.reason.code, decided(over).starts) == (SkipReason.SETTLED, ())
    late = state(status="resolved", resolved_at=at(70))
    assert decided(late, now=80).starts != ()


@pytest.mark.parametrize("fields", [{"skipped": "severity", "alert_count": 0}, {"alert_count": 0}])
def test_what_is_only_recorded_is_in_no_list(fields: dict[str, Any]) -> None:
    assert decided(state(**fields)) == Decision()


def test_what_has_not_changed_is_not_diagnosed_again() -> None:
    assert decided(state(), past=[done()], now=5000) == Decision()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"alert_count": 12}, ReasonCode.GROWN),
        ({"alert_count": 9}, None),
        ({"alert_count": 6, "services": ("a",)}, ReasonCode.SERVICE_JOINED),
        ({"severity": "critical"}, ReasonCode.SEVERITY_ROSE),
        ({"severity": ""}, None),
    ],
)
def test_an_update_needs_news(fields: dict[str, Any], code: ReasonCode | None) -> None:
    found = decided(state(**fields), past=[done(alert_count=5)], now=5000)
    assert [s.reason.code for s in found.starts] == ([code] if code else [])


@pytest.mark.parametrize(
    ("past", "storm", "code", "until"),
    [
        ([done(alert_count=0)], {}, ReasonCode.INCIDENT_COOLDOWN, 930),
        ([done("x", service="//service/service-i1")], {}, ReasonCode.SERVICE_COOLDOWN, 930),
        (
            [done("x", service="//service/service-i1")] * 2,
            {"max_per_service_hour": 2},
            ReasonCode.SERVICE_HOUR,
            3600,
        ),
        ([done("x", k) for k in range(8)], {}, ReasonCode.STORM, 600),
        (
            [done("x", k) for k in range(8)],
            {"max_per_day": 8},
            ReasonCode.DAY_BUDGET,
            86400,
        ),
        (
            [done("x").model_copy(update={"ended_at": None})] * 2,
            {},
            ReasonCode.CONCURRENT,
            None,
        ),
        ([done(started=-9000)] * 3, {}, ReasonCode.INCIDENT_BUDGET, None),
    ],
)
def test_what_waits_says_why_and_until_when(
    past: list[Diagnosis], storm: dict[str, Any], code: ReasonCode, until: float | None
) -> None:
    found = decided(state(alert_count=50), past=past, **storm)
    (wait,) = found.waits
    assert (wait.reason.code, found.starts) == (code, ())
    assert wait.until == (None if until is None else at(until))


def test_starts_of_one_decision_count_for_the_next_of_it() -> None:
    found = decided(*(state(f"i{k}") for k in range(5)))
    assert len(found.starts) == 2
    assert {w.reason.code for w in found.waits} == {ReasonCode.CONCURRENT}


def test_a_storm_of_incidents_starts_eight_diagnoses_in_ten_minutes() -> None:
    made = grouper()
    for k in range(300):
        made.place(alert(service=f"s{k}", severity="critical"), at(k / 10))
    past: list[Diagnosis] = []
    for second in range(30, 625):
        now = at(second)
        ten = timedelta(seconds=10)
        past = [d if now - d.started_at < ten else done_at(d, now) for d in past]
        past += [
            s.diagnosis for s in decide(made.incidents(), past, now, INTAKE, StormConfig()).starts
        ]
    assert len(past) == 8
    assert len({d.incident_id for d in past}) == 8


def done_at(one: Diagnosis, now: Any) -> Diagnosis:
    return one if one.ended_at else one.model_copy(update={"ended_at": now})
