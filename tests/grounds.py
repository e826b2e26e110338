"""Evidence made by hand, and what a statement is held against."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from analysis_builders import System, entity_of, windows
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import facts_of_series, facts_of_topology
from superbizagent.analysis.log_facts import facts_of_logs
from superbizagent.domain.entity import Catalogue, Entity
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis
from superbizagent.domain.incident import Incident
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import ToolOutput, Topology
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.report import Frame
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Windows

STEP = timedelta(seconds=15)
WINDOWS = windows(0, 2280, 2355, 2700)
"""Those of a `System` whose fault comes after 40 minutes."""


def call(
    number: int,
    output: ToolOutput | None,
    tool: ToolName = ToolName.QUERY_METRICS,
    purpose: str = "sweep://service/web",
    **more: Any,
) -> ToolInvocation:
    """One recorded call."""
    asked = more.pop("asked", {})
    fields: dict[str, Any] = {"status": EvidenceStatus.OK} | more
    return ToolInvocation(
        id=f"t{number}",
        session_id="s",
        call=PlannedCall(number=number, tool=tool, source="bundle", input=asked, purpose=purpose),
        started_at=WINDOWS.incident.end,
        output=output,
        **fields,
    )


def metrics(number: int, series: SeriesSet, purpose: str = "sweep://service/web") -> ToolInvocation:
    """One metrics call with the facts that the sweep reads."""
    facts = facts_of_series(number, series, measure(series, WINDOWS, STEP), entity_of)
    asked = {"window": WINDOWS.whole.model_dump(mode="json")}
    return call(number, series, purpose=purpose, facts=facts, asked=asked)


def logs(number: int, digest: LogDigest) -> ToolInvocation:
    """One log call with its facts."""
    facts = facts_of_logs(number, digest, entity_of)
    return call(number, digest, ToolName.SEARCH_LOGS, "sweep:logs", facts=facts)


def topology(number: int, value: Topology) -> ToolInvocation:
    """One topology call with its facts."""
    facts = facts_of_topology(number, value, entity_of)
    return call(number, value, ToolName.GET_TOPOLOGY, "context", facts=facts)


def scope_of(*names: str, given: Windows = WINDOWS, **more: Any) -> Scope:
    """A scope that knows these services."""
    entities = tuple(Entity(name=n) for n in names)
    return Scope(
        incident=Incident(received_at=given.incident.end),
        windows=given,
        entities=entities[:1],
        catalogue=Catalogue(entities=entities, aliases=more.pop("aliases", {})),
        step=STEP,
        **more,
    )


def ground_of(rows: Sequence[ToolInvocation], scope: Scope) -> Ground:
    """What statements about these calls are held against."""
    frame = Frame(windows=scope.windows, now=scope.windows.incident.end)
    return Ground.of(Evidence(invocations=tuple(rows)), Analysis(), scope, frame, ("service",))


def system_ground(system: System, *more: ToolInvocation) -> Ground:
    """A system's metrics as ``E1`` and its logs as ``E2``."""
    names = sorted({labels["service"] for labels, _, _ in system.rows})
    rows = [metrics(1, system.series), logs(2, system.digest()), *more]
    return ground_of(rows, scope_of(*names, given=system.windows))


def reading(facts: Sequence[Fact], fact_id: str) -> Fact:
    """The reading with this id."""
    return next(f for f in facts if f.id == fact_id)
