"""A turn that needs a new look, as an incident: what it does not say is taken from before."""

from superbizagent.domain.incident import Channel, Incident
from superbizagent.domain.scope import Scope
from superbizagent.domain.session import DiagnosisSession
from superbizagent.investigation.conversation.turn import LOOKS, Turn, TurnKind

__all__ = ["incident_of_turn"]


def incident_of_turn(turn: Turn, asked: Incident, before: DiagnosisSession | None) -> Incident:
    """Return what is to be diagnosed.

    Args:
        turn: as it was read.
        asked: the turn's own incident: its text, when it came, and the reader's zone.
        before: the session that is asked about, whose services, time and zone stand for those
            that the turn does not say; None for the first turn.
    """
    told = asked.model_copy(update={"channel": Channel.CHAT, "language": turn.language})
    if turn.kind not in LOOKS:
        return told
    time = {
        "start": told.start or (turn.window.start if turn.window else None),
        "end": told.end or (turn.window.end if turn.window else None),
    }
    goes_on = turn.kind is TurnKind.LOOK
    services = told.services or (turn.names if goes_on or turn.pronoun else ())
    if before is None:
        return told.model_copy(update={"services": services, **time})
    old = Incident.model_validate(before.payload["incident"])
    scope = Scope.model_validate(before.scope)
    carried = ["service"] if turn.pronoun else []
    if goes_on and not services and not scope.takes_everything:
        services = tuple(dict.fromkeys(entity.name for entity in scope.entities))
        carried.append("service")
    if goes_on and time["start"] is None and told.at is None:
        window = scope.windows.incident
        time = {"start": window.start, "end": window.end}
        carried.append("window")
    own = {"services": services, "timezone": old.timezone, **time}
    said = {"carried": tuple(carried)} if goes_on or carried else {}
    return told.model_copy(update={**own, **said})
