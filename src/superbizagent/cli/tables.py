"""Tables of stored sessions and calls for the terminal, as plain text."""

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from rich.console import Console
from rich.table import Table

from superbizagent.domain.evaluation import ToolTraceSummary
from superbizagent.domain.feedback import Feedback
from superbizagent.domain.session import DamagedSession, DiagnosisSession
from superbizagent.domain.skill import Skill
from superbizagent.investigation.wording.values import zone_of
from superbizagent.settings import local_timezone

__all__ = ["call_table", "evaluation_lines", "feedback_line", "session_table", "skill_table"]

_WIDTH = 120
"""Where a row has the id of a session."""
_SCREEN = 100
_QUESTION_CHARS = 40


def session_table(sessions: Sequence[DiagnosisSession | DamagedSession], zone: str) -> str:
    """Return one line a session, also for one whose row cannot be read."""
    local = zone_of(zone or local_timezone())
    table = _table("session", "created", "status", "verdict", "gate", "about")
    for s in sessions:
        if isinstance(s, DamagedSession):
            about = f"{s.column} cannot be read: superbiz trace verify {s.session_id}"
            table.add_row(s.session_id, "-", "damaged", "-", "-", about)
            continue
        table.add_row(
            s.session_id,
            f"{s.created_at.astimezone(local):%Y-%m-%d %H:%M:%S%z}",
            s.status.value,
            s.verdict or "-",
            s.aiops_gate or "-",
            _about(s)[:_QUESTION_CHARS],
        )
    return _text(table)


def _about(session: DiagnosisSession) -> str:
    if session.question:
        return session.question
    entities = (session.scope or {}).get("entities", [])
    return ", ".join(e["name"] for e in entities[:2])


def call_table(summary: ToolTraceSummary) -> str:
    """Return one line a call: what was asked, how it ended, what came back."""
    table = _table("call", "tool", "status", "asked", "came back")
    for entry in summary.entries:
        table.add_row(
            f"E{entry.n}", entry.tool, entry.status, entry.input_summary, entry.output_summary
        )
    lines = [_text(table)]
    lines += [f"left out: {o.model_dump_json()}" for o in summary.omitted]
    return "\n".join(lines)


def skill_table(skills: Sequence[Skill]) -> str:
    """Return one line a playbook: where it is from, what it tests, which alerts it is for."""
    table = _table("playbook", "from", "tests", "alerts")
    for skill in skills:
        kinds = dict.fromkeys(h.fault_kind.value for h in skill.hypotheses)
        alerts = ", ".join(skill.metadata.alerts)
        source = skill.metadata.source.value
        table.add_row(skill.name, source, ", ".join(kinds) or "-", alerts or "-")
    return _text(table, _SCREEN)


def evaluation_lines(evaluations: Mapping[str, Any]) -> str:
    """Return the verdict of each evaluator with the reasons of what did not pass."""
    lines: list[str] = []
    for key in sorted(evaluations):
        value = evaluations[key]
        lines.append(f"{key}: {value.get('verdict') or value.get('grade') or '-'}")
        lines += [
            f"  {c['id']} {c['status']}: {c['message']}"
            for c in value.get("checks", [])
            if c.get("status") != "PASS"
        ]
    return "\n".join(lines) or "not judged yet"


def feedback_line(said: Feedback) -> str:
    """Return what one person said of a session."""
    really = " ".join(part for part in (said.right_fault_kind, said.right_entity) if part)
    parts = (f"{said.author}: {said.judgement.value}", really and f"it was {really}", said.comment)
    return "; ".join(" ".join(part.split()) for part in parts if part)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="", show_edge=False)
    for column in columns:
        table.add_column(
            column, overflow="fold", no_wrap=column in {"session", "created", "call", "playbook"}
        )
    return table


def _text(table: Table, width: int = _WIDTH) -> str:
    out = StringIO()
    # cells are text of rows: `[order-service]` in a log line is no markup
    console = Console(file=out, width=width, color_system=None, markup=False, emoji=False)
    console.print(table)
    return out.getvalue().rstrip()
