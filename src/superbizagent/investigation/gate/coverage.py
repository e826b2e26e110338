"""Check ``evidence_coverage``: was anything looked at, and does the report use what was seen?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

from superbizagent.analysis.rows.fact import RowFact
from superbizagent.domain.evaluation import (
    AiopsCheck,
    AiopsCheckId,
    EvidenceStats,
    InvocationRecord,
)
from superbizagent.investigation.gate.focus import PayloadIdentifier
from superbizagent.investigation.gate.normalise import compact
from superbizagent.investigation.gate.ruling import Ruling, failed, passed, warned
from superbizagent.investigation.gate.tokens import ReportText, reused_tokens

__all__ = ["EvidenceFamily", "check_coverage", "count_rows", "evidence_rows"]

_GUIDANCE = frozenset({"read_skill", "search_skills", "disable_skill"})
"""Tools that tell how to look; they are never evidence."""
_LOOKED = frozenset({"ok", "empty"})
"""Ends of a call that did look; "nothing found" is evidence of a family too."""


class EvidenceFamily(StrEnum):
    """Kinds of evidence that a diagnosis is expected to draw on where a source offers them."""

    METRICS = "metrics"
    LOGS = "logs"
    KNOWLEDGE = "knowledge"


_TOOLS: dict[EvidenceFamily, frozenset[str]] = {
    EvidenceFamily.METRICS: frozenset({"query_metrics", "list_alerts"}),
    EvidenceFamily.LOGS: frozenset({"search_logs"}),
    EvidenceFamily.KNOWLEDGE: frozenset({"lookup_knowledge"}),
}


def evidence_rows(records: Iterable[InvocationRecord]) -> tuple[InvocationRecord, ...]:
    """Return the rows that are evidence, in the order of the calls."""
    kept = (r for r in records if r.tool_name not in _GUIDANCE)
    return tuple(sorted(kept, key=lambda r: (r.number, r.id)))


def count_rows(rows: Sequence[InvocationRecord]) -> EvidenceStats:
    """Count evidence rows by their end and by tool."""
    by_tool = Counter(r.tool_name for r in rows)
    ok = sum(r.status == "ok" for r in rows)
    empty = sum(r.status == "empty" for r in rows)
    return EvidenceStats(
        rows=len(rows),
        ok=ok,
        empty=empty,
        failed=len(rows) - ok - empty,
        by_tool=dict(sorted(by_tool.items())),
    )


def check_coverage(
    report: ReportText,
    rows: Sequence[InvocationRecord],
    facts: Iterable[RowFact],
    payload: Sequence[PayloadIdentifier],
    expected: Iterable[EvidenceFamily] = (),
) -> AiopsCheck:
    """Judge whether evidence was taken and used.

    Args:
        report: the prepared report.
        rows: the session's evidence rows.
        facts: facts of the successful ones.
        payload: identifiers that the payload brought; naming them again is no use of evidence.
        expected: families that the session's sources offer.
    """
    names = {compact(name) for item in payload for name in item.names}
    ruling = _taken(rows, expected) or _used(reused_tokens(report, facts, names), rows)
    return ruling.check(AiopsCheckId.EVIDENCE_COVERAGE)


def _taken(rows: Sequence[InvocationRecord], expected: Iterable[EvidenceFamily]) -> Ruling | None:
    """Return what is wrong with the calls, None when nothing is."""
    if not rows:
        return failed(
            "no_rows",
            "the session has no evidence row",
            expected="at least one evidence call",
            found="0 rows",
        )
    if not any(row.status == "ok" for row in rows):
        return warned(
            "none_successful",
            "no evidence call found anything",
            expected="at least one successful evidence call",
            found=_counted(rows),
        )
    looked = {row.tool_name for row in rows if row.status in _LOOKED}
    absent = sorted(family for family in set(expected) if not _TOOLS[family] & looked)
    if not absent:
        return None
    return warned(
        "family_absent",
        f"not looked at: {', '.join(absent)}",
        expected="a look at each kind of evidence that the sources offer",
        found=_counted(rows),
    )


def _used(tokens: Sequence[str], rows: Sequence[InvocationRecord]) -> Ruling:
    wanted = "a name, error type, number or phrase of a successful row"
    if not tokens:
        return warned(
            "nothing_reused",
            "the report uses nothing of the evidence",
            expected=wanted,
            found=f"none in the report; {_counted(rows)}",
        )
    return passed(
        "reused",
        "the report uses the evidence",
        expected=wanted,
        found=f"e.g. {', '.join(tokens)}; {_counted(rows)}",
    )


def _counted(rows: Sequence[InvocationRecord]) -> str:
    stats = count_rows(rows)
    return f"{stats.rows} rows: {stats.ok} ok, {stats.empty} empty, {stats.failed} failed"
