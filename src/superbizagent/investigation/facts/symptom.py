"""What hurts: the errors, latency and load of the entities in question."""

from collections.abc import Callable, Sequence

from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels

__all__ = ["EntityOf", "is_served", "symptom_findings"]

EntityOf = Callable[[Labels], str | None]
"""Entity path that a label set stands for, None when it stands for none."""

_SYMPTOM_FAMILIES = frozenset({"err", "lat", "qps"})
_MEASURED = frozenset({FindingKind.METRIC_DEVIATION, FindingKind.SERIES_APPEARED})
_SERVED = frozenset({"server", "request", "requests", "http", "rpc", "grpc", "responses"})
_INNER = frozenset({"client", "db", "connection", "connections", "pool", "upstream"})


def symptom_findings(scope: Scope, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Errors, latency and traffic of the entities in question: what hurts, not why.

    Requests under way are among them: they are the rate times the latency.
    """
    paths = {e.path for e in scope.entities}
    return tuple(
        f
        for f in findings
        if f.entity in paths
        and f.score > 0
        and f.kind in _MEASURED
        and (f.family in _SYMPTOM_FAMILIES or (f.family == "saturation" and is_served(f)))
    )


def is_served(finding: Finding) -> bool:
    """Tell whether a series counts or times what the entity answers, by the words of its name."""
    words = set(finding.subject.partition("{")[0].lower().split("_"))
    return bool(words & _SERVED) and not words & _INNER
