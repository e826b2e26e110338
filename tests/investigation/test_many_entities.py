"""A server that knows a thousand services, of which the caps let a few be read."""

import time

import pytest

from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import HypothesisResult
from superbizagent.domain.outputs import Topology
from superbizagent.domain.scope import Scope
from superbizagent.investigation.analyse import analyse_evidence
from tests.investigation.incidents import ENTITY_LABELS, Shop, all_skills, pool_incident

UNREAD = tuple(Entity(name=f"shop-{n:04d}") for n in range(1000))
CPU_SECONDS = 10.0
"""Ten times what it takes; with each of a thousand asked about all others it is over thirty."""


def among_many(scope: Scope, topology: Topology) -> Scope:
    update = {"neighbours": (*scope.neighbours, *UNREAD), "topology": topology}
    return scope.model_copy(update=update)


def results(shop: Shop, scope: Scope) -> dict[tuple[str, str, str], HypothesisResult]:
    skills = all_skills()
    analysis = analyse_evidence(scope, shop.evidence(skills), skills, ENTITY_LABELS)
    return {(h.skill, h.id, h.entity): h for h in analysis.hypotheses}


@pytest.mark.parametrize("calls_known", [True, False])
def test_what_was_not_read_changes_no_result_and_costs_little(*, calls_known: bool) -> None:
    shop = pool_incident()
    scope = shop.scope()
    topology = scope.topology if calls_known else Topology()
    few = results(shop, scope.model_copy(update={"topology": topology}))
    began = time.process_time()
    many = results(shop, among_many(scope, topology))
    assert time.process_time() - began < CPU_SECONDS

    read = {entity for _, _, entity in few if entity}
    assert len(read) > 1
    assert {key: h for key, h in many.items() if key[2] in read} == {
        key: h for key, h in few.items() if key[2] in read
    }
