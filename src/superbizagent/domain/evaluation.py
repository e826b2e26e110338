"""How a stored report is judged by rules, and what those rules read.

Every result here is a key of ``diagnosis_session.self_evaluation``: versioned JSON that other
programs consume. A rule gate says "on topic, used evidence"; it never says that a report is right.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = [
    "AIOPS_RULE_EVALUATION",
    "RULE_EVALUATION",
    "AiopsCheck",
    "AiopsCheckId",
    "AiopsRuleEvaluation",
    "CheckStatus",
    "EvidenceStats",
    "Grade",
    "InvocationRecord",
    "OmittedCalls",
    "RuleDeduction",
    "RuleEvaluation",
    "ToolTraceEntry",
    "ToolTraceSummary",
]

AIOPS_RULE_EVALUATION = "aiops_rule_evaluation"
"""Key of the AIOps gate's result; no other evaluation writes it."""
RULE_EVALUATION = "rule_evaluation"
"""Key of the generic score's result; no other evaluation writes it."""

GATE_SCOPE = "rule_gate: on topic, used evidence; says nothing about whether the diagnosis holds"
"""What the verdict stands for; part of every result, so that no reader takes it for more."""


class CheckStatus(StrEnum):
    """PASS, WARN (a soft signal is missing) or FAIL (the report or the evidence is absent)."""

    PASS = "PASS"  # noqa: S105 - a verdict, no password
    WARN = "WARN"
    FAIL = "FAIL"

    @property
    def rank(self) -> int:
        """0 for PASS to 2 for FAIL: the overall verdict is the worst check."""
        return (CheckStatus.PASS, CheckStatus.WARN, CheckStatus.FAIL).index(self)


class AiopsCheckId(StrEnum):
    """The three risks the AIOps gate looks at, in the order in which they are reported."""

    REPORT_PRESENCE = "report_presence"
    PAYLOAD_FOCUS = "payload_focus"
    EVIDENCE_COVERAGE = "evidence_coverage"


class AiopsCheck(Model):
    """One check: what was expected, what was found, by which rule."""

    id: AiopsCheckId
    rule_id: str
    """Stable word of the rule that decided, e.g. ``report_presence.blank``."""
    status: CheckStatus
    message: str
    expected: str
    found: str


class EvidenceStats(Model):
    """Counts over the session's evidence rows; guidance such as ``read_skill`` is not counted."""

    rows: int = 0
    ok: int = 0
    empty: int = 0
    failed: int = 0
    """Ended as ``error``, ``timeout`` or ``denied``."""
    by_tool: dict[str, int] = Field(default_factory=dict)


class AiopsRuleEvaluation(Model):
    """The AIOps gate's result: three checks, the worst of them is the verdict."""

    version: Literal[1] = 1
    scope: Literal[
        "rule_gate: on topic, used evidence; says nothing about whether the diagnosis holds"
    ] = GATE_SCOPE
    verdict: CheckStatus
    checks: tuple[AiopsCheck, AiopsCheck, AiopsCheck]
    stats: EvidenceStats
    evaluated_at: Instant


class Grade(StrEnum):
    """Reading of the 100-point score: HIGH from 80, MEDIUM from 60, else LOW."""

    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class RuleDeduction(Model):
    """Why points were lost."""

    rule_id: str
    points: int
    """Points taken off; 0 for a rule that only caps the score."""
    cap: int | None = None
    """The score cannot be above this."""
    message: str
    expected: str
    found: str


class RuleEvaluation(Model):
    """The generic score of any report, both channels."""

    version: Literal[1] = 1
    scope: Literal[
        "rule_gate: on topic, used evidence; says nothing about whether the diagnosis holds"
    ] = GATE_SCOPE
    score: int
    """0 to 100."""
    grade: Grade
    deductions: tuple[RuleDeduction, ...] = ()
    stats: EvidenceStats
    evaluated_at: Instant


class InvocationRecord(Model):
    """A row of ``tool_invocation`` as it is stored, however old: nothing in it is trusted.

    The gates and the tool-trace summary read this and nothing else, so that they work on rows
    of earlier versions and of remote tools. ``details`` and ``retrieval_details`` are whatever
    JSON the row holds; ``number`` is ``n`` of ``E<n>``.
    """

    id: str = ""
    session_id: str = ""
    number: int
    round: int = 1
    agent: str = ""
    tool_name: str
    source: str = "LOCAL"
    """``LOCAL`` or ``MCP``; ``MOCK`` marks a rehearsal."""
    input: Any = None
    status: str
    truncated: bool = False
    attempts: int = 1
    error: str = ""
    output_preview: str = ""
    details: Any = None
    retrieval_details: Any = None
    reused_from: str = ""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "InvocationRecord":
        """Read one row of the table: columns by name; others are passed over."""
        names = cls.model_fields.keys()
        return cls.model_validate({k: v for k, v in row.items() if k in names and v is not None})

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> tuple["InvocationRecord", ...]:
        """Read rows of one session, in the order of the calls.

        A call that was made again after an upgrade has a row per ``attempt``; the last counts.
        """
        latest: dict[int, Mapping[str, Any]] = {}
        for row in sorted(rows, key=lambda r: (r["number"], r.get("attempt") or 0)):
            latest[row["number"]] = row
        return tuple(cls.of_row(row) for row in latest.values())


class ToolTraceEntry(Model):
    """One call in a few words, all of them the row's own."""

    n: int
    tool: str
    status: str
    input_summary: str = ""
    output_summary: str = ""
    facts: tuple[str, ...] = ()
    facts_omitted: int = 0
    truncated: bool = False
    """Something of the row's text was cut or left out here, or the output itself was."""


class OmittedCalls(Model):
    """How many calls of one tool and one end were left out of a summary."""

    tool: str
    status: str
    count: int


class ToolTraceSummary(Model):
    """What a verifier and the trace show of a session's calls, in the order of the calls."""

    version: Literal[1] = 1
    entries: tuple[ToolTraceEntry, ...] = ()
    omitted: tuple[OmittedCalls, ...] = ()
    """Calls that did not fit the total: the oldest successful ones first, the newest never."""
    omitted_facts: int = 0
    """Facts left out of the entries that are shown."""
    truncated: bool = False
