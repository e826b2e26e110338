"""Reads every statement of a report again and takes out what does not stand in the evidence.

By code, not by prompt: what a statement cites must exist and have answered, be about the same
entity and lie in the time looked at; writing it again from its facts must give the same text; an
absence must rest on a zero that covers its time; an inference on what the analysis holds; an
advice on a playbook. What fails is removed and listed with the reason, never repaired.

A free statement, which nothing can write again, is read and held against the evidence instead
(`analysis.claims`). What nothing has tested stays as a hypothesis, what says nothing checkable as a
remark; neither is on the first screen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from superbizagent.domain.cluster import ClusterSnapshot, belongings
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
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation._claim_support import Judged, Support
from superbizagent.investigation.wording.narrator import narrator_for
from superbizagent.investigation.wording.slots import SLOT, SlotError, Slots, cited, is_call

__all__ = ["verify_report", "verify_statements"]

_LEAST_SHARE = 0.5
"""Less than half of the first screen's statements left is no diagnosis any more."""
_ANSWERED = frozenset({EvidenceStatus.OK, EvidenceStatus.EMPTY})


def verify_report(
    report: Report,
    evidence: Evidence,
    analysis: Analysis,
    scope: Scope,
    entity_labels: Sequence[str] = (),
) -> CheckedReport:
    """Return the report with every statement that holds, and the others listed as rejected.

    When little is left, or the statement of the cause itself fell, the verdict becomes
    ``inconclusive``: supported facts only.

    Args:
        report: as it was written.
        evidence: the calls with their facts and outputs.
        analysis: what was computed of them.
        scope: what was looked at.
        entity_labels: labels that name an entity, first match wins.
    """
    checker = _checker(report, evidence, analysis)
    judged = _judge_of(checker, scope, entity_labels)
    result = _Result(list(report.rejected))
    for claim in report.claims:
        result.add(judged(claim))
    certain = report.verdict is not Verdict.INCONCLUSIVE
    healthy = report.verdict is Verdict.HEALTHY
    # That all is well rests on every statement of the first screen, and on no cause.
    fell = any(r.claim.section in FIRST_SCREEN for r in result.rejected)
    doubtful = certain and (fell if healthy else _too_little_left(report.claims, result))
    if doubtful or result.cause_fell:
        result.drop_causes()
    left = result.report(report)
    if certain and (doubtful or result.cause_fell):
        left = _supported_facts_only(left, checker.slots)
    removed = len(result.rejected) - len(report.rejected)
    return CheckedReport(report=left, checked=len(report.claims), removed=removed)


def verify_statements(report: Report, evidence: Evidence, analysis: Analysis) -> CheckedReport:
    """Return what is left of statements that were filled in from facts, each held for itself.

    For what is no diagnosis, of which no statement must be there: an answer about one.

    Args:
        report: statements, and the frame that they may name.
        evidence: the calls with their facts and outputs.
        analysis: what was computed of them.
    """
    checker = _checker(report, evidence, analysis)
    result = _Result(list(report.rejected))
    for claim in report.claims:
        result.add(Judged(claim, next(checker.complaints(claim), "")))
    removed = len(result.rejected) - len(report.rejected)
    return CheckedReport(report=result.report(report), checked=len(report.claims), removed=removed)


def _checker(report: Report, evidence: Evidence, analysis: Analysis) -> "_Checker":
    slots = Slots.of(evidence, report.frame, narrator_for(report.language))
    support = Support(report, evidence, analysis, slots)
    seen = (row.output for row in evidence.invocations)
    parts = belongings(o for o in seen if isinstance(o, ClusterSnapshot))
    return _Checker(report, slots, support, parts)


def _judge_of(
    checker: "_Checker", scope: Scope, entity_labels: Sequence[str]
) -> Callable[[Claim], Judged]:
    """Return what judges the statements of a report."""

    def filled_in(claim: Claim) -> Judged:
        names_cause = claim.section is Section.WHAT and claim.kind is ClaimKind.INFERENCE
        return Judged(claim, next(checker.complaints(claim), ""), cause=names_cause)

    if not any(claim.is_free for claim in checker.report.claims):
        return filled_in
    # 0.2 s of start, for the tables of the scanner: reports of the rules have nothing to read.
    from superbizagent.investigation._free_claims import FreeClaims  # noqa: PLC0415 - see above

    free = FreeClaims(checker.support, scope, entity_labels)

    def judged(claim: Claim) -> Judged:
        if not claim.is_free:
            return filled_in(claim)
        reason = next(checker.citations(claim), "")
        return Judged(claim, reason) if reason else free.judged(claim)

    return judged


@dataclass(slots=True)
class _Result:
    """What is left of a report, and what is not."""

    rejected: list[RejectedClaim]
    kept: list[Judged] = field(default_factory=list[Judged])
    cause_fell: bool = False
    """The statement of the cause that was filled in from facts did not hold."""

    def add(self, judged: Judged) -> None:
        """Take one statement in, or out."""
        if not judged.reason:
            self.kept.append(judged)
            return
        self._reject(judged.claim, judged.reason, judged.words)
        self.cause_fell |= judged.cause and not judged.claim.is_free

    def drop_causes(self) -> None:
        """Take out free statements of a cause, which do not stand when the cause does not."""
        fallen = [j for j in self.kept if j.cause and j.claim.is_free]
        self.kept = [j for j in self.kept if j not in fallen]
        for judged in fallen:
            self._reject(judged.claim, "cause_fell")

    def report(self, report: Report) -> Report:
        """The report with what is left."""
        claims = tuple(judged.claim for judged in self.kept)
        return report.model_copy(update={"claims": claims, "rejected": tuple(self.rejected)})

    def _reject(self, claim: Claim, reason: str, words: str = "") -> None:
        self.rejected.append(RejectedClaim(claim=claim, reason=reason, words=words))


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


def _too_little_left(claims: Sequence[Claim], result: _Result) -> bool:
    """Tell whether no cause is left, or less than half of what the first screen was to say.

    A statement that became a hypothesis or a remark is not left.
    """
    before = [c for c in claims if c.section in FIRST_SCREEN]
    left = [j for j in result.kept if j.claim.section in FIRST_SCREEN]
    cause = any(j.cause and j.claim.section is Section.WHAT for j in left)
    return not cause or len(left) < _LEAST_SHARE * len(before)


@dataclass(frozen=True, slots=True)
class _Checker:
    report: Report
    slots: Slots
    support: Support
    parts: Mapping[str, str]
    """Path of an object -> path of what it is a part of: what a pod says is said of its whole."""

    def complaints(self, claim: Claim) -> Iterator[str]:
        """Yield what is wrong with a statement, ``key`` or ``key:argument``, worst first."""
        yield from self.citations(claim)
        # The first complaint is the verdict: what follows may rely on the checks before it.
        facts = [self.slots.facts[i] for i in claim.fact_ids if not is_call(i)]
        yield from self._places(claim, facts)
        yield from self._text(claim)
        yield from self._kind(claim, facts)
        yield from self.support.complaints(claim)

    def citations(self, claim: Claim) -> Iterator[str]:
        """Yield what is wrong with what a statement cites."""
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
                whole = {fact.entity, self.parts.get(fact.entity, fact.entity)}
                if fact.entity and claim.entity not in whole:
                    yield f"entity_mismatch:{fact.id}"
        for fact in facts:
            if not self._is_inside(fact):
                yield f"window_mismatch:{fact.id}"

    def _is_inside(self, fact: Fact) -> bool:
        """Alerts, rules, changes, states of objects and what was learnt may be older than the look.

        All else was asked for in its windows.
        """
        row = self.slots.evidence.of(fact.call)
        if row is not None and row.call.reads_rule:
            return True
        windows = self.report.frame.windows
        spans = (windows.incident, *windows.baselines)
        start, end = min(w.start for w in spans), max(w.end for w in spans)
        if fact.window is not None and not start <= fact.window.start <= fact.window.end <= end:
            return False
        older = fact.place.startswith(("alert/", "change/", "object/", "normal/"))
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
