"""What a list of alerts adds to the ranking of causes: terms with the facts they rest on."""

from collections.abc import Sequence
from dataclasses import dataclass

from superbizagent.analysis.alert_list import AlertListInput, AlertTerm, rank_alert_list
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.finding import CandidateCause, FaultKind, ScoreTerm

__all__ = [
    "ALERT_TERMS",
    "AlertEvidence",
    "alert_evidence",
    "rests_on_alerts",
    "shares_of",
    "shows_itself",
]

_FACTS = 5  # of a term; the strongest alerts come first
_CHANNELS = 4
_OWN, _FELT = "alerts_own", "alerts_felt"
ALERT_TERMS = frozenset({_OWN, _FELT, "alerts_logs", "alerts_calls"})
"""Names of the terms that alerts give."""
_TAKEN = "explained_by_callee"
_MEASURED = frozenset({FaultKind.CPU, FaultKind.MEMORY, FaultKind.DISK, FaultKind.RESTART})
"""Kinds that an alert states outright; the others are only what it looks like."""


@dataclass(frozen=True, slots=True)
class AlertEvidence:
    """What the alerts of one list say of one entity."""

    score: float
    """Mean over the four channels, so that it is on the scale of one."""
    terms: tuple[AlertTerm, ...]
    facts: tuple[tuple[str, ...], ...]
    """By term: ids of the facts about its strongest alerts."""
    fault_kind: FaultKind
    suspected_kind: FaultKind


def alert_evidence(
    given: AlertListInput, facts: Sequence[Sequence[str]]
) -> dict[str, AlertEvidence]:
    """Return the evidence by entity.

    Args:
        given: the list.
        facts: ids of the facts about each alert, by its position.
    """
    found: dict[str, AlertEvidence] = {}
    for item in rank_alert_list(given):
        stated = item.fault_kind in _MEASURED
        found[item.entity] = AlertEvidence(
            score=round_significant(max(0.0, item.score) / _CHANNELS),
            terms=item.terms,
            facts=tuple(_first_facts(term, facts) for term in item.terms),
            fault_kind=item.fault_kind if stated else FaultKind.UNKNOWN,
            suspected_kind=FaultKind.UNKNOWN if stated else item.fault_kind,
        )
    return found


def _first_facts(term: AlertTerm, facts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(facts[k][0] for k in term.sources[:_FACTS] if facts[k])


def shares_of(evidence: AlertEvidence, value: float) -> tuple[ScoreTerm, ...]:
    """Return the terms of an entity scaled so that they come to ``value``."""
    total = sum(term.value for term in evidence.terms)
    return tuple(
        ScoreTerm(
            name=term.name,
            value=round_significant(value * term.value / total),
            fact_ids=ids,
            note=term.note,
        )
        for term, ids in zip(evidence.terms, evidence.facts, strict=True)
        if total > 0
    )


def rests_on_alerts(candidate: CandidateCause) -> bool:
    """Tell whether nothing but alerts speaks for a candidate."""
    speaking = {t.name for t in candidate.terms if t.value > 0}
    return bool(speaking) and speaking <= ALERT_TERMS


def shows_itself(terms: Sequence[ScoreTerm] | Sequence[AlertTerm]) -> bool:
    """Tell whether alerts about an entity by itself weigh as much as what is felt there.

    What is felt may come from anywhere; what callees explain of it does not count.
    """
    own = sum(t.value for t in terms if t.name == _OWN)
    felt = sum(t.value for t in terms if t.name in {_FELT, _TAKEN})
    return own > 0 and own >= felt
