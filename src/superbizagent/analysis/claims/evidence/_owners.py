"""Whom a fact is about when its entity does not say, and the words of what it was read from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from superbizagent.analysis.claims.evidence.looks import names_in, service_path, services_of
from superbizagent.analysis.claims.evidence.subjects import OWN_LABELS, Subject, label_values
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import AlertList, ChangeList, Topology
from superbizagent.domain.scope import Scope

__all__ = ["Owners"]


@dataclass(frozen=True, slots=True)
class Owners:
    """What a fact's place in the outputs adds to it."""

    services: Mapping[tuple[int, str], str]
    """Call and place (``template/4``) -> entity path or the service's own name."""
    words: Mapping[tuple[int, str], str]
    """Call and place -> what the record, the alert or the change says."""

    @classmethod
    def of(cls, evidence: Evidence, scope: Scope) -> Self:
        """Read the outputs of all calls."""
        places = list(_places(evidence))
        return cls(
            {(p.call, p.place): service_path(p.service, scope) for p in places if p.service},
            {(p.call, p.place): p.words for p in places if p.words},
        )

    def owner_of(self, fact: Fact) -> str:
        """Return the entity path, else the own name of a service or pod, else nothing."""
        if fact.entity:
            return fact.entity
        if fact.place.startswith(("series/", "sum/")):
            labels = label_values(fact.name)
            return next((labels[key] for key in OWN_LABELS if labels.get(key)), "")
        return self.services.get((fact.call, _head(fact.place)), "")

    def subject_of(self, fact: Fact) -> Subject:
        """Return what a fact is a value of."""
        words = self.words.get((fact.call, _head(fact.place)), "")
        if fact.place.startswith("edge/"):
            words = fact.quote
        return Subject(self.owner_of(fact), fact.name, words)


def _head(place: str) -> str:
    return "/".join(place.split("/", 2)[:2])


@dataclass(frozen=True, slots=True)
class _Place:
    call: int
    place: str
    service: str = ""
    words: str = ""


def _places(evidence: Evidence) -> Iterator[_Place]:
    for row in evidence.invocations:
        match row.output:
            case LogDigest() as digest:
                yield from _of_logs(row.number, digest)
            case Topology() as topology:
                for name in names_in(topology):
                    yield _Place(row.number, f"node/{name}", name)
                for k, edge in enumerate(topology.edges):
                    yield _Place(row.number, f"edge/{k}", edge.caller)
            case AlertList(alerts=alerts):
                for k, alert in enumerate(alerts):
                    said = (*alert.labels.values(), *alert.annotations.values())
                    yield _Place(row.number, f"alert/{k}", words=" ".join(said))
            case ChangeList(changes=changes):
                for k, change in enumerate(changes):
                    words = f"{change.entity} {change.summary}"
                    yield _Place(row.number, f"change/{k}", change.entity, words)
            case _:
                pass


def _of_logs(call: int, digest: LogDigest) -> Iterator[_Place]:
    for k, template in enumerate(digest.templates):
        words = f"{template.severity} {template.text}"
        yield _Place(call, f"template/{k}", template.service, words)
    for service in services_of(digest):
        yield _Place(call, f"service/{service}", service)
