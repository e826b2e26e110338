"""When to speak: one message an incident, and another only when it says something new.

News are what was found (the verdict, or the cause that is named), the first cause, and the end of
the incident. Between two messages lies a gap; what comes earlier waits, and is weighed again when
there is a newer state. Pure: the caller brings the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from superbizagent.domain.finding import Verdict
from superbizagent.domain.notification import NoticeKind, Notification
from superbizagent.notifications.config import NotifyConfig

__all__ = ["Action", "Ruling", "Standing", "decide", "told"]

_SEVERITIES = ("warning", "error", "critical")
"""As grouping has them, the gravest last."""


class Action(StrEnum):
    """What to do about a new state."""

    SEND = "send"
    """The incident's first message."""
    UPDATE = "update"
    """Edit it, or follow it."""
    HOLD = "hold"
    """Nothing now: at `Ruling.until`, or not at all."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What an incident has come to."""

    severity: str
    verdict: Verdict
    cause: str
    """As `Notice.cause`: empty where none is named."""
    is_resolved: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether to speak, and why."""

    action: Action
    reason: str
    """``first, new_verdict, first_cause, resolved``; of what is held also ``severity, quiet,
    nothing_new, never_told`` (it is over, and nobody heard of it) and ``too_soon``."""
    kind: NoticeKind | None = None
    """Of the message, now or later; None: there is none."""
    until: datetime | None = None
    """When what is held may be said; None: only another state is news."""


def told(earlier: Sequence[Notification]) -> tuple[Notification, ...]:
    """Return what people in a channel have read, or will as soon as it takes messages again.

    What nobody has begun to send is not said yet, and what was given up never was.
    """
    return tuple(n for n in earlier if n.sent_at is not None or (n.is_waiting and n.attempts))


def decide(
    earlier: Sequence[Notification], state: Standing, config: NotifyConfig, now: datetime
) -> Ruling:
    """Say what a channel is told of an incident's new state.

    Args:
        earlier: notifications of this incident in this channel, oldest first.
        state: what the incident has come to.
        config: what is worth a message, and how far two lie apart.
        now: the time.
    """
    if _is_below(state.severity, config.min_severity):
        return Ruling(Action.HOLD, "severity")
    before = told(earlier)
    if not before:
        return _first(state, config)
    kind = _news(before, state)
    if kind is None:
        return Ruling(Action.HOLD, "nothing_new")
    if kind is not NoticeKind.RESOLVED and state.verdict in config.quiet_verdicts:
        return Ruling(Action.HOLD, "quiet")
    last = max(n.sent_at or n.created_at for n in before)
    at_once = kind is NoticeKind.RESOLVED and config.resolved_at_once
    if not at_once and now < last + config.update_gap:
        return Ruling(Action.HOLD, "too_soon", kind, last + config.update_gap)
    return Ruling(Action.UPDATE, kind.value, kind)


def _first(state: Standing, config: NotifyConfig) -> Ruling:
    if state.is_resolved:
        return Ruling(Action.HOLD, "never_told")
    if state.verdict in config.quiet_verdicts:
        return Ruling(Action.HOLD, "quiet")
    return Ruling(Action.SEND, NoticeKind.FIRST.value, NoticeKind.FIRST)


def _news(before: Sequence[Notification], state: Standing) -> NoticeKind | None:
    """What a state adds to what was said, the weightiest first; None: nothing."""
    last = before[-1].notice
    if state.is_resolved:
        return None if last.kind is NoticeKind.RESOLVED else NoticeKind.RESOLVED
    if state.cause and not any(n.notice.cause for n in before):
        return NoticeKind.FIRST_CAUSE
    same = (last.verdict, last.cause) == (state.verdict, state.cause)
    # What was called resolved and goes on stands wrong in the channel.
    return None if same and last.kind is not NoticeKind.RESOLVED else NoticeKind.NEW_VERDICT


def _is_below(severity: str, least: str) -> bool:
    """Tell whether a severity is too low; one that nobody knows is not."""
    if not least or severity not in _SEVERITIES:
        return False
    return _SEVERITIES.index(severity) < _SEVERITIES.index(least)
