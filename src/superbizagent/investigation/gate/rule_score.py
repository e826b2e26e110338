"""The generic score of a report, 100 points less what the rules take off; both channels.

Deductions add up; a cap bounds the score however few points were lost. Like the gate it looks at
form and support, never at whether the diagnosis holds.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from superbizagent.domain.evaluation import (
    Grade,
    InvocationRecord,
    RuleDeduction,
    RuleEvaluation,
)
from superbizagent.investigation.gate.citations import citations_of, marks_of
from superbizagent.investigation.gate.judged import JudgedReport
from superbizagent.investigation.gate.normalise import statements
from superbizagent.investigation.gate.presence import absence_of
from superbizagent.investigation.gate.wording import (
    LOG_WORDS,
    NOT_LOOKED,
    RESOURCE_WORDS,
    opens_gaps,
)

__all__ = ["evaluate_rules"]

_CAP = 59
"""One below MEDIUM: nothing uncited, unsupported or rehearsed is more than LOW."""
_HIGH = 80
_MEDIUM = 60
_FAILED_SHARE_POINTS = 20
_LOOKED = frozenset({"ok", "empty"})
_CODE = re.compile(r"`[^`]*`")
_FENCED = re.compile(r"```.*?```", re.DOTALL)


def evaluate_rules(judged: JudgedReport, now: datetime) -> RuleEvaluation:
    """Score a stored report by rules; the same inputs give the same bytes, bar the time.

    Args:
        judged: the report with the rows of its session.
        now: when it is judged, UTC-aware.
    """
    text = judged.text or ""
    lost = (
        *_absence(judged.text),
        *_evidence(judged.rows),
        *_citations(text, judged.rows),
        *_claims(text, judged.rows),
    )
    score = 100 - sum(item.points for item in lost)
    score = max(0, min([score, *(item.cap for item in lost if item.cap is not None)]))
    return RuleEvaluation(
        score=score,
        grade=_grade(score),
        deductions=lost,
        stats=judged.stats,
        evaluated_at=now,
    )


def _grade(score: int) -> Grade:
    if score >= _HIGH:
        return Grade.HIGH
    return Grade.MEDIUM if score >= _MEDIUM else Grade.LOW


def _absence(text: str | None) -> Iterator[RuleDeduction]:
    absent = absence_of(text)
    if absent is not None:
        yield RuleDeduction(
            rule_id="rule.blank",
            points=50,
            message="there is no report to read",
            expected="a report",
            found=absent[1],
        )


def _evidence(rows: Sequence[InvocationRecord]) -> Iterator[RuleDeduction]:
    if not rows:
        yield RuleDeduction(
            rule_id="rule.no_evidence",
            points=35,
            message="no evidence call was made",
            expected="at least one evidence call",
            found="0 rows",
        )
    if not any(row.status == "ok" for row in rows):
        yield RuleDeduction(
            rule_id="rule.no_successful_evidence",
            points=0,
            cap=_CAP,
            message="no evidence call found anything",
            expected="at least one successful evidence call",
            found=f"0 of {len(rows)} rows",
        )
    failed = sum(row.status not in _LOOKED for row in rows)
    if failed:
        yield RuleDeduction(
            rule_id="rule.failed_calls",
            points=max(1, round(_FAILED_SHARE_POINTS * failed / len(rows))),
            message="evidence calls failed",
            expected="no failed call",
            found=f"{failed} of {len(rows)} rows failed",
        )


def _citations(text: str, rows: Sequence[InvocationRecord]) -> Iterator[RuleDeduction]:
    marks = marks_of(text)
    if not marks:
        yield RuleDeduction(
            rule_id="rule.uncited",
            points=0,
            cap=_CAP,
            message="no statement cites evidence",
            expected="marks such as [E3.2]",
            found="no mark",
        )
    cited = citations_of(text, rows)
    if cited.unknown:
        yield RuleDeduction(
            rule_id="rule.unknown_citation",
            points=30,
            message="a mark points to no stored fact",
            expected="marks of stored rows",
            found=", ".join(cited.unknown[:5]),
        )
    failed = [f"E{row.number} {row.status}" for row in cited.rows if row.status not in _LOOKED]
    if failed:
        yield RuleDeduction(
            rule_id="rule.failed_evidence_cited",
            points=30,
            message="a failed call is cited as evidence",
            expected="marks of calls that ended ok or empty",
            found=", ".join(failed[:5]),
        )
    mocks = [f"E{row.number}" for row in cited.rows if row.source.upper() == "MOCK"]
    if mocks:
        yield RuleDeduction(
            rule_id="rule.mock_cited",
            points=0,
            cap=_CAP,
            message="rehearsed data is cited as evidence",
            expected="marks of real calls",
            found=", ".join(mocks[:5]),
        )


def _claims(text: str, rows: Sequence[InvocationRecord]) -> Iterator[RuleDeduction]:
    """Judge statements that only one kind of evidence can show."""
    lines = [
        _CODE.sub(" ", line)
        for heading, line in statements(_FENCED.sub(" ", text))
        if not opens_gaps(heading) and not NOT_LOOKED.search(line)
    ]
    resource = _unsupported(lines, rows, RESOURCE_WORDS, "query_metrics", "ok")
    if resource:
        yield RuleDeduction(
            rule_id="rule.resource_without_trend",
            points=25,
            message="a resource is spoken of without a series that shows it",
            expected="a successful metrics call",
            found=resource[:120],
        )
    logs = _unsupported(lines, rows, LOG_WORDS, "search_logs", "ok", "empty")
    if logs:
        yield RuleDeduction(
            rule_id="rule.log_without_support",
            points=15,
            message="logs are spoken of without a log call",
            expected="a log call that ended ok or empty",
            found=logs[:120],
        )


def _unsupported(
    lines: Sequence[str],
    rows: Sequence[InvocationRecord],
    words: re.Pattern[str],
    tool: str,
    *ends: str,
) -> str:
    """Return the first statement with such a word and no call behind it, else nothing.

    A statement that cites rows stands on those alone; one that cites none, on any of the session.
    """
    for line in lines:
        if not words.search(line):
            continue
        cited = citations_of(line, rows).rows
        if not any(row.tool_name == tool and row.status in ends for row in cited or rows):
            return line
    return ""
