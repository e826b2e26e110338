"""What answers are made of: the diagnosis that is spoken of, written and checked once more."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.finding import CandidateCause, Finding
from superbizagent.domain.report import Claim, ClaimKind, Frame, Report, Section
from superbizagent.investigation.conversation.turn import Turn
from superbizagent.investigation.report import write_report
from superbizagent.investigation.verify import verify_report
from superbizagent.investigation.why import Why, explain_name
from superbizagent.investigation.wording.asked import asked_of
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.picks import leading
from superbizagent.investigation.wording.say_full import say_finding
from superbizagent.investigation.wording.slots import Slots, cited, is_call
from superbizagent.investigation.wording.writer import Given, Writer

__all__ = ["Material", "near_citations"]

Say = Callable[[Given, Writer], None]


@dataclass(frozen=True)
class Material:
    """One turn, and everything that its answer may be written from."""

    turn: Turn
    given: Given
    labels: Sequence[str]
    """Labels that name an entity, first match wins."""
    received_at: datetime
    """When the turn came: what "ago" counts to, unless a recording is spoken of."""

    @cached_property
    def report(self) -> Report:
        """The report of the diagnosis in the turn's language, as it stands after its checks."""
        g = self.given
        written = write_report(g.scope, g.plans, g.evidence, g.analysis, g.skills)
        return verify_report(written, g.evidence, g.analysis, g.scope, self.labels).report

    @cached_property
    def frame(self) -> Frame:
        """The report's, with the turn's own words and the present time."""
        frame, sources = self.report.frame, self.given.scope.sources
        recorded = bool(sources) and all(s.is_recording for s in sources)
        own = [*self.turn.names, self.turn.pronoun, self.turn.citation, *self._words()]
        names = dict.fromkeys((*frame.references, *(word for word in own if word)))
        now = frame.now if recorded else self.received_at
        return frame.model_copy(update={"references": tuple(names), "now": now})

    @cached_property
    def slots(self) -> Slots:
        """Fills sentences from the evidence."""
        return Slots.of(self.given.evidence, self.frame, self.say)

    @property
    def say(self) -> Narrator:
        """The words of the answer."""
        return narrator_for(self.given.scope.language)

    @cached_property
    def ground(self) -> Ground:
        """The evidence, indexed."""
        g = self.given
        return Ground.of(g.evidence, g.analysis, g.scope, self.report.frame, self.labels)

    @cached_property
    def found(self) -> Why | None:
        """What became of the name that is asked about; None when none is."""
        names = self.turn.names
        return explain_name(names[0], self.ground, self.given.plans) if names else None

    @property
    def cause(self) -> CandidateCause | None:
        """What was named as the cause, or stands out most."""
        return leading(self.given)

    @cached_property
    def call(self) -> ToolInvocation | None:
        """The call that is cited."""
        number = self.turn.citation.removeprefix("E").partition(".")[0]
        return self.given.evidence.of(int(number)) if number else None

    def written(self, *says: Say) -> list[Claim]:
        """Return what sections of the report say, written with this frame."""
        writer = Writer(self.slots)
        for say in says:
            say(self.given, writer)
        # What a flag of the command line changes is said by asking for it here.
        return [c for c in writer.claims if "flag" not in c.extras.get("params", {})]

    def section(self, section: Section) -> tuple[Claim, ...]:
        """Return a section of the report."""
        return self.report.section(section)

    def findings(self, found: Sequence[Finding], most: int) -> list[Claim]:
        """Return the sentences of findings, the strongest first."""
        writer = Writer(self.slots)
        for finding in found:
            if len(writer.claims) < most:
                say_finding(self.given, writer, finding)
        return writer.claims

    def with_citations(self, claim: Claim) -> Claim:
        """Let a statement that cites nothing cite what it was computed from."""
        if claim.fact_ids or claim.kind is ClaimKind.ABSENCE:
            return claim
        more = self._of_path(claim) or self._calls_of(claim)
        about = {self.slots.facts[i].entity for i in more if not is_call(i)}
        params = claim.extras.get("params", {})
        changed = {
            "text": self.slots.text(claim.template, claim.derivations, params, more),
            "fact_ids": (*cited(claim.template, claim.derivations), *more),
            "entity": about.pop() if len(about) == 1 else claim.entity,
        }
        return claim.model_copy(update=changed)

    def _of_path(self, claim: Claim) -> tuple[str, ...]:
        """A fact of each step of a path: it may cite nothing else."""
        told = [tuple(step) for step in claim.extras.get("steps", ())]
        steps = [s for s in self.given.analysis.path if (s.source, s.target) in told]
        found = [
            i
            for step in steps
            for ids in (
                step.call_facts[:1],
                *(self.given.analysis.finding(f).fact_ids[:1] for f in step.finding_ids),
            )
            for i in ids
        ]
        return tuple(dict.fromkeys(found))

    def _calls_of(self, claim: Claim) -> tuple[str, ...]:
        """The calls that its facts came from; where it has none of its own, all of them."""
        numbers = {int(i[1:].partition(".")[0]) for i in self._rests_on(claim)}
        numbers = numbers or {row.number for row in self.given.evidence.invocations}
        return tuple(f"E{number}" for number in sorted(numbers))

    def _rests_on(self, claim: Claim) -> Iterator[str]:
        analysis, extras = self.given.analysis, claim.extras
        own = set(claim.finding_ids)
        if claim.section is Section.SURENESS and self.cause is not None:
            own |= set(self.cause.finding_ids)
        yield from (i for f in analysis.findings if f.id in own for i in f.fact_ids)
        tested = (h for h in analysis.hypotheses if h.key == extras.get("hypothesis"))
        yield from (i for h in tested for check in h.checks for i in check.fact_ids)

    def _words(self) -> Iterator[str]:
        """Names that a call and its facts bring with them."""
        row = self.call if self.turn.citation else None
        if row is not None:
            yield asked_of(row)
            yield from (fact.statistic for fact in row.facts)
        yield from near_citations(self.turn.citation, self.given)
        if self.found is not None:
            yield from self.found.near


def near_citations(citation: str, given: Given) -> tuple[str, ...]:
    """Return the calls, or the facts of the call, whose numbers are nearest to a citation's."""
    if not citation:
        return ()
    number, _, part = citation[1:].partition(".")
    row = given.evidence.of(int(number))
    if part and row is not None and row.facts:
        order = sorted(row.facts, key=lambda f: abs(int(f.id.partition(".")[2]) - int(part)))
        return tuple(sorted((f.id for f in order[:2]), key=lambda i: int(i.partition(".")[2])))
    near = sorted(
        (r.number for r in given.evidence.invocations), key=lambda n: abs(n - int(number))
    )
    return tuple(f"E{n}" for n in sorted(near[:2]))
