"""A storm: several alerts about several entities, which together say more than the first of them.

Pure: it reads the alerts of the incident, and where they are listed in the evidence.
"""

from collections.abc import Iterator, Sequence

from superbizagent.analysis.alert_evidence import AlertEvidence, alert_evidence
from superbizagent.analysis.alert_list import AlertListInput
from superbizagent.analysis.alert_readings import ENDS, readings_of
from superbizagent.analysis.flow import callees_of
from superbizagent.domain.alert import Alert
from superbizagent.domain.entity import Catalogue, Entity
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.incident import Incident
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.scope import Scope
from superbizagent.investigation.facts.symptom import EntityOf

__all__ = ["is_storm", "storm_entities", "storm_evidence"]

_ALERTS, _ENTITIES = 3, 2
"""Fewer alerts, or of one entity alone, have nothing to be held against."""


def is_storm(incident: Incident, entity_labels: Sequence[str]) -> bool:
    """Tell whether an incident's alerts are to be ranked against each other.

    Args:
        incident: with its alerts.
        entity_labels: labels that name an entity, first match wins.
    """
    named = {name for alert in incident.alerts for name, _ in _names(alert, entity_labels)}
    return len(incident.alerts) >= _ALERTS and len(named) >= _ENTITIES


def storm_entities(
    incident: Incident, catalogue: Catalogue, entity_labels: Sequence[str]
) -> tuple[Entity, ...]:
    """Return the entities that the alerts of a storm name, known or not, in their order.

    What no source knows is still known by its alerts.
    """
    if not is_storm(incident, entity_labels):
        return ()
    taken = {e.name for e in catalogue.entities} | set(catalogue.aliases)
    found: dict[str, Entity] = {}
    for alert in incident.alerts:
        known = catalogue.of_labels(alert.labels, entity_labels)
        if known is not None:
            found[known.path] = known
        elif not any(alert.labels.get(label) in taken for label in entity_labels):
            # Of a name that stands for several places it is not known which one is meant.
            for name, kind in _names(alert, entity_labels):
                entity = Entity(name=name, kind=kind)
                found |= {entity.path: entity} if name not in taken else {}
    return tuple(found.values())


def _names(alert: Alert, entity_labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield name and kind of what an alert is about, and of both ends of a call."""
    own = next((k for k in entity_labels if alert.labels.get(k)), "")
    for label in (own, *ENDS):
        if name := alert.labels.get(label, ""):
            yield name, "host" if label == "host" else "service"


def storm_evidence(
    scope: Scope, evidence: Evidence, entity_of: EntityOf, entity_labels: Sequence[str]
) -> dict[str, AlertEvidence]:
    """Return what the alerts of a storm say of each entity; nothing where there is none.

    Only alerts that a call lists count, because only these can be cited.
    """
    if not is_storm(scope.incident, entity_labels):
        return {}
    listed = tuple(_listed(scope.incident, evidence))
    readings = readings_of([alert for alert, _ in listed], entity_of)
    given = AlertListInput(readings, callees_of(scope.topology, entity_of))
    return alert_evidence(given, [ids for _, ids in listed])


def _listed(incident: Incident, evidence: Evidence) -> Iterator[tuple[Alert, tuple[str, ...]]]:
    """Yield each alert of the incident that the evidence lists, with the facts about it."""
    facts: dict[str, tuple[str, ...]] = {}
    for row in evidence.invocations:
        if not isinstance(row.output, AlertList):
            continue
        places: dict[str, list[str]] = {}
        for fact in row.facts:
            places.setdefault(fact.place, []).append(fact.id)
        for k, alert in enumerate(row.output.alerts):
            facts.setdefault(_identity(alert), tuple(places.get(f"alert/{k}", ())))
    for alert in incident.alerts:
        if ids := facts.get(_identity(alert)):
            yield alert, ids


def _identity(alert: Alert) -> str:
    return f"{sorted(alert.labels.items())} {alert.starts_at}"
