"""The AIOps rule gate: three checks on a stored report, the worst of them is the verdict.

PASS says "on topic, used evidence" and no more. A missing soft signal is WARN; only the absence
of a report or of evidence is FAIL. The verdict is written down and steers nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from superbizagent.analysis.rows.fact import RowFact
from superbizagent.analysis.rows.reading import read_facts
from superbizagent.domain.evaluation import AiopsRuleEvaluation, InvocationRecord
from superbizagent.investigation.gate.coverage import check_coverage
from superbizagent.investigation.gate.focus import check_focus
from superbizagent.investigation.gate.judged import JudgedReport
from superbizagent.investigation.gate.presence import check_presence
from superbizagent.investigation.gate.tokens import ReportText

__all__ = ["evaluate_aiops"]

_FACTS_A_ROW = 50
"""Facts looked at of one row: keeps a gate over 200 rows in milliseconds."""


def evaluate_aiops(
    judged: JudgedReport, now: datetime, *, fail_off_target: bool = False
) -> AiopsRuleEvaluation:
    """Judge a stored report by rules; the same inputs give the same bytes, bar the time.

    Args:
        judged: the report with the rows of its session.
        now: when it is judged, UTC-aware.
        fail_off_target: setting ``aiops_gate.fail_off_target``: a report about another alert is
            FAIL instead of WARN.
    """
    rows = judged.rows
    facts = _Facts(rows)
    prepared = ReportText.of(judged.text or "")
    checks = (
        check_presence(judged.text, judged.report),
        check_focus(prepared.names, judged.payload, facts, fail_off_target=fail_off_target),
        check_coverage(prepared, rows, facts, judged.payload, judged.expected_families),
    )
    worst = max(checks, key=lambda check: check.status.rank)
    return AiopsRuleEvaluation(
        verdict=worst.status, checks=checks, stats=judged.stats, evaluated_at=now
    )


@dataclass(frozen=True, slots=True)
class _Facts:
    """Facts of the successful rows, read as far as a check looks at them."""

    rows: Sequence[InvocationRecord]

    def __iter__(self) -> Iterator[RowFact]:
        for row in self.rows:
            if row.status == "ok":
                yield from read_facts(row, _FACTS_A_ROW)
