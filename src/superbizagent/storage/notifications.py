"""``notification``: the outbox of messages, and the record of what people were told."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update

from superbizagent.domain.notification import Notification, NotificationStatus, Reference
from superbizagent.storage.database import Database
from superbizagent.storage.service_tables import notification as _table

__all__ = ["NotificationRepository"]

_WAITING = (NotificationStatus.QUEUED.value, NotificationStatus.HELD.value)


class NotificationRepository:
    """Implements `domain.notification.NotificationLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, notification: Notification) -> None:
        """Store a new one; harmless when it is there already."""
        row = notification.model_dump(exclude={"notice"}) | {
            "incident_id": notification.notice.incident_id,
            "session_id": notification.notice.session_id,
            "kind": notification.notice.kind.value,
            "status": notification.status.value,
            "notice": notification.notice.model_dump(mode="json"),
        }
        mine = _table.c.notification_id == notification.notification_id
        async with self._database.write() as connection:
            if (await connection.execute(select(_table.c.status).where(mine))).first() is None:
                await connection.execute(insert(_table), row)

    async def due(
        self, now: datetime, limit: int, busy: Collection[str] = ()
    ) -> tuple[Notification, ...]:
        """Return those that wait and whose time has come, the longest due first."""
        query = (
            select(_table)
            .where(
                _table.c.status.in_(_WAITING),
                _table.c.next_attempt_at <= now,
                _table.c.channel.not_in(list(busy)),
            )
            .order_by(_table.c.next_attempt_at, _table.c.created_at, _table.c.notification_id)
            .limit(limit)
        )
        return await self._read(query)

    async def of_incident(self, incident_id: str) -> tuple[Notification, ...]:
        """Return everything of an incident, oldest first."""
        query = (
            select(_table)
            .where(_table.c.incident_id == incident_id)
            .order_by(_table.c.created_at, _table.c.notification_id)
        )
        return await self._read(query)

    async def begin(self, notification: Notification, retry_at: datetime) -> bool:
        """Count an attempt before it is made; False when another process was faster."""
        as_read = (
            _table.c.notification_id == notification.notification_id,
            _table.c.attempts == notification.attempts,
            _table.c.status.in_(_WAITING),
        )
        async with self._database.write() as connection:
            begun = {"attempts": notification.attempts + 1, "next_attempt_at": retry_at}
            done = await connection.execute(update(_table).where(*as_read).values(**begun))
            return done.rowcount == 1

    async def mark_sent(self, notification_id: str, reference: Reference, at: datetime) -> None:
        """Record that a channel took it."""
        await self._set(
            notification_id,
            status=NotificationStatus.SENT.value,
            reference=reference,
            error="",
            next_attempt_at=None,
            sent_at=at,
        )

    async def mark_failed(
        self, notification_id: str, error: str, next_attempt_at: datetime | None
    ) -> None:
        """Record a failed attempt; without a next one it is given up."""
        again = NotificationStatus.QUEUED if next_attempt_at else NotificationStatus.FAILED
        await self._set(
            notification_id,
            status=again.value,
            error=error,
            next_attempt_at=next_attempt_at,
        )

    async def withdraw(self, notification_id: str) -> None:
        """Delete one that waits and that no attempt was begun for; others stay."""
        mine = (
            _table.c.notification_id == notification_id,
            _table.c.attempts == 0,
            _table.c.status.in_(_WAITING),
        )
        async with self._database.write() as connection:
            await connection.execute(delete(_table).where(*mine))

    async def _set(self, notification_id: str, **values: Any) -> None:
        mine = _table.c.notification_id == notification_id
        async with self._database.write() as connection:
            await connection.execute(update(_table).where(mine).values(**values))

    async def _read(self, query: Any) -> tuple[Notification, ...]:
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(_notification(dict(row)) for row in rows)


def _notification(row: dict[str, Any]) -> Notification:
    for name in ("incident_id", "session_id", "kind"):  # for people who look into the table
        del row[name]
    return Notification.model_validate(row)
