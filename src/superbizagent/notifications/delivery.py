"""Brings notifications to their channels: each attempt is recorded before and after it is made.

At least once: between a channel's answer and `mark_sent` we may die, and then the message is sent
again, at most once for each such death. Slack has no key by which it would know the second one,
and neither has Apprise; an edit (`chat.update`) may be repeated without harm.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from superbizagent.domain.notification import (
    Notification,
    NotificationLog,
    Notifier,
    Reference,
)
from superbizagent.domain.protocols import Clock
from superbizagent.errors import (
    NotificationError,
    PermanentNotificationError,
    StorageError,
    TemporaryNotificationError,
)
from superbizagent.telemetry import get_logger

__all__ = ["Delivery", "pause"]

_FIRST_PAUSE = timedelta(seconds=30)
_LONGEST_PAUSE = timedelta(hours=1)
_LONGEST_ASKED = timedelta(days=1)
_LEASE = timedelta(minutes=2)
"""Longer than any attempt: should we die in one, another begins after this."""
_LOOK_SECONDS = 5.0
_AT_ONCE = 100
"""Notifications that one turn looks at."""


def pause(attempts: int, asked_seconds: float = 0.0) -> timedelta:
    """Return how long to wait after so many failed attempts: 30 s, doubled, an hour at most.

    Args:
        attempts: made so far, at least one.
        asked_seconds: what the channel asked for; it is never asked sooner, a day at most.
    """
    doubled = _FIRST_PAUSE * 2 ** min(attempts - 1, 16)
    asked = timedelta(seconds=min(asked_seconds, _LONGEST_ASKED.total_seconds()))
    return max(min(doubled, _LONGEST_PAUSE), asked)


class Delivery:
    """Delivers what is due. Several processes may: each attempt belongs to one of them.

    Args:
        outbox: where notifications wait, and what came of them stays.
        notifiers: the channels by their names.
        clock: the time.
        max_attempts: of one notification; then it is given up.
    """

    def __init__(
        self,
        outbox: NotificationLog,
        notifiers: Mapping[str, Notifier],
        clock: Clock,
        max_attempts: int = 10,
    ) -> None:
        self._outbox = outbox
        self._notifiers = notifiers
        self._clock = clock
        self._max_attempts = max_attempts
        self._closed: dict[str, datetime] = {}
        """Channels that were busy, until when nothing is sent to them."""
        self._log = get_logger("notifications")

    async def run(self) -> None:
        """Deliver what becomes due, until it is cancelled: a task of its own, channels are slow."""
        while True:
            try:
                await self.deliver_due()
            except StorageError as error:  # locked, full, gone: it may come back
                self._log.error("the database does not answer", error=str(error))
            await asyncio.sleep(_LOOK_SECONDS)

    async def deliver_due(self) -> int:
        """Try everything that is due once, channels side by side; return how many were sent.

        Raises:
            StorageError: when the outbox cannot be read or written.
        """
        now = self._clock.now()
        self._closed = {name: until for name, until in self._closed.items() if until > now}
        due = await self._outbox.due(now, _AT_ONCE, list(self._closed))
        by_channel: dict[str, list[Notification]] = {}
        for notification in due:
            by_channel.setdefault(notification.channel, []).append(notification)
        sent = await asyncio.gather(*(self._in_turn(some) for some in by_channel.values()))
        return sum(sent)

    async def _in_turn(self, some: Sequence[Notification]) -> int:
        """One after the other, until the channel is busy: messengers limit how much they take."""
        sent = 0
        for notification in some:
            if notification.channel in self._closed:
                break
            sent += await self._one(notification)
        return sent

    async def _one(self, notification: Notification) -> bool:
        siblings = [
            n
            for n in await self._outbox.of_incident(notification.notice.incident_id)
            if n.channel == notification.channel
        ]
        if _is_behind(notification, siblings):
            return False  # its turn comes: what was to be said before goes out first
        attempts = notification.attempts + 1
        if attempts > self._max_attempts:  # we died in the last one
            await self._failed(notification, attempts, NotificationError("it was tried too often"))
            return False
        again = self._clock.now() + max(pause(attempts), _LEASE)
        if not await self._outbox.begin(notification, again):
            return False
        try:
            sent = await self._notifier(notification.channel).send(
                notification.notice, _previous(siblings)
            )
        except NotificationError as error:
            await self._failed(notification, attempts, error)
            return False
        now = self._clock.now()
        await self._outbox.mark_sent(notification.notification_id, sent.reference, now)
        self._log.info("sent", channel=notification.channel, kind=notification.notice.kind)
        return True

    def _notifier(self, channel: str) -> Notifier:
        if channel not in self._notifiers:
            raise PermanentNotificationError(
                f"there is no channel {channel!r} any more; see [notify] of superbiz.toml"
            )
        return self._notifiers[channel]

    async def _failed(
        self, notification: Notification, attempts: int, error: NotificationError
    ) -> None:
        again: datetime | None = None
        if isinstance(error, TemporaryNotificationError) and attempts < self._max_attempts:
            again = self._clock.now() + pause(attempts, error.retry_after_seconds)
            closed = self._clock.now() + pause(1, error.retry_after_seconds)
            self._closed[notification.channel] = closed
        await self._outbox.mark_failed(notification.notification_id, str(error), again)
        self._log.warning(
            "not delivered" if again else "given up",
            channel=notification.channel,
            incident_id=notification.notice.incident_id,
            attempts=attempts,
            error=str(error),
        )


def _is_behind(notification: Notification, siblings: Sequence[Notification]) -> bool:
    """Tell whether something older of the incident waits to be said in the channel."""
    return notification.notification_id in [n.notification_id for n in siblings if n.is_waiting][1:]


def _previous(siblings: Sequence[Notification]) -> Reference | None:
    """What the channel calls the incident's message, as it said last."""
    return next((n.reference for n in reversed(siblings) if n.reference is not None), None)
