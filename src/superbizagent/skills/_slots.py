"""Slots of the sentences in a checks file: a misspelt one is found when the file is read."""

import re
from collections.abc import Iterator

from superbizagent.domain.check import Check, CheckRole, Phrase
from superbizagent.domain.plan import ToolName
from superbizagent.domain.skill import Hypothesis

__all__ = ["check_slots"]

OBJECT_ASPECTS = frozenset({"quote", "object", "part"})
"""What a sentence may say of a reading beside its value: its text, whose it is, which part."""
_SLOT = re.compile(r"\{([^{}]*)\}")


def check_slots(hypothesis: Hypothesis) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield where in a hypothesis a slot stands that nothing can fill, and the complaint."""
    required = [c for c in hypothesis.evidence if c.role is CheckRole.REQUIRED]
    names = {"entity", *(c.id for c in required)}
    names |= {f"{c.id}.other" for c in required if c.holds.other is not None}
    objects = [c.id for c in required if c.tool is ToolName.GET_KUBERNETES]
    names |= {f"{name}.{aspect}" for name in objects for aspect in OBJECT_ASPECTS}
    changes = [c.id for c in required if c.tool is ToolName.LIST_CHANGES]
    names |= {f"{id_}.{side}" for id_ in changes for side in ("time", "news")}
    complaint = _unknown(hypothesis.conclusion, names, f"conclusion of {hypothesis.id!r}")
    if complaint:
        yield ("conclusion",), complaint
    for number, check in enumerate(hypothesis.evidence):
        where = f"`says` of {hypothesis.id}/{check.id}"
        complaint = _unsaid(check.says, _says_slots(check), where) if check.says else ""
        if complaint:
            yield ("evidence", number, "says"), complaint


def _unsaid(phrase: Phrase, names: set[str], where: str) -> str:
    """A sentence that cites nothing would be taken out of every report."""
    for language, text in (("en", phrase.en), ("zh", phrase.zh)):
        if not set(_SLOT.findall(text)) - {"entity"}:
            known = ", ".join(sorted(names - {"entity"}))
            return f"{where} cites nothing in {language!r}; put one of these slots into it: {known}"
    return _unknown(phrase, names, where)


def _says_slots(check: Check) -> set[str]:
    slots = {"entity", "value"}
    if check.holds.other is not None:
        slots |= {"other", "quotient"}
    if check.holds.baseline_ratio is not None:
        slots |= {"baseline"} if check.holds.other is None else {"baseline_quotient"}
    if check.tool is ToolName.SEARCH_LOGS:
        slots.add("quote")
    if check.tool is ToolName.GET_KUBERNETES:
        slots |= OBJECT_ASPECTS
    if check.tool is ToolName.LIST_CHANGES:
        slots |= {"time", "news"}
    return slots


def _unknown(phrase: Phrase, names: set[str], where: str) -> str:
    for text in (phrase.en, phrase.zh):
        for slot in _SLOT.findall(text):
            if slot not in names:
                known = ", ".join(sorted(names))
                return f"{where} has the slot {slot!r}; it may have: {known}"
    return ""
