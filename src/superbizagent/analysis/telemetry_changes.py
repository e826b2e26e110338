"""Changes that show in metrics: restarts, versions, and what kube-state-metrics knows.

No list of deployments is needed for these: a process says when it started, a build which version
it is, Kubernetes which generation of a deployment runs, with how many replicas and which limits.
Each change is read from two neighbouring samples and quotes the later one.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from superbizagent.analysis._fact_list import iso
from superbizagent.domain.outputs import Change, ChangeList
from superbizagent.domain.series import Labels, Series, SeriesSet
from superbizagent.domain.window import from_ms

__all__ = ["CHANGE_SERIES", "KUBE_SERIES", "changes_in_series"]

_START = "process_start_time_seconds"
_INFO = "_build_info"
_GENERATION = "kube_deployment_status_observed_generation"
_REPLICAS = "kube_deployment_spec_replicas"
_LIMITS = "kube_pod_container_resource_limits"
CHANGE_SERIES = f"{_START}|.+{_INFO}|{_LIMITS}"
"""Regular expression of names that carry the labels of the service itself."""
KUBE_SERIES = f"{_GENERATION}|{_REPLICAS}"
"""Of names that carry the name of a Kubernetes deployment."""

_VERSION = ("version", "app_version", "revision", "commit", "git_commit", "tag", "image_tag")
_JITTER_SECONDS = 2.0  # clients compute their start from uptimes, which wobbles
_GAPS = 2.5  # sampling intervals: what appears within them was there from the beginning


@dataclass(frozen=True, slots=True)
class _Moved:
    """One change, before equal ones of several instances are put together."""

    at_ms: int
    entity: str
    kind: str
    summary: str
    quote: str


def changes_in_series(series: SeriesSet, label: str) -> ChangeList:
    """Return the changes that series show, oldest first.

    Args:
        series: those of `CHANGE_SERIES` and `KUBE_SERIES`; others show nothing.
        label: the label whose value names the entity.
    """
    found: list[_Moved] = []
    groups: dict[tuple[str, str, str], list[Series]] = defaultdict(list)
    for one in series:
        entity = one.labels.get(label, "")
        if entity and len(one.times):
            groups[one.name, entity, _part(one)].append(one)
    for (name, entity, _), members in sorted(groups.items()):
        if name == _START:
            found += _restarts(entity, members)
        elif name.endswith(_INFO):
            found += _versions(entity, members)
        elif name in {_GENERATION, _REPLICAS}:
            kind = "deploy" if name == _GENERATION else "scale"
            found += (move for one in members for move in _steps(entity, one, kind))
        elif name == _LIMITS:
            found += _limits(entity, members)
    return ChangeList(changes=tuple(_listed(_without_scaling(found))))


def _part(series: Series) -> str:
    """What beside the entity has a value of its own: a resource's limit, a container's."""
    keys = ("namespace", "container", "resource") if series.name == _LIMITS else ("namespace",)
    return "/".join(series.labels.get(key, "") for key in keys)


def _listed(moves: Sequence[_Moved]) -> Iterator[Change]:
    """One change for equal ones of one moment: instances restart together."""
    seen: set[tuple[str, str, str, int]] = set()
    for move in sorted(moves, key=lambda m: (m.at_ms, m.entity, m.kind, m.summary)):
        key = (move.entity, move.kind, move.summary, move.at_ms // 60_000)
        if key not in seen:
            seen.add(key)
            yield Change(
                at=from_ms(move.at_ms),
                entity=move.entity,
                kind=move.kind,
                summary=move.summary,
                quote=move.quote,
            )


def _restarts(entity: str, members: Sequence[Series]) -> Iterator[_Moved]:
    """Starts of processes: a value that grew, or a new instance that started meanwhile."""
    began = min(int(s.times[0]) for s in members)
    for one in members:
        times, values = one.times, one.values
        steps = np.flatnonzero(np.diff(values) > _JITTER_SECONDS) + 1
        for k in steps.tolist():
            yield _start(entity, one, k, int(times[k - 1]))
        if int(times[0]) > began + _GAPS * _interval(one) and values[0] * 1000 > began:
            yield _start(entity, one, 0, began)


def _start(entity: str, series: Series, k: int, after: int) -> _Moved:
    """A start at the time that the process itself gives, if it lies between the two samples."""
    told, seen = round(float(series.values[k]) * 1000), int(series.times[k])
    at = told if after - _JITTER_SECONDS * 1000 <= told <= seen else seen
    instance = series.labels.get("instance") or series.labels.get("pod", "")
    where = f'{{instance="{instance}"}}' if instance else ""
    return _Moved(at, entity, "restart", f"{_START}{where} = {iso(at)}", _quote(series, k))


def _versions(entity: str, members: Sequence[Series]) -> Iterator[_Moved]:
    """A version that was not there from the beginning, and the one that it follows."""
    by_version: dict[str, list[Series]] = defaultdict(list)
    for one in members:
        by_version[_version(one.labels)].append(one)
    began = min(int(s.times[0]) for s in members)
    first = {v: min(int(s.times[0]) for s in own) for v, own in by_version.items()}
    for version, own in sorted(by_version.items()):
        newest = min(own, key=lambda s: int(s.times[0]))
        if not version or first[version] <= began + _GAPS * _interval(newest):
            continue
        before = [v for v in first if v and first[v] < first[version]]
        old = max(before, key=lambda v: (first[v], v), default="?")
        summary = f"{newest.name}: {old} -> {version}"
        yield _Moved(first[version], entity, "deploy", summary, _quote(newest, 0))


def _version(labels: Labels) -> str:
    parts = [labels[key] for key in _VERSION if labels.get(key)]
    return parts[0] if parts else ""


def _steps(entity: str, series: Series, kind: str) -> Iterator[_Moved]:
    values = series.values
    for k in (np.flatnonzero(np.diff(values) != 0) + 1).tolist():
        summary = f"{series.name}: {values[k - 1]:g} -> {values[k]:g}"
        yield _Moved(int(series.times[k]), entity, kind, summary, _quote(series, k))


def _limits(entity: str, members: Sequence[Series]) -> Iterator[_Moved]:
    """A limit of a new pod that differs from the ones before, or one that moved in place."""
    resource = members[0].labels.get("resource", "")
    samples = sorted((int(s.times[0]), k) for k, s in enumerate(members))
    known = members[samples[0][1]]
    for _, k in samples[1:]:
        new = members[k]
        if new.values[0] != known.values[-1]:
            summary = f"{_LIMITS} {resource}: {known.values[-1]:g} -> {new.values[0]:g}"
            yield _Moved(int(new.times[0]), entity, "limits", summary, _quote(new, 0))
        known = new
    for one in members:
        for move in _steps(entity, one, "limits"):
            summary = move.summary.replace(_LIMITS, f"{_LIMITS} {resource}", 1)
            yield _Moved(move.at_ms, entity, "limits", summary, move.quote)


def _without_scaling(moves: Sequence[_Moved]) -> list[_Moved]:
    """Drop generations that only count a scaling: the number of replicas says more."""
    scaled = {
        (m.entity, m.at_ms // 60_000 + k) for m in moves if m.kind == "scale" for k in (-1, 0, 1)
    }
    return [
        m
        for m in moves
        if not (m.summary.startswith(_GENERATION) and (m.entity, m.at_ms // 60_000) in scaled)
    ]


def _interval(series: Series) -> float:
    """Usual milliseconds between samples; of one sample alone a minute."""
    return float(np.median(np.diff(series.times))) if len(series.times) > 1 else 60_000.0


def _quote(series: Series, k: int) -> str:
    return f"{iso(int(series.times[k]))} {float(series.values[k])!r}"
