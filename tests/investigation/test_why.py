"""What became of a name: each answer, what it rests on, and what would include the thing."""

import re
from collections.abc import Sequence

import pytest

from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.cli.diagnose import diagnose
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.logs import LogDigest, LogTemplate
from superbizagent.domain.outputs import Edge
from superbizagent.domain.plan import Plan
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.tools import TOO_LATE
from superbizagent.investigation.why import Seen, Why, explain_name
from superbizagent.settings import Settings
from tests.investigation.incidents import (
    ENTITY_LABELS,
    Diagnosed,
    Shop,
    load_skills,
    pool_incident,
    quiet_shop,
)
from tools.write_reference import setting_rows

SKILLS = load_skills()
VARIABLES = {variable for variable, *_ in setting_rows(Settings)}
OPTIONS = {option for parameter in diagnose.params for option in parameter.opts}
POOL = Diagnosed.of(pool_incident(), SKILLS)
QUIET = Diagnosed.of(quiet_shop(), SKILLS)
MYSQL = "sweep://database/mysql"


def why(
    name: str,
    case: Diagnosed,
    *,
    plans: Sequence[Plan] = (),
    rows: Sequence[ToolInvocation] | None = None,
    scope: Scope | None = None,
) -> Why:
    evidence = case.evidence if rows is None else Evidence(invocations=tuple(rows))
    ground = Ground.of(
        evidence, case.analysis, scope or case.scope, case.report.frame, ENTITY_LABELS
    )
    return explain_name(name, ground, plans)


def of_shop(name: str, shop: Shop) -> Why:
    return why(name, Diagnosed.of(shop, SKILLS))


def rows_without(case: Diagnosed, purpose: str) -> list[ToolInvocation]:
    return [row for row in case.evidence.invocations if row.call.purpose != purpose]


def changed(case: Diagnosed, purpose: str, **update: object) -> list[ToolInvocation]:
    """The calls with one that ended otherwise."""
    return [
        row.model_copy(update=update) if row.call.purpose == purpose else row
        for row in case.evidence.invocations
    ]


# Entities ----------------------------------------------------------------------------------------


def test_what_stands_out_is_abnormal_with_its_findings_strongest_first() -> None:
    found = why("order-service", POOL)
    assert (found.seen, found.kind) == (Seen.ABNORMAL, "entity")
    assert found.entities == ("//service/order-service",)
    own = [f.id for f in POOL.analysis.findings if f.entity == "//service/order-service"]
    assert [f.id for f in found.findings] == own
    known = POOL.evidence.facts()
    assert all(i in known for f in found.findings for i in f.citations)
    assert found.include == ()


def test_what_was_looked_at_and_calm_is_normal_with_the_counts_and_calls() -> None:
    found = why("mysql", QUIET)
    assert (found.seen, found.findings) == (Seen.NORMAL, ())
    counts = {c.what: c for c in found.counts}
    assert counts["series_examined"].value == 5
    assert counts["series_abnormal"].value == 0
    fact = QUIET.evidence.facts()[counts["series_examined"].citation]
    assert fact.value == 5
    assert (found.looks[0].citation, found.looks[0].status) == ("E3", "ok")


def test_the_logs_of_a_service_are_counted() -> None:
    counts = {c.what: (c.value, c.citation) for c in why("order-service", POOL).counts}
    template = [t for t in digest_templates(POOL) if t.service == "order-service"]
    assert counts["record_kinds"] == (len(template), "E5")
    assert counts["records_incident"] == (sum(t.incident_count for t in template), "E5")
    assert counts["records_baseline"] == (0, "E5")


def digest_templates(case: Diagnosed) -> tuple[LogTemplate, ...]:
    row = next(r for r in case.evidence.invocations if r.call.purpose == "sweep:logs")
    assert isinstance(row.output, LogDigest)
    return row.output.templates


@pytest.mark.parametrize("name", ["//database/mysql", "mysql"])
def test_a_path_is_a_name_too(name: str) -> None:
    assert why(name, QUIET).entities == ("//database/mysql",)


def test_a_service_that_nobody_measures_has_no_data() -> None:
    shop = quiet_shop(edges=(Edge(caller="order-service", callee="payment"),))
    found = of_shop("payment", shop)
    assert (found.seen, found.kind) == (Seen.NO_DATA, "entity")
    assert found.include == ("--from TIME --to TIME", "--logs payment=GLOB")


def test_data_at_another_time_only_is_no_data() -> None:
    found = of_shop("mysql", quiet_shop().drop("mysql"))
    assert found.seen is Seen.NO_DATA
    assert {c.what: c.value for c in found.counts}["series_examined"] == 0
    assert "--from TIME --to TIME" in found.include


def test_what_is_far_from_the_alert_is_out_of_scope_with_the_flag_that_includes_it() -> None:
    shop = quiet_shop(edges=(Edge(caller="order-service", callee="mysql"),))
    found = of_shop("storefront", shop.drop("storefront"))
    assert found.seen is Seen.OUT_OF_SCOPE
    assert found.include == ("--service storefront",)


@pytest.mark.parametrize("status", [EvidenceStatus.ERROR, EvidenceStatus.DENIED])
def test_a_source_that_did_not_answer_is_told_from_one_that_holds_nothing(
    status: EvidenceStatus,
) -> None:
    shop = quiet_shop()
    shop.failed[MYSQL] = status
    found = of_shop("mysql", shop)
    assert (found.seen, found.reason) == (Seen.SOURCE_DOWN, "refused")
    look = next(look for look in found.looks if look.purpose == MYSQL)
    assert (look.status, look.error) == (status.value, "refused")


def test_a_source_that_was_too_slow_is_down_and_the_deadline_is_named() -> None:
    shop = quiet_shop()
    shop.failed[MYSQL] = EvidenceStatus.TIMEOUT
    found = of_shop("mysql", shop)
    assert (found.seen, found.include) == (Seen.SOURCE_DOWN, ("--deadline 5m",))


def test_a_call_that_the_deadline_kept_back_is_cut() -> None:
    late = changed(
        QUIET, MYSQL, status=EvidenceStatus.TIMEOUT, error=TOO_LATE, facts=(), output=None
    )
    found = why("mysql", QUIET, rows=late)
    assert (found.seen, found.include) == (Seen.CUT, ("--deadline 5m",))


def test_what_the_caps_left_out_is_cut_and_the_setting_says_how_much_is_needed() -> None:
    case = QUIET
    calls = tuple(r.call for r in case.evidence.invocations if r.call.purpose != MYSQL)
    plan = Plan(calls=calls, left_out=(MYSQL,))
    found = why("mysql", case, plans=(plan,), rows=rows_without(case, MYSQL))
    assert found.seen is Seen.CUT
    assert found.include == ("SUPERBIZ_CAPS__MAX_QUERIES=3",)
    # Without the plan nothing tells that somebody wanted to look.
    assert why("mysql", case, rows=rows_without(case, MYSQL)).seen is Seen.NO_DATA


def test_a_call_that_was_cut_to_nothing_is_cut() -> None:
    rows = changed(QUIET, MYSQL, truncated=True, facts=(), stats={"series_selected": 9000})
    found = why("mysql", QUIET, rows=rows)
    assert (found.seen, found.include) == (Seen.CUT, ("SUPERBIZ_CAPS__MAX_SERIES=9000",))


def test_what_was_cut_but_seen_says_both() -> None:
    found = why("mysql", QUIET, rows=changed(QUIET, MYSQL, truncated=True))
    assert found.seen is Seen.NORMAL
    assert found.looks[0].truncated
    assert found.include == ("SUPERBIZ_CAPS__MAX_SERIES=NUMBER",)


def test_when_a_source_could_not_say_what_it_has_it_may_be_there() -> None:
    shop = quiet_shop(edges=(Edge(caller="order-service", callee="payment"),))
    case = Diagnosed.of(shop, SKILLS)
    scope = case.scope.model_copy(update={"failed": ("prometheus: connection refused",)})
    rows = [r for r in case.evidence.invocations if r.call.purpose != "sweep:logs"]
    found = why("payment", case, scope=scope, rows=rows)
    assert (found.seen, found.reason) == (Seen.SOURCE_DOWN, "prometheus: connection refused")


# Sources, files, labels, metrics, fields ---------------------------------------------------------


def test_a_source_is_what_its_calls_came_to() -> None:
    assert (why("shop", POOL).seen, why("shop", POOL).kind) == (Seen.ABNORMAL, "source")
    calm = of_shop("shop", quiet_shop(alert=None))
    assert calm.seen is Seen.NORMAL
    assert next(c.value for c in calm.counts if c.what == "calls") == len(calm.looks)


def test_a_source_that_answered_with_nothing_has_no_data() -> None:
    empty = [
        row.model_copy(update={"status": EvidenceStatus.EMPTY, "facts": (), "output": None})
        for row in QUIET.evidence.invocations
    ]
    calm = Diagnosed.of(quiet_shop(alert=None), SKILLS)
    assert why("shop", calm, rows=empty).seen is Seen.NO_DATA


def test_a_source_that_never_answered_is_down_with_its_reason() -> None:
    scope = QUIET.scope.model_copy(update={"failed": ("loki: 503 Service Unavailable",)})
    found = why("loki", QUIET, scope=scope)
    assert (found.seen, found.reason) == (Seen.SOURCE_DOWN, "503 Service Unavailable")


@pytest.mark.parametrize("name", ["order-service.log"])
def test_a_log_file_is_found_by_its_name(name: str) -> None:
    found = why(name, POOL)
    assert (found.kind, found.seen) == ("log_file", Seen.ABNORMAL)
    assert all(f.kind.startswith("log_") for f in found.findings)


def test_a_log_file_that_could_not_be_read_is_down() -> None:
    source = QUIET.scope.sources[0].model_copy(
        update={"unreadable": ("logs/payment.log",), "notes": ("logs/payment.log: no gzip",)}
    )
    scope = QUIET.scope.model_copy(update={"sources": (source,)})
    found = why("logs/payment.log", QUIET, scope=scope)
    assert (found.seen, found.reason) == (Seen.SOURCE_DOWN, "logs/payment.log: no gzip")


def test_a_label_value_is_found_in_the_series_that_carry_it() -> None:
    found = why("orders", POOL)
    assert (found.kind, found.seen) == ("label", Seen.ABNORMAL)
    assert all('pool_name="orders"' in f.subject for f in found.findings)
    assert [c.value for c in found.counts] == [6]
    assert why("max_connections", QUIET).seen is Seen.NORMAL


def test_a_metric_is_found_by_its_name_and_by_one_of_its_series() -> None:
    name = "db_client_connection_pending_requests"
    found = why(name, POOL)
    assert (found.kind, found.seen) == ("metric", Seen.ABNORMAL)
    series = found.findings[0].subject
    assert series.startswith(f"{name}{{")
    one = why(series, POOL)
    assert (one.kind, [f.subject for f in one.findings]) == ("metric", [series])
    calm = why("process_resident_memory_bytes", POOL)
    assert (calm.seen, sum(c.value for c in calm.counts)) == (Seen.NORMAL, 2)


def test_a_field_of_log_records_is_found() -> None:
    found = why("waiting_threads", POOL)
    assert (found.kind, found.entities) == ("metric", ("//service/order-service",))
    assert found.counts[0].what == "field_values"


# Unknown names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("orders-service", "order-service"),
        ("Order-Service", "order-service"),
        ("ordre-service", "order-service"),
        ("process_resident_memory", "process_resident_memory_bytes"),
    ],
)
def test_a_similar_name_is_named_never_used(name: str, near: str) -> None:
    found = why(name, POOL)
    assert (found.seen, found.kind, found.findings) == (Seen.UNKNOWN, "", ())
    assert near in found.near
    assert found.include == ()


def test_a_name_like_no_other_is_told_how_to_bring_its_logs() -> None:
    found = why("billing", POOL)
    assert (found.seen, found.near) == (Seen.UNKNOWN, ())
    assert found.include == ("--logs billing=GLOB",)
    assert why("$(reboot)", POOL).include == ("--logs NAME=GLOB",)


@pytest.mark.parametrize("name", ["", " ", "/", "=", '"', "{", "\x00", "E4", "a" * 10_000, "（）"])
def test_any_text_gets_an_answer(name: str) -> None:
    assert why(name, POOL).seen is Seen.UNKNOWN


def test_every_flag_that_is_named_exists() -> None:
    cases = (
        of_shop("payment", quiet_shop(edges=(Edge(caller="order-service", callee="payment"),))),
        why("mysql", QUIET, rows=changed(QUIET, MYSQL, truncated=True)),
        why("mysql", QUIET, rows=changed(QUIET, "sweep:logs", truncated=True)),
        why("mysql", QUIET, rows=changed(QUIET, MYSQL, status=EvidenceStatus.TIMEOUT)),
        why("billing", POOL),
    )
    named = [flag for case in cases for flag in case.include]
    assert len(named) >= 6
    for flag in named:
        for option in re.findall(r"--[a-z-]+", flag):
            assert option in OPTIONS, flag
        for variable in re.findall(r"[A-Z]+_[A-Z_]+(?==)", flag):
            assert variable in VARIABLES, flag


def test_answers_are_the_same_every_time() -> None:
    assert why("order-service", POOL) == why("order-service", POOL)
