"""Slots of the sentences in a checks file: a misspelt one is found when the file is read."""

import re

from superbizagent.domain.plan import ToolName
from superbizagent.domain.skill import Check, CheckRole, Hypothesis, Phrase

__all__ = ["check_slots"]

OBJECT_ASPECTS = frozenset({"quote", "object", "part"})
"""What a sentence may say of a reading beside its value: its text, whose it is, which part."""
_SLOT = re.compile(r"\{([^{}]*)\}")


def check_slots(hypothesis: Hypothesis) -> str:
    """Return the first slot that nothing can fill, as a complaint, or an empty string."""
    required = [c for c in hypothesis.evidence if c.role is CheckRole.REQUIRED]
    names = {"entity", *(c.id for c in required)}
    names |= {f"{c.id}.other" for c in required if c.holds.other is not None}
    objects = [c.id for c in required if c.tool is ToolName.GET_KUBERNETES]
    names |= {f"{name}.{aspect}" for name in objects for aspect in OBJECT_ASPECTS}
    changes = [c.id for c in required if c.tool is ToolName.LIST_CHANGES]
    names |= {f"{id_}.{side}" for id_ in changes for side in ("time", "news")}
    complaint = _unknown(hypothesis.conclusion, names, f"conclusion of {hypothesis.id!r}")
    for check in hypothesis.evidence:
        if check.says is not None and not complaint:
            where = f"`says` of {hypothesis.id}/{check.id}"
            complaint = _unknown(check.says, _says_slots(check), where)
    return complaint


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
