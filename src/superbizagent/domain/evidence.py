"""Everything that was looked at in one session."""

from datetime import timedelta
from typing import Any

from pydantic import Field

from superbizagent.domain.fact import Fact
from superbizagent.domain.model import Model
from superbizagent.domain.outputs import ToolOutput
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Instant

__all__ = ["Evidence", "ToolInvocation"]


class ToolInvocation(Model):
    """One evidence call and its end: a row of ``tool_invocation``."""

    id: str
    """Derived from session id and journal key."""
    session_id: str
    call: PlannedCall
    agent: str = "rules"
    origin: str = "LOCAL"
    """``LOCAL`` or ``MCP``."""
    status: EvidenceStatus
    truncated: bool = False
    attempts: int = 1
    warnings: tuple[str, ...] = ()
    error: str = ""
    started_at: Instant
    duration: timedelta = timedelta(0)
    output: ToolOutput | None = None
    output_digest: str = ""
    """Digest of `encode(output)`; empty when there is none."""
    output_preview: str = ""
    """Capped head of the output as text, redacted."""
    facts: tuple[Fact, ...] = ()
    stats: dict[str, Any] = Field(default_factory=dict)
    reused_from: str = ""

    @property
    def tool(self) -> ToolName:
        """The tool that was called."""
        return self.call.tool

    @property
    def number(self) -> int:
        """``n`` of ``E<n>``."""
        return self.call.number


class Evidence(Model):
    """The calls of a session in key order."""

    invocations: tuple[ToolInvocation, ...] = ()

    def facts(self) -> dict[str, Fact]:
        """Every fact by id."""
        return {f.id: f for row in self.invocations for f in row.facts}

    def of(self, number: int) -> ToolInvocation | None:
        """The call ``E<number>``, or None."""
        return next((row for row in self.invocations if row.number == number), None)
