"""The checks file: what it may say, and what is refused before anything runs."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from superbizagent.domain.check import Comparison, Place
from superbizagent.domain.entity import Entity
from superbizagent.domain.incident import Language
from superbizagent.domain.outputs import Edge
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.skill import CheckFile, Skill, SkillSource
from superbizagent.promql import parse_selector
from superbizagent.skills import (
    RoleTable,
    SearchPath,
    bind,
    check_queries,
    entities_of,
    load_catalogue,
    packaged_playbooks,
)
from superbizagent.skills.queries import superset
from superbizagent.skills.schema import checks_schema_text, shipped_schema_text
from tests.skills.folders import CHECKS, MakeScope, WriteSkill

SHOP, DATABASE = Entity(name="shop"), Entity(name="db", kind="database")


def changed(**check: Any) -> dict[str, Any]:
    """The checks file with some keys of its one check replaced; None removes a key."""
    data = yaml.safe_load(CHECKS)
    evidence = data["hypotheses"][0]["evidence"][0]
    evidence.update(check)
    for key in [k for k, v in evidence.items() if v is None]:
        del evidence[key]
    return data


def test_the_shipped_schema_is_that_of_the_types() -> None:
    assert shipped_schema_text() == checks_schema_text()
    assert json.loads(shipped_schema_text())["title"] == "superbizagent checks.yaml"


def test_a_check_says_what_it_means() -> None:
    hypothesis = CheckFile.model_validate(changed()).hypotheses[0]
    assert hypothesis.check("used").holds.value == 5
    assert hypothesis.conclusion.of(Language.ZH) == "{entity} 有 {used}"
    assert hypothesis.conclusion.of(Language.EN) == "{entity} has {used}"
    with pytest.raises(KeyError):
        hypothesis.check("other")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"any_of": []}, "needs `any_of`"),
        ({"any_of": [{"role": "a", "query": "b"}]}, "either `role` or `query`"),
        ({"any_of": [{"role": ""}]}, "either `role` or `query`"),
        ({"contains": ["x"]}, "no `contains`"),
        ({"tool": "search_logs"}, "on logs needs `contains`"),
        ({"tool": "search_logs", "any_of": None, "contains": ["x"]}, "on logs reduces by count"),
        ({"tool": "list_alerts"}, "only query_metrics, search_logs, list_changes and"),
        ({"holds": {"op": ">="}}, "one of `value`"),
        ({"holds": {"op": ">=", "value": 1, "baseline_ratio": 2}}, "one of `value`"),
        ({"holds": {"op": ">=", "factor": 1}}, "needs `other`"),
        (
            {"holds": {"op": ">=", "value": 1, "other": {"any_of": [{"role": "pool.max"}]}}},
            "with `other` the bound is",
        ),
        ({"holds": {"op": "~", "value": 1}}, "Input should be"),
        ({"role": "maybe"}, "Input should be"),
        ({"role": "supports"}, "needs a required check"),
        ({"reduce": "p95"}, "Input should be"),
        ({"across": "sum"}, "`across: sum` takes one of increase, last, mean, rate"),
        ({"id": "Not an id"}, "should match pattern"),
        ({"if": "a > b"}, "Extra inputs"),
        ({"kinds": ["deploy"]}, "only `list_changes` has `kinds`"),
        ({"tool": "list_changes", "any_of": []}, "on changes needs `kinds`"),
        (
            {"tool": "list_changes", "any_of": [], "kinds": ["repair"], "reduce": "count"},
            "Input should be 'deploy', 'config' or 'restart'",
        ),
        (
            {
                "tool": "list_changes",
                "any_of": [],
                "kinds": ["deploy"],
                "reduce": "count",
                "holds": {"op": "<", "value": 1},
            },
            "on changes holds from a `value` on",
        ),
    ],
)
def test_what_a_check_cannot_say_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        CheckFile.model_validate(changed(**change))


def test_ids_are_unique() -> None:
    data = changed()
    data["hypotheses"][0]["evidence"] *= 2
    with pytest.raises(ValidationError, match="two checks of one id"):
        CheckFile.model_validate(data)
    data = changed()
    data["hypotheses"] *= 2
    with pytest.raises(ValidationError, match="two hypotheses have one id"):
        CheckFile.model_validate(data)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pool.used}", "pool.unheard}", "role 'pool.unheard' is in no role table"),
        ("my_pool{app=", "sum(my_pool){app=", "is not PromQL"),
        ("'my_pool{app=\"$entity\"}'", "'rate(x[5m])'", "has a function call"),
        ("{value} used", "{valeu} used", "slot 'valeu'"),
        ("{entity} has {used}", "{entity} has {usd}", "slot 'usd'"),
        ("hypotheses:", "hypotheses: [", "not YAML"),
        ("fault_kind: disk", "fault_kind: gremlins", "fault_kind"),
    ],
)
def test_a_bad_checks_file_skips_the_skill(
    roles: RoleTable, write_skill: WriteSkill, old: str, new: str, message: str
) -> None:
    root = write_skill(checks=CHECKS.replace(old, new))
    catalogue = load_catalogue([SearchPath(SkillSource.USER, root)], roles, parse_selector)
    assert catalogue.skills == ()
    assert message in catalogue.problems[0].message


@given(
    st.sampled_from(list(Comparison)),
    st.floats(allow_nan=False),
    st.floats(allow_nan=False),
)
def test_a_comparison_is_the_operator_it_is_written_as(
    op: Comparison, left: float, right: float
) -> None:
    expected = {">=": left >= right, ">": left > right, "<=": left <= right, "<": left < right}
    assert op.holds(left, right) is expected[op.value]


def packaged(roles: RoleTable, *names: str) -> tuple[Skill, ...]:
    found = load_catalogue([packaged_playbooks()], roles, parse_selector).skills
    return tuple(s for s in found if not names or s.name in names)


def test_all_playbooks_together_cost_few_queries(roles: RoleTable, make_scope: MakeScope) -> None:
    queries = check_queries(packaged(roles), make_scope(SHOP, DATABASE))
    assert len(queries) <= 6
    assert all(len(q.selectors) == 1 for q in queries)
    assert len({q.selectors for q in queries}) == len(queries)


def test_a_query_is_named_after_the_first_check_that_asks_it(
    roles: RoleTable, make_scope: MakeScope
) -> None:
    skills = packaged(roles, "diagnose-mysql-connection-pool")
    first = check_queries(skills, make_scope(SHOP, DATABASE))[0]
    assert first.purpose == (
        "check:diagnose-mysql-connection-pool/pool_exhausted_by_slow_transactions/pool_full"
    )
    for name in ("hikaricp_connections_active", "db_client_connection_max"):
        assert first.selectors[0].matches({"__name__": name})


def test_each_alternative_of_each_check_is_in_some_query(
    roles: RoleTable, make_scope: MakeScope
) -> None:
    skills = packaged(roles)
    asked = [q.selectors[0] for q in check_queries(skills, make_scope(SHOP, DATABASE))]
    named = [
        s for skill in skills for alternatives in skill.selectors.values() for s in alternatives
    ]
    for selector in named:
        # The pattern of build infos and of loop lags, which have no name of their own.
        name = selector.name or selector.matchers[0].value.replace(".+", "app")
        assert any(one.matches({"__name__": name}) for one in asked), selector


def test_no_query_of_ours_asks_for_everything(roles: RoleTable, make_scope: MakeScope) -> None:
    for query in check_queries(packaged(roles), make_scope(SHOP, DATABASE)):
        assert not query.selectors[0].matches({"__name__": "go_memstats_alloc_bytes"})


def test_a_database_hypothesis_asks_nothing_when_no_entity_fits(
    roles: RoleTable, make_scope: MakeScope
) -> None:
    skills = packaged(roles, "diagnose-lock-wait")
    assert check_queries(skills, make_scope(Entity(name="q", kind="queue"))) == ()


@given(
    st.lists(
        st.builds(
            Selector,
            name=st.sampled_from(["", "a", "b.c"]),
            matchers=st.lists(
                st.builds(
                    Matcher,
                    label=st.sampled_from(["x", "y"]),
                    op=st.sampled_from(list(MatchOp)),
                    value=st.sampled_from(["", "1", "2", "$entity"]),
                ),
                max_size=2,
            ).map(tuple),
        ),
        min_size=1,
        max_size=3,
    ),
    st.fixed_dictionaries(
        {
            "__name__": st.sampled_from(["a", "b.c", "bxc"]),
            "x": st.sampled_from(["1", "2", "shop"]),
            "y": st.sampled_from(["1", "2", "shop"]),
        }
    ),
)
def test_a_superset_selects_whatever_an_alternative_does(
    selectors: list[Selector], labels: dict[str, str]
) -> None:
    if any(bind(s, SHOP).matches(labels) for s in selectors):
        assert superset(selectors).matches(labels)


def test_the_entity_is_bound_as_text_not_as_a_pattern() -> None:
    odd = Entity(name="a.b")
    assert bind(parse_selector('p{app=~"$entity-.*"}'), odd).matchers[0].value == r"a\.b-.*"
    assert bind(parse_selector('p{app="$entity"}'), odd).matchers[0].value == "a.b"
    plain = parse_selector('p{app="x"}')
    assert bind(plain, odd) is plain


def test_whose_telemetry_a_check_reads(make_scope: MakeScope) -> None:
    web = Entity(name="web")
    edges = (Edge(caller="web", callee="shop"), Edge(caller="shop", callee="db"))
    known = (SHOP, DATABASE, web)
    topology = make_scope(*known, edges=edges).topology
    answers = {p: entities_of(p, SHOP, known, topology) for p in Place}
    assert answers == {
        Place.ENTITY: (SHOP,),
        Place.CALLEES: (DATABASE,),
        Place.CALLERS: (web,),
        Place.ANYWHERE: known,
    }
    unknown = make_scope(*known).topology
    assert entities_of(Place.CALLEES, SHOP, known, unknown) == (DATABASE, web)
