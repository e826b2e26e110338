"""What a Loki holds of a span: names of services, first and last line, how much.

Nothing here reads more than the index and a line or two.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar, cast

from superbizagent.datasources.loki.asking import StreamSet, nanoseconds, service_of
from superbizagent.datasources.loki.client import API, LokiClient
from superbizagent.datasources.loki.entries import decode_streams, label_sets
from superbizagent.domain.json_values import mapping
from superbizagent.domain.series import Labels
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import PermanentDataSourceError

__all__ = ["Holdings", "Volume", "look_around", "span_params", "volume_of"]

_T = TypeVar("_T")

_MOST_VALUES = 2000
"""Names of one label that are kept: more than any incident concerns."""

_MOST_STREAMS = 5000
"""Label sets are read of so many streams at most; of more, namespaces are not known."""

_QUIET = timedelta(minutes=10)
"""A system of which nobody wrote a line for so long is worth a word."""


@dataclass(frozen=True, slots=True)
class Volume:
    """How much the index says there is; it counts whole chunks, so it is a little too much."""

    streams: int = 0
    entries: int = 0
    size_bytes: int = 0


@dataclass(slots=True)
class Holdings:
    """What is known of a server after a first look."""

    labels: tuple[str, ...] = ()
    """Every label of a stream."""
    sets: tuple[StreamSet, ...] = ()
    """Streams whose service is known, by the label that names it."""
    label_values: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    streams: tuple[Labels, ...] = ()
    """Label sets; empty where there are too many."""
    volume: Volume | None = None
    """Of all streams, when the server tells."""
    extent: Window | None = None
    clock_ahead_seconds: float | None = None
    """By which its clock is ahead of ours."""
    notes: list[str] = field(default_factory=list[str])


async def look_around(client: LokiClient, span: Window, labels: Sequence[str]) -> Holdings:
    """Return what a server holds between two times.

    Args:
        client: of the server.
        span: only names and lines of this time count.
        labels: labels that name services, first match wins.

    Raises:
        DataSourceError: when the server does not give even its label names.
    """
    found = Holdings()
    found.labels = _texts((await client.ask("/labels", span_params(span))).data)
    present = [label for label in labels if label in found.labels]
    found.sets = tuple(StreamSet(x, tuple(present[:k])) for k, x in enumerate(present))
    volumes = await _all([volume_of(client, s.selector(), span) for s in found.sets])
    if all(v is not None for v in volumes):
        found.volume = _sum([v for v in volumes if v is not None])
    few = found.volume is not None and found.volume.streams <= _MOST_STREAMS
    looks = [_label_sets(client, s, span) if few else _values(client, s, span) for s in found.sets]
    for streams, one in zip(await _all(looks), found.sets, strict=True):
        found.streams += streams if few else ()
        _keep_names(found, one.label, [row.get(one.label, "") for row in streams], labels)
    ends = await _all([_ends(client, s, span) for s in found.sets])
    times = [ms for pair in ends for ms in pair]
    if times:
        found.extent = Window(start=from_ms(min(times)), end=from_ms(max(times)))
        if span.end - found.extent.end > _QUIET:
            newest = f"{found.extent.end:%Y-%m-%d %H:%M:%S} UTC"
            found.notes.insert(0, f"{client.address} has no log line after {newest}")
    return found


def _keep_names(found: Holdings, label: str, values: Sequence[str], order: Sequence[str]) -> None:
    names = sorted({v for v in values if service_of({label: v}, order)[1]})
    if names:
        found.label_values[label] = tuple(names[:_MOST_VALUES])
    if (over := len(names) - _MOST_VALUES) > 0:
        found.notes.append(f"{over} of {len(names)} values of {label!r} left out")


async def _all(looks: Sequence[Awaitable[_T]]) -> list[_T]:
    return list(await asyncio.gather(*looks))


def span_params(span: Window) -> list[tuple[str, str]]:
    """Return start and end; Loki leaves the end out, so it lies a millisecond later."""
    return [("start", nanoseconds(span.start_ms)), ("end", nanoseconds(span.end_ms + 1))]


async def volume_of(client: LokiClient, selector: str, span: Window) -> Volume | None:
    """Return how much a selector selects, None when the server does not tell.

    Raises:
        TemporaryDataSourceError: when it does not answer.
    """
    params = [("query", selector), *span_params(span)]
    try:
        data = mapping(await client.get(f"{API}/index/stats", params))
    except PermanentDataSourceError:
        return None  # versions before 2.9, and some that are compatible
    counts = [data.get(key) for key in ("streams", "entries", "bytes")]
    if not all(isinstance(count, int) for count in counts):
        return None
    return Volume(*cast("list[int]", counts))


def _sum(volumes: Sequence[Volume]) -> Volume:
    return Volume(
        sum(v.streams for v in volumes),
        sum(v.entries for v in volumes),
        sum(v.size_bytes for v in volumes),
    )


async def _label_sets(client: LokiClient, one: StreamSet, span: Window) -> tuple[Labels, ...]:
    params = [("match[]", one.selector()), *span_params(span)]
    return tuple(label_sets((await client.ask("/series", params)).data))


async def _values(client: LokiClient, one: StreamSet, span: Window) -> tuple[Labels, ...]:
    params = [("query", one.selector()), *span_params(span)]
    names = _texts((await client.ask(f"/label/{one.label}/values", params)).data)
    return tuple({one.label: name} for name in names)


async def _ends(client: LokiClient, one: StreamSet, span: Window) -> list[int]:
    """Return the times of the first and the last line, in milliseconds; none when there is none."""
    times: list[int] = []
    for direction in ("forward", "backward"):
        params = [("query", one.selector()), ("limit", "1"), ("direction", direction)]
        answer = await client.ask("/query_range", [*params, *span_params(span)])
        try:
            times += [entry.ns // 1_000_000 for entry in decode_streams(answer.data)[:1]]
        except ValueError as error:
            raise client.permanent(
                f"{client.address} answers with {error}; is this a Loki?"
            ) from error
        if not times:
            break
    return times


def _texts(data: Any) -> tuple[str, ...]:
    if not isinstance(data, list):
        return ()
    return tuple(sorted({str(value) for value in cast("list[Any]", data) if value}))
