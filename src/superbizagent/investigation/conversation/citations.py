"""Answers about a citation: what a call or a fact says, and what rests on it."""

from collections.abc import Iterator

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.report import Claim, ClaimKind, Section
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation._absence import used_facts
from superbizagent.investigation.conversation.material import Material, near_citations
from superbizagent.investigation.wording.asked import asked_of
from superbizagent.investigation.wording.writer import Writer, entity_name

__all__ = ["say_citation"]

_FACTS = 8
"""Of a call: its first facts are those that are cited."""
_USES = 6


def say_citation(m: Material) -> Iterator[Claim]:
    """Say what ``E7`` or ``E7.2`` is; of one that is not there which are nearest."""
    citation, row = m.turn.citation, m.call
    fact = m.slots.facts.get(citation)
    writer = Writer(m.slots)
    if row is None or ("." in citation and fact is None):
        near = m.say.say("list.and").join(near_citations(citation, m.given))
        writer.add(
            Section.NOT_SEEN,
            ClaimKind.ABSENCE,
            m.say.say("talk.no_citation"),
            params={"name": citation, "near": near},
            extras={"absent": "citation"},
        )
        yield from writer.claims
        return
    if fact is not None:
        _say_fact(m, writer, fact)
        _say_more(m, writer, fact)
    _say_call(m, writer, row)
    for one in row.facts[:_FACTS] if fact is None else ():
        _say_fact(m, writer, one)
    yield from writer.claims
    yield from _uses(m, row, fact)


def _say_call(m: Material, writer: Writer, row: ToolInvocation) -> None:
    call = f"E{row.number}"
    writer.add(Section.CALLS, ClaimKind.OBSERVATION, m.say.say("full.call", call=call))
    if asked := asked_of(row):
        template = m.say.say("talk.asked")
        writer.add(
            Section.CALLS, ClaimKind.OBSERVATION, template, params={"query": asked}, more=(call,)
        )
    if row.status not in {EvidenceStatus.OK, EvidenceStatus.EMPTY}:
        writer.add(Section.CALLS, ClaimKind.OBSERVATION, m.say.say("talk.failed", call=call))


def _say_fact(m: Material, writer: Writer, fact: Fact) -> None:
    """A value with its name; of a line of a log its text says more than the name of its kind."""
    params = {"statistic": fact.statistic}
    if fact.entity:
        params["entity"] = entity_name(fact.entity)
    key = "talk.fact_entity" if fact.entity else "talk.fact"
    template = m.say.say(key, fact=fact.id)
    writer.add(Section.FINDINGS, ClaimKind.OBSERVATION, template, entity=fact.entity, params=params)


def _say_more(m: Material, writer: Writer, fact: Fact) -> None:
    """When it was, and the words of the source."""
    keys = [
        "talk.fact_time" if fact.at else "talk.fact_from" if fact.window else "",
        "talk.fact_quote" if fact.quote else "",
    ]
    for key in filter(None, keys):
        template = m.say.say(key, fact=fact.id)
        writer.add(Section.FINDINGS, ClaimKind.OBSERVATION, template, entity=fact.entity)


def _uses(m: Material, row: ToolInvocation, fact: Fact | None) -> Iterator[Claim]:
    """Statements of the report that cite it; that nothing was concluded from it, where none was."""
    own = {fact.id} if fact is not None else {f.id for f in row.facts}
    told = [c for c in m.report.claims if own & set(c.fact_ids) and c.section is not Section.CALLS]
    yield from told[:_USES]
    analysis = m.given.analysis
    found = [f for f in analysis.findings if own & set(f.fact_ids)]
    yield from m.findings(found, _USES - len(told))
    if told or found or own & used_facts(analysis):
        return
    writer = Writer(m.slots)
    writer.add(
        Section.NOT_SEEN,
        ClaimKind.ABSENCE,
        m.say.say("talk.unused"),
        entity=fact.entity if fact is not None else "",
        params={"name": m.turn.citation},
        more=(m.turn.citation,),
        extras={"absent": "use"},
    )
    yield from writer.claims
