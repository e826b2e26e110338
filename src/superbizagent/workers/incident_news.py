"""Tells people of incidents: when a diagnosis of one ended, and when one is over."""

from datetime import datetime, timedelta

from pydantic import ValidationError

from superbizagent.domain.incident_record import IncidentRecord
from superbizagent.domain.notification import IncidentFacts
from superbizagent.domain.protocols import Clock
from superbizagent.domain.report import Report
from superbizagent.domain.session import DiagnosisSession
from superbizagent.storage.store import Storage
from superbizagent.telemetry import get_logger
from superbizagent.workers.announcing import Announcer

__all__ = ["IncidentNews"]


_DAY = timedelta(days=1)
"""An end that was not told within a day is no news any more."""


class IncidentNews:
    """Looks for what is news of an incident and has it weighed.

    Args:
        storage: where incidents and sessions are.
        announcer: weighs and queues it.
        clock: the time.
    """

    def __init__(self, storage: Storage, announcer: Announcer, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._announcer = announcer
        self._weighed: dict[str, datetime | None] = {}
        self._log = get_logger("notifications")

    async def of_session(self, session: DiagnosisSession) -> None:
        """Tell what a session of an incident came to, if it has a report."""
        if session.incident_id is None or session.report is None:
            return
        record = await self._storage.incidents.get(session.incident_id)
        if record is not None:
            await self._tell(record, session)

    async def of_resolved(self) -> int:
        """Tell of incidents that are over and that people heard of; return how many there were.

        Each end of an incident is weighed once in the life of this process; that it was told is
        known from what was sent.
        """
        found = await self._storage.incidents.resolved_and_told(self._clock.now() - _DAY)
        news = [one for one in found if self._weighed.get(one.incident_id) != one.ended_at]
        for record in news:
            session = await self._storage.sessions.get(record.session_id or "")
            if session is not None and session.report is not None:
                await self._tell(record, session)
            # Only now: what the database refuses is weighed again at the next turn.
            self._weighed[record.incident_id] = record.ended_at
        self._weighed = {one.incident_id: one.ended_at for one in found}
        return len(news)

    async def _tell(self, record: IncidentRecord, session: DiagnosisSession) -> None:
        try:
            report = Report.model_validate(session.report)
        except ValidationError:  # of another version
            self._log.warning("the report cannot be read", session_id=session.session_id)
            return
        facts = IncidentFacts.of(record.state)
        decided = await self._announcer.announce(report, facts, session.session_id)
        for channel, ruling in decided.items():
            self._log.info(
                "weighed",
                incident_id=record.incident_id,
                channel=channel,
                action=ruling.action.value,
                reason=ruling.reason,
            )
