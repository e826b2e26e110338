"""Why: the facts that carry the cause."""

from collections.abc import Iterator

from superbizagent.domain.check import Check, CheckRole
from superbizagent.domain.finding import (
    CandidateCause,
    CheckOutcome,
    CheckResult,
    Finding,
    FindingKind,
    HypothesisResult,
    Verdict,
)
from superbizagent.domain.report import ClaimKind, Section
from superbizagent.domain.skill import Hypothesis
from superbizagent.investigation.wording.check_phrases import sentence_of
from superbizagent.investigation.wording.finding_phrases import finding_phrase
from superbizagent.investigation.wording.picks import (
    MOST,
    leading,
    quiet_call,
    strongest,
    tested,
    with_start,
)
from superbizagent.investigation.wording.say_path import say_path_line
from superbizagent.investigation.wording.say_ruled_out import say_ruled_out
from superbizagent.investigation.wording.say_storm import say_storm_why
from superbizagent.investigation.wording.sparkline import sparkline_of
from superbizagent.investigation.wording.writer import Given, Writer, entity_name, facts_of_finding

__all__ = ["say_why"]


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
    _say_cause(given, writer, first)
    say_storm_why(given, writer, first)
    if not _said(writer, Section.WHY):
        # All that speaks for it stands in the headline: here with how often it was measured.
        for finding in strongest(given, first)[:1]:
            _say_evidence(given, writer, finding)
    say_ruled_out(given, writer, first)
    say_path_line(given, writer)


def _say_cause(given: Given, writer: Writer, first: CandidateCause) -> None:
    """The checks that hold, then the strongest of what else is abnormal there."""
    result = tested(given, first)
    if result is not None:
        hypothesis = given.skill(result.skill).hypothesis(result.id)
        for check, outcome in _telling(hypothesis, result):
            if _said(writer, Section.WHY) < MOST:
                _say_check(given, writer, result, check, outcome)
    for finding in strongest(given, first):
        if _said(writer, Section.WHY) < MOST and not _is_said(writer, finding):
            _say_evidence(given, writer, finding)


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
    phrase = finding_phrase(given, writer, finding)
    if phrase is None:
        return
    after = facts_of_finding(finding, given.evidence.facts()).after
    template = with_start(given, writer, phrase.template, [after] if after else [])
    writer.add(
        Section.WHY,
        ClaimKind.DERIVED if phrase.derivations else ClaimKind.OBSERVATION,
        writer.narrator.say(frame, text=template) if frame else template,
        entity=finding.entity,
        derivations=phrase.derivations,
        params={"entity": entity_name(finding.entity)},
        finding_ids=(finding.id,),
        extras=_spark(given, writer, after),
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
