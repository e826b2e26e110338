"""What the rules judge: one stored report with the rows of its session."""

from superbizagent.domain.evaluation import EvidenceStats, InvocationRecord
from superbizagent.domain.model import Model
from superbizagent.domain.report import Report
from superbizagent.investigation.gate.coverage import EvidenceFamily, count_rows, evidence_rows
from superbizagent.investigation.gate.focus import PayloadIdentifier

__all__ = ["JudgedReport"]


class JudgedReport(Model):
    """Input of every evaluator; frozen, so no evaluator can change a report."""

    text: str | None
    """The report as stored (Markdown); None when none was stored."""
    report: Report | None = None
    """Its structured form, when there is one."""
    invocations: tuple[InvocationRecord, ...] = ()
    """Rows of the same session, read after they were flushed."""
    payload: tuple[PayloadIdentifier, ...] = ()
    """What the payload named; empty when there was none."""
    expected_families: tuple[EvidenceFamily, ...] = ()
    """Kinds of evidence that the session's sources offer."""

    @property
    def rows(self) -> tuple[InvocationRecord, ...]:
        """Evidence rows in the order of the calls; guidance is not among them."""
        return evidence_rows(self.invocations)

    @property
    def stats(self) -> EvidenceStats:
        """Counts over `rows`."""
        return count_rows(self.rows)
