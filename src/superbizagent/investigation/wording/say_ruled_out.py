"""What speaks against other explanations of a cause that no playbook tested."""

from collections.abc import Iterator

from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import CandidateCause, FindingKind
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.investigation.wording.check_phrases import deciding_check
from superbizagent.investigation.wording.picks import MOST, strongest, tested
from superbizagent.investigation.wording.writer import Given, Writer, entity_name

__all__ = ["say_ruled_out"]

_CALLS = "calls:"
_SMALL = 0.1
"""Of what the calls of the cause lost: less is no rival."""


def say_ruled_out(given: Given, writer: Writer, first: CandidateCause) -> None:
    """Say which other faults its checks rule out, and that calls between others are as before."""
    if tested(given, first) is not None:
        return
    _say_refuted(given, writer, first)
    found = strongest(given, first)
    if found and found[0].kind is FindingKind.WIRE_DELAY:
        _say_other_calls(given, writer, first)


def _say_refuted(given: Given, writer: Writer, first: CandidateCause) -> None:
    facts = given.evidence.facts()
    say = writer.narrator.say
    decided: dict[str, tuple[str, ...]] = {}
    for result in given.analysis.hypotheses:
        check = deciding_check(result) if result.entity == first.entity else None
        ids = check.fact_ids if check is not None else ()
        if ids and all(facts[i].entity == first.entity for i in ids):
            decided.setdefault(say(f"fault.{result.fault_kind.value}"), ids)
    if decided:
        names = {"entity": entity_name(first.entity), "faults": say("list.and").join(decided)}
        cited = tuple(dict.fromkeys(i for ids in decided.values() for i in ids))
        _write(writer, say("why.ruled_out"), first.entity, cited, names)


def _say_other_calls(given: Given, writer: Writer, first: CandidateCause) -> None:
    """Name the calls between other entities that lost most: they bound what else is slow."""
    name = entity_name(first.entity)
    edges = sorted(_edges(given), key=lambda pair: (_lost(*pair), pair[0].name))
    own = [pair for pair in edges if name in _ends(pair[0].name)]
    others = [pair for pair in edges if name not in _ends(pair[0].name)]
    if not own or not others or _lost(*others[-1]) > _SMALL * _lost(*own[-1]):
        return
    now, before = others[-1]
    caller, callee = _ends(now.name)
    text = writer.narrator.say("why.other_calls", after=now.id, before=before.id)
    _write(writer, text, now.entity, (), {"cause": name, "caller": caller, "callee": callee})


def _edges(given: Given) -> Iterator[tuple[Fact, Fact]]:
    """Time on the wire of calls between two entities, now and before."""
    for row in given.evidence.invocations:
        own = {(f.name, f.statistic): f for f in row.facts if f.name.startswith(_CALLS)}
        for (name, statistic), fact in own.items():
            before = own.get((name, "baseline_median"))
            if statistic == "median" and before is not None:
                yield fact, before


def _ends(name: str) -> tuple[str, str]:
    caller, _, callee = name.removeprefix(_CALLS).partition(" -> ")
    return caller, callee


def _lost(now: Fact, before: Fact) -> float:
    values = (now.value, before.value)
    numbers = [float(v) for v in values if isinstance(v, int | float)]
    return numbers[0] - numbers[1] if len(numbers) == len(values) else 0.0


def _write(
    writer: Writer, text: str, entity: str, more: tuple[str, ...], params: dict[str, str]
) -> None:
    if sum(c.section is Section.WHY for c in writer.claims) < MOST:
        writer.add(
            Section.WHY, ClaimKind.OBSERVATION, text, entity=entity, params=params, more=more
        )
