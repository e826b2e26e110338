"""Whether the analysis and the calls stand behind a statement, beyond the facts it quotes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import (
    Analysis,
    CandidateCause,
    Finding,
    HypothesisOutcome,
    HypothesisResult,
)
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.report import Claim, ClaimKind, Report, Section
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation._absence import COUNTS_OF_LOOKING, Absences, params_of
from superbizagent.investigation.wording.check_phrases import check_words
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.say_full import candidate_params, margin_params
from superbizagent.investigation.wording.say_path import contribution_params
from superbizagent.investigation.wording.slots import Slots, is_call

__all__ = ["Judged", "Support"]

_WRITTEN_AGAIN = frozenset({Section.CANDIDATES, Section.RULED_OUT})
"""Sections whose names are held against the analysis itself."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a statement."""

    claim: Claim
    """As it stays, in the section where it belongs."""
    reason: str = ""
    """Why it is taken out; empty when it stays."""
    words: str = ""
    """The reason in words."""
    cause: bool = False
    """It names the cause."""


@dataclass(frozen=True)
class Support:
    """Looks up what a statement rests on."""

    report: Report
    evidence: Evidence
    analysis: Analysis
    slots: Slots

    def complaints(self, claim: Claim) -> Iterator[str]:
        """Yield what nothing stands behind, ``key`` or ``key:argument``."""
        yield from self._findings(claim)
        yield from self._names(claim)
        if claim.extras.get("absent"):
            yield from self._absent(claim, str(claim.extras["absent"]))
        match claim.kind:
            case ClaimKind.INFERENCE:
                yield from self._inference(claim)
            case ClaimKind.ADVICE:
                yield from self._advice(claim)
            case ClaimKind.ABSENCE if not claim.extras.get("absent"):
                yield from self._absence(claim)
            case _:
                yield from self._held(claim)

    # Names ---------------------------------------------------------------------------------------

    @cached_property
    def _known(self) -> frozenset[str]:
        """Every name that the payload, the evidence or the analysis has."""
        narrator = self.slots.narrator
        entities = {f.entity for f in self.slots.facts.values()}
        entities |= {f.entity for f in self.analysis.findings}
        entities |= {h.entity for h in self.analysis.hypotheses}
        names = {entity.rsplit("/", 1)[-1] for entity in entities if entity}
        names |= {narrator.say(f"fault.{h.fault_kind.value}") for h in self.analysis.hypotheses}
        names.add(narrator.say("title.everything"))
        facts = self.slots.facts.values()
        names |= {f.name.removeprefix("alert:") for f in facts if f.name.startswith("alert:")}
        for row in self.evidence.invocations:
            names |= {row.call.source, row.call.purpose}
            if isinstance(row.output, LogDigest):
                for file in row.output.files:
                    names |= {file.path, file.timezone, file.timezone_reason or "-", *file.notes}
                    names.add(narrator.zone_reason(file.timezone_reason))
        return frozenset(names | set(self.report.frame.references))

    def _names(self, claim: Claim) -> Iterator[str]:
        params = params_of(claim)
        if claim.section in _WRITTEN_AGAIN and claim.extras:
            return  # written again from the analysis in `_inference`
        separator = self.slots.narrator.say("list.and")
        for key, value in params.items():
            if key == "count":
                known = value == str(len(params.get("files", "").split(separator)))
            elif key == "entity" and claim.entity:
                known = value == claim.entity.rsplit("/", 1)[-1]
            elif key == "share" and "contributing" in claim.extras:
                known = True  # held against the analysis in `_on_the_way`
            else:
                parts = value.split(separator)
                known = value in self._known or all(part in self._known for part in parts)
            if value and not known:
                yield f"unknown_name:{value}"

    # Findings, hypotheses, candidates ------------------------------------------------------------

    def _finding(self, finding_id: str) -> Finding | None:
        return next((f for f in self.analysis.findings if f.id == finding_id), None)

    def _findings(self, claim: Claim) -> Iterator[str]:
        for finding_id in claim.finding_ids:
            finding = self._finding(finding_id)
            if finding is None or (claim.entity and finding.entity != claim.entity):
                yield "no_finding"

    def _result(self, claim: Claim) -> HypothesisResult | None:
        key = claim.extras.get("hypothesis")
        return next((h for h in self.analysis.hypotheses if h.key == key), None)

    def leading(self) -> CandidateCause | None:
        return next((c for c in self.analysis.candidates if c.score > 0), None)

    def _held(self, claim: Claim) -> Iterator[str]:
        """A statement that carries a check stands only with the hypothesis it was made for."""
        stands = self.stands if claim.extras.get("also") else self.is_cause
        if "hypothesis" in claim.extras and not stands(self._result(claim)):
            yield "unsupported"

    def is_cause(self, result: HypothesisResult | None) -> bool:
        """Tell whether a hypothesis is supported and stands behind the leading candidate."""
        first = self.leading()
        return (
            result is not None
            and result.outcome is HypothesisOutcome.SUPPORTED
            and first is not None
            and (first.hypothesis, first.entity) == (result.key, result.entity)
        )

    def stands(self, result: HypothesisResult | None) -> bool:
        """Tell whether a hypothesis is supported and stands behind a candidate not ruled out."""
        return (
            result is not None
            and result.outcome is HypothesisOutcome.SUPPORTED
            and any(
                c.score > 0 and (c.hypothesis, c.entity) == (result.key, result.entity)
                for c in self.causes
            )
        )

    @property
    def causes(self) -> tuple[CandidateCause, ...]:
        """Candidates, and the causes of what is independent of them."""
        independent = (fault.cause for fault in self.analysis.independent)
        return (*self.analysis.candidates, *independent)

    def _inference(self, claim: Claim) -> Iterator[str]:
        extras = claim.extras
        if "reasons" in extras:
            yield from self._sureness(claim)
        elif "steps" in extras or claim.section is Section.PATH:
            yield from self._on_the_way(claim)
        elif claim.section in _WRITTEN_AGAIN:
            yield from self._listed(claim)
        elif "hypothesis" in extras:
            yield from self._held(claim)
        elif not claim.finding_ids:
            yield "no_finding"
        elif claim.section is Section.CHECK_NEXT:
            names = [_looked_up(self.slots.facts[i]) for i in claim.fact_ids]
            if claim.command != " or ".join(names):
                yield "unsupported"
        elif claim.section is Section.WHAT:
            yield from self._headline(claim)

    def _headline(self, claim: Claim) -> Iterator[str]:
        """Of no playbook: it is about the leading candidate, or about what is independent of it."""
        first = self.leading()
        apart = {fault.cause.entity for fault in self.analysis.independent}
        own = first is not None and claim.entity == first.entity
        if not own and not (claim.extras.get("also") and claim.entity in apart):
            yield "unsupported"

    def _sureness(self, claim: Claim) -> Iterator[str]:
        reasons = tuple(cast("Sequence[str]", claim.extras["reasons"]))
        if (reasons, claim.extras.get("verdict")) not in self._decided(claim.entity):
            yield "unsupported"

    def _decided(self, entity: str) -> list[tuple[tuple[str, ...], str]]:
        """Reasons and verdict of the session, or of what is independent at an entity."""
        if not entity:
            return [(self.analysis.verdict_reasons, self.analysis.verdict.value)]
        apart = [f for f in self.analysis.independent if f.cause.entity == entity]
        return [(fault.verdict_reasons, fault.verdict.value) for fault in apart]

    def _on_the_way(self, claim: Claim) -> Iterator[str]:
        """Steps of the path, the whole of it on one line, and who adds to it."""
        if "contributing" in claim.extras:
            found = [c for c in self.analysis.contributing if c.entity == claim.entity]
            same = [params_of(claim) == contribution_params(c) for c in found]
            if same != [True] or claim.finding_ids != (found[0].finding_id,):
                yield "unsupported"
            return
        told = cast("Sequence[Sequence[str]]", claim.extras.get("steps", ()))
        steps = {(s.source, s.target): s for s in self.analysis.path}
        known = [steps[(a, b)] for a, b in told if (a, b) in steps]
        cited = {i for s in known for i in (*s.call_facts, *self._facts_of(s.finding_ids))}
        if not known or len(known) != len(told) or not set(claim.fact_ids) <= cited:
            yield "unsupported"

    def _facts_of(self, finding_ids: Sequence[str]) -> list[str]:
        found = (self._finding(i) for i in finding_ids)
        return [fact for f in found if f is not None for fact in f.fact_ids]

    def _listed(self, claim: Claim) -> Iterator[str]:
        """Candidates and what was ruled out: written again from the analysis."""
        params, narrator = params_of(claim), self.slots.narrator
        if "margin" in claim.extras:
            if params != margin_params(self.analysis):
                yield "unsupported"
            return
        if "candidate" in claim.extras:
            name = claim.extras["candidate"]
            found = next((c for c in self.causes if c.entity == name), None)
            if found is None or not _says_candidate(claim, found, params, narrator):
                yield "unsupported"
            return  # a candidate is no hypothesis
        result = self._result(claim)
        same = result is not None and claim.extras.get("outcome") == result.outcome.value
        if result is None or not same or params != _ruled_out_params(claim, result):
            yield "unsupported"

    def _advice(self, claim: Claim) -> Iterator[str]:
        links = cast("Sequence[Sequence[str]]", claim.extras.get("links", ()))
        if links:
            known = set(self.report.frame.references)
            yield from (f"unknown_name:{url}" for _, url in links if url not in known)
            return
        stands = self.stands if claim.extras.get("also") else self.is_cause
        result = self._result(claim)
        in_use = claim.playbook in self.report.skills
        if result is None or claim.playbook != result.skill or not in_use:
            yield "no_playbook"
        elif claim.section is Section.DO_NOW and not stands(result):
            yield "unsupported"
        elif claim.entity != result.entity:
            yield f"entity_mismatch:{result.key}"

    # Absence -------------------------------------------------------------------------------------

    def _absence(self, claim: Claim) -> Iterator[str]:
        """A call that failed, was cut or found nothing; or a zero that covers the incident."""
        calls = [self.slots.call(i) for i in claim.fact_ids if is_call(i)]
        for row in calls:
            if row.status is EvidenceStatus.OK and not row.truncated and not row.warnings:
                yield f"call_answered:E{row.number}"
        facts = [self.slots.facts[i] for i in claim.fact_ids if not is_call(i)]
        zeros = [f for f in facts if f.value == 0]
        if not calls and not zeros:
            yield "no_citation"
        for fact in facts:
            if fact.value != 0 and fact.name not in COUNTS_OF_LOOKING:
                yield f"not_zero:{fact.id}"
        incident = self.report.frame.windows.incident
        for fact in zeros:
            window = fact.window
            if window is None or window.start > incident.start or window.end < incident.end:
                yield f"not_covered:{fact.id}"

    def _absent(self, claim: Claim, what: str) -> Iterator[str]:
        absences = Absences(self.report, self.evidence, self.analysis, self.slots, self.causes)
        if not absences.is_absent(claim, what):
            yield "not_absent"


def _looked_up(fact: Fact) -> str:
    """What a reader pastes to see a fact: the id of a request, or the name of a series."""
    return str(fact.value) if fact.statistic == "trace" else fact.name


def _ruled_out_params(claim: Claim, result: HypothesisResult) -> dict[str, str]:
    """What a sentence on a hypothesis that is not the cause names."""
    check = next((c for c in result.checks if c.id == claim.extras.get("check")), None)
    expected = {"entity": result.entity.rsplit("/", 1)[-1]} if result.entity else {}
    if check is not None and "check" in params_of(claim):
        expected["check"] = check_words(check)
    return expected


def _says_candidate(
    claim: Claim, found: CandidateCause, params: Mapping[str, str], narrator: Narrator
) -> bool:
    """Tell whether a sentence says of a candidate what the analysis does."""
    if claim.section is Section.CANDIDATES:
        return params == candidate_params(found, narrator)
    reason = found.terms[-1].name if found.terms else ""
    template = narrator.say(f"full.{reason}") if narrator.knows(f"full.{reason}") else ""
    named = params == {"entity": found.entity.rsplit("/", 1)[-1]}
    return named and found.score <= 0 and claim.template == template
