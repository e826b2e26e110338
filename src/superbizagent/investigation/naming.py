"""Which entities somebody named: the caller, else the alert, else the question or the source.

Pure: everything it knows comes from the incident and what the sources say they hold.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from superbizagent.domain.alert import Alert
from superbizagent.domain.entity import Catalogue, Entity, Resolution
from superbizagent.domain.incident import Incident
from superbizagent.domain.rule import AlertRule
from superbizagent.domain.source import Signal, SourceDescription
from superbizagent.investigation.condition.calls import condition_of

__all__ = ["Naming"]

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)+")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*(?:/[A-Za-z0-9][A-Za-z0-9.-]*)*")
_OBJECT_LABELS = {
    "deployment": "deployment", "statefulset": "statefulset", "daemonset": "daemonset",
    "cronjob": "cronjob", "job_name": "job", "replicaset": "replicaset", "pod": "pod",
    "persistentvolumeclaim": "persistentvolumeclaim", "resourcequota": "resourcequota",
    "node": "node",
}  # fmt: skip
"""Labels of an alert that name an object of a cluster, the nearest to the trouble first, with its
kind. ``job``, ``instance`` and ``container`` of such an alert are those of the exporter."""
_NAMESPACE_LABELS = ("namespace", "k8s_namespace_name", "exported_namespace")
_LOOK = r"\b(?:look (?:at|into|around in)|check|inspect|examine|review|diagnose) "
_SHORT = 2
"""Letters of a name that are too few to know something by."""
_UNSPOKEN = frozenset({"resourcequota", "limitrange", "storageclass"})
"""Kinds whose names are plain words that nobody says of the object."""


@dataclass(frozen=True)
class Naming:
    """Finds what was named in one incident."""

    incident: Incident
    alert: Alert | None
    rule: AlertRule | None
    """Of the alert, where it is known: it names what the sum left no label for."""
    catalogue: Catalogue
    labels: Sequence[str]
    """Labels that name a service, first match wins."""
    sources: Sequence[SourceDescription]

    def named(self) -> tuple[tuple[Entity, ...], tuple[Resolution, ...]]:
        """Return the entities, and the names that no source knows."""
        found: list[Entity] = []
        missed: list[Resolution] = []
        objects = [] if self.incident.services else list(self._objects())
        if objects:
            return tuple(dict.fromkeys(objects)), ()
        place = {} if self.incident.services or self.alert is None else self.alert.labels
        for name in self.incident.services or self._alert_names():
            answer = self.catalogue.resolve(name, place)
            found += self._inside(answer.entities)
            if not answer.entities:
                missed.append(answer)
        if not self.incident.services and self.alert and found:
            missed = []  # `service` was known; that `job` is not is no news
        if missed and not found and not self.incident.services and self._sees_cluster:
            found = self._stand_ins([answer.name for answer in missed])
        if not found and not missed:
            found, missed = self._asked_about()
        if not found and not missed:
            entries = [s.entry for s in self.sources if s.entry]
            found = [e for entry in entries for e in self.catalogue.resolve(entry).entities]
        return tuple(dict.fromkeys(found)), tuple(missed)

    # Alerts --------------------------------------------------------------------------------------

    @property
    def _sees_cluster(self) -> bool:
        return any(Signal.KUBERNETES in source.signals for source in self.sources)

    def _objects(self) -> Iterator[Entity]:
        """Objects of a cluster that the alerts name: of each alert its nearest one."""
        for alert in self.incident.alerts if self._sees_cluster else ():
            for label, kind in _OBJECT_LABELS.items():
                name = alert.labels.get(label, "")
                known = self.catalogue.resolve(name).entities if name else ()
                here = _in_namespace(known, _namespace_of(alert))
                # A pod is known by what made it, whatever kind that is.
                own = [e for e in here if e.kind == kind or (kind == "pod" and e.kind != "service")]
                if own:
                    yield from own
                    break

    def _alert_names(self) -> tuple[str, ...]:
        if self.alert is None:
            return ()
        own = self.alert.labels
        order = [*_OBJECT_LABELS, *self.labels] if self._sees_cluster else self.labels
        names = tuple(dict.fromkeys(own[k] for k in order if own.get(k)))
        space = _namespace_of(self.alert)
        if (
            self._sees_cluster
            and space
            and not any(self.catalogue.resolve(n).entities for n in names)
        ):
            objects = [k for k in _OBJECT_LABELS if own.get(k)]
            return names if objects else (space,)
        return names or self._names_of_rule()

    def _names_of_rule(self) -> tuple[str, ...]:
        condition = condition_of(self.rule)
        labels = condition.labels if condition is not None else ()
        own = [(self.labels.index(key), value) for key, value in labels if key in self.labels]
        return tuple(dict.fromkeys(value for _, value in sorted(own)))

    def _inside(self, found: Sequence[Entity]) -> list[Entity]:
        """Keep what lies in the alert's namespace; a namespace stands for what it holds."""
        space = _namespace_of(self.alert) if self.alert is not None else ""
        return self._opened(_in_namespace(found, space))

    def _opened(self, found: Sequence[Entity]) -> list[Entity]:
        """Put the objects of a namespace in its place where nothing nearer was named."""
        spaces = {e.name for e in found if e.kind == "namespace"}
        objects = [e for e in found if e.kind != "namespace"]
        if not spaces:
            return objects
        inside = [e for e in objects if e.namespace in spaces]
        return inside or objects or [e for e in self.catalogue.entities if e.namespace in spaces]

    def _stand_ins(self, names: Sequence[str]) -> list[Entity]:
        """Objects that are near to what an alert names and nobody saw: saved output is not whole.

        A pod that is gone is named after what made it; else there is the alert's namespace.
        """
        space = _namespace_of(self.alert) if self.alert is not None else ""
        for name in names:
            made = [e for e in self.catalogue.entities if e.is_object and _is_part(name, e.name)]
            here = _in_namespace(made, space)
            if here:
                longest = max(len(e.name) for e in here)
                return [e for e in here if len(e.name) == longest]
        return [e for e in self.catalogue.entities if space and e.namespace == space]

    # Questions -----------------------------------------------------------------------------------

    def _asked_about(self) -> tuple[list[Entity], list[Resolution]]:
        """Entities that a question names, else its words that look like one and are none.

        Only words built like an identifier count as a slip of the pen: "orders" beside a service
        ``order`` is a word, ``ordr-service`` is not. Names of objects of a cluster are often plain
        words, so these must stand as words of their own.
        """
        question = self.incident.question
        plain = [e for e in self.catalogue.entities if not (self._sees_cluster and e.is_object)]
        found = _of_told_place([e for e in plain if e.name.lower() in question.lower()], question)
        if self._sees_cluster:
            found += self._looked_at(question) or self._opened(list(self._spoken(question)))
            found = found or self._partly_spoken(question)
        if found:
            return list(dict.fromkeys(found)), []
        answers = [self.catalogue.resolve(word) for word in _IDENTIFIER.findall(question)]
        return [], [answer for answer in answers if answer.near and not answer.entities]

    def _looked_at(self, question: str) -> list[Entity]:
        """Objects of a namespace that as a whole shall be looked at, not where something is."""
        objects = [e for e in self.catalogue.entities if e.is_object and e.namespace]
        spaces = {s for s in {e.namespace for e in objects} if _is_looked_at(s, question)}
        return [e for e in objects if e.namespace in spaces]

    def _spoken(self, question: str) -> Iterator[Entity]:
        for word in dict.fromkeys(w.rstrip(".") for w in _WORD.findall(question.lower())):
            for name in (word, word.partition(".")[0]):  # booking, booking.crossings.svc
                hits = self.catalogue.resolve(name).entities if name else ()
                spoken = [e for e in hits if e.is_object and e.kind not in _UNSPOKEN]
                if spoken:
                    yield from spoken
                    break

    def _partly_spoken(self, question: str) -> list[Entity]:
        """Objects of which a question says the first or last words: ``postgresql-0``."""
        called = {name: name for name in (e.name for e in self.catalogue.entities if e.is_object)}
        called |= self.catalogue.aliases
        for word in _IDENTIFIER.findall(question.lower()):
            names = {called[n] for n in called if _is_part(n, word) or n.endswith(f"-{word}")}
            near = [e for e in self.catalogue.entities if e.is_object and e.name in names]
            spoken = [e for e in near if e.kind not in _UNSPOKEN]
            if spoken:
                return spoken
        return []


def _is_part(name: str, beginning: str) -> bool:
    """Tell whether a name goes on behind the words of another: ``shop-7d4f-x2`` behind ``shop``."""
    return len(beginning) > _SHORT and name.startswith(f"{beginning}-")


def _of_told_place(found: Sequence[Entity], question: str) -> list[Entity]:
    """Of equal names keep those of which the place was told, where it was."""
    asked = question.lower()
    placed = [e for e in found if any(e.place) and e.located_name.lower() in asked]
    told = {e.name for e in placed}
    return [e for e in found if e in placed or e.name not in told]


def _is_looked_at(space: str, question: str) -> bool:
    name = re.escape(space)
    said = (
        rf"{_LOOK}(?:the )?(?:namespace {name}|{name} namespace)\b|[看查断].{{0,6}}{name} ?命名空间"
    )
    return re.search(said, question, re.IGNORECASE) is not None


def _namespace_of(alert: Alert) -> str:
    return next((alert.labels[k] for k in _NAMESPACE_LABELS if alert.labels.get(k)), "")


def _in_namespace(found: Sequence[Entity], space: str) -> list[Entity]:
    """Keep what lies in a namespace or in none; everything when that is nothing."""
    inside = [e for e in found if not space or e.namespace in {"", space}]
    return inside or ([] if any(e.namespace for e in found) and space else list(found))
