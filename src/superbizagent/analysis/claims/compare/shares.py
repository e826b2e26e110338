"""A share of the calls that took so long is a percentile: one in ten took 20 s when p90 is 20 s."""

import re

import numpy as np

from superbizagent.analysis.claims.compare.binding import meant_period
from superbizagent.analysis.claims.compare.sampled import holds_at, moment_of
from superbizagent.analysis.claims.compare.scales import accepted, in_unit
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.evidence.ground import Statistic
from superbizagent.analysis.claims.mentions import Bound, Quantity

__all__ = ["share_by_percentile"]

_ABOVE = frozenset({Bound.OVER, Bound.AT_LEAST})
_BELOW = frozenset({Bound.UNDER, Bound.AT_MOST})
_PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
_TOOK = re.compile(
    r"\b(?:took|takes?|taking|answered|finished|completed|returned|slower|faster|lasted|needed)\b"
    r"|耗时|用时|花了|延迟|响应|慢于|快于",
    re.IGNORECASE,
)
_CALLS = concept_bits(("request", "latency"))
_INNER = concept_bits(("pool", "connection", "lock", "gc", "waiting"))
"""What calls do inside: a percentile of that is none of the calls, unless it is spoken of."""
_NEAR = 1e-6  # a share is written with at most four digits


def share_by_percentile(view: View, quantity: Quantity) -> tuple[str, ...] | None:
    """Return the facts or series of the percentile that a share of calls speaks of.

    "One in ten took 20 s or longer", "95 % were answered in less than 1 s": only the percentile
    with that share, at the time and in the period that the sentence means.

    Returns:
        None when no time that calls took stands behind the share; an empty tuple when the
        percentile is not known or on the other side of it.
    """
    limit = _limit(view, quantity)
    if quantity.unit != "ratio" or limit is None:
        return None
    share = 1 - quantity.value if limit.bound in _ABOVE else quantity.value
    named = [name for name, at in _PERCENTILES.items() if abs(at - share) < _NEAR]
    if not named:
        return ()
    rows = _best(view, quantity, named[0])
    moment = moment_of(view, quantity) or moment_of(view, limit)
    if moment is not None:
        codes: list[int] = view.ground.subject[rows].tolist()
        subjects = {view.ground.subjects[k].name for k in codes}
        found = {i: view.ground.fact(i) for i in holds_at(view, limit, moment)}
        return tuple(i for i, fact in found.items() if fact is not None and fact.name in subjects)
    return _facts(view, quantity, limit, rows)


def _best(view: View, quantity: Quantity, percentile: str) -> Mask:
    """Rows of a percentile that share most with the sentence: of calls, not of what they do."""
    ground = view.ground
    rows = view.of_entities(view.clause_of(quantity)) & ground.of_statistic(percentile)
    topic = view.topic(0, len(view.text))
    wanted = topic.concepts
    if wanted & _CALLS or not wanted:
        # The median of samples is none of calls.
        rows &= ground.statistic != Statistic.MEDIAN
        rows &= (ground.concepts & np.uint64(_INNER & ~wanted)) == 0
        wanted |= _CALLS
    else:
        # What a log tells of each: the median of a field is that of its records.
        field = np.array([s.name.startswith("field:") for s in ground.subjects], np.bool_)
        rows &= field[ground.subject] & ~ground.of_unit("")
    shared = np.where(rows, ground.overlap(wanted, topic.tokens), 0)
    best = rows & (shared == shared.max(initial=0))
    # Nothing tells them apart: all calls are meant, not those of one label.
    whole = best & np.array(["{" not in s.name for s in ground.subjects], np.bool_)[ground.subject]
    return whole if whole.any() else best & (shared > 0)


def _limit(view: View, quantity: Quantity) -> Quantity | None:
    """The time that stands behind a share as the limit of those it counts."""
    clause = view.clause_of(quantity)
    behind = [q for q in view.statement.quantities if q.start >= quantity.end and clause.holds(q)]
    if not behind or behind[0].unit != "s" or behind[0].bound not in _ABOVE | _BELOW:
        return None
    return behind[0] if _TOOK.search(view.text, quantity.end, behind[0].end) else None


def _facts(view: View, quantity: Quantity, limit: Quantity, rows: Mask) -> tuple[str, ...]:
    ground = view.ground
    meant = rows & view.pool & ground.of_period(meant_period(view, quantity))
    says_so = np.zeros(len(ground), np.bool_)
    for values in in_unit(limit.unit, ground.units, ground.unit, ground.value):
        says_so |= accepted(limit, values)
    found = np.flatnonzero(meant & says_so).tolist()
    return tuple(ground.facts[k].id for k in found[:3])
