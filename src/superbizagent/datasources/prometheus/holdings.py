"""What a server holds of a span: names of entities, first and last sample, scrape interval.

Nothing here reads more than the index, the label sets of ``up`` and the samples of a few series,
however many series the server has.
"""

import asyncio
import re
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar, cast

import numpy as np

from superbizagent.datasources.prometheus.asking import Question, raw, stepped
from superbizagent.datasources.prometheus.client import PrometheusClient
from superbizagent.datasources.prometheus.samples import decode_matrix
from superbizagent.domain.json_values import mapping
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.series import Labels, Times
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import DataSourceError, PermanentDataSourceError

__all__ = ["Holdings", "look_around"]

_T = TypeVar("_T")

_Memory = tuple[int | None, dict[str, int]]

_MOST_VALUES = 2000
"""Names of one label that are kept: more than any incident concerns."""

_MOST_TARGETS = 2000
_WITNESSES = 20
"""Targets whose samples tell the interval and the extent: one of each of so many jobs."""

_SHORT = timedelta(hours=12)
"""Of one series, this is at most 43,200 samples; of a longer span they are not all read."""

_STEPS = 2000

_STALE = timedelta(minutes=10)
"""Slower scrapes than this are hardly in use; a server that stopped is worth a word."""

_DIFFERENT = 1.5

_NEARLY_WHOLE = 0.02
"""Scrapes of a 15 s interval lie 14.98 to 15.02 s apart."""


@dataclass(slots=True)
class Holdings:
    """What is known of a server after a first look."""

    labels: int = 0
    """Distinct names of labels."""
    clock_ahead_seconds: float | None = None
    """By which its clock is ahead of ours."""
    label_values: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Label -> names of entities, of series on which no earlier label names one."""
    targets: tuple[Labels, ...] = ()
    """Label sets of ``up``; empty for servers that are pushed to."""
    extent: Window | None = None
    interval: timedelta | None = None
    series: int | None = None
    """Series in memory, when the server tells."""
    largest: dict[str, int] = field(default_factory=dict[str, int])
    """Series of the metrics with the most of them, when the server tells."""
    sizes: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """Series that the targets with a label value expose, as their scrapes counted them."""
    notes: list[str] = field(default_factory=list[str])


async def look_around(client: PrometheusClient, span: Window, labels: Sequence[str]) -> Holdings:
    """Return what a server holds between two times.

    Args:
        client: of the server.
        span: only names and samples of this time count.
        labels: labels that name entities, first match wins.

    Raises:
        DataSourceError: when the server does not give even its label names.
    """
    holdings = Holdings()
    known = _texts(await client.get_data("/api/v1/labels", _times(span)))
    present = [label for label in labels if label in known]
    holdings.labels = len(known)
    looks = [_names(client, span, present[:k], label) for k, label in enumerate(present)]
    nothing: _Memory = (None, {})
    found, targets, memory = await asyncio.gather(
        _all(looks), _optional(_targets(client, span), ()), _optional(_memory(client), nothing)
    )
    holdings.targets, (holdings.series, holdings.largest) = targets, memory
    for label, (names, note) in zip(present, found, strict=True):
        if names:
            holdings.label_values[label] = names[:_MOST_VALUES]
        over = len(names) - _MOST_VALUES
        cut = f"{over} of {len(names)} values of {label!r} left out" if over > 0 else ""
        holdings.notes += [text for text in (note, cut) if text]
    await _measure(client, span, holdings)
    if holdings.extent is not None and targets:
        at = holdings.extent.end
        holdings.sizes = await _optional(_sizes(client, present, at.timestamp()), {})
    return holdings


async def _all(looks: Sequence[Awaitable[_T]]) -> list[_T]:
    return list(await asyncio.gather(*looks))


async def _optional(look: Awaitable[_T], otherwise: _T) -> _T:
    """Return what a look gives; servers differ in what they can be asked."""
    try:
        return await look
    except PermanentDataSourceError:
        return otherwise


def _times(span: Window) -> list[tuple[str, str]]:
    return [("start", f"{span.start.timestamp():.3f}"), ("end", f"{span.end.timestamp():.3f}")]


def _texts(data: Any) -> tuple[str, ...]:
    if not isinstance(data, list):
        return ()
    return tuple(sorted({str(value) for value in cast("list[Any]", data) if value}))


async def _names(
    client: PrometheusClient, span: Window, earlier: Sequence[str], label: str
) -> tuple[tuple[str, ...], str]:
    """Return the values of a label on series that carry none of the earlier ones.

    Series of the server's own ``ALERTS`` carry the labels of alerts; they are nobody's.
    """
    path = f"/api/v1/label/{label}/values"
    own = Selector(
        matchers=(
            Matcher(label=label, op=MatchOp.NOT_EQUAL, value=""),
            *(Matcher(label=name, value="") for name in (*earlier, "alertname")),
        )
    )
    try:
        found = await client.get_data(path, [("match[]", str(own)), *_times(span)])
    except PermanentDataSourceError:
        found = await client.get_data(path, _times(span))
        return _texts(found), f"{label!r} is listed with series that also carry an earlier label"
    return _texts(found), ""


async def _targets(client: PrometheusClient, span: Window) -> tuple[Labels, ...]:
    params = [("match[]", "up"), *_times(span), ("limit", str(_MOST_TARGETS))]
    return _label_sets(await client.get_data("/api/v1/series", params))


def _label_sets(data: Any) -> tuple[Labels, ...]:
    if not isinstance(data, list):
        return ()
    rows = [mapping(row) for row in cast("list[Any]", data)]
    return tuple({str(k): str(v) for k, v in row.items()} for row in rows if row)


async def _memory(client: PrometheusClient) -> _Memory:
    data = mapping(await client.get_data("/api/v1/status/tsdb"))
    count = mapping(data.get("headStats")).get("numSeries", data.get("totalSeries"))
    named: dict[str, int] = {}
    for row in cast("list[Any]", data.get("seriesCountByMetricName") or []):
        name, value = mapping(row).get("name"), mapping(row).get("value")
        if isinstance(name, str) and isinstance(value, int):
            named[name] = value
    # VictoriaMetrics counts the series of today: none says nothing of another day.
    return (count if isinstance(count, int) and count else None), named


async def _sizes(
    client: PrometheusClient, labels: Sequence[str], at: float
) -> dict[tuple[str, str], int]:
    """Add up what the scrapes of each target counted: no series but theirs is touched."""
    query = f"sum by ({', '.join(labels)}) (scrape_samples_post_metric_relabeling)"
    data = await client.get_data("/api/v1/query", {"query": query, "time": f"{at:.3f}"})
    sizes: dict[tuple[str, str], int] = {}
    for row in cast("list[Any]", mapping(data).get("result") or []):
        value = mapping(row).get("value")
        if not isinstance(value, list):
            continue
        count = int(float(cast("list[str]", value)[1]))
        for label, name in mapping(mapping(row).get("metric")).items():
            sizes[label, name] = sizes.get((label, name), 0) + count
    return sizes


async def _measure(client: PrometheusClient, span: Window, holdings: Holdings) -> None:
    """Read a few series: their samples tell extent and scrape interval.

    Of a long span, the extent is read in steps and the interval off its last hour.
    """
    selectors = _of_targets(holdings.targets) or await _witnesses(client, span, holdings)
    if span.length <= _SHORT:
        found = await _read(client, [raw(s, span) for s in selectors], span, holdings)
        holdings.extent, holdings.interval = _extent(found), _interval(found, holdings)
    else:
        steps = [stepped(s, span, _STEPS, 1000) for s in selectors]
        holdings.extent = _extent(await _read(client, steps, span, holdings))
        if holdings.extent is not None:
            hour = Window(start=holdings.extent.end - timedelta(hours=1), end=holdings.extent.end)
            found = await _read(client, [raw(s, hour) for s in selectors], hour, holdings)
            holdings.interval = _interval(found, holdings)
    if holdings.extent is not None and span.end - holdings.extent.end > _STALE:
        newest = f"{holdings.extent.end:%Y-%m-%d %H:%M:%S} UTC"
        holdings.notes.insert(0, f"{client.address} has no sample after {newest}")


async def _read(
    client: PrometheusClient, questions: Sequence[Question], span: Window, holdings: Holdings
) -> list[Times]:
    looks = [client.get_data(q.path, q.params) for q in questions]
    times: list[Times] = []
    for look in await asyncio.gather(*looks, return_exceptions=True):
        if isinstance(look, DataSourceError):
            holdings.notes.append(f"scrape interval and extent are not known: {look}")
            continue
        if isinstance(look, BaseException):
            raise look
        try:
            times += [series.times for series in decode_matrix(look, span)[0]]
        except ValueError as error:
            raise PermanentDataSourceError(
                f"{client.address} answers with {error}; is this a Prometheus?"
            ) from error
    return times


def _of_targets(targets: Sequence[Labels]) -> list[Selector]:
    """Return one selector for one target of each job."""
    first: dict[str, Labels] = {}
    for row in sorted(targets, key=lambda row: (row.get("job", ""), row.get("instance", ""))):
        first.setdefault(row.get("job", ""), row)
    chosen = list(first.values())[:_WITNESSES]
    if not chosen:
        return []
    matchers = [
        Matcher.any_of(label, sorted(values))
        for label in ("job", "instance")
        if (values := {row[label] for row in chosen if row.get(label)})
    ]
    return [Selector(name="up", matchers=tuple(matchers))]


async def _witnesses(client: PrometheusClient, span: Window, holdings: Holdings) -> list[Selector]:
    """Choose one series each of a few entities, where no target is scraped."""
    pairs = [(label, v) for label, values in holdings.label_values.items() for v in values]
    chosen = pairs[:: max(len(pairs) // 3, 1)][:3]
    found = [await _witness(client, span, label, value) for label, value in chosen]
    return [selector for selector in found if selector is not None]


async def _witness(
    client: PrometheusClient, span: Window, label: str, value: str
) -> Selector | None:
    own = Matcher(label=label, value=value)
    params = [("match[]", str(Selector(matchers=(own,)))), *_times(span)]
    names = _texts(await client.get_data("/api/v1/label/__name__/values", params))
    plain = [n for n in names if not re.search(r"_(bucket|info|created)$|^ALERTS", n)] or names
    if not plain:
        return None
    one = str(Selector(name=plain[0], matchers=(own,)))
    params = [("match[]", one), *_times(span), ("limit", "20")]
    rows = _label_sets(await client.get_data("/api/v1/series", params))
    if not rows:
        return None
    row = min(rows, key=lambda row: sorted(row.items()))
    exact = [Matcher(label=k, value=v) for k, v in sorted(row.items()) if k != "__name__"]
    return Selector(name=row.get("__name__", plain[0]), matchers=tuple(exact))


def _extent(times: Sequence[Times]) -> Window | None:
    if not times:
        return None
    first, last = min(int(t[0]) for t in times), max(int(t[-1]) for t in times)
    return Window(start=from_ms(first), end=from_ms(last))


def _interval(times: Sequence[Times], holdings: Holdings) -> timedelta | None:
    usual = sorted(float(np.median(np.diff(t))) for t in times if len(t) > 1)
    if not usual:
        return None
    low, high = _whole(usual[0]), _whole(usual[-1])
    if high > _DIFFERENT * low:
        holdings.notes.append(
            f"scrape intervals differ: {low.total_seconds():g} to {high.total_seconds():g} s"
        )
    return _whole(float(np.median(np.concatenate([np.diff(t) for t in times]))))


def _whole(ms: float) -> timedelta:
    """Return a measured interval without the jitter of single scrapes."""
    seconds = ms / 1000
    nearest = round(seconds)
    if nearest and abs(seconds - nearest) <= _NEARLY_WHOLE * nearest:
        return timedelta(seconds=nearest)
    return timedelta(milliseconds=max(round(ms), 1))
