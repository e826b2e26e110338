"""What one alert of a list says: of which entity, what kind, of a call between which two.

Names and labels alone are read. Equal complaints must come out equal whatever the rule is called:
percentiles and severities are left out of a kind, the direction is part of it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.families import WEIGHTS, meaning_of
from superbizagent.domain.alert import Alert
from superbizagent.domain.series import Labels

__all__ = ["CALLEES", "CALLERS", "ENDS", "AlertReading", "Side", "readings_of"]


class Side(StrEnum):
    """What an alert is about: an entity by itself, its log, one of its operations, a call."""

    OWN = "own"
    LOG = "log"
    OPERATION = "operation"
    """Of the entity, which may be a call to somebody that the alert does not name."""
    CLIENT = "client"
    """A call as its caller saw it."""
    SERVER = "server"
    """A call as its callee saw it."""


@dataclass(frozen=True, slots=True)
class AlertReading:
    """One alert, read."""

    entity: str
    """Path of the entity that it is about: of a call the one that answered."""
    kind: str
    """Equal for equal complaints about different entities."""
    family: str
    """``err, lat, cpu …`` of `families`, ``log`` for what a log says."""
    weight: float
    """How much a move of this family in this direction says, of `families.WEIGHTS`."""
    side: Side = Side.OWN
    caller: str = ""
    """Path of the other end of a call."""
    operation: str = ""
    at: datetime | None = None
    source: int = 0
    """Position of the alert in its list."""


_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PERCENTILE = re.compile(r"p\d{2,3}")
_SEVERITIES = frozenset({"critical", "warning", "warn", "page", "info", "major", "minor", "alert"})
_RISES = frozenset({"up", "high", "rise", "rising", "increase", "increased", "above", "spike"})
_FALLS = frozenset({"down", "low", "fall", "falling", "drop", "decrease", "decreased", "below"})
_DIRECTIONS = {**dict.fromkeys(_RISES, 1), **dict.fromkeys(_FALLS, -1)}

# Labels as Tempo's service graphs, Istio and the OpenTelemetry collector write them.
CALLERS = ("client", "caller", "source_workload", "source_service", "source_app")
CALLEES = (
    "server", "callee", "destination_workload", "destination_service_name", "destination_service",
    "destination_app", "peer_service",
)  # fmt: skip
ENDS = (*CALLERS, *CALLEES)
"""Labels that name one end of a call."""
_OPERATIONS = ("operation", "span_name", "rpc_method", "http_route", "route", "endpoint")
_TEMPLATES = ("log_template", "template", "log_pattern")
_CLIENT_VIEWS = frozenset({"client", "span_kind_client", "source"})
_LOG_WORDS = frozenset({"log", "logs"})
_ROOM = frozenset({"space", "remaining", "left", "headroom", "budget"})
"""A fall of these is what hurts, in the names of rules."""


def readings_of(alerts: Sequence[Alert], entity_of: EntityOf) -> tuple[AlertReading, ...]:
    """Return what each alert says, those left out whose entity nobody knows.

    Args:
        alerts: of one list.
        entity_of: which entity a label set belongs to, as a path.
    """
    found = (_reading(k, alert, entity_of) for k, alert in enumerate(alerts))
    return tuple(reading for reading in found if reading is not None)


def _reading(source: int, alert: Alert, entity_of: EntityOf) -> AlertReading | None:
    labels = alert.labels
    words = [w.lower() for w in _SPLIT.split(alert.name) if w]
    template = _first(labels, _TEMPLATES)
    if template or _LOG_WORDS & set(words):
        entity = entity_of(labels)
        kind = f"log:{template or _kind(words, 0)}"
        read = AlertReading(entity or "", kind, "log", 1.0, Side.LOG)
    else:
        meaning = meaning_of({**labels, "__name__": alert.name})
        direction = _direction(labels, words)
        sign = -1 if _ROOM & set(words) else meaning.sign
        worse = direction == 0 or direction * sign > 0
        side, entity, caller = _ends(labels, entity_of)
        read = AlertReading(
            entity=entity,
            kind=_kind(words, direction),
            family=meaning.family,
            weight=WEIGHTS[meaning.family][0 if worse else 1],
            side=side,
            caller=caller,
            operation=_first(labels, _OPERATIONS) if side is not Side.OWN else "",
        )
    return replace(read, at=alert.starts_at, source=source) if entity else None


def _ends(labels: Labels, entity_of: EntityOf) -> tuple[Side, str, str]:
    """Return the side, the entity, and the caller where it is about a call."""
    entity = entity_of(labels) or ""
    caller = _entity(_first(labels, CALLERS), entity_of)
    callee = _entity(_first(labels, CALLEES), entity_of)
    if callee and not caller and entity != callee:
        caller = entity  # the caller complains of its peer
    if caller and not callee and entity != caller:
        callee = entity
    if caller and callee and caller != callee:
        view = (labels.get("span_kind", "") or labels.get("reporter", "")).lower()
        return (Side.CLIENT if view in _CLIENT_VIEWS else Side.SERVER), callee, caller
    entity = entity or callee or caller
    return (Side.OPERATION if _first(labels, _OPERATIONS) else Side.OWN), entity, ""


def _entity(name: str, entity_of: EntityOf) -> str:
    return (entity_of({"service": name}) or "") if name else ""


def _direction(labels: Mapping[str, str], words: Sequence[str]) -> int:
    """+1 it rose, -1 it fell, 0 nobody says so."""
    told = _DIRECTIONS.get(labels.get("direction", "").lower(), 0)
    return told or next((_DIRECTIONS[w] for w in reversed(words) if w in _DIRECTIONS), 0)


def _kind(words: Sequence[str], direction: int) -> str:
    kept = [w for w in words if not _PERCENTILE.fullmatch(w) and w not in _SEVERITIES]
    way = {1: " up", -1: " down", 0: ""}[direction]
    return "_".join(w for w in kept if w not in _DIRECTIONS or not direction) + way


def _first(labels: Mapping[str, str], names: Sequence[str]) -> str:
    return next((labels[name] for name in names if labels.get(name)), "")
