"""Notices and notifications to send, without a diagnosis."""

from datetime import UTC, datetime
from typing import Any

from superbizagent.domain.finding import Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.notification import Notice, NoticeKind, Notification

NOW = datetime(2026, 7, 6, 10, 0, tzinfo=UTC)
LINK = "https://superbiz.shop.test/traces/s-1"


def notice(**fields: Any) -> Notice:
    """A notice that says what it is."""
    title = fields.get("title", "[critical] orders: connection pool exhausted (root cause found)")
    given: dict[str, Any] = {
        "incident_id": "i-1",
        "session_id": "s-1",
        "kind": NoticeKind.FIRST,
        "language": Language.EN,
        "severity": "critical",
        "verdict": Verdict.ROOT_CAUSE_FOUND,
        "cause": "//service/orders pool_exhaustion",
        "title": title,
        "news": f"New result: {title}",
        "lines": (title, "What: 10 of 10 connections are in use.", f"Report: {LINK}"),
        "link": LINK,
    }
    return Notice.model_validate(given | fields)


def notification(number: int = 1, channel: str = "slack", **fields: Any) -> Notification:
    """A notification in the outbox, due at once."""
    about = {k: fields.pop(k) for k in list(fields) if k in Notice.model_fields}
    given: dict[str, Any] = {
        "notification_id": f"n-{number}",
        "channel": channel,
        "notice": notice(**about),
        "created_at": NOW,
        "next_attempt_at": NOW,
    }
    return Notification.model_validate(given | fields)
