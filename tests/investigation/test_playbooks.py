"""Each playbook holds on its own incident, and on no other's."""

from functools import cache

import pytest

from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import Analysis, HypothesisOutcome, Verdict
from superbizagent.domain.incident import Language
from superbizagent.domain.report import Section
from superbizagent.domain.skill import Skill
from superbizagent.investigation.analyse import analyse_evidence
from tests.investigation.incidents import ENTITY_LABELS, Diagnosed, Shop, all_skills
from tests.investigation.playbook_incidents import CAUSES, MICROMETER, OPENTELEMETRY, Stack, shop


@cache
def skills() -> tuple[Skill, ...]:
    return all_skills()


@cache
def found_in(name: str, stack: Stack | None = None) -> Analysis:
    build = CAUSES[name][0]
    return analysed(build(stack or OPENTELEMETRY), skills())


def analysed(built: Shop, used: tuple[Skill, ...]) -> Analysis:
    return analyse_evidence(built.scope(), built.evidence(used), used, ENTITY_LABELS)


def supported(analysis: Analysis) -> set[str]:
    return {h.id for h in analysis.hypotheses if h.outcome is HypothesisOutcome.SUPPORTED}


def first(analysis: Analysis) -> tuple[str, str]:
    cause = analysis.candidates[0]
    return Entity.parse(cause.entity).name, cause.fault_kind.value


@pytest.mark.parametrize("name", CAUSES)
def test_a_playbook_holds_on_its_own_incident_and_on_no_other(name: str) -> None:
    _, _, _, right = CAUSES[name]
    assert supported(found_in(name)) == right


@pytest.mark.parametrize("name", CAUSES)
def test_entity_and_kind_come_first_and_are_named(name: str) -> None:
    _, entity, kind, _ = CAUSES[name]
    analysis = found_in(name)
    assert first(analysis) == (entity, kind)
    assert analysis.verdict in {Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY}


NOT_IN_MICROMETER = {"slow database network"}
"""Micrometer has no times of statements."""


@pytest.mark.parametrize("name", sorted(CAUSES.keys() - NOT_IN_MICROMETER))
def test_another_stack_s_names_give_the_same_cause(name: str) -> None:
    _, entity, kind, _ = CAUSES[name]
    assert first(found_in(name, MICROMETER)) == (entity, kind)
    assert supported(found_in(name, MICROMETER)) == CAUSES[name][3]


@pytest.mark.parametrize("name", CAUSES)
def test_without_its_playbook_no_other_takes_its_place(name: str) -> None:
    build, _, _, right = CAUSES[name]
    left = tuple(s for s in skills() if not {h.id for h in s.hypotheses} & right)
    analysis = analysed(build(OPENTELEMETRY), left)
    assert supported(analysis) == set()
    assert analysis.verdict is not Verdict.ROOT_CAUSE_FOUND


def test_nothing_holds_where_nothing_happens() -> None:
    analysis = analysed(shop("HighLatency", "order-service"), skills())
    assert supported(analysis) == set()
    assert analysis.candidates == ()
    assert analysis.verdict is Verdict.INCONCLUSIVE


def test_without_any_series_of_the_roles_nothing_is_refuted_by_metrics() -> None:
    bare = shop("HighLatency", "order-service").without("_")
    outcomes = {h.outcome for h in analysed(bare, skills()).hypotheses if h.entity == ""}
    assert outcomes == {HypothesisOutcome.OPEN}


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("name", CAUSES)
def test_every_sentence_of_a_playbook_stands_in_its_evidence(name: str, language: Language) -> None:
    built = CAUSES[name][0](OPENTELEMETRY)
    built.language = language
    case = Diagnosed.of(built, skills())
    checked = case.verified()
    assert checked.report.rejected == ()
    assert case.report.section(Section.DO_NOW)[0].playbook
    assert 1 <= len(case.report.section(Section.WHY)) <= 3
    looks = [c.command for c in case.report.section(Section.CHECK_NEXT) if c.command]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("skill", skills(), ids=lambda skill: skill.name)
def test_a_look_by_hand_fits_the_screen(skill: Skill) -> None:
    for hypothesis in skill.hypotheses:
        assert hypothesis.decide is None or len(hypothesis.decide.command) <= 87


def test_every_hypothesis_has_its_incident() -> None:
    tried = set[str]().union(*(held for _, _, _, held in CAUSES.values()))
    # Those about objects of a cluster have theirs among the saved clusters.
    told = [h for s in skills() for h in s.hypotheses if not h.is_about_objects]
    assert {h.id for h in told} - tried == set()
