"""What is looked at: entities, windows, the alert's identifiers, and what was assumed."""

from datetime import timedelta

from pydantic import Field

from superbizagent.domain.alert import Alert
from superbizagent.domain.entity import Catalogue, Entity, Resolution
from superbizagent.domain.incident import Channel, Incident, Language
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.model import Model
from superbizagent.domain.outputs import Topology
from superbizagent.domain.rule import AlertRule, RuleReading
from superbizagent.domain.source import SourceDescription
from superbizagent.domain.window import Instant, Windows

__all__ = ["Assumption", "Scope"]


class Assumption(Model):
    """Something nobody told us, and the flag that changes it."""

    code: str
    """Key of the narrator's table, e.g. ``window_from_extent``."""
    value: str = ""
    flag: str = ""
    names: tuple[str, ...] = ()
    """Entities that it is about, with their places."""


class Scope(Model):
    """The frame of one diagnosis."""

    incident: Incident
    windows: Windows
    entities: tuple[Entity, ...] = ()
    """Named by the alert or the question; the first is the one that hurts."""
    neighbours: tuple[Entity, ...] = ()
    """One hop away, or everything known when nothing was named."""
    unresolved: tuple[Resolution, ...] = ()
    catalogue: Catalogue = Catalogue()
    topology: Topology = Topology()
    sources: tuple[SourceDescription, ...] = ()
    failed: tuple[str, ...] = ()
    """``name: reason`` of each source that could not even say what it has."""
    alert: Alert | None = None
    """The alert that leads; the rest stay in the incident."""
    alert_identifiers: tuple[str, ...] = ()
    """Alert name, service, instance: what the report must speak of."""
    symptom: str = ""
    symptom_at: Instant | None = None
    """Best known time of the symptom, at or before the alert's ``starts_at``."""
    rule: AlertRule | None = None
    """By which the alert fired, where that is known."""
    condition: RuleReading | None = None
    """When its expression was true, where that could be evaluated."""
    step: timedelta = timedelta(seconds=15)
    """Measured sampling interval: the least uncertainty of any onset."""
    assumptions: tuple[Assumption, ...] = ()
    learnt: LearntNormal | None = Field(default=None, exclude_if=lambda learnt: learnt is None)
    """How this system is while nothing is wrong, where that was learnt."""

    @property
    def channel(self) -> Channel:
        """Chat or AIOps."""
        return self.incident.channel

    @property
    def language(self) -> Language:
        """Language of the report."""
        return self.incident.language

    @property
    def everything(self) -> tuple[Entity, ...]:
        """Entities in scope, then neighbours, each once."""
        return tuple(dict.fromkeys((*self.entities, *self.neighbours)))

    @property
    def takes_everything(self) -> bool:
        """Whether nothing was named, so that all that is known is in scope."""
        return any(a.code == "all_entities" for a in self.assumptions)

    @property
    def alert_at(self) -> Instant | None:
        """When the alert fired; of a recording without one when it says that it did."""
        return self.alert.starts_at if self.alert else self.symptom_at

    def __hash__(self) -> int:
        return hash(self.windows)
