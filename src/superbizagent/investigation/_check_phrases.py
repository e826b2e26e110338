"""Turns the sentences of a playbook into templates with fact slots."""

import re
from dataclasses import dataclass

from superbizagent.domain.finding import CheckResult, HypothesisResult
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Derivation
from superbizagent.domain.skill import Check, Hypothesis

__all__ = ["CheckPhrase", "conclusion_of", "sentence_of"]

_SLOT = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class CheckPhrase:
    """A template of the report, and what its derived slots are computed from."""

    template: str
    derivations: tuple[Derivation, ...] = ()


def conclusion_of(
    hypothesis: Hypothesis, result: HypothesisResult, language: Language
) -> CheckPhrase:
    """Return the conclusion with the facts of its required checks."""
    by_id = {check.id: check for check in result.checks}

    def fill(match: re.Match[str]) -> str:
        name, _, side = match[1].partition(".")
        if name == "entity":
            return "{p|entity}"
        ids = by_id[name].fact_ids
        return f"{{{ids[1] if side == 'other' else ids[0]}}}"

    return CheckPhrase(_SLOT.sub(fill, hypothesis.conclusion.of(language)))


def sentence_of(check: Check, result: CheckResult, language: Language) -> CheckPhrase:
    """Return a check's sentence; facts are in the order value, other, baseline, its other."""
    text = check.says.of(language) if check.says is not None else ""
    divided = check.holds.other is not None
    ids = result.fact_ids
    derivations: list[Derivation] = []

    def fill(match: re.Match[str]) -> str:
        slot = match[1]
        if slot == "entity":
            return "{p|entity}"
        if slot in {"quotient", "baseline_quotient"}:
            operands = ids[:2] if slot == "quotient" else ids[2:4]
            derivations.append(Derivation(operation="ratio", fact_ids=operands))
            return f"{{d{len(derivations)}}}"
        if slot == "quote":
            return f"{{{ids[0]}|quote}}"
        places = {"value": 0, "other": 1, "baseline": 2 if divided else 1}
        return f"{{{ids[places[slot]]}}}"

    return CheckPhrase(_SLOT.sub(fill, text), tuple(derivations))
