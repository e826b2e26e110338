"""What people are told of an incident, where it was said, and how that went.

One message an incident and channel: what comes later edits it or follows it. A `Notice` is what
one message says, a `Notification` is the row that says where it goes and how far it came.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Protocol, Self

from pydantic import Field

from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.finding import Verdict
from superbizagent.domain.grouping import IncidentState
from superbizagent.domain.incident import Language
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = [
    "MOST_CHARACTERS",
    "MOST_LINES",
    "IncidentFacts",
    "Notice",
    "NoticeKind",
    "Notification",
    "NotificationLog",
    "NotificationStatus",
    "Notifier",
    "Reference",
    "Sent",
]

MOST_LINES = 10
"""Of a message: it is read on a telephone, at night."""

MOST_CHARACTERS = 280
"""Of a line: two to four rows of a telephone; ten lines stay within what any channel takes."""

Line = Annotated[str, Field(max_length=MOST_CHARACTERS, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
"""One line of plain text: no control character, whatever an alert's label holds."""

Reference = dict[str, Any]
"""What a channel calls a message it has: small, JSON."""


class NoticeKind(StrEnum):
    """Why a message is sent."""

    FIRST = "first"
    NEW_VERDICT = "new_verdict"
    FIRST_CAUSE = "first_cause"
    RESOLVED = "resolved"


class IncidentFacts(Model):
    """What is known of an incident beside its report."""

    incident_id: str
    title: str
    severity: str = ""
    """`critical`, `error`, `warning`, or another word that the message repeats."""
    alert_count: int = 0
    started_at: Instant | None = None
    resolved_at: Instant | None = None
    """None while it lasts."""

    @classmethod
    def of(cls, state: IncidentState) -> Self:
        """Return what grouping knows of an incident, in the words of a message."""
        return cls(
            incident_id=state.incident_id,
            title=f"{state.name} {state.core}".strip(),
            severity=state.severity,
            alert_count=state.alert_count,
            started_at=state.started_at,
            resolved_at=state.resolved_at if state.status is AlertStatus.RESOLVED else None,
        )


class Notice(Model):
    """What one message says, in plain text; each channel escapes it in its own way."""

    incident_id: str
    session_id: str
    kind: NoticeKind
    language: Language
    severity: str
    verdict: Verdict
    cause: str = ""
    """Entity and kind of fault that the report names, for comparing; empty: none."""
    title: Line
    """What it is about and what was found: the subject of a mail."""
    news: Line
    """What is new, in one line: what a thread gets below a message that was edited."""
    lines: Annotated[tuple[Line, ...], Field(min_length=1, max_length=MOST_LINES)]
    """The whole message, the title first and where to read on last."""
    link: str = ""
    """Address of the report, which stands in the last line too; empty: nobody told ours."""


class Sent(Model):
    """A message that a channel took."""

    reference: Reference
    """For `Notifier.send`, when there is more to say of the incident."""


class Notifier(Protocol):
    """A channel that people read."""

    @property
    def name(self) -> str:
        """Name in settings and rows; unique."""
        ...

    async def send(self, notice: Notice, previous: Reference | None) -> Sent:
        """Deliver a message.

        Args:
            notice: what to say.
            previous: the incident's message in this channel, to edit or to follow; None: the first.

        Raises:
            TemporaryNotificationError: when another try may help.
            PermanentNotificationError: when it cannot be delivered so, with what to do.
        """
        ...


class NotificationStatus(StrEnum):
    """How far a notification came."""

    QUEUED = "queued"
    """Waits for its next try; `next_attempt_at` says when."""
    HELD = "held"
    """Said later, unless it is not news any more then; likewise."""
    SENT = "sent"
    FAILED = "failed"
    """Given up; `error` says why."""


class Notification(Model):
    """One row: a notice on its way to one channel."""

    notification_id: str
    channel: str
    notice: Notice
    status: NotificationStatus = NotificationStatus.QUEUED
    attempts: int = 0
    """Begun so far, each counted before it is made."""
    reference: Reference | None = None
    error: str = ""
    """What the last try came to; empty: it succeeded, or there was none."""
    next_attempt_at: Instant | None = None
    created_at: Instant
    sent_at: Instant | None = None

    @property
    def is_waiting(self) -> bool:
        """Tell whether it is still to be delivered."""
        return self.status in (NotificationStatus.QUEUED, NotificationStatus.HELD)


class NotificationLog(Protocol):
    """Keeps notifications: the outbox, and the record of what was said."""

    async def add(self, notification: Notification) -> None:
        """Store a new one."""
        ...

    async def due(
        self, now: datetime, limit: int, busy: Collection[str] = ()
    ) -> Sequence[Notification]:
        """Return those that wait and whose time has come, the longest due first.

        Args:
            now: the time.
            limit: at most so many.
            busy: channels whose notifications are left where they are.
        """
        ...

    async def of_incident(self, incident_id: str) -> Sequence[Notification]:
        """Return everything of an incident, oldest first."""
        ...

    async def begin(self, notification: Notification, retry_at: datetime) -> bool:
        """Count an attempt before it is made; False when another process was faster.

        Args:
            notification: as it was read.
            retry_at: when it is due again should we end before we can say how it went.
        """
        ...

    async def mark_sent(self, notification_id: str, reference: Reference, at: datetime) -> None:
        """Record that a channel took it."""
        ...

    async def mark_failed(
        self, notification_id: str, error: str, next_attempt_at: datetime | None
    ) -> None:
        """Record a failed attempt; without a next one it is given up."""
        ...

    async def withdraw(self, notification_id: str) -> None:
        """Delete one that waits and that no attempt was begun for; others stay."""
        ...
