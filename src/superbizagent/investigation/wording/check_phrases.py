"""Turns the sentences of a playbook into templates with fact slots."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from superbizagent.domain.check import Check, Place
from superbizagent.domain.finding import (
    CheckOutcome,
    CheckResult,
    HypothesisOutcome,
    HypothesisResult,
)
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Derivation
from superbizagent.domain.skill import Hypothesis, Skill
from superbizagent.investigation.wording.narrator import Narrator

__all__ = [
    "CheckPhrase",
    "check_words",
    "conclusion_of",
    "deciding_check",
    "refuting_phrases",
    "sentence_of",
]

_OBJECT_ASPECTS = frozenset({"quote", "object", "part"})
_SLOT = re.compile(r"\{([^{}]+)\}")
_OF_CHANGES = frozenset({"time", "news"})


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
        if side in _OBJECT_ASPECTS:
            return f"{{{ids[0]}|{side}}}"
        if side in _OF_CHANGES:
            return _of_change(side, ids)
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
        if slot in _OBJECT_ASPECTS:
            return f"{{{ids[0]}|{slot}}}"
        if slot in _OF_CHANGES:
            return _of_change(slot, ids)
        places = {"value": 0, "other": 1, "baseline": 2 if divided else 1}
        return f"{{{ids[places[slot]]}}}"

    return CheckPhrase(_SLOT.sub(fill, text), tuple(derivations))


def _of_change(slot: str, ids: Sequence[str]) -> str:
    """A change's time, or the error that followed it: facts are in the order change, error."""
    return f"{{{ids[0]}|time}}" if slot == "time" else f"{{{ids[1]}|news}}"


def check_words(check: CheckResult) -> str:
    """Return the name of a check as words."""
    return check.id.replace("_", " ")


def refuting_phrases(
    skill: Skill, result: HypothesisResult, check: CheckResult, narrator: Narrator
) -> Iterator[CheckPhrase]:
    """Yield how the check that refutes a hypothesis can be said, the most telling way first."""
    asked = next(c for c in skill.hypothesis(result.id).evidence if c.id == check.id)
    # The line is about the hypothesis's entity: what was read of others cannot say its name there.
    own = asked.at is Place.ENTITY
    if own and check.outcome is CheckOutcome.HOLDS and asked.says is not None and check.fact_ids:
        said = sentence_of(asked, check, narrator.language)
        yield CheckPhrase(said.template.rstrip(".。"), said.derivations)
    outcome = f"check.{check.outcome.value}"
    if check.fact_ids:
        numbers = _numbers(asked, check, narrator)
        text = narrator.say(f"{outcome}_numbers", numbers=numbers.template)
        yield CheckPhrase(text, numbers.derivations)
    yield CheckPhrase(narrator.say(outcome))


def _numbers(asked: Check, check: CheckResult, narrator: Narrator) -> CheckPhrase:
    """What was found, and what it was before where the check compares with that."""
    ids = check.fact_ids
    if asked.holds.other is None:
        sides, derivations = [f"{{{i}}}" for i in ids[:2]], ()
    else:
        pairs = [ids[:2], ids[2:4]] if len(ids) >= 4 else [ids[:2]]
        derivations = tuple(Derivation(operation="ratio", fact_ids=pair) for pair in pairs)
        sides = [f"{{d{n}}}" for n in range(1, len(pairs) + 1)]
    if len(sides) == 1:
        return CheckPhrase(sides[0], derivations)
    text = narrator.say("check.against", value=sides[0], before=sides[1])
    return CheckPhrase(text, derivations)


def deciding_check(result: HypothesisResult) -> CheckResult | None:
    """The check that refutes a hypothesis, a refuter before a missing condition; None if none."""
    if result.outcome is not HypothesisOutcome.REFUTED:
        return None
    held = [c for c in result.checks if c.role == "refutes" and c.outcome is CheckOutcome.HOLDS]
    failed = [c for c in result.checks if c.role == "required" and c.outcome is CheckOutcome.FAILS]
    return next(iter((*held, *failed)), None)
