"""Names that the evidence knows: what a scanner reads as the name of something."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.claims.evidence.looks import names_in, service_path, services_of
from superbizagent.analysis.claims.evidence.subjects import OWN_LABELS
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import ChangeList, Topology
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels, SeriesSet

__all__ = ["KnownNames", "names_of"]


_OF_HISTOGRAM = re.compile(r"_(?:sum|count|bucket)$")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What a `NameTable` is made of."""

    entities: dict[str, tuple[str, ...]]
    """Name, path or alias as written -> entity paths; a pod or host of no entity -> itself."""
    metrics: frozenset[str]
    """Metric and log-field names."""


def names_of(evidence: Evidence, scope: Scope, entity_of: EntityOf) -> KnownNames:
    """Return every name that catalogue, series, logs, alerts, changes and topology hold."""
    found: dict[str, dict[str, None]] = {}
    for name, path in (*_catalogued(scope), *_of_outputs(evidence, scope, entity_of)):
        if name:
            found.setdefault(name, {})[path] = None
    return KnownNames(
        entities={name: tuple(found[name]) for name in sorted(found)},
        metrics=frozenset(_metrics(evidence)),
    )


def _catalogued(scope: Scope) -> Iterator[tuple[str, str]]:
    by_name: dict[str, list[str]] = {}
    for entity in dict.fromkeys((*scope.catalogue.entities, *scope.everything)):
        by_name.setdefault(entity.name, []).append(entity.path)
        yield entity.name, entity.path
        yield entity.path, entity.path
    for alias, name in sorted(scope.catalogue.aliases.items()):
        for path in by_name.get(name, ()):
            yield alias, path


def _of_outputs(evidence: Evidence, scope: Scope, entity_of: EntityOf) -> Iterator[tuple[str, str]]:
    for row in evidence.invocations:
        match row.output:
            case SeriesSet() as series:
                yield from _of_labels(series.labels, entity_of)
            case LogDigest() as digest:
                for service in services_of(digest):
                    yield service, service_path(service, scope)
            case Topology() as topology:
                for name in names_in(topology):
                    yield name, service_path(name, scope)
            case ChangeList(changes=changes):
                for change in changes:
                    yield change.entity, service_path(change.entity, scope)
            case _:
                pass


def _of_labels(labels: Iterable[Labels], entity_of: EntityOf) -> Iterator[tuple[str, str]]:
    """Pods and hosts stand for the entity whose series name them, each pair once."""
    seen: set[tuple[str, ...]] = set()
    for item in labels:
        own = tuple(item[key] for key in OWN_LABELS if item.get(key))
        if not own:
            continue
        path = entity_of(item) or own[0]
        if (path, *own) in seen:
            continue
        seen.add((path, *own))
        for name in own:
            yield name, path


def _metrics(evidence: Evidence) -> Iterator[str]:
    for row in evidence.invocations:
        match row.output:
            case SeriesSet() as series:
                for name in {labels.get("__name__", "") for labels in series.labels}:
                    yield name
                    # A histogram is spoken of by its own name.
                    yield _OF_HISTOGRAM.sub("", name)
            case LogDigest() as digest:
                yield from (stat.key for t in digest.templates for stat in t.fields)
            case _:
                pass
