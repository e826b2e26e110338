"""What scored recordings come to, as one JSON object."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from statistics import fmean
from typing import Any

from superbizagent.evaluation.rca.alarms import alarm_rates, good_windows
from superbizagent.evaluation.rca.baselines import METHODS
from superbizagent.evaluation.rca.confidence import left_out, precision_at_margins
from superbizagent.evaluation.rca.ranks import summary_of_places
from superbizagent.evaluation.rca.reference import REFERENCE
from superbizagent.evaluation.rca.rows import Row
from superbizagent.evaluation.rca.score import BaselineRow, RcaScore
from superbizagent.evaluation.rca.timing import TimeMode
from superbizagent.evaluation.shares import Share

__all__ = ["rca_json"]

_FIGURES = ("ac1", "ac3", "ac5", "avg5", "mrr")


def rca_json(score: RcaScore) -> dict[str, Any]:
    """Return every figure, and every case.

    ``times`` by mode: ``sets``, ``macro`` (mean over sets), ``margins`` and ``left_out``;
    ``healthy``; ``cases``; ``left_out_cases``. With an interval: ``[figure, low, high]``.
    """
    times = {
        time.value: _of_time(score, time)
        for time in TimeMode
        if any(r.time is time for r in score.rows)
    }
    return {
        "times": times,
        "healthy": _healthy(score),
        "cases": [_case(row) for row in score.rows],
        "left_out_cases": [
            {"set": b.case.set, "case": b.case.name, "reason": b.reason} for b in score.broken
        ],
    }


def _of_time(score: RcaScore, time: TimeMode) -> dict[str, Any]:
    rows = [r for r in score.rows if r.time is time]
    names = list(dict.fromkeys(r.inputs for r in rows))
    last = [r for r in rows if r.inputs == names[-1]]
    sets = {
        name: _of_set(name, [r for r in rows if r.set == name], score.baselines, time)
        for name in dict.fromkeys(r.set for r in rows)
    }
    return {
        "sets": sets,
        "macro": {n: _macro([s["inputs"][n] for s in sets.values()]) for n in names},
        "margins": precision_at_margins(last),
        "left_out": left_out(last),
        "without_a_time": score.untimed.get(time, 0),
    }


def _macro(found: Sequence[dict[str, Any]]) -> dict[str, float]:
    return {key: round(fmean(s[key][0] for s in found), 3) for key in _FIGURES}


def _of_set(
    name: str, rows: Sequence[Row], baselines: Sequence[BaselineRow], time: TimeMode
) -> dict[str, Any]:
    inputs = list(dict.fromkeys(r.inputs for r in rows))
    last = [r for r in rows if r.inputs == inputs[-1]]
    mine = [b for b in baselines if b.set == name and b.time is time]
    return {
        "cases": len(last),
        "chance": round(fmean(r.chance for r in last), 3),
        "inputs": {i: _of_inputs([r for r in rows if r.inputs == i]) for i in inputs},
        "faults": {
            fault: {"cases": len(own), **summary_of_places([r.rank for r in own])}
            for fault in sorted({r.fault for r in last})
            if (own := [r for r in last if r.fault == fault])
        },
        "kinds": _kinds(last),
        "misses": dict(sorted(Counter(r.miss for r in last if r.miss).items())),
        "margins": precision_at_margins(last),
        "baselines": {m: _better([b for b in mine if b.method == m]) for m in METHODS},
        "reference": {k: list(v) for k, v in REFERENCE.get(time, {}).get(name, {}).items()},
    }


def _of_inputs(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        **summary_of_places([r.rank for r in rows]),
        "answered": sum(r.answered for r in rows),
        "answer_right": sum(r.answer_right for r in rows),
        "seconds": round(fmean(r.seconds for r in rows), 3),
        "peak_mib": round(max(r.peak_bytes for r in rows) / 2**20),
    }


def _kinds(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how often the kind of fault is right, of cases whose label tells one."""
    asked = [r for r in rows if r.kind_asked]
    return {
        "given_first": Share.of(r.kind_right for r in asked if r.is_first).as_json(),
        "of_truth": Share.of(r.kind_right for r in asked).as_json(),
        "both": Share.of(r.kind_right and r.is_first for r in asked).as_json(),
    }


def _better(rows: Sequence[BaselineRow]) -> dict[str, Any]:
    """Return the figures of the better variant: by Top-1, then by Avg@5."""
    by_variant = {
        v: summary_of_places([b.rank for b in rows if b.variant == v])
        for v in dict.fromkeys(b.variant for b in rows)
    }
    variant = max(by_variant, key=lambda v: (by_variant[v]["ac1"][0], by_variant[v]["avg5"][0]))
    return {"variant": variant, **by_variant[variant]}


def _healthy(score: RcaScore) -> dict[str, Any]:
    """Return false alarms and detection by set and ``pooled``; empty when nothing was judged."""
    rates = alarm_rates(good_windows(score.windows)) if score.windows else {}
    return {name: one.as_json() for name, one in rates.items()}


def _case(row: Row) -> dict[str, Any]:
    return {
        "set": row.set,
        "case": row.case,
        "fault": row.fault,
        "time": row.time.value,
        "inputs": row.inputs,
        "rank": int(row.rank) if isfinite(row.rank) else None,
        "candidates": row.candidates,
        "answered": row.answered,
        "answer_right": row.answer_right,
        "margin": row.margin,
        "strength": row.strength,
        "top": list(row.top),
        "kind": row.kind_of_truth.value if row.kind_of_truth else None,
        "kind_right": row.kind_right if row.kind_asked else None,
        "miss": row.miss,
        "seconds": round(row.seconds, 3),
        "peak_mib": round(row.peak_bytes / 2**20),
    }
