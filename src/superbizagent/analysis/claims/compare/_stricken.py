"""A named entity or pod that is said to be hit, or to be calm, right behind its name."""

import re
from collections.abc import Iterator

import numpy as np

from superbizagent.analysis.claims.compare._classes import Member, members
from superbizagent.analysis.claims.compare._findings import (
    abnormal,
    concepts_of,
    is_examined,
    of_entities,
    speaks_of,
)
from superbizagent.analysis.claims.compare._settled import looked_at
from superbizagent.analysis.claims.compare._speech import ids_of, period_at, speech
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.concepts import CONCEPTS, concept_bits, concepts_of_metric
from superbizagent.analysis.claims.evidence.ground import Statistic
from superbizagent.analysis.claims.mentions import Clause, Name, WordKind
from superbizagent.analysis.families import FAMILIES
from superbizagent.domain.finding import LOG_KINDS, Finding

__all__ = ["judge_stricken", "labelled"]

_OWN = r"(?:'s (?:service|database|pods?))?(?: (?:service|database|pod|itself|also|too|likewise))?"
_STRICKEN = re.compile(
    _OWN + r" (?:(?:was|were|is|are|got|became|had become|has been|went|turned)"
    r" (?:(?:also|too|now|then|completely|badly|heavily|itself|equally|just as|much|very) ){0,2}"
    r"(?:affected|impacted|hit|down|degraded|slow|failing|unhealthy|abnormal|broken|impaired|"
    r"unavailable|overloaded|unresponsive|dark)"
    r"|(?:also )?(?:slowed down|failed|degraded|collapsed|suffered|crashed|went down|broke down|"
    r"became slow|timed out))\b"
    r"|\s?(?:也|同时|随后|先|一度|均|都|已|就|开始|全面|大面积){0,3}"
    r"(?:变慢|瘫痪|受到?了?影响|宕机|不可用|崩溃|出现异常|挂了|挂掉|中断)(?!的)"
)
_SPARED = re.compile(
    _OWN + r" (?:(?:was|were|is|are|stayed|remained|has been|kept) (?:all along |entirely )?"
    r"(?:not (?:affected|impacted|hit)|unaffected|calm|healthy|untouched|fine)|kept calm)\b"
    r"|\s?(?:也|都|均|则|始终|一直){0,2}(?:没有受到?(?:任何)?影响|未受(?:到)?影响|一切正常|保持正常)"
)
_HAS = re.compile(r" (?:had|has|saw|showed|suffered) |\s?(?:有|出现了?|存在)")
_THINGS = frozenset({"lock", "waiting", "queue", "timeout", "restart", "error", "retry"})
_ALL_OF_IT = (Statistic.MAX, Statistic.MEAN, Statistic.TOTAL, Statistic.CONSTANT)
_SHOWN_BY: tuple[tuple[re.Pattern[str], tuple[str, ...], int], ...] = (
    (re.compile(r"slow|变慢"), ("lat",), concept_bits(("latency", "slow_query"))),
    (re.compile(r"fail"), ("err",), concept_bits(("error", "exception", "timeout"))),
    (
        re.compile(r"affect|impact|hit|degrad|abnormal|suffer|unhealthy|影响|异常"),
        FAMILIES,
        concept_bits(CONCEPTS),
    ),
)
"""Families of series, and concepts of log records, that bear a word of harm out."""
_HURTS = concept_bits(("error", "latency", "timeout", "exception"))
"""What makes an entity no calm one; a level that moved a little need not."""
_OF_ANOTHER = re.compile(
    r"\b(?:to|from|of|at|on|in|through|via|for|by)(?: the)? $|[对向从的由被]\s?$"
)
"""Behind such a word the name is not what was hit: "calls to X failed"."""
_TURNED = (WordKind.NEGATION, WordKind.ABSENCE, WordKind.HEDGE)


def judge_stricken(view: View) -> Iterator[Part]:
    """Yield a part for each name that is said to be hit or spared in the incident."""
    for name in view.statement.names:
        clause = view.clause_of(name)
        if len(name.entities) != 1 or period_at(view, clause, name) == "baseline":
            continue
        if _OF_ANOTHER.search(view.text, max(0, name.start - 12), name.start):
            continue
        has = _HAS.match(view.text, name.end)
        if has and not _is_turned(view, clause):
            yield from _present(view, name, has.end(), clause.end)
        spared = _SPARED.match(view.text, name.end)
        if spared:
            yield from _spared(view, name, view.text[name.start : spared.end()])
            continue
        struck = _STRICKEN.match(view.text, name.end)
        if struck and not _is_turned(view, clause):
            yield from _stricken(view, name, view.text[name.start : struck.end()])


def _present(view: View, name: Name, start: int, end: int) -> Iterator[Part]:
    """Things that an entity is said to have had, and that were counted: none fails it."""
    ground, said = view.ground, speech(view, start, end)
    if not said.concepts & _THINGS or labelled(view, name) is not None:
        return
    rows = ground.of_entities(name.entities) & said.rows(view, without=("log", "host"))
    rows &= ground.of_period("incident") & np.isin(ground.statistic, _ALL_OF_IT)
    found = [f for f in of_entities(abnormal(ground), name.entities) if speaks_of(said, f)]
    with np.errstate(invalid="ignore"):
        some, none = rows & (ground.value > 0), rows & (ground.value == 0)
    if none.any() and not some.any() and not found:
        text = view.text[name.start : end].strip(" .。")
        yield _part(Outcome.FAILS, text, f"calm:{name.text}", ids_of(ground, none))


def _is_turned(view: View, clause: Clause) -> bool:
    return any(view.statement.words_of(kind, clause) for kind in _TURNED)


def labelled(view: View, name: Name) -> Member | None:
    """Return the pod or instance that a name is the label of, None for an entity's own name."""
    path = name.entities[0]
    if path.rsplit("/", 1)[-1] == name.text:
        return None
    for kind in ("pod", "instance"):
        known = members(view.ground, kind, (path,))
        if len(known) > 1:
            return next((m for m in known if m.name == name.text), None)
    return None


def _part(outcome: Outcome, text: str, reason: str, fact_ids: tuple[str, ...] = ()) -> Part:
    return Part(PartKind.SCOPE, outcome, text, reason, fact_ids)


def _stricken(view: View, name: Name, text: str) -> Iterator[Part]:
    ground, path = view.ground, name.entities[0]
    bits = next((b for said, _, b in _SHOWN_BY if said.search(text)), 0)
    one = labelled(view, name)
    if one is not None:
        yield from _of_member(view, one, text, bits)
        return
    found = of_entities(abnormal(ground), (path,))
    shown = [f for f in found if _shows(f, text)]
    if shown:
        yield _part(Outcome.HOLDS, text, "", tuple(i for f in shown for i in f.fact_ids))
    elif found and not _is_measured(view, path, bits):
        return
    elif is_examined(ground, path):
        yield _part(Outcome.FAILS, text, f"calm:{name.text}", looked_at(ground, (path,)))
    else:
        yield _part(Outcome.UNSHOWN, text, f"no_data:{name.text}")


def _shows(finding: Finding, text: str) -> bool:
    """Tell whether a finding bears the word of harm out: by its family, or as a log record."""
    families, bits = next(((f, b) for said, f, b in _SHOWN_BY if said.search(text)), ((), 0))
    if finding.kind in LOG_KINDS:
        return bool(concepts_of(finding) & bits)
    return finding.family in families


def _is_measured(view: View, path: str, bits: int) -> bool:
    """Tell whether series of the entity would show it."""
    rows = view.ground.of_entities((path,)) & ((view.ground.concepts & np.uint64(bits)) != 0)
    return bool(bits) and bits != concept_bits(CONCEPTS) and bool(rows.any())


def _of_member(view: View, member: Member, text: str, bits: int) -> Iterator[Part]:
    stored = view.ground.stored
    moved = [k for k in member.series if stored.direction[k] not in {"", "flat"}]
    shown = [k for k in moved if _bits(view, k) & bits]
    if shown:
        yield _part(Outcome.HOLDS, text, "", tuple(f"{stored.place(k)}.direction" for k in shown))
    elif not moved:
        yield _part(Outcome.FAILS, text, f"calm:{member.name}")


def _bits(view: View, code: int) -> int:
    stored = view.ground.stored
    name, _, labels = stored.names[code].partition("{")
    return concepts_of_metric(name, labels.removesuffix("}"), stored.meanings[code].unit, "")


def _spared(view: View, name: Name, text: str) -> Iterator[Part]:
    ground, path = view.ground, name.entities[0]
    if labelled(view, name) is not None:
        return
    found = of_entities(abnormal(ground), (path,))
    hurts = [f for f in found if concepts_of(f) & _HURTS and f.direction >= 0]
    suspected = any(c.entity == path and c.score > 0 for c in ground.analysis.candidates)
    if suspected and found and not hurts:
        hurts = list(found[:1])
    if hurts:
        yield _part(Outcome.FAILS, text, f"finding:{hurts[0].id}", hurts[0].fact_ids)
    elif not found and is_examined(ground, path):
        yield _part(Outcome.HOLDS, text, "", looked_at(ground, (path,)))
    elif not is_examined(ground, path):
        yield _part(Outcome.UNSHOWN, text, f"no_data:{name.text}")
