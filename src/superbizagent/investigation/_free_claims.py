"""Statements that a model or a person wrote: what the checker of claims makes of each.

A statement filled in from facts is checked by writing it again (`verify`). A free one is read
sentence by sentence and held against the evidence, which may bear it out, deny it, or be silent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.judgement import Judgement, Mark, Outcome, PartKind
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Sentence, WordKind
from superbizagent.analysis.claims.scan.scanner import scan
from superbizagent.analysis.claims.scan.sentences import LONGEST, normalise, split_text
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import NOT_COMPARED, Claim, ClaimKind, Section
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation._claim_support import Judged, Support
from superbizagent.investigation.wording.reasons import HYPOTHESIS, Reasons
from superbizagent.investigation.wording.values import zone_of

__all__ = ["FreeClaims"]

_TAKEN_OUT = frozenset({Mark.CONTRADICTED, Mark.UNSUPPORTED})
_OWN_EXTRAS = frozenset({"decided_by", NOT_COMPARED})
"""What is set here, whatever the writer says."""
_CHECKED_EXTRAS = _OWN_EXTRAS | {"links"}
_WORST_FIRST = (
    Mark.CONTRADICTED,
    Mark.UNSUPPORTED,
    Mark.HYPOTHESIS,
    Mark.PARTIAL,
    Mark.SUPPORTED,
    Mark.NOT_CHECKABLE,
)


@dataclass(frozen=True)
class FreeClaims:
    """Judges the free statements of one report; the evidence is indexed when there are any."""

    support: Support
    scope: Scope
    entity_labels: Sequence[str] = ()

    @cached_property
    def checker(self) -> Checker:
        """The checker of claims over the session's evidence."""
        support, frame = self.support, self.support.report.frame
        ground = Ground.of(
            support.evidence, support.analysis, self.scope, frame, self.entity_labels
        )
        return Checker.of(ground, zone_of(frame.timezone))

    @cached_property
    def _reasons(self) -> Reasons:
        return Reasons(self.checker.ground, self.support.report.language)

    def judged(self, claim: Claim) -> Judged:
        """Return what becomes of a statement whose citations exist and were answered."""
        sentences = split_text(claim.text)
        reason = next(self._complaints(claim, sentences), "")
        if reason:
            return Judged(claim, reason)
        said = tuple(sentence.text for sentence in sentences)
        if sum(map(len, said)) > LONGEST or any(s.too_long for s in sentences):
            return self._out(claim, f"too_long:{LONGEST}")
        if claim.kind is ClaimKind.ADVICE or any(map(self._advises, said)):
            return self._advice(claim, said)
        return self._statement(claim, self._judge(claim, " ".join(said)))

    def _complaints(self, claim: Claim, sentences: Sequence[Sentence]) -> Iterator[str]:
        """Yield what is wrong with a statement before it is read."""
        marks = {mark for sentence in sentences for mark in sentence.marks}
        if not marks <= set(claim.fact_ids):
            yield "citations_differ"
        known = {finding.id for finding in self.support.analysis.findings}
        if not set(claim.finding_ids) <= known:
            yield "no_finding"
        # What stands under a statement is printed as it is, so there must be nothing to print.
        carried = {"command"} if claim.command else set[str]()
        carried |= set(claim.extras) - _CHECKED_EXTRAS
        yield from (f"carries:{key}" for key in sorted(carried))

    def _judge(self, claim: Claim, text: str) -> Judgement:
        about = (claim.entity,) if claim.entity else ()
        return self.checker.sentence(text, claim.fact_ids, about)

    def _statement(self, claim: Claim, judgement: Judgement) -> Judged:
        match judgement.mark:
            case Mark.CONTRADICTED | Mark.UNSUPPORTED:
                words = self._reasons.of_judgement(judgement)
                return Judged(claim, judgement.reason, words)
            case Mark.HYPOTHESIS:
                return Judged(self._hypothesis(claim, judgement))
            case Mark.NOT_CHECKABLE | Mark.PARTIAL:
                # Half of it may be anything: it is printed, but nobody's first look falls on it.
                left = [p.text for p in judgement.parts if p.outcome is Outcome.UNCOMPARED]
                return Judged(_put(claim, Section.REMARKS, {NOT_COMPARED: left} if left else {}))
            case Mark.SUPPORTED:
                if not claim.fact_ids and not claim.finding_ids:
                    return Judged(claim, "no_citation")
                return Judged(claim, cause=self._names_cause(claim, judgement))

    def _out(self, claim: Claim, reason: str) -> Judged:
        return Judged(claim, reason, self._reasons.of(reason))

    # Hypotheses and causes -----------------------------------------------------------------------

    def _hypothesis(self, claim: Claim, judgement: Judgement) -> Claim:
        """The statement as a hypothesis, with the check that decides it."""
        checks = [p.reason.partition(":")[2] for p in judgement.parts if _is_hypothesis(p.reason)]
        decides = self._reasons.check(next(filter(None, checks), ""))
        return _put(claim, Section.HYPOTHESES, {"decided_by": decides} if decides else {})

    def _names_cause(self, claim: Claim, judgement: Judgement) -> bool:
        held = (p for p in judgement.parts if p.outcome is Outcome.HOLDS)
        if any(part.kind is PartKind.CAUSE for part in held):
            return True
        first = self.support.leading()
        about = first is not None and claim.entity == first.entity
        return about and claim.section is Section.WHAT and claim.kind is ClaimKind.INFERENCE

    # Advice --------------------------------------------------------------------------------------

    def _advises(self, text: str) -> bool:
        statement = scan(Sentence(normalise(text), 1), self.checker.setting)
        return bool(statement.words_of(WordKind.ADVICE))

    def _advice(self, claim: Claim, said: Sequence[str]) -> Judged:
        """An action needs somebody who recommends it; what else is said must stand."""
        reason = next(self._unfounded(claim), "")
        if reason:
            return Judged(claim, reason)
        judgements = [self._judge(claim, text) for text in said if not self._advises(text)]
        for judgement in sorted(judgements, key=lambda j: _WORST_FIRST.index(j.mark))[:1]:
            if judgement.mark in _TAKEN_OUT:
                return self._statement(claim, judgement)
            if judgement.mark is Mark.HYPOTHESIS:
                return Judged(self._hypothesis(claim, judgement))
        return Judged(claim)

    def _unfounded(self, claim: Claim) -> Iterator[str]:
        """Yield why nothing recommends what an advice says."""
        if claim.playbook:
            yield from self._not_in_playbook(claim)
        elif claim.extras.get("links"):
            links = cast("Sequence[Sequence[str]]", claim.extras["links"])
            known = set(self.support.report.frame.references)
            yield from (f"unknown_name:{url}" for _, url in links if url not in known)
        elif not any(self._is_passage(citation) for citation in claim.fact_ids):
            yield "no_playbook"

    def _not_in_playbook(self, claim: Claim) -> Iterator[str]:
        tested = [h for h in self.support.analysis.hypotheses if h.skill == claim.playbook]
        if claim.playbook not in self.support.report.skills or not tested:
            yield "no_playbook"
        elif claim.section is Section.DO_NOW and not any(map(self.support.is_cause, tested)):
            yield "unsupported"

    def _is_passage(self, citation: str) -> bool:
        row = self.support.evidence.of(int(citation[1:].partition(".")[0]))
        if row is None or row.tool is not ToolName.LOOKUP_KNOWLEDGE:
            return False
        return row.status is EvidenceStatus.OK


def _put(claim: Claim, section: Section, extras: Mapping[str, Any]) -> Claim:
    """The statement in another section, with what is known of it there."""
    others = {k: v for k, v in claim.extras.items() if k not in _OWN_EXTRAS}
    return claim.model_copy(update={"section": section, "extras": {**others, **extras}})


def _is_hypothesis(reason: str) -> bool:
    return reason.partition(":")[0] == HYPOTHESIS
