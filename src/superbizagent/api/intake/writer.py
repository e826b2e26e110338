"""The one writer of alerts: takes what waits, commits it together, then answers.

A request costs a share of a transaction, not one of its own. While one is under way the next ones
wait in a queue of bounded length; what does not fit is refused and comes again.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from superbizagent.analysis.incidents.grouper import Grouper
from superbizagent.api.intake.placing import Batch, Placed, Placer, note_placed
from superbizagent.api.intake.reading import Delivery
from superbizagent.domain.protocols import Clock
from superbizagent.errors import StorageError
from superbizagent.storage.deliveries import DeliveryRow
from superbizagent.storage.ids import new_id
from superbizagent.storage.service_state import INTAKE
from superbizagent.storage.store import Storage
from superbizagent.telemetry import get_logger

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

__all__ = ["Intake", "IntakeFullError", "Receipt"]

QUEUE_LENGTH = 5000
"""Requests that wait: ten seconds of a storm."""
_GATHER_SECONDS = 0.01
"""How long the first of a batch waits for others."""
_MOST_ALERTS = 500
"""In one transaction: it holds the database for some 50 ms."""
_PAUSE_EVERY = 200
"""Alerts of one huge body, after which others have their turn."""
_TEND_SECONDS = 10.0
_EXPIRE_SECONDS = 60.0
_REGROUP_SECONDS = 1.0
"""Between looks at which incidents are one; a look at thousands costs a share of this."""


class IntakeFullError(Exception):
    """Too many requests wait already; nothing of this one was stored."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was stored, as it is answered."""

    alert_ids: tuple[str, ...]
    incident_ids: tuple[str, ...]
    session_id: str | None
    """Newest diagnosis of the first incident that has one."""
    duplicates: int
    """Alerts that only repeat what was known."""
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Waiting:
    delivery: Delivery
    answer: asyncio.Future[Receipt]


class Intake:
    """Stores deliveries, several in one transaction.

    What grouping knows is held in memory, and read from the database at the start, after a
    transaction that failed, and when another process wrote alerts meanwhile.

    Args:
        storage: where alerts go.
        clock: the time.
        make_grouper: makes an empty one around a function that names incidents.
        on_urgent: called after something was committed that is to be diagnosed without delay.
    """

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        make_grouper: Callable[[Callable[[], str]], Grouper],
        on_urgent: Callable[[], None],
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._placer = Placer(make_grouper)
        self._on_urgent = on_urgent
        self._queue = asyncio.Queue[_Waiting](QUEUE_LENGTH)
        self._owner = secrets.token_hex(8)
        self._turn = 0
        self._mark: object = None
        """What stands in the database after our last transaction; None: read all anew."""
        self._edges = frozenset[tuple[str, str]]()
        self._tend_at = self._expire_at = self._regroup_at = 0.0
        self._log = get_logger("intake")

    async def take(self, delivery: Delivery) -> Receipt:
        """Store a delivery and return what it came to, after the commit.

        A caller that is gone meanwhile changes nothing: its delivery is stored.

        Raises:
            IntakeFullError: when too many wait.
            StorageError: when the database refuses; nothing of it is stored then.
        """
        waiting = _Waiting(delivery, asyncio.get_running_loop().create_future())
        try:
            self._queue.put_nowait(waiting)
        except asyncio.QueueFull:
            raise IntakeFullError from None
        return await waiting.answer

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Write while the block lasts; what waits at its end is written first."""
        task = asyncio.create_task(self._work(), name="intake")
        try:
            yield
        finally:
            writing = asyncio.create_task(self._queue.join())
            await asyncio.wait([writing, task], return_when=asyncio.FIRST_COMPLETED)
            writing.cancel()
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _work(self) -> None:
        while True:
            await self._look_after()
            batch = await self._next()
            if batch:
                await self._store(batch)
            for _ in batch:
                self._queue.task_done()

    async def _next(self) -> list[_Waiting]:
        try:
            pause = _REGROUP_SECONDS if self._placer.has_news else _TEND_SECONDS
            first = await asyncio.wait_for(self._queue.get(), pause)
        except TimeoutError:
            return []
        await asyncio.sleep(_GATHER_SECONDS)
        batch, alerts = [first], len(first.delivery.alerts)
        while alerts < _MOST_ALERTS and not self._queue.empty():
            batch.append(self._queue.get_nowait())
            alerts += len(batch[-1].delivery.alerts)
        return batch

    async def _store(self, waiting: Sequence[_Waiting]) -> None:
        """Commit a batch; when one of it cannot be stored, the others still are."""
        try:
            receipts = await self._commit([one.delivery for one in waiting])
        except StorageError as error:
            _refuse(waiting, error)
        except Exception as error:  # noqa: BLE001 - the writer must outlive whatever was sent
            self._log.error("internal error", exc_info=error)
            if len(waiting) > 1:
                for one in waiting:
                    await self._store([one])
                return
            said = "the delivery could not be stored; our log holds the reason"
            _refuse(waiting, StorageError(said))
        else:
            for one, receipt in zip(waiting, receipts, strict=True):
                if not one.answer.done():
                    one.answer.set_result(receipt)

    async def _commit(self, deliveries: Sequence[Delivery]) -> list[Receipt]:
        storage, batch = self._storage, Batch()
        async with self._writing() as connection:
            digests = {one.digest for one in deliveries}
            known = await storage.deliveries.known_in(connection, digests)
            rows = _Rows(known)
            found = [await self._place(one, rows, batch) for one in deliveries]
            await storage.deliveries.put_in(connection, rows.new, rows.again)
            await self._put(connection, batch)
            named = {name for placed in found for name in placed.incident_ids}
            sessions = await storage.incidents.sessions_in(connection, named - set(batch.new))
        if batch.is_urgent:
            self._on_urgent()
        return [_receipt(placed, sessions) for placed in found]

    async def _put(self, connection: "AsyncConnection", batch: Batch) -> None:
        new, changed = batch.new.values(), batch.changed.values()
        await self._storage.incidents.put_in(connection, new, changed, self._clock.now())
        await self._storage.alerts.put_in(connection, batch.alerts.values())
        await self._storage.incidents.add_events_in(connection, batch.events)

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator["AsyncConnection"]:
        """One transaction around what we hold; after one that failed all is read anew."""
        mark = {"owner": self._owner, "turn": self._turn + 1}
        try:
            async with self._storage.database.write() as connection:
                await self._catch_up(connection)
                yield connection
                await self._storage.state.set_in(connection, INTAKE, mark)
        except BaseException:
            self._mark = None
            raise
        self._turn, self._mark = self._turn + 1, mark

    async def _catch_up(self, connection: "AsyncConnection") -> None:
        """Take up what is stored when it is not what we hold."""
        stored = await self._storage.state.get_in(connection, INTAKE)
        if self._mark is None or stored is None or stored[0] != self._mark:
            self._placer.restore(
                await self._storage.incidents.open_in(connection),
                await self._storage.alerts.open_in(connection),
            )

    async def _place(self, delivery: Delivery, rows: "_Rows", batch: Batch) -> Placed:
        placed = Placed(notes=dict.fromkeys(delivery.notes))
        delivery_id = rows.note(delivery)
        for number, alert in enumerate(delivery.alerts, 1):
            one = self._placer.place(alert, delivery, delivery_id, batch)
            note_placed(placed, one, self._placer.alert_id(one))
            if number % _PAUSE_EVERY == 0:
                await asyncio.sleep(0)
        return placed

    async def _look_after(self) -> None:
        """Do what is due beside storing; whatever goes wrong there, alerts are taken."""
        try:
            await self._tend()
            await self._regroup()
        except StorageError as error:
            self._log.warning("incidents could not be tended", error=str(error))
        except Exception as error:  # noqa: BLE001 - the writer must outlive what it holds
            self._log.error("internal error", exc_info=error)

    async def _tend(self) -> None:
        """From time to time: learn who calls whom, and let go of incidents that are over."""
        now = self._clock.monotonic()
        if now < self._tend_at:
            return
        self._tend_at = now + _TEND_SECONDS
        edges = await self._storage.edges.all()
        if edges != self._edges:
            self._placer.set_edges(sorted(edges))
            self._edges = edges
        if now >= self._expire_at:
            self._expire_at = now + _EXPIRE_SECONDS
            await self._expire()

    async def _expire(self) -> None:
        async with self._writing() as connection:
            at = self._clock.now()
            gone, events = self._placer.expire(at)
            await self._storage.incidents.close_in(connection, gone, at)
            await self._storage.incidents.add_events_in(connection, events)

    async def _regroup(self) -> None:
        """Merge incidents that turned out to be one, if nobody diagnosed or heard of them."""
        now = self._clock.monotonic()
        if now < self._regroup_at or not self._placer.has_news:
            return
        self._regroup_at = now + _REGROUP_SECONDS
        async with self._writing() as connection:
            at = self._clock.now()
            keep = await self._storage.incidents.kept_in(connection)
            found = self._placer.regroup(at, keep)
            await self._put(connection, found.batch)
            await self._storage.alerts.move_in(connection, found.moves.values())
            await self._storage.incidents.merge_in(connection, found.merged, at)
        if found.merged:
            self._log.info("incidents were merged", merged=len(found.merged))
        if found.batch.is_urgent:
            self._on_urgent()


@dataclass(slots=True)
class _Rows:
    """Deliveries of a batch as rows, the same bytes once."""

    known: dict[tuple[str, str], str]
    """Ids of those that are stored, by sender and digest."""
    _new: dict[str, DeliveryRow] = field(default_factory=dict[str, DeliveryRow])
    _again: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def new(self) -> list[DeliveryRow]:
        return list(self._new.values())

    @property
    def again(self) -> list[tuple[str, int]]:
        return list(self._again.items())

    def note(self, delivery: Delivery) -> str:
        """Count a delivery and return its id."""
        place = (delivery.sender.value, delivery.digest)
        known = self.known.get(place)
        if known in self._new:
            self._new[known].times += 1
            return known
        if known is not None:
            self._again[known] = self._again.get(known, 0) + 1
            return known
        made = self.known[place] = new_id(delivery.received_at)
        self._new[made] = DeliveryRow(
            delivery_id=made,
            sender=delivery.sender,
            digest=delivery.digest,
            body=delivery.text,
            notes=delivery.notes,
            alert_count=len(delivery.alerts),
            times=1,
            received_at=delivery.received_at,
        )
        return made


def _receipt(placed: Placed, sessions: dict[str, str]) -> Receipt:
    found = (sessions[name] for name in placed.incident_ids if name in sessions)
    return Receipt(
        alert_ids=tuple(placed.alert_ids),
        incident_ids=tuple(placed.incident_ids),
        session_id=next(found, None),
        duplicates=placed.duplicates,
        notes=tuple(placed.notes),
    )


def _refuse(waiting: Sequence[_Waiting], error: StorageError) -> None:
    for one in waiting:
        if not one.answer.done():
            one.answer.set_exception(error)
