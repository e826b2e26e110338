"""Answers about a name: why it is not the cause, why it is, and what was seen of it."""

from collections.abc import Iterable, Iterator, Sequence

from superbizagent.domain.finding import CandidateCause, FaultKind, Verdict
from superbizagent.domain.report import Claim, ClaimKind, Section
from superbizagent.investigation.conversation.material import Material
from superbizagent.investigation.conversation.phrases import TESTED_NAMES
from superbizagent.investigation.why import Seen, Why
from superbizagent.investigation.wording.picks import MOST
from superbizagent.investigation.wording.say_sure import say_sureness
from superbizagent.investigation.wording.say_what import say_what
from superbizagent.investigation.wording.say_why import say_why
from superbizagent.investigation.wording.writer import Writer, entity_name

__all__ = ["say_evidence", "say_known", "say_why_not"]

_FINDINGS = 6
_REASONS = 6
_LOOKS = 5
_STATUS = {
    Seen.NORMAL: "talk.normal",
    Seen.NO_DATA: "talk.no_data",
    Seen.OUT_OF_SCOPE: "talk.out_of_scope",
    Seen.CUT: "talk.cut",
    Seen.SOURCE_DOWN: "talk.source_down",
}


def say_known(m: Material) -> Iterator[Claim]:
    """Say what the cause is, what carries it, and how sure that is."""
    found, cause = m.found, m.cause
    if found is not None and not (cause is not None and cause.entity in found.entities):
        yield from say_why_not(m)
        return
    yield from m.written(say_what)
    yield from m.written(say_why)
    yield from m.written(say_sureness)


def say_why_not(m: Material) -> Iterator[Claim]:
    """Say why a name is not the cause; that it is where it is, and that nobody knows it."""
    found = m.found
    if found is None:
        yield from say_known(m)
        return
    fault = TESTED_NAMES.get(found.name.casefold(), "")
    if found.seen is Seen.UNKNOWN and fault:
        yield from _say_fault(m, found.name, FaultKind(fault))
        return
    cause = m.cause
    if cause is not None and cause.entity in found.entities:
        yield from _say_is_cause(m, cause)
        return
    reasons = list(_about(m, found.entities))[:_REASONS]
    shown = _findings_of(m, found)
    yield from reasons
    yield from shown
    if not reasons and not shown:
        yield from _say_seen(m, found)
    yield from (c for c in m.section(Section.CANDIDATES) if "margin" in c.extras)
    yield from m.written(say_what)[:1]


def say_evidence(m: Material) -> Iterator[Claim]:
    """Say what was seen of a name, or of the cause where none is named."""
    found, cause = m.found, m.cause
    if found is None:
        if cause is None:
            yield from _absent(m, "talk.unnamed", "cause")
            return
        own = [f for f in m.given.analysis.findings if f.entity == cause.entity]
        yield from m.findings(own, _FINDINGS)
        return
    shown = _findings_of(m, found)
    yield from shown
    if not shown:
        yield from _say_seen(m, found)
    yield from _say_looks(m, found)


# What is so of a name ----------------------------------------------------------------------------


def _findings_of(m: Material, found: Why) -> list[Claim]:
    ids = {f.id for f in found.findings}
    return m.findings([f for f in m.given.analysis.findings if f.id in ids], _FINDINGS)


def _about(m: Material, entities: Sequence[str]) -> Iterator[Claim]:
    """What the ranking and the playbooks say of entities, the ranking first."""
    for section in (Section.CANDIDATES, Section.RULED_OUT):
        for claim in m.section(section):
            tested = str(claim.extras.get("hypothesis", "")).partition("@")[2]
            if {claim.extras.get("candidate", ""), tested} & set(entities):
                yield claim


def _say_is_cause(m: Material, cause: CandidateCause) -> Iterator[Claim]:
    sure = m.report.verdict is not Verdict.INCONCLUSIVE
    writer = Writer(m.slots)
    writer.add(
        Section.WHAT,
        ClaimKind.INFERENCE,
        m.say.say("talk.is_cause" if sure else "talk.leads"),
        entity=cause.entity,
        params={"entity": entity_name(cause.entity)},
        finding_ids=cause.finding_ids[:MOST],
    )
    yield from writer.claims
    yield from m.written(say_why)
    yield from m.written(say_sureness)


def _say_fault(m: Material, name: str, fault: FaultKind) -> Iterator[Claim]:
    """Say what became of a sort of fault, whatever it would be the fault of."""
    cause = m.cause
    if (
        cause is not None
        and cause.fault_kind is fault
        and m.report.verdict is not Verdict.INCONCLUSIVE
    ):
        yield from _say_is_cause(m, cause)
        return
    keys = {h.key for h in m.given.analysis.hypotheses if h.fault_kind is fault}
    told = [c for c in m.section(Section.RULED_OUT) if c.extras.get("hypothesis") in keys]
    yield from told[:_REASONS]
    if not keys:
        yield from _absent(m, "talk.untested", f"test:{fault.value}", name=name)
    yield from m.written(say_what)[:1]


def _say_seen(m: Material, found: Why) -> Iterator[Claim]:
    """Say of a name at which nothing is abnormal what became of it."""
    if found.seen is Seen.UNKNOWN:
        near = m.say.say("list.and").join(found.near)
        key = "talk.unknown_near" if near else "talk.unknown"
        yield from _absent(m, key, "entity", name=found.name, **({"near": near} if near else {}))
        return
    if found.seen is Seen.NORMAL:
        yield from _say_series(m, found)
    looks = [look.citation for look in found.looks[:_LOOKS]]
    key = _STATUS.get(found.seen)
    if key is not None:
        yield from _absent(m, key, "finding", looks, name=found.name)


def _say_series(m: Material, found: Why) -> Iterator[Claim]:
    """How much of it was looked at, call by call."""
    by_call: dict[str, dict[str, str]] = {}
    for count in found.counts:
        if count.what in {"series_examined", "series_abnormal"}:
            by_call.setdefault(count.citation.partition(".")[0], {})[count.what] = count.citation
    for own in by_call.values():
        if len(own) != 2:
            continue
        seen, moved = own["series_examined"], own["series_abnormal"]
        writer = Writer(m.slots)
        writer.add(
            Section.FINDINGS,
            ClaimKind.OBSERVATION,
            m.say.say("talk.series", seen=seen, moved=moved),
            entity=m.slots.facts[seen].entity,
            params={"name": found.name},
        )
        yield from writer.claims


def _say_looks(m: Material, found: Why) -> Iterable[Claim]:
    """The calls that looked for it."""
    looks = {look.citation for look in found.looks}
    told = [c for c in m.section(Section.CALLS) if looks & set(c.fact_ids)]
    return told[:_LOOKS]


def _absent(
    m: Material, key: str, what: str, more: Sequence[str] = (), **names: str
) -> Sequence[Claim]:
    writer = Writer(m.slots)
    writer.add(
        Section.NOT_SEEN,
        ClaimKind.ABSENCE,
        m.say.say(key),
        params=names,
        more=more,
        extras={"absent": what},
    )
    return writer.claims
