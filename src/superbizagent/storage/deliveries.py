"""``webhook_delivery``: every body that a sender handed in, whole, redacted, each once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.incident_record import Sender
from superbizagent.storage.database import Database
from superbizagent.storage.service_tables import webhook_delivery

__all__ = ["DeliveryRepository", "DeliveryRow"]

_table = webhook_delivery


@dataclass(slots=True)
class DeliveryRow:
    """One body; the same bytes again count here."""

    delivery_id: str
    sender: Sender
    digest: str
    """Of the bytes as they came."""
    body: str
    notes: tuple[str, ...]
    alert_count: int
    times: int
    received_at: datetime


class DeliveryRepository:
    """Writes deliveries within the transactions of intake."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def known_in(
        self, connection: AsyncConnection, digests: Iterable[str]
    ) -> dict[tuple[str, str], str]:
        """Return the ids of deliveries that came before, by sender and digest."""
        query = select(_table.c.sender, _table.c.digest, _table.c.delivery_id).where(
            _table.c.digest.in_(list(digests))
        )
        rows = await connection.execute(query)
        return {(row.sender, row.digest): row.delivery_id for row in rows}

    async def put_in(
        self,
        connection: AsyncConnection,
        new: Sequence[DeliveryRow],
        again: Sequence[tuple[str, int]],
    ) -> None:
        """Store new deliveries, and how much oftener others came: id and by how many."""
        if new:
            rows = [
                {
                    "delivery_id": one.delivery_id,
                    "sender": one.sender.value,
                    "digest": one.digest,
                    "body": one.body,
                    "notes": list(one.notes),
                    "alert_count": one.alert_count,
                    "times": one.times,
                    "received_at": one.received_at,
                }
                for one in new
            ]
            await connection.execute(insert(_table), rows)
        if again:
            mine = update(_table).where(_table.c.delivery_id == bindparam("mine"))
            counted = mine.values(times=_table.c.times + bindparam("more"))
            await connection.execute(counted, [{"mine": n, "more": k} for n, k in again])
