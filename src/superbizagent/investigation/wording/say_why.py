"""Why: the facts that carry the cause, and in words how sure that is."""

from collections.abc import Iterator

from superbizagent.domain.check import Check, CheckRole
from superbizagent.domain.finding import (
    LOG_KINDS,
    CheckOutcome,
    CheckResult,
    Finding,
    FindingKind,
    HypothesisResult,
    Verdict,
)
from superbizagent.domain.report import ClaimKind, Derivation, Section
from superbizagent.domain.skill import Hypothesis
from superbizagent.investigation.wording.check_phrases import sentence_of
from superbizagent.investigation.wording.log_phrases import log_phrase
from superbizagent.investigation.wording.object_phrases import state_phrase
from superbizagent.investigation.wording.picks import (
    MOST,
    SPAN_KINDS,
    leading,
    quiet_call,
    strongest,
    tested,
    with_start,
)
from superbizagent.investigation.wording.say_storm import say_storm_why
from superbizagent.investigation.wording.span_phrases import span_phrase
from superbizagent.investigation.wording.sparkline import sparkline_of
from superbizagent.investigation.wording.writer import Given, Writer, entity_name, facts_of_finding

__all__ = ["say_sureness", "say_why"]


def say_why(given: Given, writer: Writer) -> None:
    """Give at most three facts that carry the cause, and the course of one series.

    Where no alert fires and no cause was found, the strongest deviations stand here, as such.
    """
    if given.analysis.verdict is Verdict.HEALTHY:
        _say_good_days(given, writer)
        return
    if quiet_call(given) and given.analysis.verdict is Verdict.INCONCLUSIVE:
        _say_deviations(given, writer)
        return
    first = leading(given)
    if first is None:
        return
    result = tested(given, first)
    if result is not None:
        hypothesis = given.skill(result.skill).hypothesis(result.id)
        for check, outcome in _telling(hypothesis, result):
            if _said(writer, Section.WHY) < MOST:
                _say_check(given, writer, result, check, outcome)
    for finding in strongest(given, first):
        if _said(writer, Section.WHY) < MOST and not _is_said(writer, finding):
            _say_evidence(given, writer, finding)
    say_storm_why(given, writer, first)


def _say_good_days(given: Given, writer: Writer) -> None:
    """Say what the present was held against: so many windows without trouble, since when."""
    (count, *_), (since, *_) = (
        [f.id for f in given.evidence.facts().values() if f.name == name and f.statistic == part]
        for name, part in (("learnt_windows", "count"), ("learnt_windows", "first_at"))
    )
    text = writer.narrator.say("why.as_learnt", count=count, since=since)
    writer.add(Section.WHY, ClaimKind.OBSERVATION, text)


def _say_deviations(given: Given, writer: Writer) -> None:
    """Name what left its band farthest, each sort of each entity once."""
    seen: set[tuple[str, str]] = set()
    for finding in sorted(given.analysis.findings, key=lambda f: (-f.score, f.id)):
        sort = (finding.entity, finding.family)
        if finding.score > 0 and sort not in seen and _said(writer, Section.WHY) < MOST:
            seen.add(sort)
            _say_evidence(given, writer, finding, "why.deviation")


def _telling(
    hypothesis: Hypothesis, result: HypothesisResult
) -> Iterator[tuple[Check, CheckResult]]:
    """Checks that hold and have a sentence: the mechanism, then what is not in the headline."""
    pairs = [
        (check, outcome)
        for check, outcome in zip(hypothesis.evidence, result.checks, strict=True)
        if outcome.outcome is CheckOutcome.HOLDS
        and check.says is not None
        and check.role is not CheckRole.REFUTES
    ]

    def rank(pair: tuple[Check, CheckResult]) -> tuple[bool, bool]:
        check, _ = pair
        slots = (f"{{{check.id}}}", f"{{{check.id}.other}}")
        return not check.shows_mechanism, any(s in hypothesis.conclusion.en for s in slots)

    yield from sorted(pairs, key=rank)


def _say_check(
    given: Given, writer: Writer, result: HypothesisResult, check: Check, outcome: CheckResult
) -> None:
    phrase = sentence_of(check, outcome, writer.narrator.language)
    facts = given.evidence.facts()
    entity = facts[outcome.fact_ids[0]].entity
    writer.add(
        Section.WHY,
        ClaimKind.DERIVED if phrase.derivations else ClaimKind.OBSERVATION,
        with_start(given, writer, phrase.template, outcome.fact_ids),
        entity=entity,
        derivations=phrase.derivations,
        params={"entity": entity_name(entity)},
        extras={
            "hypothesis": result.key,
            "check": check.id,
            **_spark(given, writer, outcome.fact_ids[0]),
        },
    )


def _say_evidence(given: Given, writer: Writer, finding: Finding, frame: str = "") -> None:
    """Say what a finding consists of; ``frame`` is a phrase around it."""
    facts = facts_of_finding(finding, given.evidence.facts())
    say = writer.narrator.say
    derivations: tuple[Derivation, ...] = ()
    if state := state_phrase(given, writer, finding, "why"):
        template = state
    elif finding.kind in LOG_KINDS:
        phrase = log_phrase(given, writer.narrator, finding, facts)
        if phrase is None:
            return
        template, derivations = phrase.template, phrase.derivations
    elif finding.kind in SPAN_KINDS:
        told = span_phrase(given, writer.narrator, finding, facts)
        if told is None:
            return
        template = told
    elif facts.after and facts.extreme and facts.before:
        key = "why.metric" if finding.direction >= 0 else "why.metric_fell"
        template = say(
            key, metric=facts.after, before=facts.before, after=facts.after, extreme=facts.extreme
        )
    elif facts.after and facts.extreme:
        template = say("why.new", metric=facts.after, after=facts.after, extreme=facts.extreme)
    else:
        return
    template = with_start(given, writer, template, [i for i in (facts.after,) if i])
    writer.add(
        Section.WHY,
        ClaimKind.DERIVED if derivations else ClaimKind.OBSERVATION,
        say(frame, text=template) if frame else template,
        entity=finding.entity,
        derivations=derivations,
        params={"entity": entity_name(finding.entity)},
        finding_ids=(finding.id,),
        extras=_spark(given, writer, facts.after),
    )


def _said(writer: Writer, section: Section) -> int:
    return sum(c.section is section for c in writer.claims)


def _is_said(writer: Writer, finding: Finding) -> bool:
    """Tell whether any fact of a finding is cited in the reasons or the headline already.

    How many pods are ready is no reason, once it is said as the impact.
    """
    sections = {Section.WHY, Section.WHAT}
    if finding.kind is FindingKind.OBJECT_STATE:
        sections.add(Section.IMPACT)
    used = {i for c in writer.claims if c.section in sections for i in c.fact_ids}
    return bool(used & set(finding.fact_ids))


def _spark(given: Given, writer: Writer, fact_id: str) -> dict[str, object]:
    """One claim of the reasons carries the course of its series."""
    if any("sparkline" in c.extras for c in writer.claims):
        return {}
    line = sparkline_of(given.evidence, fact_id, given.scope.windows)
    return {"sparkline": line} if line else {}


# Sureness ----------------------------------------------------------------------------------------


def say_sureness(given: Given, writer: Writer) -> None:
    """Say how sure the verdict is, in words with the reason."""
    analysis, narrator = given.analysis, writer.narrator
    kinds = {h.id: h.fault_kind.value for h in analysis.hypotheses}
    params: dict[str, str] = {}
    said: list[str] = []
    for number, reason in enumerate(analysis.verdict_reasons):
        key, _, argument = reason.partition(":")
        if key == "margin":
            said.append(narrator.say(f"reason.margin_{_margin_word(float(argument))}"))
            continue
        names = [
            narrator.say(f"fault.{kinds[a]}") if a in kinds else a for a in argument.split(",") if a
        ]
        params[f"r{number}"] = narrator.say("list.and").join(names)
        said.append(narrator.say(f"reason.{key}", arg=f"{{p|r{number}}}"))
    words = narrator.say("list.or").join(dict.fromkeys(said))
    first = leading(given)
    writer.add(
        Section.SURENESS,
        ClaimKind.INFERENCE,
        narrator.say(f"sure.{analysis.verdict.value}", reasons=words),
        params={k: v for k, v in params.items() if v},
        finding_ids=first.finding_ids[:MOST] if first else (),
        extras={"reasons": list(analysis.verdict_reasons), "verdict": analysis.verdict.value},
    )


def _margin_word(margin: float) -> str:
    return "clear" if margin >= 0.6 else "fair" if margin >= 0.4 else "small"
