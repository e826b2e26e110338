"""From incidents to sessions: looks once a second at what is due and starts what may start.

What is decided is decided within one transaction that writes, so of two workers one decides and
the other sees it; and an incident's session is created, queued and noted together, so a worker
that is killed leaves all of it or nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from superbizagent.analysis.incidents.dispatch import decide
from superbizagent.domain.alert import Alert
from superbizagent.domain.grouping import Decision, Skip, Start, Wait
from superbizagent.domain.ids import derived_id
from superbizagent.domain.incident import Incident, Language
from superbizagent.domain.incident_record import IncidentRecord
from superbizagent.domain.intake import IntakeConfig, StormConfig
from superbizagent.domain.protocols import Clock
from superbizagent.domain.session import SessionTemplate
from superbizagent.storage.ids import new_id
from superbizagent.storage.store import Storage
from superbizagent.telemetry import get_logger

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

__all__ = ["Dispatcher", "Reader"]

_MOST_ALERTS = 100
"""Of one session: more of one incident say the same of other pods."""
_PRIORITY = {"critical": 2, "error": 3, "warning": 4}
_LEAST = 5
"""Behind what a person waits for (0), before what nobody does (9)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """For whom reports are written."""

    language: Language = Language.EN
    timezone: str = "UTC"


class Dispatcher:
    """Starts the diagnoses of incidents, and says of the others what they wait for.

    Args:
        storage: where incidents and sessions are.
        clock: the time.
        template: what the sessions have in common.
        intake: how long an incident is left alone first.
        storm: what diagnoses may cost.
        reader: for whom reports are written.
    """

    def __init__(  # noqa: PLR0913 - what a session is made of
        self,
        storage: Storage,
        clock: Clock,
        template: SessionTemplate,
        *,
        intake: IntakeConfig,
        storm: StormConfig,
        reader: Reader,
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._template = template
        self._intake = intake
        self._storm = storm
        self._reader = reader
        self._log = get_logger("dispatch")

    async def dispatch(self) -> int:
        """Start what is due; return how many sessions were created.

        Raises:
            StorageError: when the database refuses.
        """
        async with self._storage.database.read() as connection:
            plan = await self._plan(connection)
        if not plan:  # most seconds nothing changes, and nobody is kept from writing
            return 0
        async with self._storage.database.write() as connection:
            plan = await self._plan(connection)
            for start in plan.starts:
                await self._start(connection, plan.records[start.incident_id], start)
            await self._storage.incidents.wait_in(connection, plan.waits)
            for skip in plan.skips:
                event_id = new_id(plan.at)
                await self._storage.incidents.skip_in(connection, skip, event_id)
        if plan.starts:
            self._log.info("diagnoses were started", sessions=len(plan.starts))
        return len(plan.starts)

    async def _plan(self, connection: "AsyncConnection") -> "_Plan":
        now = self._clock.now()
        found = await self._storage.incidents.undecided_in(connection)
        records = {one.incident_id: one for one in found}
        past = await self._storage.incidents.diagnoses_in(connection, records, now)
        states = [one.state for one in found]
        decision = decide(states, past, now, self._intake, self._storm)
        return _Plan(now, records, decision.starts, _news(records, decision), decision.skips)

    async def _start(
        self, connection: "AsyncConnection", record: IncidentRecord, start: Start
    ) -> None:
        count = record.session_count + 1
        session_id = derived_id(record.incident_id, f"diagnosis/{count}")
        alerts, total = await self._storage.alerts.acting_in(
            connection, record.incident_id, _MOST_ALERTS
        )
        incident = self._incident(alerts, total, start.diagnosis.started_at)
        session = self._template.new(session_id, incident, incident_id=record.incident_id)
        priority = _PRIORITY.get(record.severity, _LEAST)
        await self._storage.queue.put_in(connection, session, priority)
        await self._storage.incidents.start_in(connection, start, session_id, count)

    def _incident(self, alerts: Sequence[Alert], total: int, at: datetime) -> Incident:
        left = total - len(alerts)
        notes = (f"{left} more alerts of this incident were left out, the least grave",)
        return Incident(
            alerts=tuple(alerts),
            received_at=at,
            language=self._reader.language,
            notes=notes if left else (),
            timezone=self._reader.timezone,
        )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be written."""

    at: datetime
    records: dict[str, IncidentRecord]
    starts: tuple[Start, ...]
    waits: tuple[tuple[str, Wait | None], ...]
    """What has changed of what incidents wait for."""
    skips: tuple[Skip, ...]

    def __bool__(self) -> bool:
        return bool(self.starts or self.waits or self.skips)


def _news(
    records: dict[str, IncidentRecord], decision: Decision
) -> tuple[tuple[str, Wait | None], ...]:
    now = {wait.incident_id: wait for wait in decision.waits}
    started = {start.incident_id for start in decision.starts}
    return tuple(
        (name, now.get(name))
        for name, one in records.items()
        if name not in started and now.get(name) != one.waiting
    )
