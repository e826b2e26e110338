"""Impact where nothing hurts: a zero that was measured, or why there is none."""

from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.investigation.wording.picks import MOST, counted
from superbizagent.investigation.wording.writer import Given, Writer

__all__ = ["asked_about", "say_no_impact"]


def say_no_impact(given: Given, writer: Writer) -> None:
    """Say that no error or latency series moved, of how many; else why that is not known."""
    say, sweeps = writer.narrator.say, _sweeps(given)
    looked = counted(given, "symptom_series_examined", sweeps)
    if not given.scope.windows.baselines:
        writer.add(Section.IMPACT, ClaimKind.ABSENCE, say("impact.no_baseline"),
                   extras={"absent": "baseline"})  # fmt: skip
    elif not looked:
        extras = {"absent": "symptom_series", "purposes": sorted(sweeps)}
        writer.add(Section.IMPACT, ClaimKind.ABSENCE, say("impact.unknown"), extras=extras)
    elif not any(given.evidence.facts()[i].value for i in looked):
        writer.add(Section.IMPACT, ClaimKind.ABSENCE, say("impact.no_samples"), more=looked)
    else:
        found = [f for f in given.analysis.findings if f.id in given.analysis.symptom]
        moved = any(f.family in {"err", "lat"} for f in found)
        writer.add(
            Section.IMPACT,
            ClaimKind.DERIVED,
            say("impact.none_rose" if moved else "impact.none"),
            derivations=[Derivation(operation="sum", fact_ids=looked)],
            params={"entity": asked_about(given, writer)},
            extras={"absent": "symptom"},
        )


def asked_about(given: Given, writer: Writer) -> str:
    """The entities that were named, or words for all of them."""
    names = [e.name for e in given.scope.entities]
    if given.scope.takes_everything or not 0 < len(names) <= MOST:
        return writer.narrator.say("title.everything")
    return writer.narrator.say("list.and").join(names)


def _sweeps(given: Given) -> frozenset[str]:
    """Purposes of the calls that looked at what was asked about."""
    return frozenset(f"sweep:{e.path}" for e in given.scope.entities)
