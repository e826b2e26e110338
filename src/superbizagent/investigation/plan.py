"""Decide which evidence calls are made, in which order, within the caps.

Round 1 is the context (alerts, topology, changes), the default sweep over the scope's entities,
their logs and their traces. Round 2 asks for what the checks of the playbooks need, of the sources
whose sweep was cut short. Pure: numbers and keys are fixed here, before any effect.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from superbizagent.analysis.telemetry_changes import CHANGE_SERIES, KUBE_SERIES
from superbizagent.domain.cluster import KubernetesQuery
from superbizagent.domain.entity import PLACE_LABELS, Entity
from superbizagent.domain.gathering import Caps
from superbizagent.domain.plan import Plan, PlannedCall, SkillChoice, ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.skill import CheckQuery
from superbizagent.domain.source import (
    LogQuery,
    RangeQuery,
    Signal,
    SourceDescription,
    TraceQuery,
)
from superbizagent.domain.window import Window

__all__ = ["plan_investigation"]

_CONTEXT = (
    (Signal.ALERTS, ToolName.LIST_ALERTS),
    (Signal.TOPOLOGY, ToolName.GET_TOPOLOGY),
    (Signal.CHANGES, ToolName.LIST_CHANGES),
)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A call without its number."""

    tool: ToolName
    source: str
    input: dict[str, Any]
    purpose: str


def plan_investigation(  # noqa: PLR0913 - a round is described by these and nothing less
    scope: Scope,
    skills: tuple[SkillChoice, ...],
    checks: Sequence[CheckQuery],
    caps: Caps,
    *,
    sources: AbstractSet[str] = frozenset(),
    round_: int = 1,
    first_number: int = 1,
) -> Plan:
    """Return the calls of one round.

    Args:
        scope: what is looked at.
        skills: chosen playbooks, best first.
        checks: metric questions of all playbooks that are tested.
        caps: how much may be asked.
        sources: those that the checks are asked of; a whole sweep answers them.
        round_: 1 for the sweep, 2 for the checks that it left unanswered.
        first_number: ``n`` of the first call ``E<n>``.
    """
    wanted = list(_checks(scope, checks, caps, sources))
    if round_ == 1:
        swept = (*_sweep(scope, caps), *_cluster(scope), *_logs(scope), *_traces(scope))
        wanted = [*_context(scope), *swept, *wanted]
        wanted += _changes_in_metrics(scope, caps)
    taken, cut = _within(wanted, caps.max_queries)
    calls = tuple(
        PlannedCall(
            number=first_number + n,
            round=round_,
            tool=w.tool,
            source=w.source,
            input=w.input,
            purpose=w.purpose,
        )
        for n, w in enumerate(taken)
    )
    return Plan(round=round_, skills=skills, calls=calls, left_out=tuple(w.purpose for w in cut))


def _within(wanted: list[_Wanted], most: int) -> tuple[list[_Wanted], list[_Wanted]]:
    """Keep the first ``most`` metric queries; everything else is one call a source."""
    taken: list[_Wanted] = []
    cut: list[_Wanted] = []
    queries = 0
    for call in wanted:
        queries += call.tool is ToolName.QUERY_METRICS
        (cut if call.tool is ToolName.QUERY_METRICS and queries > most else taken).append(call)
    return taken, cut


def _context(scope: Scope) -> Iterator[_Wanted]:
    for signal, tool in _CONTEXT:
        for source in scope.sources:
            if signal in source.signals:
                yield _Wanted(tool, source.name, {}, "context")
    if scope.learnt is not None:
        yield _Wanted(ToolName.GET_BASELINE, "baseline", {}, "context")


def _sweep(scope: Scope, caps: Caps) -> Iterator[_Wanted]:
    """One query for each label value that stands for an entity, nearest entity first."""
    for entity in scope.everything:
        for source in _with(scope, Signal.METRICS):
            for label, value in _label_values(scope, source, entity):
                named = Matcher(label=label, value=value)
                selector = Selector(matchers=(named, *_place(source, entity)))
                query = _range(selector, _span(scope), caps)
                yield _Wanted(
                    ToolName.QUERY_METRICS,
                    source.name,
                    query.model_dump(mode="json"),
                    f"sweep:{entity.path}",
                )


def _place(source: SourceDescription, entity: Entity) -> Iterator[Matcher]:
    """What keeps apart the entities of one name in a source; nothing where there is only one."""
    namesakes = [e for e in source.entities if e.name == entity.name and e.place != entity.place]
    for label, own in zip(PLACE_LABELS, entity.place, strict=True):
        if own and any(not e.may_be_at({label: own}) for e in namesakes):
            yield Matcher(label=label, value=own)


def _span(scope: Scope) -> Window:
    """One span over all windows: a series is compared with itself, so it comes in one piece."""
    windows = (scope.windows.incident, *scope.windows.baselines)
    return Window(start=min(w.start for w in windows), end=max(w.end for w in windows))


def _logs(scope: Scope) -> Iterator[_Wanted]:
    for source in _with(scope, Signal.LOGS):
        names = _names_in(scope, source)
        if not names:
            continue
        query = LogQuery(services=names, windows=scope.windows)
        yield _Wanted(
            ToolName.SEARCH_LOGS, source.name, query.model_dump(mode="json"), "sweep:logs"
        )


def _traces(scope: Scope) -> Iterator[_Wanted]:
    """One look at each source of spans, at the traces that touch what is in scope."""
    for source in _with(scope, Signal.TRACES):
        names = _names_in(scope, source)
        if names:
            query = TraceQuery(services=names, windows=scope.windows)
            asked = query.model_dump(mode="json")
            yield _Wanted(ToolName.SEARCH_TRACES, source.name, asked, "sweep:traces")


def _names_in(scope: Scope, source: SourceDescription) -> tuple[str, ...]:
    held = (e.name for e in scope.everything if _may_hold(source, e))
    return tuple(dict.fromkeys(held))


def _cluster(scope: Scope) -> Iterator[_Wanted]:
    """One look at each cluster: what stands on what is only seen as a whole."""
    if not scope.everything:
        return
    named = () if scope.takes_everything else tuple(e.path for e in scope.entities)
    for source in _with(scope, Signal.KUBERNETES):
        query = KubernetesQuery(names=named)
        yield _Wanted(
            ToolName.GET_KUBERNETES, source.name, query.model_dump(mode="json"), "sweep:cluster"
        )


def _checks(
    scope: Scope, checks: Sequence[CheckQuery], caps: Caps, sources: AbstractSet[str]
) -> Iterator[_Wanted]:
    """Every alternative of every check, limited to the entities in scope by one matcher a label."""
    for check in checks:
        for source in (s for s in _with(scope, Signal.METRICS) if s.name in sources):
            for selector in check.selectors:
                for bound in _bind(scope, source, selector):
                    query = _range(bound, _span(scope), caps)
                    yield _Wanted(
                        ToolName.QUERY_METRICS,
                        source.name,
                        query.model_dump(mode="json"),
                        check.purpose,
                    )


def _changes_in_metrics(scope: Scope, caps: Caps) -> Iterator[_Wanted]:
    """Series that show restarts, versions and what Kubernetes was told, of the entities in scope.

    Last in the round: what hurts and why comes first when the deadline is near.
    """
    for source in _with(scope, Signal.METRICS):
        own = list(_bind(scope, source, Selector(matchers=(_named(CHANGE_SERIES),))))
        # Only where containers report are there deployments to be asked for.
        if "container" in source.label_values:
            deployment = Matcher.any_of("deployment", [e.name for e in scope.everything])
            own.append(Selector(matchers=(_named(KUBE_SERIES), deployment)))
        for selector in own:
            query = _range(selector, _span(scope), caps)
            asked = query.model_dump(mode="json")
            yield _Wanted(ToolName.LIST_CHANGES, source.name, asked, "context")


def _named(pattern: str) -> Matcher:
    return Matcher(label="__name__", op=MatchOp.REGEX, value=pattern)


def _bind(scope: Scope, source: SourceDescription, selector: Selector) -> Iterator[Selector]:
    by_label: dict[str, list[str]] = {}
    for entity in scope.everything:
        for label, value in _label_values(scope, source, entity):
            by_label.setdefault(label, []).append(value)
    for label, values in by_label.items():
        matcher = Matcher.any_of(label, values)
        yield selector.model_copy(update={"matchers": (*selector.matchers, matcher)})


def _label_values(
    scope: Scope, source: SourceDescription, entity: Entity
) -> Iterator[tuple[str, str]]:
    if not _may_hold(source, entity):
        return
    for label, values in source.label_values.items():
        for value in values:
            if scope.catalogue.aliases.get(value, value) == entity.name:
                yield label, value


def _may_hold(source: SourceDescription, entity: Entity) -> bool:
    """Tell whether a source may hold an entity: where it knows the name, it means no other."""
    namesakes = [e for e in source.entities if e.name == entity.name]
    return not namesakes or any(e.may_be(entity) for e in namesakes)


def _with(scope: Scope, signal: Signal) -> tuple[SourceDescription, ...]:
    return tuple(s for s in scope.sources if signal in s.signals)


def _range(selector: Selector, window: Window, caps: Caps) -> RangeQuery:
    return RangeQuery(
        selector=selector,
        window=window,
        max_series=caps.max_series,
        max_points=caps.max_points,
    )
