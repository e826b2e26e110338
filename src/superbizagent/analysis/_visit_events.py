"""Events of visits: inner operations, calls, errors, and the kinds of log records written."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._visits import Visits
from superbizagent.domain.logs import SEVERITIES, LogDigest

__all__ = ["EventKind", "EventName", "VisitEvents", "events_of", "value_masked"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_CALL = 0.7  # a call shows in the callee too
_VALUES = 3  # distinct words at one place of a message: they are values, not its text
_HEAD = 3
_WILD = "<*>"
_ERROR = SEVERITIES.index("error")

EventKind = str
"""``inner``, ``call``, ``error`` or ``log``."""


@dataclass(frozen=True, slots=True, order=True)
class EventName:
    """What happened, in words."""

    kind: EventKind
    text: str
    """Operation, ``callee operation``, what went wrong, or the message."""
    log: tuple[int, int] = (-1, -1)
    """Of a log event a template: position of the digest, and in it."""


@dataclass(frozen=True, slots=True)
class VisitEvents:
    """Visits, and which of them show which event: (``visit``, ``event``) distinct and sorted."""

    entry: Ints
    """Row of each visit's own span."""
    window: Ints
    node: Ints
    group: Ints
    """Of each visit: those of a group enter one node by one operation."""
    group_node: Ints
    group_operation: Ints
    visits_by_group: Ints
    """Shape ``(2, groups)``: in the baseline, in the incident."""
    names: tuple[EventName, ...]
    weight: Floats
    is_error: NDArray[np.bool_]
    visit: Ints
    event: Ints
    of_span: Ints
    """Visit of each span."""


@dataclass(slots=True)
class _Pairs:
    """Pairs of visit and event under construction."""

    names: list[EventName]
    errors: list[bool]
    visit: list[Ints]
    event: list[Ints]

    def add(self, visit: Ints, code: Ints, names: Sequence[EventName], error: Sequence[bool]) -> None:
        """Add visits that show the events ``names[code]``."""
        self.visit.append(visit)
        self.event.append(code + len(self.names))
        self.names += names
        self.errors += error


def events_of(visits: Visits, digests: Sequence[LogDigest]) -> VisitEvents:
    """Return the events of all visits that lie in a window."""
    entry = visits.entries
    of_span = np.searchsorted(entry, visits.visit)
    pairs = _Pairs([], [], [], [])
    _add_spans(visits, of_span, pairs)
    _add_logs(visits, of_span, digests, pairs)
    visit, event = (np.concatenate(part) for part in (pairs.visit, pairs.event))
    n = max(1, len(pairs.names))
    keys = np.unique(visit * n + event)
    operations = max(1, len(visits.spans.operations))
    code = visits.node[entry] * operations + visits.spans.operation[entry]
    groups, group = np.unique(code, return_inverse=True)
    window = visits.window[entry]
    kept = keys[window[keys // n] >= 0]
    calls = np.array([_CALL if e.kind == "call" else 1.0 for e in pairs.names], np.float64)
    return VisitEvents(
        entry=entry,
        window=window,
        node=visits.node[entry],
        group=group,
        group_node=groups // operations,
        group_operation=groups % operations,
        visits_by_group=np.stack(
            [np.bincount(group[window == w], minlength=len(groups)) for w in (0, 1)]
        ),
        names=tuple(pairs.names),
        weight=calls,
        is_error=np.array(pairs.errors, np.bool_),
        visit=kept // n,
        event=kept % n,
        of_span=of_span,
    )


def _add_spans(visits: Visits, of_span: Ints, pairs: _Pairs) -> None:
    spans = visits.spans
    inner = np.flatnonzero(visits.visit != np.arange(len(spans)))
    pairs.add(
        of_span[inner],
        spans.operation[inner].astype(np.int64),
        [EventName("inner", o) for o in spans.operations],
        [False] * len(spans.operations),
    )
    called = np.flatnonzero(visits.caller >= 0)
    operations = max(1, len(spans.operations))
    code = visits.node[called] * operations + spans.operation[called]
    known, code = np.unique(code, return_inverse=True)
    names = [(visits.nodes[k // operations], spans.operations[k % operations]) for k in known]
    pairs.add(
        of_span[visits.caller[called]],
        code,
        [EventName("call", f"{node.split('/')[-1]} {name}") for node, name in names],
        [False] * len(names),
    )
    failed = np.flatnonzero(spans.error >= 0)
    pairs.add(
        of_span[failed],
        spans.error[failed].astype(np.int64),
        [EventName("error", e) for e in spans.errors],
        [True] * len(spans.errors),
    )


def _add_logs(
    visits: Visits, of_span: Ints, digests: Sequence[LogDigest], pairs: _Pairs
) -> None:
    for number, digest in enumerate(digests):
        link, visit = _linked(visits, of_span, digest)
        if len(link) == 0:
            continue
        template = np.array(digest.links.template, np.int64)[link]
        texts = value_masked([(t.service, t.text) for t in digest.templates])
        # Templates that read the same are one event; the first of them stands for it.
        first: dict[tuple[str, str], int] = {}
        home = np.array([first.setdefault(t, k) for k, t in enumerate(texts)], np.int64)
        severe = np.zeros(len(texts), np.bool_)
        for k, item in enumerate(digest.templates):
            severe[home[k]] |= SEVERITIES.index(item.severity) >= _ERROR
        names = [EventName("log", text, (number, k)) for k, (_, text) in enumerate(texts)]
        pairs.add(visit, home[template], names, severe.tolist())


def _linked(visits: Visits, of_span: Ints, digest: LogDigest) -> tuple[Ints, Ints]:
    """Return the links that belong to a visit, and the visit of each.

    A record that names no span belongs to the only visit of its request to its service.
    """
    spans, links = visits.spans, digest.links
    if len(links) == 0 or len(spans) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    traces = pl.Series("trace", spans.traces, pl.String)[spans.trace]
    own = pl.DataFrame({"trace": traces, "span": spans.span_ids, "visit": of_span})
    own = own.filter(pl.col("span") != "").unique(["trace", "span"], keep="first")
    services = pl.Series("service", spans.services, pl.String)[spans.service]
    alone = pl.DataFrame({"trace": traces, "service": services, "visit": of_span}).unique()
    alone = alone.filter(pl.struct("trace", "service").is_unique())
    wrote = pl.Series([t.service for t in digest.templates], dtype=pl.String)
    named = pl.DataFrame(
        {
            "link": np.arange(len(links)),
            "trace": pl.Series(links.traces, dtype=pl.String)[list(links.trace)],
            "span": pl.Series(links.spans, dtype=pl.String)[list(links.span)],
            "service": wrote[list(links.template)],
        }
    )
    by_span = named.join(own, on=["trace", "span"]).select("link", "visit")
    rest = named.filter(pl.col("span") == "").join(alone, on=["trace", "service"])
    found = pl.concat([by_span, rest.select("link", "visit")]).sort("link")
    return found["link"].to_numpy(), found["visit"].to_numpy()


def value_masked(texts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return (service, message) with the places that hold values as ``<*>``.

    Among messages of one service with as many words and the same first three, a place that holds
    three words or more holds values: cities, users, kinds of tickets.
    """
    words = [text.split() for _, text in texts]
    groups: dict[tuple[str, int, tuple[str, ...]], list[int]] = {}
    for k, ((service, _), parts) in enumerate(zip(texts, words, strict=True)):
        groups.setdefault((service, len(parts), tuple(parts[:_HEAD])), []).append(k)
    masked = list(texts)
    for (service, length, _), rows in groups.items():
        values = [len({words[r][c] for r in rows}) >= _VALUES for c in range(length)]
        if any(values):
            for r in rows:
                cells = [_WILD if v else w for v, w in zip(values, words[r], strict=True)]
                masked[r] = (service, " ".join(cells))
    return masked
