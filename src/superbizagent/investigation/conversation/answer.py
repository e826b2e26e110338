"""Writes the answer to a turn: statements of the diagnosis that is spoken of, chosen and checked.

The first says what the answer is from, and what a pronoun was taken for. Each cites what it rests
on, or says what is not there; one that does not hold is taken out, as from any report.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Analysis, FindingKind, Verdict
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import CheckedReport, Claim, ClaimKind, Frame, Report, Section
from superbizagent.investigation.conversation.citations import say_citation
from superbizagent.investigation.conversation.material import Material
from superbizagent.investigation.conversation.names import say_evidence, say_known, say_why_not
from superbizagent.investigation.conversation.turn import Turn, TurnKind
from superbizagent.investigation.verify import verify_statements
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.say_apart import say_apart
from superbizagent.investigation.wording.say_course import say_impact, say_when
from superbizagent.investigation.wording.say_next import say_do_now, say_next
from superbizagent.investigation.wording.say_not_seen import say_not_seen
from superbizagent.investigation.wording.say_what import say_what
from superbizagent.investigation.wording.slots import Slots
from superbizagent.investigation.wording.writer import Given, Writer

__all__ = ["write_answer"]

_EVENTS = 5
_OTHERS = 8
_FELT = frozenset({"err", "lat"})


def write_answer(
    turn: Turn, given: Given, received_at: datetime, labels: Sequence[str] = ()
) -> CheckedReport:
    """Return the checked answer to a turn that needs no new look.

    Args:
        turn: as it was read.
        given: the diagnosis that is spoken of; of no evidence where there is none.
        received_at: when the turn came.
        labels: labels that name an entity, first match wins.
    """
    if turn.kind is TurnKind.OTHER or not given.evidence.invocations:
        return _without_evidence(turn, given)
    m = Material(turn, given, labels, received_at)
    opening = list(_opening(m))
    answer = _distinct(m.with_citations(claim) for claim in _ANSWERS[turn.kind](m))
    checked = _checked(m, [*opening, *answer])
    if len(checked.report.claims) > len(opening):
        return checked
    nothing = list(_absent(m.slots, "talk.nothing", "answer"))
    return _checked(m, [*opening, *nothing])


def _checked(m: Material, claims: Sequence[Claim]) -> CheckedReport:
    report = m.report.model_copy(
        update={
            "frame": m.frame,
            "title": _title(m.turn, m.say),
            "claims": _numbered(claims),
            "rejected": (),
            "answers": m.turn.kind.value,
        }
    )
    return verify_statements(report, m.given.evidence, m.given.analysis)


def _without_evidence(turn: Turn, given: Given) -> CheckedReport:
    """Say what can be asked: nothing was asked about a system, or there is no diagnosis yet."""
    say = narrator_for(turn.language)
    frame = Frame(
        windows=given.scope.windows,
        now=given.scope.incident.received_at,
        timezone=given.scope.incident.timezone,
    )
    key = "talk.help" if turn.kind is TurnKind.OTHER else "talk.no_diagnosis"
    report = Report(
        language=turn.language,
        frame=frame,
        title=say.say("talk.title.other"),
        verdict=Verdict.INCONCLUSIVE,
        claims=tuple(_absent(Slots.of(Evidence(), frame, say), key, "evidence")),
        answers=turn.kind.value,
    )
    return verify_statements(report, Evidence(), Analysis())


def _title(turn: Turn, say: Narrator) -> str:
    name = turn.citation or next(iter(turn.names), "") or say.say("talk.the_cause")
    return say.say(f"talk.title.{turn.kind.value}", name=name)


def _opening(m: Material) -> Iterator[Claim]:
    say, scope = m.say.say, m.given.scope
    names = () if scope.takes_everything else tuple(dict.fromkeys(e.name for e in scope.entities))
    params = {"about": say("list.and").join(names) or say("title.everything")}
    key = "talk.about"
    if m.turn.pronoun and m.turn.names:
        key, said = "talk.about_it", {"word": m.turn.pronoun, "name": m.turn.names[0]}
        params |= said
    calls = [f"E{row.number}" for row in m.given.evidence.invocations]
    writer = Writer(m.slots)
    writer.add(
        Section.WHAT,
        ClaimKind.OBSERVATION,
        say(key),
        params=params,
        more=calls,
        extras={"opens": True},
    )
    yield from writer.claims


def _absent(slots: Slots, key: str, what: str) -> Iterable[Claim]:
    writer = Writer(slots)
    template, extras = slots.narrator.say(key), {"absent": what}
    writer.add(Section.NOT_SEEN, ClaimKind.ABSENCE, template, extras=extras)
    return writer.claims


def _distinct(claims: Iterable[Claim]) -> list[Claim]:
    """Each sentence once."""
    return list({claim.text: claim for claim in reversed(list(claims))}.values())[::-1]


def _numbered(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    return tuple(c.model_copy(update={"id": f"C{n}"}) for n, c in enumerate(claims, 1))


# What needs no name ------------------------------------------------------------------------------


def _changes(m: Material) -> Iterator[Claim]:
    """Changes, and that none was recorded or visible."""
    lists = {r.number for r in m.given.evidence.invocations if r.tool is ToolName.LIST_CHANGES}
    for claim in m.section(Section.TIMELINE):
        if any(int(i[1:].partition(".")[0]) in lists for i in claim.fact_ids):
            yield claim
    changed = [f for f in m.given.analysis.findings if f.kind is FindingKind.CHANGE]
    yield from m.findings(changed, _OTHERS)
    unseen = (c for c in m.section(Section.NOT_SEEN) if c.extras.get("absent") == "signal:changes")
    yield from unseen


def _onset(m: Material) -> Iterator[Claim]:
    yield from m.written(say_when) or m.written(say_what)
    yield from m.section(Section.TIMELINE)[:_EVENTS]


def _advice(m: Material) -> Iterator[Claim]:
    yield from m.written(say_do_now, say_next)


def _state(m: Material) -> Iterator[Claim]:
    yield from m.written(say_when) or m.written(say_what)
    calls = [f"E{row.number}" for row in m.given.evidence.invocations]
    writer = Writer(m.slots)
    template = m.say.say("talk.as_of")
    writer.add(Section.WHAT, ClaimKind.OBSERVATION, template, more=calls)
    yield from writer.claims


def _affected(m: Material) -> Iterator[Claim]:
    """What users feel, the way there, and errors and latency anywhere but at the cause."""
    yield from m.written(say_impact, say_apart)
    yield from m.section(Section.PATH)
    cause = m.cause.entity if m.cause is not None else ""
    elsewhere = {
        f.entity: f
        for f in reversed(m.given.analysis.findings)
        if f.family in _FELT and f.direction > 0 and f.entity != cause
    }
    asked = {entity.path for entity in m.given.scope.entities}  # its impact is told above
    others = [f for f in reversed(elsewhere.values()) if f.entity not in asked]
    yield from m.findings(others, _OTHERS)
    if not elsewhere and cause:
        writer = Writer(m.slots)
        writer.add(
            Section.NOT_SEEN,
            ClaimKind.ABSENCE,
            m.say.say("talk.alone"),
            entity=cause,
            params={"entity": cause.rsplit("/", 1)[-1]},
            extras={"absent": "felt"},
        )
        yield from writer.claims


def _unseen(m: Material) -> Iterator[Claim]:
    yield from m.written(say_not_seen)


_ANSWERS: Mapping[TurnKind, Callable[[Material], Iterable[Claim]]] = {
    TurnKind.WHY_NOT: say_why_not,
    TurnKind.WHY: say_known,
    TurnKind.EVIDENCE: say_evidence,
    TurnKind.EXPLAIN: say_citation,
    TurnKind.CHANGES: _changes,
    TurnKind.ONSET: _onset,
    TurnKind.ADVICE: _advice,
    TurnKind.STATE: _state,
    TurnKind.AFFECTED: _affected,
    TurnKind.UNSEEN: _unseen,
}
