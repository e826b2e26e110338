"""That no cause was found, and what stands out then: the analysis' own verdict."""

import re
from collections.abc import Iterator

from superbizagent.analysis.claims.compare._held import facts_of, held_of, leading
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import View

__all__ = ["judge_verdict"]

_NOT_FOUND = re.compile(
    r"\b(?:the )?(?:root )?cause (?:was|is|has) (?:not (?:been )?found|unknown|not known)\b"
    r"|\bno (?:root )?cause (?:was|has been|could be) (?:found|identified)\b"
    r"|(?:未|没有?)(?:能)?(?:找到|发现|查明)(?:根本)?原因|(?:根本)?原因(?:未知|不明)",
    re.IGNORECASE,
)
_STANDS_OUT = re.compile(r"\bstands? out most\b|最突出的(?:变化)?(?:是|在)?", re.IGNORECASE)


def judge_verdict(view: View) -> Iterator[Part]:
    """Yield a part for "the cause was not found" and for what is said to stand out most."""
    ground = view.ground
    match = _NOT_FOUND.search(view.text)
    if match is not None:
        held = held_of(ground)
        if held is None:
            yield Part(PartKind.ABSENCE, Outcome.HOLDS, match[0], "", ("analysis",))
        else:
            reason = f"leading_cause:{held.cause.entity}"
            yield Part(PartKind.ABSENCE, Outcome.FAILS, match[0], reason, held.fact_ids[:4])
    match, first = _STANDS_OUT.search(view.text), leading(ground)
    if match is not None and first is not None and view.every_entity:
        ids = facts_of(ground, first)[:4]
        if first.entity in view.every_entity:
            yield Part(PartKind.COMPARISON, Outcome.HOLDS, match[0], "", ids)
        else:
            yield Part(PartKind.COMPARISON, Outcome.FAILS, match[0], "not_the_most", ids)
