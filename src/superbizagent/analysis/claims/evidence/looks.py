"""What each call looked at: the ground of saying that something was not found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import Topology
from superbizagent.domain.plan import ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window, Windows

__all__ = ["Look", "looks_of", "names_in", "service_path", "services_of"]

_ANSWERED = frozenset({EvidenceStatus.OK, EvidenceStatus.EMPTY})


@dataclass(frozen=True, slots=True)
class Look:
    """One call."""

    number: int
    tool: ToolName
    source: str
    purpose: str
    status: EvidenceStatus
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    error: str = ""
    window: Window | None = None
    """The time asked for; None: the call has no time (a topology)."""
    entities: tuple[str, ...] = ()
    """Paths, or own names of what has none, of whatever it read; empty for a context call: it
    looks at everything its source has."""
    partial: bool = False
    """Asked for some names or words alone (a check): what it did not find may still be there."""

    @property
    def answered(self) -> bool:
        """Whether the source said something, "nothing" included."""
        return self.status in _ANSWERED

    def covers(self, tool: ToolName, entity: str, window: Window | None) -> bool:
        """Tell whether what this call did not find of an entity in a time was not there."""
        if self.tool is not tool or not self.answered or self.truncated or self.partial:
            return False
        if self.purpose != "context" and entity not in self.entities:
            return False
        if window is None or self.window is None:
            return True
        return self.window.start <= window.start and window.end <= self.window.end


def looks_of(evidence: Evidence, scope: Scope, entity_of: EntityOf) -> tuple[Look, ...]:
    """Return every call in call order."""
    return tuple(_look(row, scope, entity_of) for row in evidence.invocations)


def _look(row: ToolInvocation, scope: Scope, entity_of: EntityOf) -> Look:
    asked: Mapping[str, Any] = row.call.input
    purpose = row.call.purpose
    chosen = bool(asked.get("contains")) or purpose.startswith("check:")
    return Look(
        number=row.number,
        tool=row.tool,
        source=row.call.source,
        purpose=purpose,
        status=row.status,
        truncated=row.truncated,
        warnings=row.warnings,
        error=row.error,
        window=_window(asked, row),
        entities=tuple(sorted(set(_entities(row, scope, entity_of)))),
        partial=chosen,
    )


def _window(asked: Mapping[str, Any], row: ToolInvocation) -> Window | None:
    if isinstance(row.output, LogDigest):
        return row.output.windows.whole
    if asked.get("window"):
        return Window.model_validate(asked["window"])
    if asked.get("windows"):
        return Windows.model_validate(asked["windows"]).whole
    return None


def _entities(row: ToolInvocation, scope: Scope, entity_of: EntityOf) -> Iterator[str]:
    kind, _, path = row.call.purpose.partition(":")
    if kind == "sweep" and "/" in path:
        yield path
    match row.output:
        case SeriesSet() as series:
            if kind != "sweep":
                yield from filter(None, map(entity_of, series.labels))
        case LogDigest() as digest:
            for service in services_of(digest):
                yield service_path(service, scope)
        case _:
            pass


def services_of(digest: LogDigest) -> tuple[str, ...]:
    """Return the services of which a log call read something, sorted."""
    services = {f.service for f in digest.files} | {t.service for t in digest.templates}
    return tuple(sorted(services - {""}))


def names_in(topology: Topology) -> tuple[str, ...]:
    """Return the names of all nodes, sorted."""
    names = {n.name for n in topology.nodes}
    names |= {name for e in topology.edges for name in (e.caller, e.callee)}
    return tuple(sorted(names))


def service_path(service: str, scope: Scope) -> str:
    """Return the path that a log's service stands for, its own name where nobody knows it."""
    found = scope.catalogue.of_labels({"service": service}, ("service",))
    return found.path if found else service
