"""A fault that a sentence states outright: "X leaks connections", "X reached its limit".

Without a word of cause it is still a diagnosis, and one that a session may have tested.
"""

import re
from collections.abc import Iterator

from superbizagent.analysis.claims.compare._exclusions import EXCLUDES
from superbizagent.analysis.claims.compare._held import refuted, supported
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Clause, WordKind
from superbizagent.domain.finding import CheckOutcome, FaultKind, HypothesisResult

__all__ = ["judge_states"]

_STATES: tuple[tuple[FaultKind, re.Pattern[str]], ...] = (
    (
        FaultKind.CONNECTION_LEAK,
        re.compile(
            r"\bleak(?:s|ed|ing) (?:\w+ )?connections?|connections? (?:are )?leak(?:s|ed|ing)"
            r"|connections? (?:\w+ ){0,4}never (?:\w+ )?(?:given back|returned|released|closed)"
            r"|(?:存在|发生|出现|有)了?连接(?:泄漏|泄露)|连接(?:泄漏|泄露)了|泄[漏露]了?连接",
            re.IGNORECASE,
        ),
    ),
    (
        FaultKind.CONNECTION_LIMIT,
        re.compile(
            r"(?:reached|hit|exceeded|at|exhausted|ran into) (?:its|the|their|mysql's|own) "
            r"(?:\w+ )?(?:connection limit|max_connections|limit of connections)"
            r"|too many connections"
            r"|连接数?(?:已经?)?(?:达到|触及|到达|打满|用满)了?(?:其|最大)?(?:上限|限制)"
            r"|(?:达到|触及|超过|用满|撞上)了?(?:其|自身的?|自己的?)?"
            r"(?:最大连接数|连接数?上限|连接数?限制|max_connections)",
            re.IGNORECASE,
        ),
    ),
    (
        FaultKind.POOL_EXHAUSTION,
        re.compile(
            r"(?:ran|run|running) out of (?:\w+ )?connections"
            r"|(?:\bpool|连接池) ?(?:of [\w.-]+ )?(?:was|were|is|ran|got|been|被|已|全部?)? ?"
            r"(?:exhausted|used up|dry|depleted|out\b|full\b|saturated|maxed out"
            r"|耗尽|[占打用]满|[用耗]光)"
            r"|池子(?:被|已)?(?:耗|用|占)[光尽满]|把(?:连接)?池子?(?:都|全)?(?:耗|用|占)[光尽满]",
            re.IGNORECASE,
        ),
    ),
)
_SPARED = re.compile(
    r"(?:nowhere near|far from|well below|never (?:reached|hit)|(?:did|has|had) not reach(?:ed)?) "
    r"(?:its|the|their) (?:own )?(?:connection limit|limit of connections)"
    r"|connection limit (?:of [\w.-]+ )?was (?:not|never) reached"
    r"|没有?(?:达到|触及)(?:最大)?连接数?上限",
    re.IGNORECASE,
)
"""The opposite of a limit that was reached."""
_TURNED = (WordKind.NEGATION, WordKind.ABSENCE, WordKind.CAUSE, WordKind.ADVICE)
_CONDITION = re.compile(
    r"\bif\b|\bwhether\b|\bwould\b|\bin case\b|如果|是否|一旦|若", re.IGNORECASE
)


def judge_states(view: View) -> Iterator[Part]:
    """Yield a part for each fault that a clause states and that the session has tested."""
    for clause in view.statement.clauses:
        text = view.text[clause.start : clause.end]
        spared = _SPARED.search(text)
        if spared:
            yield from _untouched(view, clause, spared[0])
            continue
        if _is_turned(view, clause, text):
            continue
        for kind, pattern in _STATES:
            match = pattern.search(text)
            part = _tested(view, clause, kind, match[0]) if match else None
            if part is not None:
                yield part


def _untouched(view: View, clause: Clause, text: str) -> Iterator[Part]:
    part = _tested(view, clause, FaultKind.CONNECTION_LIMIT, text)
    if part is not None:
        turned = Outcome.HOLDS if part.outcome is Outcome.FAILS else Outcome.FAILS
        reason = "" if turned is Outcome.HOLDS else "leading_cause"
        yield Part(part.kind, turned, text, reason, part.fact_ids)


def _is_turned(view: View, clause: Clause, text: str) -> bool:
    """Tell whether the clause denies or supposes; "never given back" is no denial of a leak."""
    if EXCLUDES.search(text) or _CONDITION.search(text):
        return True
    words = (w for kind in _TURNED for w in view.statement.words_of(kind, clause))
    return any(w.text.lower() != "never" for w in words)


def _tested(view: View, clause: Clause, kind: FaultKind, text: str) -> Part | None:
    entities = view.entities(clause)
    for result in supported(view.ground):
        if result.fault_kind is kind and (not entities or result.entity in entities):
            return Part(PartKind.CAUSE, Outcome.HOLDS, text, "", _facts(result))
    for result in refuted(view.ground):
        if result.fault_kind is kind and (not entities or result.entity in entities):
            reason = f"ruled_out:{result.id}"
            return Part(PartKind.CAUSE, Outcome.FAILS, text, reason, _facts(result))
    return None


def _facts(result: HypothesisResult) -> tuple[str, ...]:
    """What decided it: the checks that failed of a refuted one, those that hold of a supported."""
    told = [c for c in result.checks if c.fact_ids and c.outcome is not CheckOutcome.UNKNOWN]
    return tuple(dict.fromkeys(i for c in told for i in c.fact_ids))
