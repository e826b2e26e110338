"""A new session out of another one: the same incident and sources, something of it changed."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, StringConstraints, ValidationError, model_validator

from superbizagent.api.parameters import WrittenOut
from superbizagent.api.problems import Refused
from superbizagent.api.services import Services
from superbizagent.domain.incident import Incident, Language
from superbizagent.domain.session import DiagnosisSession, SessionTemplate
from superbizagent.domain.window import IncidentTime
from superbizagent.storage.ids import new_id

__all__ = ["Fork", "forked"]

_Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class Fork(BaseModel):
    """What is to be different; everything that is left out stays as it was."""

    model_config = {"extra": "forbid"}

    start: Annotated[IncidentTime, WrittenOut] | None = Field(
        default=None, description="When the incident starts"
    )
    end: Annotated[IncidentTime, WrittenOut] | None = Field(
        default=None, description="When it ends"
    )
    services: list[_Name] | None = Field(default=None, max_length=50, examples=[["orders"]])
    question: str | None = Field(default=None, max_length=10_000)
    language: Language | None = None
    reasoner: Literal["rules"] | None = Field(default=None, description="`rules`: no model")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.start and self.end and self.end < self.start:
            raise ValueError("`end` lies before `start`")
        return self


def forked(services: Services, parent: DiagnosisSession, wanted: Fork) -> DiagnosisSession:
    """Return the new session, not stored yet.

    Raises:
        Refused: 409 when the parent's incident cannot be read, as of a much older version.
    """
    now = services.clock.now()
    try:
        incident = Incident.model_validate(parent.payload.get("incident"))
        changed = Incident.model_validate(incident.model_dump() | _changes(wanted))
        template = _template(services, parent)
    except ValidationError as error:
        raise Refused(
            409,
            f"what session {parent.session_id!r} was about cannot be read any more",
            "hand the alert or the question in anew",
        ) from error
    session = template.new(
        new_id(now),
        changed,
        conversation_id=parent.conversation_id,
        incident_id=parent.incident_id,
        parent_session_id=parent.session_id,
        reasoner=wanted.reasoner or parent.reasoner,
    )
    # The incident keeps the time at which it was received: "now" of the new diagnosis is the old.
    return session.model_copy(update={"created_at": now, "updated_at": now})


def _changes(wanted: Fork) -> dict[str, Any]:
    given: dict[str, Any] = {
        "start": wanted.start,
        "end": wanted.end,
        "services": tuple(wanted.services) if wanted.services is not None else None,
        "question": wanted.question,
        "language": wanted.language,
    }
    return {name: value for name, value in given.items() if value is not None}


def _template(services: Services, parent: DiagnosisSession) -> SessionTemplate:
    """Return the parent's sources and settings; ours where it has none that we know."""
    ours = services.template
    return ours.model_validate(
        {
            "sources": parent.payload.get("sources", ours.sources),
            "config": parent.payload.get("config", ours.config),
            "code_version": ours.code_version,
        }
    )
