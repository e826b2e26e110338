"""How the cause reaches what hurts: one line, and for those who ask for everything each step."""

from superbizagent.domain.finding import LOG_KINDS, Contribution, PathStep
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.investigation.wording.finding_phrases import finding_phrase
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.picks import MOST, leading
from superbizagent.investigation.wording.writer import Given, Writer, entity_name, facts_of_finding

__all__ = ["contribution_params", "say_path", "say_path_line"]


def say_path_line(given: Given, writer: Writer) -> None:
    """Show the way in one line, where there is room; a step that nothing shows has a mark."""
    steps = given.analysis.path
    full = sum(c.section is Section.WHY for c in writer.claims) >= MOST
    if not steps or full or leading(given) is None:
        return
    names = [steps[0].source, *(step.target for step in steps)]
    arrows = [writer.narrator.say("path.seen" if s.is_seen else "path.unseen") for s in steps]
    nodes = [f"{{p|n{n}}}" for n in range(len(names))]
    way = nodes[0] + "".join(a + node for a, node in zip(arrows, nodes[1:], strict=True))
    key = "path.line" if all(s.is_seen for s in steps) else "path.line_partly"
    writer.add(
        Section.WHY,
        ClaimKind.INFERENCE,
        writer.narrator.say(key, way=way),
        params={f"n{n}": entity_name(name) for n, name in enumerate(names)},
        extras={"steps": [[s.source, s.target] for s in steps]},
    )


def say_path(given: Given, writer: Writer) -> None:
    """Say of each step what was measured of it, and who adds to it on the way."""
    for step in given.analysis.path:
        if not (_say_calls(writer, step) | _say_ends(given, writer, step)):
            _add(writer, step, writer.narrator.say("path.none"))
    for contribution in given.analysis.contributing:
        _say_contribution(given, writer, contribution)


def _say_calls(writer: Writer, step: PathStep) -> bool:
    if not step.call_facts:
        return False
    now, before = step.call_facts
    text = writer.narrator.say("path.calls", after=now, before=before)
    return _add(writer, step, text, entity=writer.slots.fact(now).entity)


def _say_ends(given: Given, writer: Writer, step: PathStep) -> bool:
    """What is wrong at both ends, and which was first."""
    if not step.finding_ids:
        return False
    narrator = writer.narrator
    sides = zip(("source", "target"), step.finding_ids, strict=True)
    ends = {side: _end(given, narrator, side, finding_id) for side, finding_id in sides}
    if not all(ends.values()):
        return False
    return _add(writer, step, narrator.say(f"path.{step.order}", **ends))


def _end(given: Given, narrator: Narrator, side: str, finding_id: str) -> str:
    finding = given.analysis.finding(finding_id)
    facts = facts_of_finding(finding, given.evidence.facts())
    if not facts.after:
        return ""
    log = finding.kind in LOG_KINDS
    key = "path.log" if log else "path.metric" if facts.before else "path.new"
    said = {"name": f"{{p|{side}}}", "after": facts.after, "before": facts.before}
    since = narrator.say("path.since", onset=facts.onset) if facts.onset else ""
    return narrator.say(key, **said) + since


def _add(writer: Writer, step: PathStep, text: str, entity: str = "") -> bool:
    return writer.add(
        Section.PATH,
        ClaimKind.INFERENCE,
        writer.narrator.say("path.step", text=text),
        entity=entity,
        params={"source": entity_name(step.source), "target": entity_name(step.target)},
        extras={"steps": [[step.source, step.target]]},
    )


def contribution_params(contribution: Contribution) -> dict[str, str]:
    """Return what the sentence on a contributing cause names; checking it calls this again."""
    return {"entity": entity_name(contribution.entity), "share": f"{contribution.share:.0%}"}


def _say_contribution(given: Given, writer: Writer, contribution: Contribution) -> None:
    finding = given.analysis.finding(contribution.finding_id)
    phrase = finding_phrase(given, writer, finding)
    if phrase is not None:
        writer.add(
            Section.PATH,
            ClaimKind.INFERENCE,
            writer.narrator.say("path.contributing", text=phrase.template),
            entity=contribution.entity,
            derivations=phrase.derivations,
            params=contribution_params(contribution),
            finding_ids=(finding.id,),
            extras={"contributing": contribution.entity},
        )
