"""Events of visits: inner operations, calls, errors, and the kinds of log records written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._visits import Visits
from superbizagent.domain.logs import SEVERITIES, LogDigest

__all__ = ["EventName", "VisitEvents", "events_of", "value_masked"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_CALL = 0.7  # a call shows in the callee too
_VALUES = 3  # distinct words at one place of a message: they are values, not its text
_HEAD = 3
_WILD = "<*>"
_TIMES = (2, 4, 8, 16)
_KEYED = re.compile(r"(\w\s?[:=]\s?)([^\s,;:=()\[\]{}]+)")
_OUTCOME = re.compile(
    r"(?i)succe|ok$|done|fail|err|exception|wrong|invalid|not|null|none|true|false|time|den[iy]|refus"
)
_ERROR = SEVERITIES.index("error")


@dataclass(frozen=True, slots=True)
class EventName:
    """What happened, in words."""

    kind: str
    """``inner``, ``call``, ``error`` or ``log``."""
    text: str
    """Operation, ``callee operation``, what went wrong, or the message."""
    is_error: bool = False
    log: tuple[int, int] = (-1, -1)
    """Of a log event a template: position of the digest, and in it."""
    times: int = 1
    """At least so often in one visit."""
    group: int = -1
    """Of a call node and operation of what it enters, in one number."""


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
    trace: Ints
    is_logged: NDArray[np.bool_]
    """Something of the visit's request is among the log records: what it did not write, it did not
    write, and is not merely unknown."""
    names: tuple[EventName, ...]
    weight: Floats
    is_error: NDArray[np.bool_]
    is_log: NDArray[np.bool_]
    leads_to: Ints
    """Group of the visits that a call (once or more) leads to, -1 for other events."""
    visit: Ints
    event: Ints
    of_span: Ints
    """Visit of each span."""


@dataclass(slots=True)
class _Pairs:
    """Pairs of visit and event under construction."""

    names: list[EventName] = field(default_factory=list[EventName])
    visit: list[Ints] = field(default_factory=list[Ints])
    event: list[Ints] = field(default_factory=list[Ints])

    def add(
        self, visit: Ints, code: Ints, names: Sequence[EventName], count: Ints | None = None
    ) -> None:
        """Add visits that show the events ``names[code]``, ``count`` times each row (once)."""
        n = max(1, len(names))
        keys, cell = np.unique(visit * n + code, return_inverse=True)
        total = np.bincount(cell, count, len(keys))
        for times in (1, *_TIMES):
            often = keys[total >= times]
            if len(often):
                self.visit.append(often // n)
                self.event.append(often % n + len(self.names))
                self.names += [replace(name, times=times) for name in names]


def events_of(visits: Visits, digests: Sequence[LogDigest]) -> VisitEvents:
    """Return the events of all visits."""
    entry = visits.entries
    of_span = np.searchsorted(entry, visits.visit)
    pairs = _Pairs()
    _add_spans(visits, of_span, pairs)
    _add_logs(visits, of_span, digests, pairs)
    none = np.zeros(0, np.int64)
    visit, event = (np.concatenate([none, *part]) for part in (pairs.visit, pairs.event))
    order = np.lexsort((event, visit))
    operations = max(1, len(visits.spans.operations))
    code = visits.node[entry] * operations + visits.spans.operation[entry]
    groups, group = np.unique(code, return_inverse=True)
    entered = np.array([e.group if e.times == 1 else -1 for e in pairs.names], np.int64)
    return VisitEvents(
        entry=entry,
        window=visits.window[entry],
        node=visits.node[entry],
        group=group,
        group_node=groups // operations,
        group_operation=groups % operations,
        trace=visits.spans.trace[entry].astype(np.int64),
        is_logged=_logged(visits, digests)[visits.spans.trace[entry]],
        names=tuple(pairs.names),
        weight=np.array([_CALL if e.kind == "call" else 1.0 for e in pairs.names], np.float64),
        is_error=np.array([e.is_error for e in pairs.names], np.bool_),
        is_log=np.array([e.kind == "log" for e in pairs.names], np.bool_),
        leads_to=np.where(entered >= 0, np.searchsorted(groups, entered), -1),
        visit=visit[order],
        event=event[order],
        of_span=of_span,
    )


def _add_spans(visits: Visits, of_span: Ints, pairs: _Pairs) -> None:
    """Add inner operations, calls, and what went wrong."""
    spans = visits.spans
    inner = np.flatnonzero(visits.visit != np.arange(len(spans)))
    names = [EventName("inner", o) for o in spans.operations]
    pairs.add(of_span[inner], spans.operation[inner].astype(np.int64), names)
    called = np.flatnonzero(visits.caller >= 0)
    operations = max(1, len(spans.operations))
    code = visits.node[called] * operations + spans.operation[called]
    known, code = np.unique(code, return_inverse=True)
    names = [_call(visits, int(k), operations) for k in known]
    pairs.add(of_span[visits.caller[called]], code, names)
    failed = np.flatnonzero(spans.error >= 0)
    names = [EventName("error", e, is_error=True) for e in spans.errors]
    pairs.add(of_span[failed], spans.error[failed].astype(np.int64), names)


def _call(visits: Visits, group: int, operations: int) -> EventName:
    node = visits.nodes[group // operations].rsplit("/", maxsplit=1)[-1].strip("<>")
    return EventName("call", f"{node} {visits.spans.operations[group % operations]}", group=group)


def _add_logs(visits: Visits, of_span: Ints, digests: Sequence[LogDigest], pairs: _Pairs) -> None:
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
        names = [
            EventName("log", text, log=(number, k), is_error=bool(severe[k]))
            for k, (_, text) in enumerate(texts)
        ]
        pairs.add(visit, home[template], names, np.array(digest.links.count, np.int64)[link])


def _logged(visits: Visits, digests: Sequence[LogDigest]) -> NDArray[np.bool_]:
    """Tell for each trace whether any log record names it."""
    traces = pl.Series(visits.spans.traces, dtype=pl.String)
    named = [pl.Series(digest.links.traces, dtype=pl.String) for digest in digests]
    return traces.is_in(pl.concat([*named, traces.clear()]).implode()).to_numpy()


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


def _without_values(text: str) -> str:
    """Return a message with ``key: word`` and ``key=word`` as ``key: <*>``, outcomes apart."""
    return _KEYED.sub(lambda m: m[1] + (m[2] if _OUTCOME.search(m[2]) else _WILD), text)


def value_masked(texts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return (service, message) with the places that hold values as ``<*>``.

    Among messages of one service with as many words and the same first three, a place that holds
    three words or more holds values: cities, users, kinds of tickets.
    """
    words = [_without_values(text).split() for _, text in texts]
    groups: dict[tuple[str, int, tuple[str, ...]], list[int]] = {}
    for k, ((service, _), parts) in enumerate(zip(texts, words, strict=True)):
        groups.setdefault((service, len(parts), tuple(parts[:_HEAD])), []).append(k)
    masked = [(service, " ".join(w)) for (service, _), w in zip(texts, words, strict=True)]
    for (service, length, _), rows in groups.items():
        values = [len({words[r][c] for r in rows}) >= _VALUES for c in range(length)]
        if any(values):
            for r in rows:
                cells = [_WILD if v else w for v, w in zip(values, words[r], strict=True)]
                masked[r] = (service, " ".join(cells))
    return masked
