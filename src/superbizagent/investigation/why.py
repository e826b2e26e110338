"""What became of a name in one diagnosis: looked at, or not, and what would include it.

"Normal" and "not looked at" read the same in a report, which names neither; here they are told
apart. Pure: everything is read out of the stored evidence.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.finding import Finding
from superbizagent.domain.model import Model
from superbizagent.domain.plan import Plan, ToolName
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation._named import Count, Named, NameKind, find_named, near_names
from superbizagent.investigation.tools import TOO_LATE

__all__ = ["Seen", "Why", "WhyCount", "WhyFinding", "WhyLook", "explain_name"]

_ANSWERED = frozenset({EvidenceStatus.OK, EvidenceStatus.EMPTY})
_QUERIES = "SUPERBIZ_CAPS__MAX_QUERIES"
_SERIES = "SUPERBIZ_CAPS__MAX_SERIES"
_ANOTHER_TIME = "--from TIME --to TIME"


class Seen(StrEnum):
    """What became of a name."""

    ABNORMAL = "abnormal"
    """Looked at, and it stands out."""
    NORMAL = "normal"
    """Looked at, and nothing of it stands out."""
    NO_DATA = "no_data"
    """Asked for, and the sources hold nothing of it in the time looked at."""
    OUT_OF_SCOPE = "out_of_scope"
    """Known, but neither named nor near what was named: nobody asked for it."""
    CUT = "cut"
    """A limit or the deadline kept it out."""
    SOURCE_DOWN = "source_down"
    """Asked for, and the source did not answer."""
    UNKNOWN = "unknown"
    """No source knows such a name."""


class WhyCount(Model):
    """How much of something was looked at."""

    what: str
    value: float
    citation: str = ""


class WhyFinding(Model):
    """Something abnormal of it."""

    id: str
    entity: str
    subject: str
    kind: str
    direction: int
    baseline: float | None
    incident: float | None
    unit: str
    citations: tuple[str, ...]


class WhyLook(Model):
    """A call that looked for it."""

    citation: str
    tool: str
    source: str
    purpose: str
    status: str
    truncated: bool
    error: str


class Why(Model):
    """The answer to "what about this name?"."""

    name: str
    kind: str
    """A `NameKind`, empty for an unknown name."""
    seen: Seen
    entities: tuple[str, ...] = ()
    """Paths that it stands for, or belongs to."""
    findings: tuple[WhyFinding, ...] = ()
    """Strongest first."""
    counts: tuple[WhyCount, ...] = ()
    looks: tuple[WhyLook, ...] = ()
    near: tuple[str, ...] = ()
    """Known names that are like an unknown one."""
    include: tuple[str, ...] = ()
    """Flags of `superbiz diagnose` or settings that would include it, or more of it."""
    reason: str = ""
    """What a source said of its failure, or how it was cut."""


def explain_name(name: str, ground: Ground, plans: Sequence[Plan]) -> Why:
    """Say what became of a name.

    Args:
        name: an entity, an alias, a source, a log file, a label value, a metric or a log field.
        ground: the session's evidence.
        plans: what was planned in all rounds, and what the caps cut.
    """
    named = find_named(name, ground)
    if named is None:
        near = dict.fromkeys((*_told(name, ground), *near_names(name, ground)))
        include = (f"--logs {_shell(name)}=GLOB",) if not near else ()
        return Why(name=name, kind="", seen=Seen.UNKNOWN, near=tuple(near)[:3], include=include)
    left_out = _left_out(named, plans)
    seen = _seen(named, left_out, ground)
    return Why(
        name=name,
        kind=named.kind.value,
        seen=seen,
        entities=named.paths,
        findings=tuple(map(_finding, named.findings)),
        counts=tuple(_count(c) for c in named.counts),
        looks=tuple(map(_look, named.rows)),
        include=tuple(dict.fromkeys(_include(name, named, seen, plans, left_out))),
        reason=_reason(named, seen, ground),
    )


def _told(name: str, ground: Ground) -> tuple[str, ...]:
    """What the report already said is near a name that was asked about."""
    return next((r.near for r in ground.scope.unresolved if r.name == name), ())


def _left_out(named: Named, plans: Sequence[Plan]) -> tuple[str, ...]:
    """Purposes of calls for it that the caps cut."""
    purposes = (purpose for plan in plans for purpose in plan.left_out)
    return tuple(p for p in purposes if p.partition(":")[2] in named.paths)


def _seen(named: Named, left_out: Sequence[str], ground: Ground) -> Seen:
    """What became of it: the first that is so, what was seen before what kept it out."""
    rows = named.rows
    cut = bool(left_out or named.cut) or any(map(_is_cut, rows))
    failed = bool(named.failed) or any(row.status not in _ANSWERED for row in rows)
    unsaid = not rows and bool(ground.scope.failed)
    # Alerts and a call graph are no series and no records, but an answer all the same.
    gave = named.kind is NameKind.SOURCE and any(row.status is EvidenceStatus.OK for row in rows)
    cases = (
        (bool(named.findings), Seen.ABNORMAL),
        (any(c.value for c in named.counts if c.looked_at) or gave, Seen.NORMAL),
        (cut, Seen.CUT),
        (failed, Seen.SOURCE_DOWN),
        (not named.in_scope, Seen.OUT_OF_SCOPE),
        (unsaid, Seen.SOURCE_DOWN),
    )
    return next((seen for holds, seen in cases if holds), Seen.NO_DATA)


def _is_cut(row: ToolInvocation) -> bool:
    return row.truncated or row.error == TOO_LATE


def _reason(named: Named, seen: Seen, ground: Ground) -> str:
    if seen is Seen.CUT:
        return named.cut
    if seen is not Seen.SOURCE_DOWN:
        return ""
    errors = (row.error for row in named.rows if row.status not in _ANSWERED)
    return named.failed or next(errors, "") or next(iter(ground.scope.failed), "")


# What would include it ---------------------------------------------------------------------------


def _include(
    name: str, named: Named, seen: Seen, plans: Sequence[Plan], left_out: Sequence[str]
) -> Iterator[str]:
    if seen is Seen.OUT_OF_SCOPE:
        yield f"--service {_shell(name)}"
    if left_out:
        yield f"{_QUERIES}={_queries(plans)}"
    for row in named.rows:
        yield from _more_of(row)
    if seen is Seen.NO_DATA:
        yield _ANOTHER_TIME
        if named.kind is NameKind.ENTITY and not any(
            c.what == "record_kinds" for c in named.counts
        ):
            yield f"--logs {_shell(name)}=GLOB"


def _more_of(row: ToolInvocation) -> Iterator[str]:
    """What lets a call that was cut, or came too late, give more."""
    if row.status is EvidenceStatus.TIMEOUT or any("--deadline" in w for w in row.warnings):
        yield "--deadline 5m"
    elif row.truncated and row.tool is ToolName.QUERY_METRICS:
        asked = row.stats.get("series_selected", 0)
        yield f"{_SERIES}={asked or 'NUMBER'}"
    elif row.truncated:
        yield _ANOTHER_TIME


def _queries(plans: Sequence[Plan]) -> int:
    """How many metric queries were planned in all."""
    calls = (c for plan in plans for c in plan.calls if c.tool is ToolName.QUERY_METRICS)
    return sum(1 for _ in calls) + sum(len(plan.left_out) for plan in plans)


def _shell(name: str) -> str:
    return name if all(c.isalnum() or c in "-_./:" for c in name) else "NAME"


# What is shown -----------------------------------------------------------------------------------


def _count(count: Count) -> WhyCount:
    return WhyCount(what=count.what, value=count.value, citation=count.citation)


def _finding(finding: Finding) -> WhyFinding:
    return WhyFinding(
        id=finding.id,
        entity=finding.entity,
        subject=finding.subject,
        kind=finding.kind.value,
        direction=finding.direction,
        baseline=finding.baseline,
        incident=finding.incident,
        unit=finding.unit,
        citations=finding.fact_ids,
    )


def _look(row: ToolInvocation) -> WhyLook:
    return WhyLook(
        citation=f"E{row.number}",
        tool=row.tool.value,
        source=row.call.source,
        purpose=row.call.purpose,
        status=row.status.value,
        truncated=row.truncated,
        error=row.error,
    )
