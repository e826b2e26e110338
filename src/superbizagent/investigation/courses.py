"""The course of what a report cites: series and log templates as points to draw.

Series are drawn as they were judged: a counter as its rate, a histogram as its mean.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.deviation import BAND, Deviations, Status, measure
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.series import SeriesSet, series_name
from superbizagent.domain.window import Window, to_ms
from superbizagent.investigation.stored import StoredDiagnosis

__all__ = ["Course", "courses_of"]

_BUCKETS = 150
"""Of each the lowest and the highest sample is kept: a spike must not be lost to thinning."""
_PLACE = re.compile(r"(series|sum|template)/(\d+)")
_GAP = 3.5  # intervals without a sample, from which on a line is broken


@dataclass(frozen=True, slots=True)
class Course:
    """One chart."""

    title: str
    """Series as Prometheus prints it, or the text of a log template."""
    entity: str
    mode: str
    """``value, rate, mean`` of a series, ``counts`` of a template."""
    unit: str
    window: Window
    """From left to right."""
    incident: Window
    lines: tuple[tuple[tuple[int, float], ...], ...]
    """Runs of samples without a gap: ms since the epoch, value."""
    fact_ids: tuple[str, ...]
    step_ms: float = 0.0
    """Of counts: the length of what each counts."""
    band: tuple[float, float, float] | None = None
    """Lower edge, median and upper edge of the baseline."""
    onset_ms: int | None = None


def courses_of(stored: StoredDiagnosis, fact_ids: Sequence[str]) -> tuple[Course, ...]:
    """Return a course for every series and template that facts stand in, in the facts' order.

    A series that several calls returned is drawn once, out of the first call that is cited.
    """
    facts = stored.evidence.facts()
    found: dict[tuple[str, str], tuple[ToolInvocation, int, list[str]]] = {}
    for fact in (facts[i] for i in fact_ids if i in facts):
        row = stored.evidence.of(fact.call)
        place = _PLACE.match(fact.place)
        if row is None or place is None or (name := _name(row, place[1], int(place[2]))) is None:
            continue
        known = found.setdefault((fact.entity, name), (row, int(place[2]), []))
        known[2].append(fact.id)
    judged: dict[int, Deviations] = {}
    drawn = (_course(stored, row, index, tuple(ids), judged) for row, index, ids in found.values())
    return tuple(course for course in drawn if course is not None and course.lines)


def _name(row: ToolInvocation, kind: str, index: int) -> str | None:
    match row.output:
        case SeriesSet() as series if kind in {"series", "sum"}:
            return series_name(series.labels[index])
        case LogDigest() as digest if kind == "template":
            return f"log:{digest.templates[index].id}"
        case _:
            return None


def _course(
    stored: StoredDiagnosis,
    row: ToolInvocation,
    index: int,
    ids: tuple[str, ...],
    judged: dict[int, Deviations],
) -> Course | None:
    facts = [f for f in row.facts if f.id == ids[0]]
    match row.output:
        case LogDigest() as digest:
            return _counts(digest, index, ids, facts[0])
        case SeriesSet() as series:
            if row.number not in judged:
                judged[row.number] = measure(series, stored.scope.windows, stored.scope.step)
            name = series_name(series.labels[index])
            onset = [f.at for f in row.facts if f.name == name and f.statistic == "onset_at"]
            return _series(judged[row.number], index, ids, name, facts[0], next(iter(onset), None))
        case _:
            return None


def _series(  # noqa: PLR0913, PLR0917 - one chart is made of these
    deviations: Deviations,
    index: int,
    ids: tuple[str, ...],
    name: str,
    fact: Fact,
    onset: datetime | None,
) -> Course:
    mode = MODES[int(deviations.mode[index])]
    unit = deviations.meanings[index].unit
    times, values = deviations.samples(index)
    finite = np.isfinite(values)
    return Course(
        title=name,
        entity=_bare(fact),
        mode=mode,
        unit=f"{unit}/s" if mode == "rate" else unit,
        window=deviations.windows.whole,
        incident=deviations.windows.incident,
        lines=tuple(_runs(times[finite], values[finite], deviations.windows.whole)),
        fact_ids=ids,
        band=_band(deviations, index),
        onset_ms=to_ms(onset) if onset else None,
    )


def _bare(fact: Fact) -> str:
    return fact.entity.rsplit("/", 1)[-1]


def _band(deviations: Deviations, index: int) -> tuple[float, float, float] | None:
    center, reach = float(deviations.center[index]), BAND * float(deviations.scale[index])
    measured = int(deviations.status[index]) in {Status.MEASURED, Status.VANISHED}
    if not measured or not np.isfinite(center) or not np.isfinite(reach):
        return None
    # What is never negative has no band below zero: there is nothing there to be normal.
    _, values = deviations.samples(index)
    low = center - reach
    if center >= 0 and not (values < 0).any():
        low = max(0.0, low)
    edges = (low, center, center + reach)
    return (
        round_significant(edges[0]),
        round_significant(edges[1]),
        round_significant(edges[2]),
    )


def _runs(
    times: NDArray[np.int64], values: NDArray[np.float64], window: Window
) -> Iterator[tuple[tuple[int, float], ...]]:
    inside = (times >= window.start_ms) & (times <= window.end_ms)
    times, values = times[inside], values[inside]
    if len(times) == 0:
        return
    usual = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    breaks = np.flatnonzero(np.diff(times) > _GAP * usual) + 1
    kept = _thinned(times, values, window)
    for run in np.split(np.arange(len(times)), breaks):
        points = [k for k in run.tolist() if kept[k]]
        if points:
            yield tuple((int(times[k]), round_significant(float(values[k]))) for k in points)


def _thinned(
    times: NDArray[np.int64], values: NDArray[np.float64], window: Window
) -> NDArray[np.bool_]:
    kept = np.ones(len(times), np.bool_)
    if len(times) <= 2 * _BUCKETS:
        return kept
    kept[:] = False
    kept[[0, -1]] = True
    width = max(1, window.end_ms - window.start_ms)
    bucket = np.minimum((times - window.start_ms) * _BUCKETS // width, _BUCKETS - 1)
    for k in np.unique(bucket).tolist():
        part = np.flatnonzero(bucket == k)
        kept[part[np.argmin(values[part])]] = True
        kept[part[np.argmax(values[part])]] = True
    return kept


def _counts(digest: LogDigest, index: int, ids: tuple[str, ...], fact: Fact) -> Course:
    template = digest.templates[index]
    step = digest.bucket_seconds * 1000
    start = digest.windows.whole.start_ms
    points = tuple((round(start + k * step), float(n)) for k, n in enumerate(template.buckets))
    return Course(
        title=template.text,
        entity=_bare(fact),
        mode="counts",
        unit="",
        window=digest.windows.whole,
        incident=digest.windows.incident,
        lines=(points,) if points else (),
        fact_ids=ids,
        step_ms=step,
        onset_ms=to_ms(template.onset_at) if template.onset_at else None,
    )
