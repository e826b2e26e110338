"""Findings: what is abnormal, of whom, since when, with the facts it was computed from."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

import numpy as np

from superbizagent.analysis._fact_list import EntityOf, facts_by_place
from superbizagent.analysis.abnormal import is_abnormal
from superbizagent.analysis.deviation import Deviations, Status
from superbizagent.analysis.onset import find_onset
from superbizagent.analysis.preparation import MODES
from superbizagent.analysis.vanished import VANISHED_EVIDENCE, vanished_rows
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.domain.outputs import AlertList, ChangeList
from superbizagent.domain.series import SeriesSet, series_name
from superbizagent.domain.window import from_ms

__all__ = [
    "findings_from_alerts",
    "findings_from_changes",
    "findings_from_series",
    "number_findings",
]


def number_findings(*groups: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put findings of all calls in order of strength and give them their ids ``F<n>``.

    The same series found by two calls is one finding, with the facts of both.
    """
    merged: dict[tuple[str, str, str], Finding] = {}
    for new in (f for group in groups for f in group):
        key = (new.kind.value, new.entity, new.subject)
        known = merged.get(key)
        if known is not None:
            ids = tuple(dict.fromkeys((*known.fact_ids, *new.fact_ids)))
            merged[key] = known.model_copy(update={"fact_ids": ids})
        else:
            merged[key] = new
    order = sorted(merged.values(), key=lambda f: (-f.score, f.entity, f.kind.value, f.subject))
    return tuple(f.model_copy(update={"id": f"F{n}"}) for n, f in enumerate(order, 1))


def findings_from_series(
    series: SeriesSet, deviations: Deviations, facts: Sequence[Fact], entity_of: EntityOf
) -> tuple[Finding, ...]:
    """Return a finding for every abnormal series that has facts and an entity (ids still empty)."""
    places = facts_by_place(tuple(facts))
    found: list[Finding] = []
    for row in np.flatnonzero(is_abnormal(deviations)).tolist():
        entity = entity_of(series.labels[row])
        ids = places.get(f"series/{row}", ())
        if entity and ids:
            found.append(_series_finding(series, deviations, row, entity, ids))
    gone = vanished_rows(series.labels, deviations, entity_of)
    found += [
        _vanished_finding(series, deviations, row, entity, ids)
        for entity, row in gone.items()
        if (ids := places.get(f"series/{row}", ()))
    ]
    return tuple(found)


def _vanished_finding(
    series: SeriesSet, deviations: Deviations, row: int, entity: str, ids: tuple[str, ...]
) -> Finding:
    times, _ = deviations.samples(row)
    before = times[times < deviations.windows.incident.start_ms]
    return Finding(
        id="",
        kind=FindingKind.SERIES_VANISHED,
        entity=entity,
        subject=series_name(series.labels[row]),
        family="inst",
        direction=-1,
        score=VANISHED_EVIDENCE,
        baseline=_number(deviations.center[row]),
        unit=deviations.meanings[row].unit,
        onset_at=from_ms(int(before[-1])) if len(before) else None,
        onset_uncertainty=timedelta(milliseconds=float(round(deviations.prepared.interval[row]))),
        ongoing=True,
        fact_ids=ids,
    )


def _series_finding(
    series: SeriesSet, deviations: Deviations, row: int, entity: str, ids: tuple[str, ...]
) -> Finding:
    onset = find_onset(deviations, row)
    appeared = deviations.status[row] == Status.APPEARED
    meaning = deviations.meanings[row]
    rate = MODES[int(deviations.mode[row])] == "rate"
    return Finding(
        id="",
        kind=FindingKind.SERIES_APPEARED if appeared else FindingKind.METRIC_DEVIATION,
        entity=entity,
        subject=series_name(series.labels[row]),
        family=meaning.family,
        direction=deviations.direction(row),
        score=round_significant(float(deviations.evidence[row])),
        baseline=None if appeared else _number(deviations.center[row]),
        incident=_number(deviations.incident_mean[row]),
        extreme=_number(deviations.extreme[row]),
        unit=f"{meaning.unit}/s" if rate else meaning.unit,
        onset_at=onset.at if onset else None,
        onset_uncertainty=onset.uncertainty if onset else None,
        ongoing=onset.ongoing if onset else None,
        fact_ids=ids,
    )


def _number(value: float) -> float | None:
    return round_significant(float(value)) if np.isfinite(value) else None


def findings_from_alerts(
    alerts: AlertList, facts: Sequence[Fact], entity_of: EntityOf
) -> tuple[Finding, ...]:
    """Return a finding for every alert of a known entity; an alert is a symptom, so score 0."""
    places = facts_by_place(tuple(facts))
    return tuple(
        Finding(
            id="",
            kind=FindingKind.ALERT,
            entity=entity,
            subject=alert.name,
            score=0.0,
            onset_at=alert.starts_at,
            ongoing=alert.status == "firing",
            fact_ids=places.get(f"alert/{k}", ()),
        )
        for k, alert in enumerate(alerts.alerts)
        if (entity := entity_of(alert.labels))
    )


def findings_from_changes(changes: ChangeList, facts: Sequence[Fact]) -> tuple[Finding, ...]:
    """Return a finding for every change of a known entity; what it explains is judged elsewhere."""
    changed = [f for f in facts if f.place.startswith("change/") and f.entity]
    return tuple(
        Finding(
            id="",
            kind=FindingKind.CHANGE,
            entity=fact.entity,
            subject=change.summary or change.kind,
            score=0.0,
            onset_at=change.at,
            fact_ids=(fact.id,),
        )
        for fact in changed
        for change in (changes.changes[int(fact.place.partition("/")[2])],)
    )
