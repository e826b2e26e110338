"""What a name stands for in a session's evidence, and everything there that is about it."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Finding
from superbizagent.domain.logs import LogDigest, LogFile
from superbizagent.domain.plan import ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels, SeriesSet, series_name

__all__ = ["Count", "NameKind", "Named", "find_named", "near_names"]

_NEAR = 0.6
"""Share of a name that another must have in common to be called near, as in `Catalogue`."""


class NameKind(StrEnum):
    """What sort of thing a name stands for."""

    SOURCE = "source"
    ENTITY = "entity"
    LOG_FILE = "log_file"
    LABEL = "label"
    """A label value: a pod, an instance, a route, a pool."""
    METRIC = "metric"
    """A metric, one of its series, or a field of log records."""


@dataclass(frozen=True, slots=True)
class Count:
    """How much of something was looked at."""

    what: str
    """Key of the words: ``series``, ``series_abnormal``, ``records_incident`` …"""
    value: float
    citation: str
    """A fact, or the call that it was counted in."""
    looked_at: bool = False
    """Counts what there was to look at: where all of these are zero there was no data."""


@dataclass(frozen=True, slots=True)
class Named:
    """Everything about a name."""

    kind: NameKind
    paths: tuple[str, ...] = ()
    """Entity paths that it stands for, or belongs to."""
    rows: tuple[ToolInvocation, ...] = ()
    """Calls that looked for it."""
    findings: tuple[Finding, ...] = ()
    counts: tuple[Count, ...] = ()
    in_scope: bool = True
    failed: str = ""
    """Why it could not be read, where a source says so."""
    cut: str = ""
    """How it was cut, where its own record says so."""


def find_named(name: str, ground: Ground) -> Named | None:
    """Return what a name stands for; None when nobody knows it."""
    for find in (_source, _entity, _log_file, _label, _metric):
        found = find(name, ground)
        if found is not None:
            return found
    return None


def near_names(name: str, ground: Ground) -> tuple[str, ...]:
    """Return at most three known names that are like one."""
    known = {n for n in ground.names.entities if "/" not in n} | set(ground.names.metrics)
    known |= {source.name for source in ground.scope.sources}
    known |= {file.path for _, file in _files(ground)}
    folded = {n.casefold(): n for n in sorted(known, reverse=True)}
    near = difflib.get_close_matches(name.casefold(), sorted(folded), 3, _NEAR)
    return tuple(folded[n] for n in near)


# Sources -----------------------------------------------------------------------------------------


def _source(name: str, ground: Ground) -> Named | None:
    scope, rows = ground.scope, ground.evidence.invocations
    asked = tuple(row for row in rows if row.call.source == name)
    failed = next((f.partition(": ")[2] for f in scope.failed if f.startswith(f"{name}: ")), "")
    if not asked and not failed and name not in {s.name for s in scope.sources}:
        return None
    numbers = {row.number for row in asked}
    findings = (f for f in ground.analysis.findings if _calls(f) & numbers)
    counts = [Count("calls", len(asked), "")] if asked else []
    return Named(
        NameKind.SOURCE,
        rows=asked,
        findings=tuple(findings),
        counts=(*counts, *_series_counts(asked), *_record_counts(asked)),
        failed=failed,
    )


def _once(rows: Iterable[ToolInvocation]) -> tuple[ToolInvocation, ...]:
    """Calls in their order, each once."""
    found = {row.number: row for row in rows}
    return tuple(found[number] for number in sorted(found))


def _calls(finding: Finding) -> set[int]:
    return {int(i[1:].partition(".")[0]) for i in finding.fact_ids}


# Entities ----------------------------------------------------------------------------------------


def _entity(name: str, ground: Ground) -> Named | None:
    scope = ground.scope
    if name not in _entity_names(scope) | _services(ground):
        return None
    paths = ground.names.entities.get(name) or (name,)
    found = [path.rsplit("/", 1)[-1] for path in paths]
    sweeps = [r for r in ground.evidence.invocations if _swept(r) in paths]
    checks = [
        row
        for row, look in zip(ground.evidence.invocations, ground.looks, strict=True)
        if look.partial and set(paths) & set(look.entities)
    ]
    logs = [r for r in ground.evidence.invocations if _asked_logs(r, found)]
    counts = (*_series_counts(sweeps), *(c for n in found for c in _service_counts(logs, n)))
    known = {entity.path for entity in scope.everything}
    return Named(
        NameKind.ENTITY,
        paths=paths,
        rows=_once((*sweeps, *logs, *checks)),
        findings=tuple(f for f in ground.analysis.findings if f.entity in paths),
        counts=counts,
        in_scope=bool(known & set(paths)) or all("/" not in path for path in paths),
    )


def _entity_names(scope: Scope) -> set[str]:
    entities = (*scope.catalogue.entities, *scope.everything)
    called = {n for e in scope.topology.edges for n in (e.caller, e.callee)}
    called |= set(scope.catalogue.aliases)
    return {n for e in entities for n in (e.name, e.path)} | called


def _services(ground: Ground) -> set[str]:
    return {file.service for _, file in _files(ground)}


def _swept(row: ToolInvocation) -> str:
    kind, _, path = row.call.purpose.partition(":")
    return path if kind == "sweep" and row.tool is ToolName.QUERY_METRICS else ""


def _asked_logs(row: ToolInvocation, names: Sequence[str]) -> bool:
    if row.tool is not ToolName.SEARCH_LOGS:
        return False
    asked = row.call.input.get("services", ())
    return not asked or bool(set(asked) & set(names))


def _series_counts(rows: Iterable[ToolInvocation]) -> Iterator[Count]:
    for row in rows:
        for fact in row.facts:
            if fact.name in {"series_examined", "series_abnormal"}:
                yield Count(fact.name, _number(fact), fact.id, fact.name == "series_examined")


def _record_counts(rows: Iterable[ToolInvocation]) -> Iterator[Count]:
    for row in rows:
        for fact in row.facts:
            if fact.name == "records_read":
                yield Count("records_read", _number(fact), fact.id, looked_at=True)


def _number(fact: Fact) -> float:
    return float(fact.value) if isinstance(fact.value, int | float) else 0.0


def _service_counts(rows: Iterable[ToolInvocation], service: str) -> Iterator[Count]:
    """What the logs of a service held: kinds of record, and how many before and in the incident."""
    for row in rows:
        if not isinstance(row.output, LogDigest):
            continue
        mark, own = f"E{row.number}", [t for t in row.output.templates if t.service == service]
        if not own and not any(f.service == service for f in row.output.files):
            continue
        before = sum(t.baseline_count for t in own)
        after = sum(t.incident_count for t in own)
        yield Count("record_kinds", len(own), mark)
        yield Count("records_baseline", before, mark, looked_at=True)
        yield Count("records_incident", after, mark, looked_at=True)


# Log files ---------------------------------------------------------------------------------------


def _files(ground: Ground) -> Iterator[tuple[ToolInvocation, LogFile]]:
    for row in ground.evidence.invocations:
        if isinstance(row.output, LogDigest):
            yield from ((row, file) for file in row.output.files)


def _log_file(name: str, ground: Ground) -> Named | None:
    hits = [(r, f) for r, f in _files(ground) if name in {f.path, f.path.rsplit("/", 1)[-1]}]
    lost = [s for s in ground.scope.sources if name in s.unreadable]
    if not hits:
        if not lost:
            return None
        notes = [note for s in lost for note in s.notes if name in note]
        return Named(NameKind.LOG_FILE, failed=next(iter(notes), name))
    services = {f.service for _, f in hits}
    paths = tuple(dict.fromkeys(p for s in services for p in ground.names.entities.get(s, (s,))))
    logs = {row.number for row, _ in hits}
    findings = [f for f in ground.analysis.findings if f.entity in paths and _calls(f) & logs]
    dated = [Count("lines", f.lines, f"E{r.number}", looked_at=True) for r, f in hits]
    counts = [c for r, f in hits for c in _service_counts([r], f.service)]
    cut = [note for _, f in hits if f.truncated for note in (*f.notes, f.path)]
    return Named(
        NameKind.LOG_FILE,
        paths=paths,
        rows=_once(row for row, _ in hits),
        findings=tuple(findings),
        counts=(*dated, *(c for c in counts if c.what == "record_kinds")),
        cut=next(iter(cut), ""),
    )


# Labels and metrics ------------------------------------------------------------------------------


def _label(name: str, ground: Ground) -> Named | None:
    wanted = f'="{name}"'
    return _series(
        NameKind.LABEL,
        ground,
        lambda labels: name in labels.values() and labels.get("__name__") != name,
        lambda subject: wanted in subject,
    )


def _metric(name: str, ground: Ground) -> Named | None:
    """A metric by its name, one of its series as it is printed, or a field of log records."""
    found = _series(
        NameKind.METRIC,
        ground,
        lambda labels: labels.get("__name__") == name or name == series_name(labels),
        lambda subject: name in {subject, subject.partition("{")[0]},
    )
    return found or _field(name.removeprefix("field:"), ground)


def _series(
    kind: NameKind,
    ground: Ground,
    has: Callable[[Labels], bool],
    is_of: Callable[[str], bool],
) -> Named | None:
    rows: list[ToolInvocation] = []
    counts: list[Count] = []
    paths: dict[str, None] = {}
    for row, look in zip(ground.evidence.invocations, ground.looks, strict=True):
        if not isinstance(row.output, SeriesSet):
            continue
        number = sum(map(has, row.output.labels))
        if number:
            rows.append(row)
            paths |= dict.fromkeys(look.entities)
            counts.append(Count("series", number, f"E{row.number}", looked_at=True))
    if not rows:
        return None
    findings = tuple(f for f in ground.analysis.findings if is_of(f.subject))
    about = tuple(f.entity for f in findings) or tuple(paths)
    return Named(kind, tuple(dict.fromkeys(about)), tuple(rows), findings, tuple(counts))


def _field(name: str, ground: Ground) -> Named | None:
    """A numeric field of log records."""
    rows: list[ToolInvocation] = []
    counts: list[Count] = []
    services: dict[str, None] = {}
    for row in ground.evidence.invocations:
        if not isinstance(row.output, LogDigest):
            continue
        found = [(t, s) for t in row.output.templates for s in t.fields if s.key == name]
        if found:
            rows.append(row)
            services |= dict.fromkeys(t.service for t, _ in found)
            values = sum(s.baseline_count + s.incident_count for _, s in found)
            counts.append(Count("field_values", values, f"E{row.number}", looked_at=True))
    if not rows:
        return None
    findings = tuple(f for f in ground.analysis.findings if f.subject.endswith(f" [{name}]"))
    paths = dict.fromkeys(p for s in services for p in ground.names.entities.get(s, (s,)))
    return Named(NameKind.METRIC, tuple(paths), tuple(rows), findings, tuple(counts))
