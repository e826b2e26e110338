"""Playbooks that the findings of a round call for."""

from superbizagent.domain.finding import Analysis, CandidateCause, FaultKind
from superbizagent.domain.skill import Skill
from superbizagent.investigation.follow_up import skills_for
from superbizagent.promql import parse_selector
from superbizagent.skills import load_catalogue, load_roles, packaged_playbooks, packaged_roles

POOL = "diagnose-mysql-connection-pool"


def playbooks() -> tuple[Skill, ...]:
    roles = load_roles([packaged_roles()], parse_selector)
    return load_catalogue([packaged_playbooks()], roles, parse_selector).skills


def analysis(*kinds: FaultKind) -> Analysis:
    causes = [
        CandidateCause(entity=f"//service/s{n}", fault_kind=kind, score=5.0 - n)
        for n, kind in enumerate(kinds)
    ]
    return Analysis(candidates=tuple(causes))


def test_a_leading_candidate_calls_for_the_playbook_of_its_kind() -> None:
    found = analysis(FaultKind.CPU, FaultKind.POOL_EXHAUSTION)
    (choice,) = skills_for(found, playbooks(), taken=set())
    assert choice.name == POOL
    assert choice.matched == ("finding:pool_exhaustion",)
    assert choice.score == 4.0


def test_what_was_used_is_not_used_again() -> None:
    assert skills_for(analysis(FaultKind.POOL_EXHAUSTION), playbooks(), taken={POOL}) == ()


def test_unknown_kinds_and_the_fourth_candidate_call_for_nothing() -> None:
    assert skills_for(analysis(FaultKind.UNKNOWN), playbooks(), taken=set()) == ()
    late = analysis(FaultKind.CPU, FaultKind.DISK, FaultKind.MEMORY, FaultKind.POOL_EXHAUSTION)
    assert skills_for(late, playbooks(), taken=set()) == ()
