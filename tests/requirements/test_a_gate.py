"""The AIOps rule gate (document A): what it looks at, how it decides, how it words it."""

import json
from dataclasses import FrozenInstanceError
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import ValidationError

from gate_rows import (
    ALERT,
    NOW,
    PAYLOAD,
    REPORT,
    REPORT_ZH,
    ROWS,
    alert_row,
    check,
    gate,
    judged,
    log_row,
    metric_row,
    row,
)
from superbizagent.domain.alert import Alert
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.evaluation import (
    AiopsCheckId,
    AiopsRuleEvaluation,
    CheckStatus,
    InvocationRecord,
)
from superbizagent.investigation.gate.aiops_gate import evaluate_aiops
from superbizagent.investigation.gate.coverage import EvidenceFamily
from superbizagent.investigation.gate.focus import identifiers_of_alerts
from superbizagent.investigation.gate.rule_score import evaluate_rules

FAILED_ROWS = (
    row(1, "query_metrics", "timeout", error="no answer from prometheus within 10 s"),
    row(2, "search_logs", "denied", error="403 from loki"),
)
OFF_TARGET = """# HighCpu on billing

## Conclusion
The processor of billing is busy at 93 %.
## Evidence
billing rose to 93 % at noon, its neighbours are calm.
## Next steps
Scale billing out by two.
"""
BILLING = row(
    3,
    "query_metrics",
    details={
        "facts": [
            {"id": "E3.1", "entity": "//service/billing", "name": "cpu", "value": 0.93},
        ]
    },
)


def test_a04_off_target_report_is_not_pass() -> None:
    result = gate(OFF_TARGET, (*ROWS, BILLING))
    assert check(result, "payload_focus").status is CheckStatus.WARN
    assert result.verdict is not CheckStatus.PASS


def test_a04_evidence_free_report_is_not_pass() -> None:
    assert gate(rows=()).verdict is CheckStatus.FAIL
    echo = (
        "## Conclusion\nMySQLConnectionPoolExhausted fired on order-service, please look.\n"
        "## Evidence\nThe alert on order-service says so.\n## Next steps\nRestart order-service."
    )
    result = gate(echo)
    assert check(result, "evidence_coverage").rule_id == "evidence_coverage.nothing_reused"
    assert result.verdict is CheckStatus.WARN


def test_a04_on_target_report_with_evidence_is_pass() -> None:
    assert gate().verdict is CheckStatus.PASS


def test_a04_guidance_rows_are_no_evidence() -> None:
    result = gate(rows=(row(1, "read_skill", output_preview=REPORT),))
    assert result.stats.rows == 0
    assert check(result, "evidence_coverage").status is CheckStatus.FAIL


@given(
    text=st.just(REPORT) | st.text(max_size=400),
    flag=st.sampled_from(CheckStatus),
    order=st.permutations(ROWS),
)
def test_a06_same_inputs_give_byte_identical_verdict_bar_the_time(
    text: str, flag: CheckStatus, order: list[InvocationRecord]
) -> None:
    strict = flag is CheckStatus.FAIL
    first = gate(text, ROWS, fail_off_target=strict)
    later = evaluate_aiops(
        judged(text, tuple(order)), NOW.replace(year=2031), fail_off_target=strict
    )
    assert later.evaluated_at != first.evaluated_at
    same_time = later.model_copy(update={"evaluated_at": first.evaluated_at})
    assert canonical_bytes(same_time) == canonical_bytes(first)


def test_a14_three_named_checks_are_always_there() -> None:
    for text, rows in ((REPORT, ROWS), (None, ()), ("x", FAILED_ROWS), ("", ROWS)):
        result = gate(text, rows)
        assert [c.id for c in result.checks] == [
            "report_presence",
            "payload_focus",
            "evidence_coverage",
        ]
        assert all(c.message and c.status in CheckStatus for c in result.checks)
    assert len(AiopsCheckId) == 3


def test_a15_evaluators_are_pure() -> None:
    given_ = judged()
    before = canonical_bytes(given_)
    evaluate_aiops(given_, NOW)
    evaluate_rules(given_, NOW)
    assert canonical_bytes(given_) == before
    with pytest.raises((ValidationError, FrozenInstanceError)):
        given_.text = "changed"  # pyright: ignore[reportAttributeAccessIssue] - it must not be assignable


def test_a15_work_grows_with_the_input_and_no_faster() -> None:
    """Facts looked at are bounded per row, so 200 wide rows stay cheap (`benchmarks/gate.py`)."""
    wide = [
        {"id": f"E1.{n}", "entity": "", "name": f"metric_{n}", "value": float(n)}
        for n in range(5000)
    ]
    named = {"id": "E1.9", "entity": "//service/unheard-of", "name": "x", "value": 1.0}
    text = REPORT.replace("order-service", "unheard-of")
    for at, used in ((49, True), (50, False)):
        facts = [*wide[:at], named, *wide[at:]]
        found = check(
            gate(text, (row(1, "query_metrics", details={"facts": facts}),)), "evidence_coverage"
        )
        assert ("unheard-of" in found.found) is used


NOT_PASS: list[tuple[str | None, tuple[InvocationRecord, ...]]] = [
    (None, ROWS),
    ("   \n", ROWS),
    ("TODO", ROWS),
    ('{"status": "error"}', ROWS),
    (REPORT, ()),
    (REPORT, FAILED_ROWS),
    (OFF_TARGET, (*ROWS, BILLING)),
    ("## Conclusion\nshort", ROWS),
]


@pytest.mark.parametrize(("text", "rows"), NOT_PASS)
def test_a16_non_pass_names_expected_found_and_rule(
    text: str | None, rows: tuple[InvocationRecord, ...]
) -> None:
    poor = [c for c in gate(text, rows).checks if c.status is not CheckStatus.PASS]
    assert poor
    for item in poor:
        assert item.expected
        assert item.found
        assert item.message
        assert item.rule_id.startswith(f"{item.id}.")
    lost = evaluate_rules(judged(text, rows), NOW).deductions
    assert all(d.expected and d.found and d.message and d.rule_id.startswith("rule.") for d in lost)


def test_a16_what_is_missing_is_named() -> None:
    text = REPORT.replace("MySQLConnectionPoolExhausted", "An alert")
    focus = check(gate(text), "payload_focus")
    assert focus.message == "not named: MySQLConnectionPoolExhausted"
    assert focus.found == "only order-service"


def test_a22_result_says_what_it_stands_for() -> None:
    for result in (gate(), evaluate_rules(judged(), NOW)):
        dumped = result.model_dump(mode="json")
        assert "on topic, used evidence" in dumped["scope"]
        text = json.dumps(dumped).lower()
        assert not any(word in text for word in ("verified", "correct", "grounded", "accurate"))


PARAPHRASED = [
    """## Root cause
The MySQL connection pool of the Order Service has run dry (50 of 50 busy).
## Why
Active connections climbed to 50.
## What to do
Kill slow transactions.""",
    """**Summary:** order_service has no free database connection; 812 requests failed waiting.
**Analysis:** connections active 50
**Recommendation:** find what holds them.""",
    "ＯＲＤＥＲ－ＳＥＲＶＩＣＥ: all 50 hikaricp connections are taken, threads wait for one.",
    "# 根因\norder-service 数据库连接池被占满（hikaricp 活跃连接 50）。\n# 处理\n排查慢事务。",
    REPORT.replace("MySQLConnectionPoolExhausted", "mysql connection-pool exhausted"),
    REPORT_ZH,
]


@pytest.mark.parametrize("text", PARAPHRASED)
def test_a23_paraphrased_correct_report_is_warn_at_worst(text: str) -> None:
    result = gate(text)
    assert result.verdict is not CheckStatus.FAIL
    assert gate(text, fail_off_target=True).verdict is not CheckStatus.FAIL


@pytest.mark.parametrize("text", PARAPHRASED[-2:])
def test_a23_another_way_to_write_the_names_is_pass(text: str) -> None:
    assert gate(text).verdict is CheckStatus.PASS


SOFT: list[tuple[str, dict[str, Any]]] = [
    ("no conclusion", {"text": "order-service MySQLConnectionPoolExhausted: 50 of 50 busy. " * 3}),
    ("short", {"text": "## Conclusion\norder-service pool full: 50"}),
    ("section missing", {"text": REPORT.partition("## Next steps")[0]}),
    ("name missing", {"text": REPORT.replace("MySQLConnectionPoolExhausted", "It")}),
    ("all failed", {"rows": FAILED_ROWS}),
    ("all empty", {"rows": (row(1, "query_metrics", "empty"),)}),
    ("nothing reused", {"rows": (row(1, "query_metrics", output_preview="zeta 77.31"),)}),
    (
        "family absent",
        {"rows": (metric_row(),), "expected_families": (EvidenceFamily.LOGS,)},
    ),
    (
        "honest, without a reason",
        {"text": "## Conclusion\nThe diagnosis of order-service could not be completed.\n" * 2},
    ),
    (
        "honest, with a reason",
        {
            "text": "## Conclusion\nMySQLConnectionPoolExhausted on order-service could not be "
            "diagnosed because Prometheus timed out and Loki denied access.",
            "rows": FAILED_ROWS,
        },
    ),
    ("off target", {"text": OFF_TARGET, "rows": (*ROWS, BILLING)}),
]


@pytest.mark.parametrize(("_name", "given_"), SOFT)
def test_a23_a_missing_soft_signal_is_warn(_name: str, given_: dict[str, Any]) -> None:
    assert gate(**given_).verdict is CheckStatus.WARN


ABSENT = [
    None,
    "",
    " \n\t\n",
    "# Report\n\n## Conclusion\n\n",
    "---\n***\n",
    "TODO",
    "N/A",
    "**TBD**",
    "{{ report }}",
    "<final report here>",
    "...",
    "暂无",
    "报告生成中……",
    '{"alerts": [], "status": "ok"}',
    '```json\n[{"a": 1}]\n```',
    '{"choices": [{"message": {"content": "The pool of order-ser',
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: no',
    "java.lang.IllegalStateException: pool closed\n\tat a.b.C(D.java:1)\n\tat a.b.E(F.java:2)",
    "Error: connection refused",
    "HTTP 502 Bad Gateway",
    "503 Service Unavailable",
    "错误：模型没有返回内容",
    "<!DOCTYPE html><html><body>gateway</body></html>",
]


@pytest.mark.parametrize("text", ABSENT)
def test_a24_no_report_is_fail(text: str | None) -> None:
    result = gate(text)
    assert check(result, "report_presence").status is CheckStatus.FAIL
    assert result.verdict is CheckStatus.FAIL


NO_FAIL = [
    *(text for text in PARAPHRASED),
    OFF_TARGET,
    "order-service is slow",
    "The service answered with HTTP 502 for ten minutes; 812 requests of order-service failed.",
    "Errors on order-service rose after the pool filled up; nothing else changed.",
    "## Conclusion\nError: the diagnosis could not be completed because Prometheus timed out.",
    "Diagnosis could not be completed.",
]


@pytest.mark.parametrize("text", NO_FAIL)
@pytest.mark.parametrize("rows", [ROWS, FAILED_ROWS, (row(1, "search_logs", "empty"),)])
def test_a24_fail_only_on_absence(text: str, rows: tuple[InvocationRecord, ...]) -> None:
    assert gate(text, rows).verdict is not CheckStatus.FAIL


def test_a24_zero_evidence_is_fail() -> None:
    assert gate(rows=()).verdict is CheckStatus.FAIL
    assert check(gate(rows=()), "evidence_coverage").rule_id == "evidence_coverage.no_rows"


def test_a24_off_target_is_fail_only_when_configured() -> None:
    rows = (*ROWS, BILLING)
    assert gate(OFF_TARGET, rows).verdict is CheckStatus.WARN
    assert gate(OFF_TARGET, rows, fail_off_target=True).verdict is CheckStatus.FAIL
    # naming nothing at all is not being about something else
    vague = "## Conclusion\nSomething is slow.\n## Evidence\n812 lines\n## Next steps\nlook again"
    assert gate(vague, rows, fail_off_target=True).verdict is CheckStatus.WARN


def test_a24_without_payload_the_rows_alerts_are_the_scope() -> None:
    none = gate(payload=())
    assert check(none, "payload_focus").rule_id == "payload_focus.not_applicable"
    assert check(none, "payload_focus").status is CheckStatus.PASS
    assert "not_applicable" in check(none, "payload_focus").message
    with_alert = gate(rows=(*ROWS, alert_row()), payload=())
    assert check(with_alert, "payload_focus").rule_id == "payload_focus.named"
    other = gate(rows=(*ROWS, alert_row(name="DiskFull")), payload=())
    assert check(other, "payload_focus").status is CheckStatus.WARN


PASSING = snapshot(
    {
        "version": 1,
        "scope": (
            "rule_gate: on topic, used evidence; says nothing about whether the diagnosis holds"
        ),
        "verdict": "PASS",
        "checks": [
            {
                "id": "report_presence",
                "rule_id": "report_presence.present",
                "status": "PASS",
                "message": "the report is complete in form",
                "expected": "a report with a conclusion, evidence and next steps",
                "found": "sections: conclusion, evidence, next_steps",
            },
            {
                "id": "payload_focus",
                "rule_id": "payload_focus.named",
                "status": "PASS",
                "message": "the payload is named",
                "expected": "the report names MySQLConnectionPoolExhausted, order-service",
                "found": "all named",
            },
            {
                "id": "evidence_coverage",
                "rule_id": "evidence_coverage.reused",
                "status": "PASS",
                "message": "the report uses the evidence",
                "expected": "a name, error type, number or phrase of a successful row",
                "found": (
                    "e.g. pool_active=50, pool_max=50, count=812; 2 rows: 2 ok, 0 empty, 0 failed"
                ),
            },
        ],
        "stats": {
            "rows": 2,
            "ok": 2,
            "empty": 0,
            "failed": 0,
            "by_tool": {"query_metrics": 1, "search_logs": 1},
        },
        "evaluated_at": "2026-07-06T12:00:00Z",
    }
)


def test_a25_result_is_stable_versioned_json() -> None:
    result = gate()
    dumped = result.model_dump(mode="json")
    assert list(dumped) == ["version", "scope", "verdict", "checks", "stats", "evaluated_at"]
    assert list(dumped["checks"][0]) == [
        "id", "rule_id", "status", "message", "expected", "found",
    ]  # fmt: skip
    assert list(dumped["stats"]) == ["rows", "ok", "empty", "failed", "by_tool"]
    assert AiopsRuleEvaluation.model_validate_json(json.dumps(dumped)) == result
    assert [s.value for s in CheckStatus] == ["PASS", "WARN", "FAIL"]
    assert get_args(AiopsRuleEvaluation.model_fields["version"].annotation) == (1,)
    assert dumped == PASSING


def test_a25_overall_verdict_is_the_worst_check() -> None:
    for text, rows in NOT_PASS:
        result = gate(text, rows)
        assert result.verdict.rank == max(c.status.rank for c in result.checks)


def test_a23_identifiers_are_alert_and_service_then_instance() -> None:
    assert [i.value for i in PAYLOAD] == ["MySQLConnectionPoolExhausted", "order-service"]
    bare = Alert(labels={"alertname": "Down", "instance": "10.0.0.7:8080"})
    assert [i.value for i in identifiers_of_alerts((bare,))] == ["Down", "10.0.0.7:8080"]
    twice = identifiers_of_alerts((ALERT, ALERT))
    assert twice == PAYLOAD


def test_a23_an_alias_names_the_service() -> None:
    payload = identifiers_of_alerts((ALERT,), aliases={"orders": "order-service"})
    text = REPORT.replace("order-service", "orders")
    assert check(gate(text, payload=payload), "payload_focus").status is CheckStatus.PASS
    assert check(gate(text), "payload_focus").status is CheckStatus.WARN


def test_a23_a_longer_name_is_another_service() -> None:
    text = REPORT.replace("order-service", "order-service-canary")
    assert check(gate(text), "payload_focus").status is CheckStatus.WARN
    pod = REPORT.replace("order-service", "order-service-7d9f8c6b5-x2x7k")
    assert check(gate(pod), "payload_focus").status is CheckStatus.PASS
    assert log_row().number == 1
