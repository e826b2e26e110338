"""An outbox in memory, and a channel that does as it is told."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime

from superbizagent.domain.notification import (
    Notice,
    Notification,
    NotificationStatus,
    Reference,
    Sent,
)
from superbizagent.errors import StorageError


class DiedError(Exception):
    """The process ends here."""


class MemoryLog:
    """Implements `NotificationLog`; `dies_at` names a step at which we die."""

    def __init__(self, *rows: Notification) -> None:
        self.rows = {row.notification_id: row for row in rows}
        self.dies_at = ""
        self.refuses = 0

    async def add(self, notification: Notification) -> None:
        self.rows.setdefault(notification.notification_id, notification)

    async def due(
        self, now: datetime, limit: int, busy: Collection[str] = ()
    ) -> Sequence[Notification]:
        if self.refuses:
            self.refuses -= 1
            raise StorageError("locked")
        waiting = [r for r in self.rows.values() if r.is_waiting and r.channel not in busy]
        ready = [r for r in waiting if (r.next_attempt_at or now) <= now]
        return sorted(ready, key=lambda r: (r.next_attempt_at or now, r.created_at))[:limit]

    async def of_incident(self, incident_id: str) -> Sequence[Notification]:
        return [r for r in self.rows.values() if r.notice.incident_id == incident_id]

    async def begin(self, notification: Notification, retry_at: datetime) -> bool:
        known = self.rows[notification.notification_id]
        if known.attempts != notification.attempts or not known.is_waiting:
            return False
        self._set(known.notification_id, attempts=known.attempts + 1, next_attempt_at=retry_at)
        return True

    async def mark_sent(self, notification_id: str, reference: Reference, at: datetime) -> None:
        if self.dies_at == "mark_sent":
            raise DiedError
        status = NotificationStatus.SENT
        self._set(notification_id, status=status, reference=reference, sent_at=at, error="")

    async def mark_failed(
        self, notification_id: str, error: str, next_attempt_at: datetime | None
    ) -> None:
        status = NotificationStatus.QUEUED if next_attempt_at else NotificationStatus.FAILED
        self._set(notification_id, status=status, error=error, next_attempt_at=next_attempt_at)

    async def withdraw(self, notification_id: str) -> None:
        if self.rows[notification_id].is_waiting and not self.rows[notification_id].attempts:
            del self.rows[notification_id]

    def _set(self, notification_id: str, **values: object) -> None:
        self.rows[notification_id] = self.rows[notification_id].model_copy(update=values)


class ScriptedChannel:
    """Raises what is scripted, one an attempt; then takes everything."""

    def __init__(self, *script: Exception, name: str = "slack") -> None:
        self.name = name
        self.script = list(script)
        self.took: list[tuple[Notice, Reference | None]] = []
        self.tried = 0
        self.taken = asyncio.Event()

    async def send(self, notice: Notice, previous: Reference | None) -> Sent:
        self.tried += 1
        if self.script:
            raise self.script.pop(0)
        self.took.append((notice, previous))
        self.taken.set()
        return Sent(reference=previous or {"ts": f"{len(self.took)}"})
