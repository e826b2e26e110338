"""Takes evidence away, as a limit or a failed source would have."""

from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.finding import Analysis
from superbizagent.domain.source import EvidenceStatus
from superbizagent.evaluation.labelled import Alteration

__all__ = ["altered"]


def altered(
    evidence: Evidence, analysis: Analysis, change: Alteration
) -> tuple[Evidence, Analysis]:
    """Return the evidence with some calls cut or failed, and the findings that are left then."""
    if change == Alteration():
        return evidence, analysis
    rows = tuple(_altered(row, change) for row in evidence.invocations)
    left = Evidence(invocations=rows)
    known = left.facts()
    findings = tuple(f for f in analysis.findings if all(i in known for i in f.fact_ids))
    return left, analysis.model_copy(update={"findings": findings})


def _altered(row: ToolInvocation, change: Alteration) -> ToolInvocation:
    if row.tool in change.failed:
        return row.model_copy(
            update={
                "status": EvidenceStatus.ERROR,
                "error": "the source did not answer",
                "output": None,
                "output_digest": "",
                "output_preview": "",
                "facts": (),
                "stats": {},
                "truncated": False,
            }
        )
    return row.model_copy(update={"truncated": True}) if row.tool in change.truncated else row
