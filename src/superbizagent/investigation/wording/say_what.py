"""What happened: the one sentence that a reader must not miss."""

from collections.abc import Sequence

from superbizagent.domain.finding import CandidateCause, Finding, HypothesisResult, Verdict
from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.investigation.hypotheses.combine import named_entities
from superbizagent.investigation.wording.check_phrases import conclusion_of
from superbizagent.investigation.wording.log_phrases import log_phrase
from superbizagent.investigation.wording.object_phrases import (
    say_calm_cluster,
    say_other_faults,
    state_phrase,
)
from superbizagent.investigation.wording.picks import (
    LOG_KINDS,
    MOST,
    SPAN_KINDS,
    counted,
    leading,
    quiet_call,
    strongest,
    tested,
    with_start,
)
from superbizagent.investigation.wording.say_no_impact import asked_about
from superbizagent.investigation.wording.say_storm import say_storm
from superbizagent.investigation.wording.span_phrases import span_phrase
from superbizagent.investigation.wording.writer import (
    FindingFacts,
    Given,
    Writer,
    entity_name,
    facts_of_finding,
)

__all__ = ["say_what"]


def say_what(given: Given, writer: Writer) -> None:
    """Say in one sentence what was found, or what was looked at without finding anything.

    Where nobody said what is wrong, a second one says that no alert fires.
    """
    _say_headline(given, writer)
    say_other_faults(given, writer)
    if call := quiet_call(given):
        text = writer.narrator.say("what.quiet", call=call)
        writer.add(Section.WHAT, ClaimKind.ABSENCE, text)


def _say_headline(given: Given, writer: Writer) -> None:
    first = leading(given)
    reasons = [r.split(":", 1)[0] for r in given.analysis.verdict_reasons]
    if "unknown_entity" in reasons:
        _say_unknown(given, writer)
    elif "nothing_answered" in reasons:
        failed = [f"E{r.number}" for r in given.evidence.invocations]
        writer.add(Section.WHAT, ClaimKind.ABSENCE, writer.narrator.say("what.nothing"),
                   more=failed[:MOST], extras={"absent": "answers"})  # fmt: skip
    elif "no_data" in reasons:
        _say_no_data(given, writer)
    elif "no_baseline" in reasons:
        writer.add(Section.WHAT, ClaimKind.ABSENCE, writer.narrator.say("what.no_baseline"),
                   extras={"absent": "baseline"})  # fmt: skip
    elif first is None:
        _say_calm(given, writer, reasons)
    elif say_storm(given, writer, first):
        return
    elif (result := tested(given, first)) is not None:
        _say_tested(given, writer, first, result)
    else:
        sure = given.analysis.verdict is Verdict.LIKELY
        _say_ranked(given, writer, first, "what.ranked" if sure else "what.open")


def _say_unknown(given: Given, writer: Writer) -> None:
    for missed in given.scope.unresolved:
        key = "what.unknown_near" if missed.near else "what.unknown"
        params = {"name": missed.name, "near": writer.narrator.say("list.and").join(missed.near)}
        writer.add(Section.WHAT, ClaimKind.ABSENCE, writer.narrator.say(key),
                   params=params, extras={"absent": "entity"})  # fmt: skip


def _say_no_data(given: Given, writer: Writer) -> None:
    named = named_entities(given.scope)
    key = "what.no_data" if named else "what.no_data_at_all"
    names = {"entity": asked_about(given, writer)} if named else None
    writer.add(
        Section.WHAT,
        ClaimKind.ABSENCE,
        writer.narrator.say(key),
        params=names,
        extras={"absent": "data"},
    )


def _say_calm(given: Given, writer: Writer, reasons: Sequence[str]) -> None:
    looked, moved = counted(given, "series_examined"), counted(given, "series_abnormal")
    asked = named_entities(given.scope)
    about = asked[0].path if asked else ""
    if not looked and say_calm_cluster(given, writer, about):
        return
    if "rule_holds" in reasons:
        key, entity = "what.rule_holds", ""
    elif "scope_calm" in reasons:
        key, entity = "what.scope_calm", given.scope.entities[0].path
    else:
        calm = "nothing_abnormal" in reasons
        key = ("what.calm_few" if given.analysis.series_abnormal else "what.calm") if calm else (
            "what.no_cause"
        )  # fmt: skip
        entity = ""
    derivations = [Derivation(operation="sum", fact_ids=ids) for ids in (looked, moved)]
    kind = ClaimKind.ABSENCE if key == "what.calm" else ClaimKind.DERIVED
    writer.add(
        Section.WHAT,
        kind,
        writer.narrator.say(key),
        derivations=derivations,
        params={"entity": entity_name(entity)} if entity else None,
    )


def _say_tested(
    given: Given, writer: Writer, first: CandidateCause, result: HypothesisResult
) -> None:
    hypothesis = given.skill(result.skill).hypothesis(result.id)
    phrase = conclusion_of(hypothesis, result, writer.narrator.language)
    writer.add(
        Section.WHAT,
        ClaimKind.INFERENCE,
        phrase.template,
        entity=result.entity,
        params={"entity": entity_name(result.entity)},
        finding_ids=first.finding_ids[:MOST],
        extras={"hypothesis": result.key},
    )


def _say_ranked(given: Given, writer: Writer, first: CandidateCause, key: str) -> None:
    """Name the first candidate by its strongest finding that can be said."""
    for finding in strongest(given, first):
        facts = facts_of_finding(finding, given.evidence.facts())
        if _say_finding(given, writer, key, finding, facts):
            return


def _say_finding(
    given: Given, writer: Writer, key: str, finding: Finding, facts: FindingFacts
) -> bool:
    say = writer.narrator.say
    state = state_phrase(given, writer, finding, key)
    if not facts.after:
        return False
    if state:
        template = state
    elif finding.kind in LOG_KINDS:
        phrase = log_phrase(given, writer.narrator, finding, facts, key)
        if phrase is None:
            return False
        template = phrase.template
    elif finding.kind in SPAN_KINDS:
        told = span_phrase(given, writer.narrator, finding, facts, key)
        if told is None:
            return False
        template = told
    elif facts.before:
        template = say(key, metric=facts.after, before=facts.before, after=facts.after)
    else:
        template = say(f"{key}_new", metric=facts.after, after=facts.after)
    return writer.add(
        Section.WHAT,
        ClaimKind.INFERENCE,
        with_start(given, writer, template, (facts.after,)),
        entity=finding.entity,
        params={"entity": entity_name(finding.entity)},
        finding_ids=(finding.id,),
    )
