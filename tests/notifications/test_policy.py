"""One message an incident; another only for what is new, and not too soon."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from notices import NOW, notification
from superbizagent.domain.finding import Verdict
from superbizagent.domain.notification import NoticeKind, Notification, NotificationStatus
from superbizagent.notifications.config import NotifyConfig
from superbizagent.notifications.policy import Action, Ruling, Standing, decide

CAUSE = "//service/orders pool_exhaustion"
FOUND, LIKELY = Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY
HEALTHY, OPEN = Verdict.HEALTHY, Verdict.INCONCLUSIVE
LATER = NOW + timedelta(minutes=10)


def state(verdict: Verdict = FOUND, cause: str = CAUSE, **fields: Any) -> Standing:
    given: dict[str, Any] = {"severity": "critical", "verdict": verdict, "cause": cause}
    return Standing(**(given | fields))


def sent(verdict: Verdict = FOUND, cause: str = CAUSE, **fields: Any) -> Notification:
    given: dict[str, Any] = {"status": NotificationStatus.SENT, "sent_at": NOW, "attempts": 1}
    return notification(verdict=verdict, cause=cause, **(given | fields))


def decided(
    earlier: Sequence[Notification],
    now_state: Standing,
    now: datetime = LATER,
    **config: Any,
) -> Ruling:
    return decide(earlier, now_state, NotifyConfig(**config), now)


@pytest.mark.parametrize(
    ("earlier", "now_state", "action", "reason"),
    [
        ([], state(), Action.SEND, "first"),
        ([], state(LIKELY), Action.SEND, "first"),
        ([], state(OPEN, ""), Action.HOLD, "quiet"),
        ([], state(HEALTHY, ""), Action.HOLD, "quiet"),
        ([], state(is_resolved=True), Action.HOLD, "never_told"),
        ([sent()], state(), Action.HOLD, "nothing_new"),
        ([sent(LIKELY)], state(FOUND), Action.UPDATE, "new_verdict"),
        ([sent()], state(cause="//service/stock cpu"), Action.UPDATE, "new_verdict"),
        ([sent()], state(OPEN, ""), Action.HOLD, "quiet"),
        ([sent(OPEN, "")], state(), Action.UPDATE, "first_cause"),
        ([sent()], state(is_resolved=True), Action.UPDATE, "resolved"),
        ([sent(OPEN, "")], state(OPEN, "", is_resolved=True), Action.UPDATE, "resolved"),
        (
            [sent(), sent(kind=NoticeKind.RESOLVED)],
            state(is_resolved=True),
            Action.HOLD,
            "nothing_new",
        ),
        ([sent(), sent(kind=NoticeKind.RESOLVED)], state(), Action.UPDATE, "new_verdict"),
    ],
)
def test_what_is_told(
    earlier: Sequence[Notification], now_state: Standing, action: Action, reason: str
) -> None:
    said = decided(earlier, now_state)
    assert (said.action, said.reason) == (action, reason)
    assert said.until is None
    assert (said.kind is None) == (action is Action.HOLD)


@pytest.mark.parametrize(
    ("now_state", "kind"),
    [
        (state(LIKELY), NoticeKind.NEW_VERDICT),
        (state(is_resolved=True), NoticeKind.RESOLVED),
    ],
)
def test_what_comes_too_soon_waits_for_the_gap(now_state: Standing, kind: NoticeKind) -> None:
    said = decided([sent()], now_state, LATER - timedelta(seconds=1))
    assert said == Ruling(Action.HOLD, "too_soon", kind, LATER)
    assert decided([sent()], now_state, LATER).action is Action.UPDATE


def test_the_gap_is_a_setting_and_an_end_may_be_told_at_once() -> None:
    soon = NOW + timedelta(seconds=5)
    over = state(is_resolved=True)
    assert decided([sent()], over, soon, resolved_at_once=True).action is Action.UPDATE
    assert decided([sent()], state(LIKELY), soon, resolved_at_once=True).action is Action.HOLD
    assert decided([sent()], state(LIKELY), soon, update_gap_seconds=5).action is Action.UPDATE


def test_the_gap_begins_with_the_last_message_not_with_the_first() -> None:
    second = sent(LIKELY, sent_at=LATER)
    said = decided([sent(), second], state(), LATER + timedelta(minutes=9))
    assert said.until == LATER + timedelta(minutes=10)


def test_verdicts_that_are_quiet_are_a_setting() -> None:
    assert decided([], state(OPEN, ""), quiet_verdicts=[]).action is Action.SEND
    assert decided([], state(LIKELY), quiet_verdicts=["likely"]).reason == "quiet"


@pytest.mark.parametrize(
    ("severity", "told"),
    [
        ("warning", False),
        ("error", True),
        ("critical", True),
        ("", True),
        ("purple", True),
    ],
)
def test_severities_below_the_least_are_not_told_and_unknown_ones_are(
    severity: str, *, told: bool
) -> None:
    said = decided([], state(severity=severity), min_severity="error")
    assert (said.action is Action.SEND) == told
    assert told or said.reason == "severity"


def test_what_was_not_begun_or_was_given_up_was_not_told() -> None:
    waiting = notification(attempts=0)
    given_up = notification(attempts=10, status=NotificationStatus.FAILED)
    assert decided([waiting], state()).reason == "first"
    assert decided([given_up], state()).reason == "first"


def test_what_is_tried_again_counts_as_told() -> None:
    assert decided([notification(attempts=3)], state()).reason == "nothing_new"
