"""``alert``: one row for each alert of each incident, however often it was delivered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.alert import Alert, AlertStatus
from superbizagent.domain.grouping import AlertState, Reason
from superbizagent.domain.incident_record import AlertRecord, Sender
from superbizagent.storage.database import Database
from superbizagent.storage.service_tables import alert, incident

__all__ = ["AlertMove", "AlertNews", "AlertRepository"]

_table = alert
_NAME = 255
_REPEAT = ("times", "starts_at", "state", "updated_at")
"""What a delivery without news changes."""
_MOVE = (*_REPEAT, "ends_at", "status", "severity", "skipped_reason", "skipped", "body")
_GRAVITY = ("critical", "error", "warning")


@dataclass(slots=True)
class AlertNews:
    """What deliveries of one alert came to: a row to write."""

    alert_id: str
    delivery_id: str
    sender: Sender
    body: dict[str, Any]
    """JSON of the `Alert` as delivered, redacted."""
    state: AlertState
    reason: Reason
    skipped: Reason | None
    is_new: bool
    has_news: bool


@dataclass(frozen=True, slots=True)
class AlertMove:
    """An alert that belongs to another incident: what to write."""

    alert_id: str
    state: AlertState
    reason: Reason


class AlertRepository:
    """Writes alerts within the transactions of intake, and lists them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put_in(self, connection: AsyncConnection, news: Iterable[AlertNews]) -> None:
        """Store alerts, each once."""
        new: list[dict[str, Any]] = []
        moved: list[dict[str, Any]] = []
        repeated: list[dict[str, Any]] = []
        for one in news:
            (new if one.is_new else moved if one.has_news else repeated).append(_row(one))
        if new:
            await connection.execute(insert(_table), new)
        for rows, names in ((moved, _MOVE), (repeated, _REPEAT)):
            if rows:
                mine = update(_table).where(_table.c.alert_id == bindparam("mine"))
                changes = mine.values({name: bindparam(name) for name in names})
                told = [{"mine": r["alert_id"], **{n: r[n] for n in names}} for r in rows]
                await connection.execute(changes, told)

    async def move_in(self, connection: AsyncConnection, moves: Iterable[AlertMove]) -> None:
        """Store that alerts belong to other incidents than was thought; they keep their ids."""
        rows = [
            {
                "mine": one.alert_id,
                "incident_id": one.state.incident_id,
                "state": one.state.model_dump(mode="json"),
                "reason": one.reason.model_dump(mode="json"),
            }
            for one in moves
        ]
        if rows:
            mine = update(_table).where(_table.c.alert_id == bindparam("mine"))
            names = [name for name in rows[0] if name != "mine"]
            await connection.execute(mine.values({name: bindparam(name) for name in names}), rows)

    async def open_in(self, connection: AsyncConnection) -> dict[str, AlertState]:
        """Return what is kept of the alerts of open incidents, by alert id."""
        query = select(_table.c.alert_id, _table.c.state).join(incident)
        rows = await connection.execute(query.where(incident.c.closed_at.is_(None)))
        return {row.alert_id: AlertState.model_validate(row.state) for row in rows}

    async def acting_in(
        self, connection: AsyncConnection, incident_id: str, most: int
    ) -> tuple[tuple[Alert, ...], int]:
        """Return the alerts of an incident that ask somebody to act, and how many there are.

        Those that fire; when none does any more, those that have resolved. The gravest come first,
        then the oldest.

        Args:
            connection: of the caller's transaction.
            incident_id: which incident.
            most: at most so many.
        """
        mine = (_table.c.incident_id == incident_id) & _table.c.skipped_reason.is_(None)
        for status in (AlertStatus.FIRING, AlertStatus.RESOLVED):
            query = select(_table).where(mine, _table.c.status == status.value)
            rows = (await connection.execute(query)).mappings().all()
            if rows:
                kept = sorted(rows, key=_order)[:most]
                return tuple(_alert(row) for row in kept), len(rows)
        return (), 0

    async def of_incident(
        self, incident_id: str, most: int = 500
    ) -> tuple[tuple[AlertRecord, ...], int]:
        """Return the first alerts of an incident in the order they came, and how many there are."""
        mine = _table.c.incident_id == incident_id
        query = select(_table).where(mine).order_by(_table.c.received_at, _table.c.alert_id)
        async with self._database.read() as connection:
            rows = (await connection.execute(query.limit(most))).mappings().all()
            total = select(func.count()).select_from(_table).where(mine)
            count = (await connection.execute(total)).scalar_one()
        return tuple(_record(row) for row in rows), count


def _row(one: AlertNews) -> dict[str, Any]:
    state = one.state
    return {
        "alert_id": one.alert_id,
        "incident_id": state.incident_id,
        "delivery_id": one.delivery_id,
        "fingerprint": state.fingerprint,
        "sender": one.sender.value,
        "name": state.name[:_NAME],
        "status": state.status.value,
        "severity": state.severity,
        "reason": one.reason.model_dump(mode="json"),
        "skipped_reason": None if state.skipped is None else state.skipped.value,
        "skipped": None if one.skipped is None else one.skipped.model_dump(mode="json"),
        "body": one.body,
        "state": state.model_dump(mode="json"),
        "times": state.times,
        "starts_at": state.starts_at,
        "ends_at": state.ends_at,
        "received_at": state.first_at,
        "updated_at": state.last_at,
    }


def _order(row: Mapping[Any, Any]) -> tuple[int, datetime, str]:
    grave = _GRAVITY.index(row["severity"]) if row["severity"] in _GRAVITY else len(_GRAVITY)
    return grave, row["received_at"], row["alert_id"]


def _alert(row: Mapping[Any, Any]) -> Alert:
    told = Alert.model_validate(row["body"])
    state = {"status": AlertStatus(row["status"]), "ends_at": row["ends_at"]}
    return told.model_copy(update=state | {"starts_at": row["starts_at"]})


def _record(row: Mapping[Any, Any]) -> AlertRecord:
    names: Sequence[str] = ("alert_id", "incident_id", "delivery_id", "sender")
    return AlertRecord.model_validate(
        {name: row[name] for name in (*names, "reason", "skipped", "state")}
        | {"alert": _alert(row)}
    )
