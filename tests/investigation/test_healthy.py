"""What a system must show to be called healthy."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.incident import Incident
from superbizagent.domain.learnt import SURPRISE, Band, LearntLength, LearntNormal
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.rule import AlertRule, RuleReading
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels
from superbizagent.domain.source import EvidenceStatus, Signal
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.hypotheses.healthy import (
    Wellness,
    lacking_for_health,
    not_learnt,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ORDERS, WEB = Entity(name="orders"), Entity(name="web")
ALERT = Alert(labels={"alertname": "OrdersSlow", "service": "orders"}, starts_at=NOW)
RULE = AlertRule(name="OrdersSlow", expression="x > 1")


def band(entity: str, signal: str) -> Band:
    return Band(entity=entity, signal=signal, samples=60, median=0, q95=1, q975=1, largest=1)


def learnt(**changes: Any) -> LearntNormal:
    bands = (band("", SURPRISE), band(ORDERS.path, "lat"), band(ORDERS.path, SURPRISE))
    given: dict[str, Any] = {
        "system": "http://prometheus:9090",
        "learnt_at": NOW - timedelta(days=2),
        "span": Window(start=NOW - timedelta(days=9), end=NOW - timedelta(days=2)),
        "lengths": (LearntLength(length=timedelta(minutes=60), windows=60, bands=bands),),
    }
    return LearntNormal(**given | changes)


def scope(*, question: str = "is all well?", alert: Alert | None = None, **more: Any) -> Scope:
    incident = Incident(
        received_at=NOW, question=question, alerts=(alert,) if alert else (), services=("orders",)
    )
    hour = Window(start=NOW - timedelta(hours=1), end=NOW)
    before = Window(start=NOW - timedelta(hours=4), end=NOW - timedelta(minutes=62))
    given: dict[str, Any] = {
        "incident": incident,
        "windows": Windows(incident=hour, baselines=(before,)),
        "entities": (ORDERS,),
        "learnt": learnt(),
        "alert": alert,
    }
    return Scope(**given | more)


def row(number: int, tool: ToolName, **more: Any) -> ToolInvocation:
    call = PlannedCall(number=number, tool=tool, source="prometheus", purpose="context")
    given: dict[str, Any] = {"status": EvidenceStatus.OK, "started_at": NOW}
    return ToolInvocation(id=str(number), session_id="s", call=call, **given | more)


def quiet(*more: ToolInvocation) -> Evidence:
    listed = row(1, ToolName.LIST_ALERTS, status=EvidenceStatus.EMPTY, output=AlertList())
    return Evidence(invocations=(listed, row(2, ToolName.QUERY_METRICS), *more))


def entity_of(labels: Labels) -> str | None:
    return f"//service/{labels['service']}" if labels.get("service") else None


def lacking(found: Scope, evidence: Evidence | None = None, **wellness: Any) -> tuple[str, ...]:
    given: dict[str, Any] = {"as_learnt": True, "entity_of": entity_of}
    return lacking_for_health(found, evidence or quiet(), Wellness(**given | wellness))


OVER, STILL, UNKNOWN = (RuleReading(rule=RULE, holds=value) for value in (False, True, None))


def test_nothing_is_lacking_when_all_was_looked_at_and_is_as_learnt() -> None:
    assert lacking(scope()) == ()
    over = ALERT.model_copy(update={"status": AlertStatus.RESOLVED})
    assert lacking(scope(alert=over, question="", condition=OVER)) == ()


def test_an_alert_whose_expression_is_false_by_now_does_not_count_as_firing() -> None:
    assert lacking(scope(alert=ALERT, question="", condition=OVER)) == ()
    listed = row(3, ToolName.LIST_ALERTS, output=AlertList(alerts=(ALERT,)))
    assert lacking(scope(alert=ALERT, condition=OVER), quiet(listed)) == ()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"learnt": None}, "no_learnt_baseline"),
        ({"learnt": learnt(learnt_at=NOW - timedelta(days=31))}, "learnt_stale"),
        ({"entities": (WEB,)}, "entity_not_learnt:web"),
        ({"question": "orders is slow"}, "symptom_reported"),
        ({"symptom": "latency"}, "symptom_reported"),
        ({"failed": ("loki: no answer",)}, "not_all_answered"),
    ],
)
def test_each_thing_that_is_lacking_is_said(changes: dict[str, Any], reason: str) -> None:
    assert lacking(scope(**changes)) == (reason,)


@pytest.mark.parametrize("condition", [None, UNKNOWN, STILL])
def test_an_alert_is_over_only_when_its_expression_is_known_to_be_false(
    condition: RuleReading | None,
) -> None:
    found = lacking(scope(alert=ALERT, question="", condition=condition))
    assert found == ("rule_unknown", "alert_fires:OrdersSlow")


@pytest.mark.parametrize(
    "late",
    [
        row(3, ToolName.QUERY_METRICS, status=EvidenceStatus.TIMEOUT),
        row(3, ToolName.QUERY_METRICS, truncated=True),
        row(3, ToolName.SEARCH_LOGS, status=EvidenceStatus.ERROR),
        row(3, ToolName.LIST_ALERTS, status=EvidenceStatus.DENIED),
    ],
)
def test_a_look_that_failed_or_was_cut_may_hide_trouble(late: ToolInvocation) -> None:
    assert lacking(scope(), quiet(late)) == ("not_all_answered",)


def test_a_cut_list_of_changes_hides_no_trouble_but_planned_looks_do() -> None:
    assert lacking(scope(), quiet(row(3, ToolName.LIST_CHANGES, truncated=True))) == ()
    assert lacking(scope(), is_cut=True) == ("not_all_answered",)


def test_without_a_list_of_alerts_nobody_knows_what_fires() -> None:
    only = Evidence(invocations=(row(1, ToolName.QUERY_METRICS),))
    assert lacking(scope(), only) == ("alerts_unknown",)


def test_an_alert_elsewhere_is_none_of_the_service_in_question() -> None:
    other = Alert(labels={"alertname": "WebDown", "service": "web"})
    listed = quiet(row(3, ToolName.LIST_ALERTS, output=AlertList(alerts=(other,))))
    assert lacking(scope(), listed) == ()
    nobody = Alert(labels={"alertname": "ClusterFull"})
    listed = quiet(row(3, ToolName.LIST_ALERTS, output=AlertList(alerts=(nobody,))))
    assert lacking(scope(), listed) == ("alert_fires:ClusterFull",)


@pytest.mark.parametrize("as_learnt", [None, False])
def test_a_system_that_is_not_as_learnt_is_not_healthy(as_learnt: bool | None) -> None:  # noqa: FBT001 - a table
    assert lacking(scope(), as_learnt=as_learnt) == ("not_as_learnt",)


BOTH = learnt(
    lengths=(
        LearntLength(
            length=timedelta(minutes=60),
            windows=60,
            bands=(
                band("", SURPRISE),
                band("", "error_lines"),
                band("", "wire"),
                band(ORDERS.path, "lat"),
            ),
        ),
    )
)
LOOKS = (row(3, ToolName.SEARCH_LOGS), row(4, ToolName.SEARCH_TRACES))


def test_what_was_learnt_of_logs_and_traces_must_be_there_to_be_compared() -> None:
    def of(*compared: Signal) -> tuple[str, ...]:
        return lacking(scope(learnt=BOTH), quiet(*LOOKS), compared=frozenset(compared))

    assert of(Signal.LOGS, Signal.TRACES) == ()
    assert of(Signal.LOGS) == ("traces_not_compared",)
    assert of() == ("logs_not_compared", "traces_not_compared")
    # Nobody planned to look at them: there is no such source in this session.
    assert lacking(scope(learnt=BOTH)) == ()


def test_what_was_looked_at_and_not_learnt_is_said_and_no_reason_against_health() -> None:
    assert not_learnt(scope(), quiet(*LOOKS)) == ("logs_not_learnt", "traces_not_learnt")
    assert lacking(scope(), quiet(*LOOKS)) == ()
    assert not_learnt(scope(), quiet(LOOKS[1])) == ("traces_not_learnt",)
    assert not_learnt(scope(learnt=BOTH), quiet(*LOOKS)) == ()
    assert not_learnt(scope(learnt=None), quiet(*LOOKS)) == ()
