"""What the analysis found abnormal, and of what nothing was found though it was looked at."""

from collections.abc import Collection, Sequence

from superbizagent.analysis.claims.compare._speech import Speech
from superbizagent.analysis.claims.concepts import (
    concept_bits,
    concepts_of_metric,
    concepts_of_text,
)
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.finding import LOG_KINDS, Finding, FindingKind
from superbizagent.domain.plan import ToolName

__all__ = ["abnormal", "concepts_of", "is_examined", "of_entities", "speaks_of"]

_NO_TROUBLE = frozenset({FindingKind.ALERT, FindingKind.CHANGE})
_FAMILIES = {
    "err": ("error",),
    "lat": ("latency", "request"),
    "cpu": ("cpu",),
    "mem": ("memory",),
    "disk": ("disk",),
    "net": ("network",),
    "qps": ("throughput", "traffic", "request"),
    "inst": ("restart", "replica", "availability"),
    "saturation": ("saturation",),
}
_GENERIC = frozenset({"log", "alert", "host", "pod", "process", "replica", "change", "user"})
"""Concepts that say whose or where, not what moved."""


def abnormal(ground: Ground) -> tuple[Finding, ...]:
    """Return the findings that say that something is wrong: not that an alert fired."""
    return tuple(f for f in ground.analysis.findings if f.kind not in _NO_TROUBLE and f.score > 0)


def of_entities(findings: Sequence[Finding], entities: Collection[str]) -> tuple[Finding, ...]:
    """Return the findings of these entities; all when none is given."""
    return tuple(f for f in findings if not entities or f.entity in entities)


def concepts_of(finding: Finding) -> int:
    """Return the concepts that a reader may call a finding by."""
    bits = concept_bits(_FAMILIES.get(finding.family, ()))
    if finding.kind in LOG_KINDS:
        return bits | concepts_of_text(finding.subject)
    name, _, labels = finding.subject.partition("{")
    return bits | concepts_of_metric(name, labels.removesuffix("}"), finding.unit, "")


def speaks_of(said: Speech, finding: Finding, without: Collection[str] = ()) -> bool:
    """Tell whether a stretch of a sentence is about a finding; one without a topic is.

    Args:
        said: the stretch.
        finding: the finding.
        without: concepts whose phrases are not asked for.
    """
    asked = said.asked(_GENERIC | set(without))
    bits = concepts_of(finding)
    return all(phrase & bits for phrase in asked)


def is_examined(ground: Ground, entity: str) -> bool:
    """Tell whether all series that a source has of an entity were read."""
    return ground.covers(ToolName.QUERY_METRICS, entity, None)
