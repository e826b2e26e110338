"""Typed values read out of one stored output, in a fixed order: the only things a claim may cite.

Pure functions of the output: replay gives the same ids. Strings in ``quote`` are verbatim: a log
line, or ``<ISO time> <value>`` of the sample.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from superbizagent.analysis._fact_list import EntityOf, FactList, iso
from superbizagent.analysis.abnormal import is_abnormal, is_far, strongest_rows
from superbizagent.analysis.deviation import Deviations, Status
from superbizagent.analysis.onset import find_onset
from superbizagent.analysis.preparation import MODES
from superbizagent.analysis.vanished import vanished_rows
from superbizagent.domain.fact import Fact
from superbizagent.domain.outputs import AlertList, Change, ChangeList, Topology
from superbizagent.domain.series import SeriesSet, series_name
from superbizagent.domain.window import Window, from_ms, to_ms

__all__ = [
    "facts_of_alerts",
    "facts_of_changes",
    "facts_of_series",
    "facts_of_topology",
    "touched",
]


_FELT = frozenset({"err", "lat"})
"""Families of what those who use a service feel."""


def facts_of_series(
    call: int,
    series: SeriesSet,
    deviations: Deviations,
    entity_of: EntityOf,
    limit: int = 30,
) -> tuple[Fact, ...]:
    """Return the facts of one metrics call: counts first, then the ``limit`` strongest series.

    Statistics of a counter are those of its rate per second, and of a histogram's sum those of the
    mean per request: their names then begin with ``rate_`` or ``mean_``.
    """
    facts = FactList(call)
    window = deviations.windows.whole
    abnormal = is_abnormal(deviations)
    # A series without a sample in the incident tells nothing, unless that it is gone is the news.
    examined = (deviations.incident_count > 0) | abnormal
    looked = float(np.count_nonzero(examined))
    facts.add("series_examined", looked, statistic="count", window=window)
    total = float(np.count_nonzero(abnormal))
    facts.add("series_abnormal", total, statistic="count", window=deviations.windows.incident)
    rows = strongest_rows(deviations, series.labels, limit)
    gone = vanished_rows(series.labels, deviations, entity_of).values()
    for row in dict.fromkeys((*rows, *gone)):
        _add_series(facts, series, deviations, row, entity_of(series.labels[row]) or "")
    # Last, since it is cited only where nothing hurts.
    felt = [m.family in _FELT for m in deviations.meanings]
    count = float(np.count_nonzero(examined & np.array(felt, np.bool_)))
    incident = deviations.windows.incident
    facts.add("symptom_series_examined", count, statistic="count", window=incident)
    return tuple(facts.items)


def _add_series(
    facts: FactList, series: SeriesSet, deviations: Deviations, row: int, entity: str
) -> None:
    if deviations.status[row] == Status.NOT_ENOUGH and deviations.incident_count[row] == 0:
        return
    mode = MODES[int(deviations.mode[row])]
    unit = deviations.meanings[row].unit
    about: dict[str, Any] = {
        "entity": entity,
        "name": series_name(series.labels[row]),
        "unit": {"rate": f"{unit}/s", "mean": unit}.get(mode, unit),
        "place": f"series/{row}",
    }
    for statistic, value, more in _statistics(series, deviations, row):
        prefix = "" if mode == "value" or statistic == "onset_at" else f"{mode}_"
        facts.add(value=value, statistic=prefix + statistic, **(about | more))


def _statistics(
    series: SeriesSet, deviations: Deviations, row: int
) -> Iterator[tuple[str, float | str, dict[str, Any]]]:
    windows = deviations.windows
    used = int(deviations.baseline_used[row])
    if used >= 0:
        yield "median", float(deviations.center[row]), {"window": windows.baselines[used]}
    if deviations.incident_count[row] == 0:
        yield "count", 0.0, {"window": windows.incident}
        return
    yield "mean", float(deviations.incident_mean[row]), {"window": windows.incident}
    extreme = "min" if deviations.direction(row) < 0 else "max"
    peak_at, last_at = int(deviations.extreme_at[row]), int(deviations.last_at[row])
    peak = _sample(series, row, peak_at, windows.incident)
    yield extreme, float(deviations.extreme[row]), peak
    yield "last", float(deviations.incident_last[row]), _sample(series, row, last_at)
    onset = find_onset(deviations, row) if is_far(deviations, row) else None
    if onset is not None:
        text = iso(round(onset.at.timestamp() * 1000))
        quote = _sample(series, row, round(onset.at.timestamp() * 1000))
        yield "onset_at", text, quote | {"unit": ""}


def _sample(
    series: SeriesSet, row: int, at_ms: int, window: Window | None = None
) -> dict[str, Any]:
    """Return where a sample stands and how it reads in the output."""
    part = slice(int(series.offsets[row]), int(series.offsets[row + 1]))
    # Every statistic stands at a sample: a rate at the later one of its two.
    hit = int(np.flatnonzero(series.times[part] == at_ms)[0])
    value = float(series.values[part][hit])
    return {
        "at": from_ms(at_ms),
        "window": window,
        "quote": f"{iso(at_ms)} {value!r}",
        "place": f"series/{row}/sample/{hit}",
    }


def facts_of_alerts(call: int, alerts: AlertList, entity_of: EntityOf) -> tuple[Fact, ...]:
    """Return the facts of an alert list: how many, then name, service, state and times of each."""
    facts = FactList(call)
    facts.add("alerts", float(len(alerts.alerts)), statistic="count")
    for k, alert in enumerate(alerts.alerts):
        about: dict[str, Any] = {
            "name": f"alert:{alert.name}",
            "entity": entity_of(alert.labels) or "",
            "place": f"alert/{k}",
        }
        facts.add(
            value=alert.status.value,
            statistic="status",
            at=alert.starts_at,
            quote=alert.name,
            **about,
        )
        for key in ("service", "service_name", "job", "instance", "severity"):
            if alert.labels.get(key):
                text = alert.labels[key]
                facts.add(value=text, statistic=key, quote=text, at=alert.starts_at, **about)
        for statistic, at in (("first_at", alert.starts_at), ("last_at", alert.ends_at)):
            if at is not None:
                facts.add(value=iso(to_ms(at)), statistic=statistic, at=at, **about)
        summary = alert.annotations.get("summary") or alert.annotations.get("description", "")
        if summary:
            facts.add(value=summary, statistic="summary", quote=summary, **about)
    return tuple(facts.items)


def facts_of_changes(
    call: int, changes: ChangeList, entity_of: EntityOf, window: Window | None = None
) -> tuple[Fact, ...]:
    """Return the facts of a change list: how many, then what was done to whom and when.

    A change that touched several known entities is a fact of each. ``window`` is the time that the
    list was made for; None for one that covers all times.
    """
    facts = FactList(call)
    facts.add("changes", float(len(changes.changes)), statistic="count", window=window)
    for k, change in enumerate(changes.changes):
        for entity in touched(change, entity_of) or ("",):
            facts.add(
                f"change:{change.kind}",
                change.summary or change.revision or change.kind,
                statistic="summary",
                entity=entity,
                at=change.at,
                quote=change.quote or change.summary,
                place=f"change/{k}",
            )
    return tuple(facts.items)


def touched(change: Change, entity_of: EntityOf) -> tuple[str, ...]:
    """Return the known entities that a change names, each once; else the one that holds it."""
    found = [entity_of({"service": name}) for name in (change.entity, *change.also)]
    if not any(found) and change.within:
        found = [entity_of({"service": change.within})]
    return tuple(dict.fromkeys(entity for entity in found if entity))


def facts_of_topology(call: int, topology: Topology, entity_of: EntityOf) -> tuple[Fact, ...]:
    """Return the facts of a topology: how many edges, then every caller and callee."""
    facts = FactList(call)
    facts.add("edges", float(len(topology.edges)), statistic="count")
    for k, edge in enumerate(topology.edges):
        facts.add(
            f"edge:{edge.caller}",
            edge.callee,
            statistic="callee",
            entity=entity_of({"service": edge.caller}) or "",
            quote=f"{edge.caller} -> {edge.callee}",
            place=f"edge/{k}",
        )
    return tuple(facts.items)
