"""What a person or program that waits asks for: an incident, to be answered before all others."""

from superbizagent.api.services import Services
from superbizagent.domain.alert import Alert
from superbizagent.domain.incident import Channel, Incident, report_language

__all__ = ["URGENT", "asked_incident"]

URGENT = 0
"""Priority: somebody waits for it."""


def asked_incident(
    services: Services,
    channel: Channel,
    question: str,
    alerts: tuple[Alert, ...] = (),
    notes: tuple[str, ...] = (),
) -> Incident:
    """Return the incident of a request that comes in now, in the language of its question.

    Args:
        services: its clock, and the settings of language and zone.
        channel: chat, or alerts.
        question: what is asked; may be empty.
        alerts: what it is about.
        notes: what was odd about the payload.
    """
    return Incident(
        channel=channel,
        alerts=alerts,
        question=question,
        notes=notes,
        received_at=services.clock.now(),
        language=report_language(services.language, question, services.locale),
        timezone=services.timezone,
    )
