"""Which calls are made, and what the caps cut."""

from datetime import UTC, datetime, timedelta

from inline_snapshot import snapshot

from superbizagent.domain.alert import Alert
from superbizagent.domain.entity import Entity
from superbizagent.domain.gathering import Caps
from superbizagent.domain.incident import Incident
from superbizagent.domain.plan import ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.selector import Selector
from superbizagent.domain.skill import CheckQuery
from superbizagent.domain.source import Signal, SourceDescription, Survey, TraceQuery
from superbizagent.domain.window import Window
from superbizagent.investigation.plan import plan_investigation
from superbizagent.investigation.scope import scope_incident

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def a_scope(names: tuple[str, ...] = ("orders", "db+1")) -> Scope:
    source = SourceDescription(
        name="bundle",
        kind="bundle",
        signals=(Signal.METRICS, Signal.LOGS, Signal.CHANGES),
        entities=tuple(Entity(name=n) for n in names),
        label_values={"job": names},
        extent=Window(start=NOW - timedelta(hours=1), end=NOW),
    )
    alert = Alert(labels={"service": "orders"}, starts_at=NOW - timedelta(minutes=10))
    incident = Incident(alerts=(alert,), received_at=NOW)
    return scope_incident(incident, Survey(sources=(source,)), ("service", "job"))


CHECK = CheckQuery(
    purpose="check:pool/exhausted/used",
    selectors=(Selector(name="pool_used"), Selector(name="busy")),
)


def test_order_is_context_sweep_logs_checks() -> None:
    plan = plan_investigation(a_scope(), (), [CHECK], Caps(), sources={"bundle"})
    assert [(c.key, c.tool.value, c.purpose) for c in plan.calls] == snapshot(
        [
            ("gather/01/0001", "list_changes", "context"),
            ("gather/01/0002", "query_metrics", "sweep://service/orders"),
            ("gather/01/0003", "query_metrics", "sweep://service/db+1"),
            ("gather/01/0004", "search_logs", "sweep:logs"),
            ("gather/01/0005", "query_metrics", "check:pool/exhausted/used"),
            ("gather/01/0006", "query_metrics", "check:pool/exhausted/used"),
            ("gather/01/0007", "list_changes", "context"),
        ]
    )


def test_traces_are_asked_for_once_a_source_behind_the_logs() -> None:
    scope = a_scope()
    source = scope.sources[0].model_copy(update={"signals": (Signal.LOGS, Signal.TRACES)})
    scope = scope.model_copy(update={"sources": (source,)})
    calls = plan_investigation(scope, (), [], Caps()).calls
    assert [(c.tool.value, c.purpose) for c in calls] == [
        ("search_logs", "sweep:logs"),
        ("search_traces", "sweep:traces"),
    ]
    query = TraceQuery.model_validate(calls[1].input)
    assert query.services == ("orders", "db+1")
    assert query.windows == scope.windows


def test_checks_are_bound_to_the_entities_in_scope() -> None:
    plan = plan_investigation(a_scope(), (), [CHECK], Caps(), sources={"bundle"})
    selectors = [
        str(Selector.model_validate(c.input["selector"]))
        for c in plan.calls
        if c.purpose.startswith("check:")
    ]
    assert selectors == [r'pool_used{job=~"orders|db\\+1"}', r'busy{job=~"orders|db\\+1"}']
    bound = Selector.model_validate(plan.calls[-2].input["selector"])
    assert bound.matches({"__name__": "busy", "job": "db+1"})
    assert not bound.matches({"__name__": "busy", "job": "db1"})


def test_changes_are_read_from_metrics_of_the_entities_in_scope() -> None:
    (*_, own) = plan_investigation(a_scope(), (), [CHECK], Caps()).calls
    asked = Selector.model_validate(own.input["selector"])
    assert asked.matches({"__name__": "process_start_time_seconds", "job": "orders"})
    assert asked.matches({"__name__": "orders_build_info", "job": "db+1"})
    assert not asked.matches({"__name__": "process_start_time_seconds", "job": "web"})
    assert not asked.matches({"__name__": "pool_used", "job": "orders"})


def test_cap_on_queries_cuts_the_farthest_and_names_it() -> None:
    names = ("orders", *(f"s{n:02d}" for n in range(80)))
    plan = plan_investigation(a_scope(names), (), [], Caps(max_queries=60))
    queries = [c for c in plan.calls if c.tool is ToolName.QUERY_METRICS]
    assert len(queries) == 60
    assert queries[0].purpose == "sweep://service/orders"
    assert len(plan.left_out) == 21
    assert any(c.tool is ToolName.SEARCH_LOGS for c in plan.calls)


def test_checks_are_asked_of_no_source_that_was_swept() -> None:
    plan = plan_investigation(a_scope(), (), [CHECK], Caps(), sources={"other"}, round_=2)
    assert plan.calls == ()


def test_second_round_asks_only_the_checks_and_counts_on() -> None:
    plan = plan_investigation(
        a_scope(), (), [CHECK], Caps(), sources={"bundle"}, round_=2, first_number=9
    )
    assert [c.key for c in plan.calls] == ["gather/02/0009", "gather/02/0010"]


def test_namesakes_are_asked_for_one_by_one() -> None:
    here = [Entity(name="orders", namespace=n, cluster="eu") for n in ("prod", "test")]
    source = SourceDescription(
        name="live",
        kind="prometheus",
        signals=(Signal.METRICS,),
        entities=(*here, Entity(name="mail", namespace="prod", cluster="eu")),
        label_values={"job": ("orders", "mail")},
    )
    alert = Alert(labels={"service": "orders", "namespace": "prod"}, starts_at=NOW)
    incident = Incident(alerts=(alert,), received_at=NOW)
    scope = scope_incident(incident, Survey(sources=(source,)), ("service", "job"))
    plan = plan_investigation(scope, (), [], Caps(), sources={"live"})
    asked = [str(Selector.model_validate(c.input["selector"])) for c in plan.calls]
    own = [a for a in asked if "__name__" not in a]
    assert own == ['{job="orders",namespace="prod"}', '{job="mail"}']
