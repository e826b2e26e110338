"""What is a fault of its own beside the leading cause, and what is not."""

from dataclasses import replace

import pytest

from superbizagent.domain.finding import (
    CandidateCause,
    CheckOutcome,
    CheckResult,
    FaultKind,
    Finding,
    FindingKind,
    HypothesisOutcome,
    HypothesisResult,
    ScoreTerm,
    SeparateFault,
    Verdict,
)
from superbizagent.domain.outputs import Edge
from superbizagent.domain.skill import Skill
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.hypotheses.apart import judge_apart
from superbizagent.investigation.hypotheses.verdict import Judged, decide_verdict
from tests.investigation.incidents import ENTITY_LABELS, load_skills, pool_incident

ORDERS, DATABASE = "//service/order-service", "//database/mysql"
MEMORY = "diagnose-high-memory"
Skills = tuple[Skill, ...]
BRANCHES = (
    Edge(caller="storefront", callee="order-service"),
    Edge(caller="storefront", callee="mysql"),
)
CHAIN = (BRANCHES[0], Edge(caller="order-service", callee="mysql"))


def finding(number: int, family: str, kind: FindingKind = FindingKind.METRIC_DEVIATION) -> Finding:
    return Finding(
        id=f"F9{number}",
        kind=kind,
        entity=DATABASE,
        subject=f"own_{family}",
        family=family,
        direction=1,
        score=4.0,
    )


def grows() -> HypothesisResult:
    return HypothesisResult(
        skill=MEMORY,
        id="memory_grows",
        fault_kind=FaultKind.MEMORY,
        entity=DATABASE,
        outcome=HypothesisOutcome.SUPPORTED,
        checks=tuple(
            CheckResult(id=name, role="required", outcome=CheckOutcome.HOLDS)
            for name in ("memory_rises", "memory_stays")
        ),
    )


def second(score: float = 1.0, *, tested: bool = True, **more: object) -> CandidateCause:
    out = (ScoreTerm(name="not_downstream", value=-score),)
    base = CandidateCause(
        entity=DATABASE,
        fault_kind=FaultKind.MEMORY,
        score=0.0,
        terms=(ScoreTerm(name="metrics", value=score), *out),
        finding_ids=("F91", "F92"),
        hypothesis=grows().key if tested else "",
    )
    return base.model_copy(update=more)


def judged(
    skills: Skills,
    candidate: CandidateCause,
    families: tuple[str, ...] = ("mem", "lat"),
    edges: tuple[Edge, ...] = BRANCHES,
) -> Judged:
    """The full pool of order-service, and beside it a candidate with findings of its own."""
    shop = pool_incident(edges=edges)
    playbooks = (*skills, *load_skills(MEMORY))
    found = analyse_evidence(shop.scope(), shop.evidence(skills), skills, ENTITY_LABELS)
    own = [finding(n, family) for n, family in enumerate(families, 1)]
    others = [f for f in found.findings if f.entity != DATABASE]
    tested = [grows()] if candidate.hypothesis else []
    lead = [c for c in found.candidates if c.entity == ORDERS]
    return Judged(
        scope=shop.scope(),
        evidence=shop.evidence(skills),
        skills=playbooks,
        findings=[*own, *others],
        symptom=[found.finding(i) for i in found.symptom],
        hypotheses=[*found.hypotheses, *tested],
        candidates=[*lead, candidate],
        margin=0.9,
        looked_at=1,
    )


def named(found: tuple[SeparateFault, ...]) -> list[tuple[str, FaultKind, Verdict]]:
    return [(f.cause.entity, f.cause.fault_kind, f.verdict) for f in found if f.is_named]


def test_a_tested_fault_on_another_branch_is_named_with_its_own_verdict(skills: Skills) -> None:
    given = judged(skills, second())
    rest, apart = judge_apart(given)
    assert named(apart) == [(DATABASE, FaultKind.MEMORY, Verdict.LIKELY)]
    assert "one_signal" in apart[0].verdict_reasons
    # It is no rival of the leading cause, nor its candidate.
    assert [c.entity for c in rest.candidates] == [ORDERS]
    alone = [h for h in given.hypotheses if h != grows()]
    without = replace(given, candidates=given.candidates[:1], hypotheses=alone, margin=1.0)
    assert decide_verdict(rest) == decide_verdict(without)
    assert apart[0].cause.score == 1.0  # as before it was ruled out as the alert's cause


def test_what_the_leading_cause_calls_is_part_of_the_same_story(skills: Skills) -> None:
    given = judged(skills, second(), edges=CHAIN)
    assert judge_apart(given) == (given, ())


@pytest.mark.parametrize("kind", [FaultKind.TRAFFIC, FaultKind.DEPENDENCY, FaultKind.UNKNOWN])
def test_what_follows_from_others_is_no_fault_of_its_own(skills: Skills, kind: FaultKind) -> None:
    _, apart = judge_apart(judged(skills, second(fault_kind=kind)))
    assert named(apart) == []


def test_untested_it_must_show_in_a_resource_and_be_felt(skills: Skills) -> None:
    bare = second(tested=False)
    assert named(judge_apart(judged(skills, bare))[1]) == [
        (DATABASE, FaultKind.MEMORY, Verdict.LIKELY)
    ]
    _, unfelt = judge_apart(judged(skills, bare, families=("mem",)))
    assert named(unfelt) == []
    assert [f.cause.entity for f in unfelt] == [DATABASE]  # its playbooks are asked for
    errors = second(tested=False, fault_kind=FaultKind.CODE_ERROR)
    assert named(judge_apart(judged(skills, errors))[1]) == []


def test_what_shares_a_machine_suffers_alike(skills: Skills) -> None:
    given = judged(skills, second(tested=False))
    lead = given.candidates[0].model_copy(update={"fault_kind": FaultKind.MEMORY})
    assert named(judge_apart(replace(given, candidates=[lead, given.candidates[1]]))[1]) == []


def test_beside_no_named_cause_nothing_is_independent(skills: Skills) -> None:
    given = judged(skills, second())
    weak = [c.model_copy(update={"hypothesis": ""}) for c in given.candidates[:1]]
    open_ = replace(given, candidates=[*weak, given.candidates[1]], symptom=given.findings)
    rest, apart = judge_apart(open_)
    assert decide_verdict(rest)[0] is Verdict.INCONCLUSIVE
    assert named(apart) == []
    assert rest == open_
    assert judge_apart(replace(given, candidates=[])) == (replace(given, candidates=[]), ())
