"""Reads every statement of a report again and takes out what does not stand in the evidence.

By code, not by prompt: what a statement cites must exist and have answered, be about the same
entity and lie in the time looked at; writing it again from its facts must give the same text; an
absence must rest on a zero that covers its time; an inference on what the analysis holds; an
advice on a playbook. What fails is removed and listed with the reason, never repaired.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis, Verdict
from superbizagent.domain.report import (
    FIRST_SCREEN,
    CheckedReport,
    Claim,
    ClaimKind,
    RejectedClaim,
    Report,
    Section,
)
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation._claim_support import Support
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.slots import SLOT, SlotError, Slots, cited, is_call

__all__ = ["verify_report"]

_LEAST_SHARE = 0.5
"""Less than half of the first screen's statements left is no diagnosis any more."""
_ANSWERED = frozenset({EvidenceStatus.OK, EvidenceStatus.EMPTY})


def verify_report(report: Report, evidence: Evidence, analysis: Analysis) -> CheckedReport:
    """Return the report with every statement that holds, and the others listed as rejected.

    When little is left, or the statement of the cause itself fell, the verdict becomes
    ``inconclusive``: supported facts only.
    """
    slots = Slots.of(evidence, report.frame, narrator_for(report.language))
    checker = _Checker(report, slots, Support(report, evidence, analysis, slots))
    kept: list[Claim] = []
    rejected: list[RejectedClaim] = list(report.rejected)
    for claim in report.claims:
        reason = next(checker.complaints(claim), "")
        if reason:
            rejected.append(RejectedClaim(claim=claim, reason=reason))
        else:
            kept.append(claim)
    removed = len(report.claims) - len(kept)
    checked = report.model_copy(update={"claims": tuple(kept), "rejected": tuple(rejected)})
    if report.verdict is not Verdict.INCONCLUSIVE and _too_little_left(report.claims, kept):
        checked = _supported_facts_only(checked, slots)
    return CheckedReport(report=checked, checked=len(report.claims), removed=removed)


def _supported_facts_only(report: Report, slots: Slots) -> Report:
    """Return a report whose verdict, title and sureness claim no more than is left."""
    say = slots.narrator.say
    words = say("sure.inconclusive", reasons=say("reason.supported_facts_only"))
    sure = Claim(
        id="C0",
        section=Section.SURENESS,
        kind=ClaimKind.ABSENCE,
        template=words,
        text=words,
        extras={"absent": "support"},
    )
    others = [c for c in report.claims if c.section not in {Section.SURENESS, Section.DO_NOW}]
    entity = report.entity.rsplit("/", 1)[-1] or say("title.everything")
    return report.model_copy(
        update={
            "verdict": Verdict.INCONCLUSIVE,
            "title": say("title.symptom", entity=entity),
            "fault_kind": None,
            "claims": (*others, sure),
        }
    )


def _too_little_left(claims: Sequence[Claim], kept: Sequence[Claim]) -> bool:
    before = [c for c in claims if c.section in FIRST_SCREEN]
    left = [c for c in kept if c.section in FIRST_SCREEN]
    cause = any(c.section is Section.WHAT and c.kind is ClaimKind.INFERENCE for c in left)
    return not cause or len(left) < _LEAST_SHARE * len(before)


@dataclass(frozen=True, slots=True)
class _Checker:
    report: Report
    slots: Slots
    support: Support

    def complaints(self, claim: Claim) -> Iterator[str]:
        """Yield what is wrong with a statement, ``key`` or ``key:argument``, worst first."""
        yield from self._citations(claim)
        # The first complaint is the verdict: what follows may rely on the checks before it.
        facts = [self.slots.facts[i] for i in claim.fact_ids if not is_call(i)]
        yield from self._places(claim, facts)
        yield from self._text(claim)
        yield from self._kind(claim, facts)
        yield from self.support.complaints(claim)

    def _citations(self, claim: Claim) -> Iterator[str]:
        used = cited(claim.template, claim.derivations)
        if not set(used) <= set(claim.fact_ids):
            yield "citations_differ"
        for citation in claim.fact_ids:
            row = self.slots.evidence.of(int(citation[1:].partition(".")[0]))
            if row is None or (not is_call(citation) and citation not in self.slots.facts):
                yield f"unknown_fact:{citation}"
            elif not is_call(citation) and row.status not in _ANSWERED:
                yield f"call_failed:E{row.number}"

    def _places(self, claim: Claim, facts: Sequence[Fact]) -> Iterator[str]:
        """Facts are of the claim's entity and lie in the windows that were looked at."""
        about = {f.entity for f in facts if f.entity}
        # A statement that names no entity may compare several, but not speak of one.
        if claim.entity or len(about) == 1:
            for fact in facts:
                if fact.entity and fact.entity != claim.entity:
                    yield f"entity_mismatch:{fact.id}"
        for fact in facts:
            if not self._is_inside(fact):
                yield f"window_mismatch:{fact.id}"

    def _is_inside(self, fact: Fact) -> bool:
        """Alerts and changes may be older than the look; all else was asked for in its windows."""
        windows = self.report.frame.windows
        spans = (windows.incident, *windows.baselines)
        start, end = min(w.start for w in spans), max(w.end for w in spans)
        if fact.window is not None and not start <= fact.window.start <= fact.window.end <= end:
            return False
        older = fact.place.startswith(("alert/", "change/"))
        return fact.at is None or older or start <= fact.at <= end

    def _text(self, claim: Claim) -> Iterator[str]:
        raw = claim.extras.get("params", {})
        params: dict[str, str] = {str(k): str(v) for k, v in raw.items()}
        more = [i for i in claim.fact_ids if i not in cited(claim.template, claim.derivations)]
        text = self._written(claim, params, more)
        if text is None:
            yield "not_computed"
        elif text != claim.text:
            yield "text_differs"
        literal = SLOT.sub("", claim.template)
        if claim.kind is not ClaimKind.ADVICE and any(c.isdigit() for c in literal):
            yield "literal_number"

    def _written(self, claim: Claim, params: dict[str, str], more: Sequence[str]) -> str | None:
        """The statement written again from its facts, None when that cannot be done."""
        try:
            return self.slots.text(claim.template, claim.derivations, params, more)
        except SlotError:
            return None

    def _kind(self, claim: Claim, facts: Sequence[Fact]) -> Iterator[str]:
        match claim.kind:
            case ClaimKind.OBSERVATION:
                framed = "{frame|" in claim.template
                if not facts and not framed and not any(is_call(i) for i in claim.fact_ids):
                    yield "no_citation"
            case ClaimKind.DERIVED:
                if not claim.derivations or "{d1}" not in claim.template:
                    yield "no_citation"
            case _:
                pass  # what they rest on is looked up in `Support`
