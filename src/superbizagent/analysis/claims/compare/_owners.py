"""Whom a fact is about when its entity does not say, and the words of what it was read from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from superbizagent.analysis.claims.compare._looks import service_path
from superbizagent.analysis.claims.compare._subjects import OWN_LABELS, Subject, label_values
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import AlertList, ChangeList
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
        services: dict[tuple[int, str], str] = {}
        words: dict[tuple[int, str], str] = {}
        for row in evidence.invocations:
            match row.output:
                case LogDigest(templates=templates):
                    for k, template in enumerate(templates):
                        place = (row.number, f"template/{k}")
                        services[place] = service_path(template.service, scope)
                        words[place] = f"{template.severity} {template.text}"
                case AlertList(alerts=alerts):
                    for k, alert in enumerate(alerts):
                        said = (*alert.labels.values(), *alert.annotations.values())
                        words[row.number, f"alert/{k}"] = " ".join(said)
                case ChangeList(changes=changes):
                    for k, change in enumerate(changes):
                        services[row.number, f"change/{k}"] = service_path(change.entity, scope)
                        words[row.number, f"change/{k}"] = f"{change.entity} {change.summary}"
                case _:
                    pass
        return cls(services, words)

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
