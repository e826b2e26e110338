"""The 100-point score: what each rule takes off, which rules cap, how grades are cut."""

from typing import Any

import pytest

from gate_rows import NOW, REPORT, ROWS, judged, log_row, metric_row, row
from superbizagent.domain.evaluation import Grade, InvocationRecord, RuleEvaluation
from superbizagent.investigation.gate.rule_score import evaluate_rules

TIMEOUT = row(3, "query_metrics", "timeout", error="no answer")
EMPTY = row(3, "search_logs", "empty")


def score(
    text: str | None = REPORT, rows: tuple[InvocationRecord, ...] = ROWS, **more: Any
) -> RuleEvaluation:
    return evaluate_rules(judged(text, rows, **more), NOW)


def lost(result: RuleEvaluation) -> dict[str, int | str]:
    """Rule -> points, or the cap where no points were taken."""
    return {
        d.rule_id.removeprefix("rule."): d.points if d.cap is None else f"<={d.cap}"
        for d in result.deductions
    }


def test_a_cited_report_on_evidence_loses_nothing() -> None:
    result = score()
    assert (result.score, result.grade, lost(result)) == (100, Grade.HIGH, {})


CASES: list[tuple[str, dict[str, Any], dict[str, int | str], int]] = [
    ("blank", {"text": ""}, {"blank": 50, "uncited": "<=59"}, 50),
    ("none stored", {"text": None}, {"blank": 50, "uncited": "<=59"}, 50),
    (
        "nothing at all",
        {"text": None, "rows": ()},
        {"blank": 50, "no_evidence": 35, "no_successful_evidence": "<=59", "uncited": "<=59"},
        15,
    ),
    (
        "no evidence",
        {"text": "order-service is slow", "rows": ()},
        {"no_evidence": 35, "no_successful_evidence": "<=59", "uncited": "<=59"},
        59,
    ),
    ("uncited", {"text": "The pool is full."}, {"uncited": "<=59"}, 59),
    ("unknown call", {"text": "The pool is full [E9]."}, {"unknown_citation": 30}, 70),
    ("unknown fact", {"text": "The pool is full [E2.9]."}, {"unknown_citation": 30}, 70),
    (
        "failed call cited",
        {"text": "It is slow [E3], see [E2.1].", "rows": (*ROWS, TIMEOUT)},
        {"failed_calls": 7, "failed_evidence_cited": 30},
        63,
    ),
    ("empty call cited", {"text": "No such lines [E3].", "rows": (*ROWS, EMPTY)}, {}, 100),
    (
        "only empty calls",
        {"text": "No such lines [E3].", "rows": (EMPTY,)},
        {"no_successful_evidence": "<=59"},
        59,
    ),
    (
        "all calls failed",
        {"text": "Nothing answered.", "rows": (TIMEOUT,)},
        {"no_successful_evidence": "<=59", "failed_calls": 20, "uncited": "<=59"},
        59,
    ),
    (
        "mock cited",
        {"text": "The pool is full [E2.2].", "rows": (metric_row(source="MOCK"),)},
        {"mock_cited": "<=59"},
        59,
    ),
    (
        "resource without a series",
        {"text": "Memory ran out [E1.1].", "rows": (log_row(),)},
        {"resource_without_trend": 25},
        75,
    ),
    (
        "resource that cites a log",
        {"text": "CPU is at its limit [E1.1]."},
        {"resource_without_trend": 25},
        75,
    ),
    ("resource that cites a series", {"text": "CPU is at its limit [E2.1]."}, {}, 100),
    ("resource in another line's support", {"text": "内存上升。\n见 [E2.1]。"}, {}, 100),
    (
        "logs without a log call",
        {"text": "The logs show it [E2.1].", "rows": (metric_row(),)},
        {"log_without_support": 15},
        85,
    ),
    ("logs that were empty", {"text": "日志中没有 [E3]。", "rows": (*ROWS, EMPTY)}, {}, 100),
    (
        "garbage collection by a series alone",
        {"text": "GC pauses grew [E2.1]."},
        {"log_without_support": 15},
        85,
    ),
    (
        "no logs, said in words",
        {"text": "Full [E2.1].\nno logs were read", "rows": ROWS[1:]},
        {},
        100,
    ),
    ("no logs, in Chinese", {"text": "池满 [E2.1]。\n没有读取日志", "rows": ROWS[1:]}, {}, 100),
    (
        "no logs, under its heading",
        {"text": "Full [E2.1].\n## Not seen\n- logs of the gateway", "rows": ROWS[1:]},
        {},
        100,
    ),
    (
        "logs under another heading",
        {"text": "Full [E2.1].\n## Why\n- logs of the gateway", "rows": ROWS[1:]},
        {"log_without_support": 15},
        85,
    ),
    (
        "commands are no statements",
        {
            "text": "Pool full [E2.1]. Run `top -o memory` and\n```\ntail logs\n```",
            "rows": ROWS[1:],
        },
        {},
        100,
    ),
]


@pytest.mark.parametrize(("_name", "given", "expected", "points"), CASES, ids=[c[0] for c in CASES])
def test_deductions_and_caps(
    _name: str, given: dict[str, Any], expected: dict[str, int | str], points: int
) -> None:
    result = score(**given)
    assert lost(result) == expected
    assert result.score == points


@pytest.mark.parametrize(("points", "grade"), [(100, "HIGH"), (85, "HIGH"), (70, "MEDIUM")])
def test_grades(points: int, grade: str) -> None:
    text = {100: "Full [E2.1].", 85: "Logs say so [E2.1].", 70: "Full [E9]."}[points]
    result = score(text)
    assert (result.score, result.grade.value) == (points, grade)
    assert score("uncited").grade is Grade.LOW


def test_score_stays_between_0_and_100() -> None:
    text = "CPU and the logs [E7] [E3]"
    result = score(text, (row(3, "ping", "error"),))
    assert sum(d.points for d in result.deductions) > 100
    assert result.score == 0


def test_guidance_is_no_evidence() -> None:
    assert "no_evidence" in lost(score("text", (row(1, "read_skill"),)))
