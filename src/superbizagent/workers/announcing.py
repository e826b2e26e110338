"""Puts messages about an incident into the outbox: one, and others as it goes on."""

from collections.abc import Sequence

from superbizagent.domain.ids import derived_id
from superbizagent.domain.notification import (
    IncidentFacts,
    Notification,
    NotificationLog,
    NotificationStatus,
)
from superbizagent.domain.protocols import Clock
from superbizagent.domain.report import Report
from superbizagent.investigation.wording.notice import cause_of, write_notice
from superbizagent.notifications.config import NotifyConfig
from superbizagent.notifications.policy import Ruling, Standing, decide, told

__all__ = ["Announcer"]


class Announcer:
    """Weighs each new state of an incident, and queues what people are to hear of it.

    Call it when a session of an incident ended, and when an incident is over. `Delivery` sends.

    Args:
        log: the outbox.
        config: which channels there are, and what is worth a message.
        clock: the time.
        public_url: address of this service for people; empty: messages name the command.
    """

    def __init__(
        self, log: NotificationLog, config: NotifyConfig, clock: Clock, public_url: str = ""
    ) -> None:
        self._log = log
        self._config = config
        self._clock = clock
        self._public_url = public_url

    async def announce(
        self, report: Report, facts: IncidentFacts, session_id: str
    ) -> dict[str, Ruling]:
        """Queue what is new, by channel; what waited there and was not begun gives way to it.

        Saying the same twice is harmless: a state that was told is no news.

        Args:
            report: the newest of the incident, checked, as it is stored.
            facts: what is known of the incident now.
            session_id: whose report it is.

        Raises:
            StorageError: when the outbox cannot be read or written.
        """
        if not self._config.channels:
            return {}
        known = await self._log.of_incident(facts.incident_id)
        decided: dict[str, Ruling] = {}
        for channel in self._config.channels:
            earlier = [n for n in known if n.channel == channel]
            decided[channel] = await self._one(channel, earlier, report, facts, session_id)
        return decided

    async def _one(
        self,
        channel: str,
        earlier: Sequence[Notification],
        report: Report,
        facts: IncidentFacts,
        session_id: str,
    ) -> Ruling:
        now = self._clock.now()
        state = Standing(
            severity=facts.severity,
            verdict=report.verdict,
            cause=cause_of(report),
            is_resolved=facts.resolved_at is not None,
        )
        decision = decide(earlier, state, self._config, now)
        for waiting in earlier:
            if waiting.is_waiting and not waiting.attempts:
                await self._log.withdraw(waiting.notification_id)
        if decision.kind is None:
            return decision
        notice = write_notice(
            report,
            facts,
            session_id,
            decision.kind,
            public_url=self._public_url,
            marks=self._config.marks,
        )
        # An id of its own place: a worker that says it again after a crash says it once.
        place = f"notify/{facts.incident_id}/{channel}/{decision.kind.value}/{len(told(earlier))}"
        held = NotificationStatus.HELD if decision.until else NotificationStatus.QUEUED
        await self._log.add(
            Notification(
                notification_id=derived_id(session_id, place),
                channel=channel,
                notice=notice,
                status=held,
                created_at=now,
                next_attempt_at=decision.until or now,
            )
        )
        return decision
