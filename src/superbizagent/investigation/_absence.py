"""What is said not to be there: whether it is not, by the evidence and the analysis."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Analysis, CandidateCause
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import Claim, ClaimKind, Report, Section
from superbizagent.domain.source import EvidenceStatus, Signal
from superbizagent.investigation.wording.say_not_seen import has_spans, was_asked
from superbizagent.investigation.wording.slots import Slots, is_call

__all__ = ["COUNTS_OF_LOOKING", "Absences", "params_of", "used_facts"]

_LOOKED = frozenset(
    {ToolName.QUERY_METRICS, ToolName.SEARCH_LOGS, ToolName.SEARCH_TRACES, ToolName.GET_KUBERNETES}
)
COUNTS_OF_LOOKING = frozenset(
    {"series_examined", "records", "records_read"} | {"spans_read", "objects_examined"}
)
"""Facts that say how much there was to look at."""


def params_of(claim: Claim) -> dict[str, str]:
    """Return what a statement names, by the slots it stands in."""
    raw = cast("Mapping[str, str]", claim.extras.get("params", {}))
    return {str(k): str(v) for k, v in raw.items()}


def used_facts(analysis: Analysis) -> frozenset[str]:
    """Return the facts that a finding, a check or a part of a score rests on."""
    checks = [check for h in analysis.hypotheses for check in h.checks]
    causes = (*analysis.candidates, *(fault.cause for fault in analysis.apart))
    terms = [term for cause in causes for term in cause.terms]
    return frozenset(i for x in (*analysis.findings, *checks, *terms) for i in x.fact_ids)


@dataclass(frozen=True, slots=True)
class Absences:
    """Looks up what is said to be absent."""

    report: Report
    evidence: Evidence
    analysis: Analysis
    slots: Slots
    causes: Sequence[CandidateCause]

    def is_absent(self, claim: Claim, what: str) -> bool:
        """Tell whether what a statement says is not there is not.

        Args:
            claim: the statement.
            what: ``kind`` or ``kind:argument``.
        """
        kind, _, argument = what.partition(":")
        looks: dict[str, Callable[[], bool]] = {
            "signal": lambda: not was_asked(self.evidence.invocations, Signal(argument)),
            "answers": lambda: not self._has_answer(),
            "spans": lambda: not has_spans(self.evidence, params_of(claim).get("name", "")),
            "entity": lambda: not self._has_entity(params_of(claim).get("name", "")),
            "mitigation": lambda: not self._has_advice(),
            "series": lambda: not self._has_series(),
            "data": lambda: not self._has_data(),
            "symptom": lambda: not self._has_symptom(),
            "symptom_series": lambda: not self._was_looked_for_symptoms(claim),
            "baseline": lambda: not self.report.frame.windows.baselines,
            "rule": lambda: not any(r.call.reads_rule for r in self.evidence.invocations),
            "note": lambda: params_of(claim).get("note") in self.report.frame.references,
            "remark": lambda: "files" in params_of(claim),  # and `_names` knows what stands in them
            "call": lambda: not self._was_made(params_of(claim).get("calls", "")),
            "support": lambda: self.report.verdict != self.analysis.verdict,
            "cause": lambda: not any(c.score > 0 for c in self.causes),
            "evidence": lambda: not self.evidence.invocations,
            "citation": lambda: not self._is_cited(params_of(claim).get("name", "")),
            "finding": lambda: not self._has_finding(params_of(claim).get("name", "")),
            "felt": lambda: not self._is_felt_beside(claim.entity),
            "test": lambda: (
                not any(h.fault_kind.value == argument for h in self.analysis.hypotheses)
            ),
            "use": lambda: not self._is_used(claim.fact_ids),
            "answer": lambda: all(c.extras.get("opens") or c == claim for c in self.report.claims),
        }
        return kind in looks and looks[kind]()

    def _is_cited(self, citation: str) -> bool:
        """Tell whether there is such a call or fact."""
        numbers = {f"E{row.number}" for row in self.evidence.invocations}
        return citation in self.slots.facts or citation in numbers

    def _has_finding(self, name: str) -> bool:
        """Tell whether something abnormal was found at a name, or in what is called so."""
        found = self.analysis.findings
        return any(name in {f.entity, f.entity.rsplit("/", 1)[-1], f.subject} for f in found)

    def _is_felt_beside(self, entity: str) -> bool:
        """Tell whether errors or latency rose anywhere else."""
        return any(
            f.family in {"err", "lat"} and f.direction > 0 and f.entity != entity
            for f in self.analysis.findings
        )

    def _is_used(self, citations: Sequence[str]) -> bool:
        """Tell whether anything was concluded from these facts, or from any fact of these calls."""
        calls = {c for c in citations if is_call(c)}
        used = used_facts(self.analysis)
        return bool(used & set(citations)) or any(i.partition(".")[0] in calls for i in used)

    def _was_made(self, purpose: str) -> bool:
        return any(row.call.purpose == purpose for row in self.evidence.invocations)

    def _has_answer(self) -> bool:
        rows = self.evidence.invocations
        return any(
            r.tool in _LOOKED and r.status is EvidenceStatus.OK and not r.call.reads_rule
            for r in rows
        )

    def _has_entity(self, name: str) -> bool:
        return any(f.entity.rsplit("/", 1)[-1] == name for f in self.slots.facts.values())

    def _has_advice(self) -> bool:
        return any(c.kind is ClaimKind.ADVICE for c in self.report.section(Section.DO_NOW))

    def _has_series(self) -> bool:
        return any(f.place.startswith("series/") for f in self.slots.facts.values())

    def _has_data(self) -> bool:
        counts = [f for f in self.slots.facts.values() if f.name in COUNTS_OF_LOOKING]
        return any(f.value != 0 for f in counts)

    def _was_looked_for_symptoms(self, claim: Claim) -> bool:
        """Tell whether any sweep that the claim is about counted errors and latencies."""
        purposes = cast("Sequence[str]", claim.extras.get("purposes", ()))
        rows = [r for r in self.evidence.invocations if r.call.purpose in purposes]
        return any(f.name == "symptom_series_examined" for r in rows for f in r.facts)

    def _has_symptom(self) -> bool:
        """Tell whether errors or latency of what was asked about rose."""
        found = [self.analysis.finding(i) for i in self.analysis.symptom]
        return any(f.family in {"err", "lat"} for f in found if f.direction > 0)
