"""Which calls are made, in which order, and why."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from superbizagent.domain.model import Model
from superbizagent.domain.source import Signal

__all__ = ["FAMILY_OF_TOOL", "Plan", "PlannedCall", "SkillChoice", "ToolName"]


class ToolName(StrEnum):
    """The evidence tools. ``read_skill`` is guidance and not among them."""

    QUERY_METRICS = "query_metrics"
    LIST_ALERTS = "list_alerts"
    SEARCH_LOGS = "search_logs"
    SEARCH_TRACES = "search_traces"
    GET_TOPOLOGY = "get_topology"
    LIST_CHANGES = "list_changes"
    LOOKUP_KNOWLEDGE = "lookup_knowledge"
    GET_KUBERNETES = "get_kubernetes"
    GET_BASELINE = "get_baseline"


FAMILY_OF_TOOL = {ToolName.SEARCH_LOGS: Signal.LOGS, ToolName.SEARCH_TRACES: Signal.TRACES}
"""What the tools read that look at telemetry beside the metrics."""


class PlannedCall(Model):
    """One evidence call, its place fixed before it is made."""

    number: int
    """``n`` of ``E<n>``; counts over all rounds of the session, from 1."""
    round: int = 1
    tool: ToolName
    source: str
    """Name of the data source asked."""
    input: dict[str, Any] = Field(default_factory=dict)
    """JSON form of `RangeQuery`, `LogQuery` or `KubernetesQuery`, or nothing."""
    purpose: str
    """``rule:<part>``, ``sweep:<entity path>``, ``check:<skill>/<hypothesis>/<check>``,
    ``context``."""

    @property
    def reads_rule(self) -> bool:
        """Whether it evaluates the alert's own rule: no look at a series of the system's."""
        return self.purpose.startswith("rule:")

    @property
    def key(self) -> str:
        """Journal position, fixed before the effect; sorts in call order."""
        return f"gather/{self.round:02d}/{self.number:04d}"


class SkillChoice(Model):
    """Why a playbook was or was not taken."""

    name: str
    score: float
    matched: tuple[str, ...] = ()
    """The alert names and words that matched."""


class Plan(Model):
    """All calls of one round, and the playbooks they serve."""

    round: int = 1
    skills: tuple[SkillChoice, ...] = ()
    """Chosen ones, best first; empty: the default sweep alone."""
    calls: tuple[PlannedCall, ...] = ()
    left_out: tuple[str, ...] = ()
    """What the caps cut, in words of the plan."""
