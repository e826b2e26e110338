"""``incident`` and ``incident_event``: what grouping and dispatch know, and what is listed."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, bindparam, exists, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.grouping import Diagnosis, IncidentState, Skip, Start, Wait
from superbizagent.domain.ids import derived_id
from superbizagent.domain.incident_record import (
    IncidentEvent,
    IncidentEventKind,
    IncidentFilter,
    IncidentRecord,
    title_of,
)
from superbizagent.domain.protocols import Clock
from superbizagent.errors import StorageError, UsageError
from superbizagent.storage.database import Database
from superbizagent.storage.service_tables import incident, incident_event, notification
from superbizagent.storage.tables import diagnosis_session

__all__ = ["IncidentRepository"]

_table = incident
_DAY = timedelta(days=1)
_EVENTS = 1000
"""Shown of one incident: one that flaps for weeks has more."""


class IncidentRepository:
    """Writes incidents for intake and dispatch, within their transactions, and lists them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def put_in(
        self,
        connection: AsyncConnection,
        new: Iterable[IncidentState],
        changed: Iterable[IncidentState],
        at: datetime,
    ) -> None:
        """Store incidents that began, and what became of others."""
        first = {"session_count": 0, "created_at": at}
        if rows := [_row(state, at) | first for state in new]:
            await connection.execute(insert(_table), rows)
        if rows := [_row(state, at) for state in changed]:
            names = [name for name in rows[0] if name != "incident_id"]
            mine = update(_table).where(_table.c.incident_id == bindparam("mine"))
            moved = [{"mine": row.pop("incident_id"), **row} for row in rows]
            await connection.execute(mine.values({n: bindparam(n) for n in names}), moved)

    async def close_in(
        self, connection: AsyncConnection, states: Iterable[IncidentState], at: datetime
    ) -> None:
        """Store that no alert joins these any more, with their last state."""
        gone = list(states)
        await self.put_in(connection, (), gone, at)
        for state in gone:
            mine = _table.c.incident_id == state.incident_id
            await connection.execute(update(_table).where(mine).values(closed_at=at, waiting=None))

    async def kept_in(self, connection: AsyncConnection) -> frozenset[str]:
        """Return the open incidents that were diagnosed or that somebody was told of."""
        mine = diagnosis_session.c.incident_id == _table.c.incident_id
        told = exists().where(notification.c.incident_id == _table.c.incident_id)
        known = or_(_table.c.session_count > 0, exists().where(mine), told)
        query = select(_table.c.incident_id).where(_table.c.closed_at.is_(None), known)
        return frozenset((await connection.execute(query)).scalars())

    async def merge_in(
        self, connection: AsyncConnection, merged: Iterable[tuple[IncidentState, str]], at: datetime
    ) -> None:
        """Store that others took the alerts of incidents, which are over by that.

        Args:
            connection: of the caller's transaction.
            merged: last state of each, and who took most of its alerts, in the order of time.
            at: when.

        Raises:
            StorageError: when a diagnosis of one began meanwhile.
        """
        for state, successor in merged:
            await self.close_in(connection, [state], at)
            mine = (_table.c.incident_id == state.incident_id) & (_table.c.session_count == 0)
            done = await connection.execute(
                update(_table).where(mine).values(merged_into=successor)
            )
            if done.rowcount != 1:
                raise StorageError(
                    f"a diagnosis of incident {state.incident_id} began while it was to be merged"
                )
            theirs = update(_table).where(_table.c.merged_into == state.incident_id)
            await connection.execute(theirs.values(merged_into=successor))

    async def add_events_in(
        self, connection: AsyncConnection, events: Sequence[IncidentEvent]
    ) -> None:
        """Store what happened."""
        if events:
            await connection.execute(insert(incident_event), [e.model_dump() for e in events])

    async def open_in(self, connection: AsyncConnection) -> tuple[IncidentState, ...]:
        """Return what alerts can still join, oldest first."""
        query = select(_table.c.state).where(_table.c.closed_at.is_(None))
        query = query.order_by(_table.c.created_at, _table.c.incident_id)
        rows = (await connection.execute(query)).scalars()
        return tuple(IncidentState.model_validate(row) for row in rows)

    async def sessions_in(
        self, connection: AsyncConnection, incident_ids: Iterable[str]
    ) -> dict[str, str]:
        """Return the newest session of each of these that has one."""
        query = select(_table.c.incident_id, _table.c.session_id).where(
            _table.c.incident_id.in_(list(incident_ids)), _table.c.session_id.is_not(None)
        )
        return {row.incident_id: row.session_id for row in await connection.execute(query)}

    async def undecided_in(self, connection: AsyncConnection) -> tuple[IncidentRecord, ...]:
        """Return the incidents that dispatch decides on."""
        query = select(_table).where(
            _table.c.closed_at.is_(None), _table.c.skipped_reason.is_(None)
        )
        rows = (await connection.execute(query)).mappings()
        return tuple(_record(row) for row in rows)

    async def diagnoses_in(
        self, connection: AsyncConnection, incident_ids: Iterable[str], now: datetime
    ) -> tuple[Diagnosis, ...]:
        """Return the diagnoses of the last 24 hours, and all of these incidents."""
        kind = incident_event.c.kind == IncidentEventKind.DIAGNOSIS.value
        named = incident_event.c.incident_id.in_(list(incident_ids))
        query = select(incident_event.c.details).where(
            kind, or_(incident_event.c.at > now - _DAY, named)
        )
        details = (await connection.execute(query)).scalars().all()
        ended = await _ended(connection, [one["session_id"] for one in details])
        found = [(Diagnosis.model_validate(one["diagnosis"]), one["session_id"]) for one in details]
        # A session that was deleted is over.
        return tuple(
            one.model_copy(update={"ended_at": ended.get(session_id, one.started_at)})
            for one, session_id in found
        )

    async def start_in(
        self, connection: AsyncConnection, start: Start, session_id: str, count: int
    ) -> None:
        """Store that a diagnosis of an incident begins, the ``count``-th of it.

        Raises:
            StorageError: when it was merged into another meanwhile.
        """
        mine = (_table.c.incident_id == start.incident_id) & _table.c.merged_into.is_(None)
        done = await connection.execute(
            update(_table)
            .where(mine)
            .values(session_id=session_id, session_count=count, waiting=None)
        )
        if done.rowcount != 1:
            raise StorageError(f"incident {start.incident_id} was merged before its diagnosis")
        await self.add_events_in(
            connection,
            [
                IncidentEvent(
                    event_id=derived_id(session_id, "started"),
                    incident_id=start.incident_id,
                    kind=IncidentEventKind.DIAGNOSIS,
                    details={
                        "session_id": session_id,
                        "reason": start.reason.model_dump(mode="json"),
                        "diagnosis": start.diagnosis.model_dump(mode="json"),
                    },
                    at=start.diagnosis.started_at,
                )
            ],
        )

    async def wait_in(
        self, connection: AsyncConnection, waits: Iterable[tuple[str, Wait | None]]
    ) -> None:
        """Store what incidents wait for; None for one that does not."""
        rows = [
            {"mine": name, "waiting": wait.model_dump(mode="json") if wait else None}
            for name, wait in waits
        ]
        if rows:
            mine = update(_table).where(_table.c.incident_id == bindparam("mine"))
            await connection.execute(mine.values(waiting=bindparam("waiting")), rows)

    async def skip_in(self, connection: AsyncConnection, skip: Skip, event_id: str) -> None:
        """Store that an incident is over without a diagnosis."""
        mine = _table.c.incident_id == skip.incident_id
        await connection.execute(
            update(_table).where(mine).values(skipped_reason=str(skip.reason.code), waiting=None)
        )
        event = IncidentEvent(
            event_id=event_id,
            incident_id=skip.incident_id,
            kind=IncidentEventKind.SKIPPED,
            details={"reason": skip.reason.model_dump(mode="json")},
            at=self._clock.now(),
        )
        await self.add_events_in(connection, [event])

    async def get(self, incident_id: str) -> IncidentRecord | None:
        """Return an incident, or None."""
        query = select(_table).where(_table.c.incident_id == incident_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return _record(row) if row else None

    async def resolved_and_told(self, since: datetime) -> tuple[IncidentRecord, ...]:
        """Return the incidents that are over and that somebody was told of, resolved since then."""
        told = exists().where(notification.c.incident_id == _table.c.incident_id)
        over = _table.c.status == AlertStatus.RESOLVED.value
        query = select(_table).where(over, _table.c.ended_at >= since, told)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(_record(row) for row in rows)

    async def events(self, incident_id: str) -> tuple[IncidentEvent, ...]:
        """Return what happened to an incident, oldest first: the newest thousand."""
        query = select(incident_event).where(incident_event.c.incident_id == incident_id)
        query = query.order_by(incident_event.c.at.desc(), incident_event.c.event_id.desc())
        async with self._database.read() as connection:
            rows = (await connection.execute(query.limit(_EVENTS))).mappings().all()
        return tuple(IncidentEvent.model_validate(dict(row)) for row in reversed(rows))

    async def list(self, wanted: IncidentFilter) -> tuple[IncidentRecord, ...]:
        """Return incidents, newest first.

        Raises:
            UsageError: when `IncidentFilter.before` names none.
        """
        query = _narrow(select(_table), wanted)
        query = query.order_by(_table.c.created_at.desc(), _table.c.incident_id.desc())
        async with self._database.read() as connection:
            if wanted.before is not None:
                edge = select(_table.c.created_at).where(_table.c.incident_id == wanted.before)
                at = (await connection.execute(edge)).scalar()
                if at is None:
                    raise UsageError(
                        f"no incident {wanted.before!r} to page on from: take `next` of a page"
                    )
                same = (_table.c.created_at == at) & (_table.c.incident_id < wanted.before)
                query = query.where((_table.c.created_at < at) | same)
            rows = (await connection.execute(query.limit(wanted.limit))).mappings().all()
        return tuple(_record(row) for row in rows)


def _row(state: IncidentState, at: datetime) -> dict[str, Any]:
    services = "".join(f"\n{name}" for name in state.services)
    return {
        "incident_id": state.incident_id,
        "title": title_of(state),
        "status": state.status.value,
        "severity": state.severity,
        "skipped_reason": None if state.skipped is None else state.skipped.value,
        "alert_count": state.alert_count + state.recorded_count,
        "services": f"{services}\n" if services else "",
        "state": state.model_dump(mode="json"),
        "started_at": state.started_at,
        "ended_at": state.resolved_at,
        "updated_at": at,
    }


def _record(row: Mapping[Any, Any]) -> IncidentRecord:
    fields = {name: row[name] for name in IncidentRecord.model_fields if name in row}
    return IncidentRecord.model_validate({**fields, "skipped": row["skipped_reason"]})


async def _ended(
    connection: AsyncConnection, session_ids: Sequence[str]
) -> dict[str, datetime | None]:
    """When each of these sessions ended, those that have a row."""
    table = diagnosis_session.c
    query = select(table.session_id, table.finished_at)
    query = query.where(table.session_id.in_(list(session_ids)))
    return {row.session_id: row.finished_at for row in await connection.execute(query)}


def _narrow(query: Select[Any], wanted: IncidentFilter) -> Select[Any]:
    skipped = _table.c.skipped_reason
    query = query.where(skipped.is_not(None) if wanted.skipped else skipped.is_(None))
    query = query.where(_table.c.merged_into.is_(None))
    if wanted.status is not None:
        query = query.where(_table.c.status == wanted.status.value)
    if wanted.severity is not None:
        query = query.where(_table.c.severity == wanted.severity)
    if wanted.service is not None:
        named = f"\n{wanted.service}\n"
        query = query.where(_table.c.services.contains(named, autoescape=True))
    if wanted.since is not None:
        query = query.where(_table.c.created_at >= wanted.since)
    if wanted.until is not None:
        query = query.where(_table.c.created_at < wanted.until)
    return query
