"""Counts for the service's metrics: small queries that indexes answer."""

from collections.abc import Mapping

from sqlalchemy import Column, ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant
from superbizagent.storage.database import Database
from superbizagent.storage.service_state import WORKER
from superbizagent.storage.service_tables import (
    alert,
    feedback,
    incident,
    notification,
    service_state,
    session_queue,
)
from superbizagent.storage.tables import diagnosis_session

__all__ = ["ServiceCounts", "count_service"]


class ServiceCounts(Model):
    """How much of everything there is."""

    sessions: Mapping[tuple[str, str], int]
    """(status, verdict) -> sessions."""
    queued: int
    oldest_queued_at: Instant | None
    alerts: int
    incidents: Mapping[str, int]
    notifications: Mapping[str, int]
    feedback: Mapping[str, int]
    worker_seen_at: Instant | None


async def count_service(database: Database) -> ServiceCounts:
    """Count what is stored.

    Raises:
        StorageError: when the database refuses.
    """
    table = diagnosis_session.c
    by_end = select(table.status, table.verdict, func.count()).group_by(table.status, table.verdict)
    waiting = select(func.count(), func.min(session_queue.c.enqueued_at))
    beat = select(service_state.c.updated_at).where(service_state.c.name == WORKER)
    async with database.read() as connection:
        ends = (await connection.execute(by_end)).all()
        queued, oldest = (await connection.execute(waiting)).one()
        alerts = (await connection.execute(select(func.count()).select_from(alert))).scalar_one()
        seen = (await connection.execute(beat)).scalar()
        return ServiceCounts(
            sessions={(str(status), str(verdict)): n for status, verdict, n in ends},
            queued=queued,
            oldest_queued_at=oldest,
            alerts=alerts,
            incidents=await _by(connection, incident.c.status, incident.c.merged_into.is_(None)),
            notifications=await _by(connection, notification.c.status),
            feedback=await _by(connection, feedback.c.judgement),
            worker_seen_at=seen,
        )


async def _by(
    connection: AsyncConnection, column: Column[str], *only: ColumnElement[bool]
) -> dict[str, int]:
    query = select(column, func.count()).where(*only).group_by(column)
    return {str(word): number for word, number in (await connection.execute(query)).all()}
