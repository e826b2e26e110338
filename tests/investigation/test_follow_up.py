"""Playbooks that the findings of a round call for."""

from typing import Any

import pytest

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.finding import Analysis, CandidateCause, FaultKind
from superbizagent.domain.plan import Plan, PlannedCall, SkillChoice, ToolName
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.follow_up import skills_for, sources_not_swept, with_companions
from tests.investigation.incidents import END, all_skills, quiet_shop

POOL = "diagnose-mysql-connection-pool"


def analysis(*kinds: FaultKind) -> Analysis:
    causes = [
        CandidateCause(entity=f"//service/s{n}", fault_kind=kind, score=5.0 - n)
        for n, kind in enumerate(kinds)
    ]
    return Analysis(candidates=tuple(causes))


def test_leading_candidates_call_for_the_playbooks_of_their_kinds_the_first_first() -> None:
    found = analysis(FaultKind.CPU, FaultKind.POOL_EXHAUSTION)
    cpu, pool = skills_for(found, all_skills(), taken=set())
    assert (cpu.name, cpu.score) == ("diagnose-high-cpu", 5.0)
    assert (pool.name, pool.score) == (POOL, 4.0)
    assert pool.matched == ("finding:pool_exhaustion",)


def test_what_was_used_is_not_used_again() -> None:
    assert skills_for(analysis(FaultKind.POOL_EXHAUSTION), all_skills(), taken={POOL}) == ()


def test_unknown_kinds_and_the_fourth_candidate_call_for_nothing() -> None:
    assert skills_for(analysis(FaultKind.UNKNOWN), all_skills(), taken=set()) == ()
    late = analysis(*[FaultKind.UNKNOWN] * 3, FaultKind.POOL_EXHAUSTION)
    assert skills_for(late, all_skills(), taken=set()) == ()


def test_a_playbook_brings_those_that_look_the_same_from_outside() -> None:
    skills = {skill.name: skill for skill in all_skills()}
    first = SkillChoice(name=POOL, score=5.0)
    found = with_companions((first,), skills, taken={"diagnose-lock-wait"})
    assert found[0] == first
    assert {c.matched for c in found[1:]} == {(f"along:{POOL}",)}
    names = {c.name for c in found[1:]}
    assert {"diagnose-connection-leak", "diagnose-mysql-slow-query"} <= names
    assert "diagnose-lock-wait" not in names
    gone = {POOL: skills[POOL]}
    assert with_companions((first,), gone, taken=set()) == (first,)


NOTHING = set[str]()
SWEEP = PlannedCall(
    number=1, tool=ToolName.QUERY_METRICS, source="prometheus", purpose="sweep://service/s0"
)


def row(call: PlannedCall = SWEEP, **more: Any) -> ToolInvocation:
    made = ToolInvocation(
        id="r", session_id="s", call=call, started_at=END, status=EvidenceStatus.OK
    )
    return made.model_copy(update=more)


@pytest.mark.parametrize(
    ("rows", "left_out", "asked"),
    [
        ([row()], (), NOTHING),
        ([row(truncated=True)], (), {"prometheus"}),
        ([row(status=EvidenceStatus.TIMEOUT)], (), {"prometheus"}),
        ([row(SWEEP.model_copy(update={"purpose": "check:a/b/c"}), truncated=True)], (), NOTHING),
        ([row()], ("sweep://service/s9",), {"shop"}),
        ([row()], ("check:a/b/c",), NOTHING),
    ],
)
def test_checks_are_asked_of_sources_whose_sweep_was_cut(
    rows: list[ToolInvocation], left_out: tuple[str, ...], asked: set[str]
) -> None:
    plans = [Plan(left_out=left_out)]
    assert sources_not_swept(quiet_shop().scope(), plans, rows) == asked
