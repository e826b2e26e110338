"""What stored series held at a time: whether "at T it was V" is so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.compare.binding import percentiles_of
from superbizagent.analysis.claims.compare.near import topics_of
from superbizagent.analysis.claims.compare.scales import accepted, factors, in_unit
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Form, Mention, Moment, Quantity
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.window import to_ms

__all__ = [
    "change_between",
    "denied_at",
    "holds_at",
    "is_open",
    "moment_of",
    "rows_saying",
    "series_about",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def moment_of(view: View, quantity: Quantity) -> Moment | None:
    """Return the time that a number is said of: the nearest of its clause with none between."""
    clause = view.clause_of(quantity)
    inside = [m for m in view.statement.moments if clause.holds(m)]
    paired = _paired(view, quantity, inside)
    if paired is not None:
        return paired
    near = [m for m in inside if _is_point(view, m)]
    between = [m for m in near if not _parted(view, quantity, m)]
    return min(between, key=lambda m: _gap(quantity, m)) if between else None


def _paired(view: View, quantity: Quantity, moments: Sequence[Moment]) -> Moment | None:
    """Return the time of a value where two values and two times stand in turn.

    "Went from 9.8 s at 13:45 to 2.5 s at 13:46", 从 13:45 的 9.8 秒降到 13:46 的 2.5 秒.
    """
    clause = view.clause_of(quantity)
    values = [
        q
        for q in view.statement.quantities
        if clause.holds(q) and q.form is Form.VALUE and q.unit == quantity.unit
    ]
    if len(moments) != 2 or len(values) != 2 or quantity not in values:
        return None
    if not all(_is_point(view, m) or view.text[m.end :].lstrip()[:1] == "的" for m in moments):
        return None
    told = sorted([*moments, *values], key=lambda m: m.start)
    kinds = [isinstance(m, Moment) for m in told]
    in_turn = kinds in ([True, False, True, False], [False, True, False, True])
    return moments[values.index(quantity)] if in_turn else None


_POINTS = frozenset({"at", "ago", "until"})


def _is_point(view: View, moment: Moment) -> bool:
    """Tell whether a time says when: "by 13:35 it was 0.034" does, "before 13:35" does not."""
    said = view.text[max(0, moment.start - 3) : moment.end].lower()
    if moment.preposition == "until" and _has_start(view, moment):
        return False  # "between 12:41 and 12:49" is a span
    return moment.preposition in _POINTS or said.startswith("by ") or moment.text[:2] == "By"


def _has_start(view: View, moment: Moment) -> bool:
    before = [m for m in view.statement.moments if m.end <= moment.start]
    return bool(before) and before[-1].preposition == "since"


def _gap(one: Mention, other: Mention) -> int:
    return max(one.start, other.start) - min(one.end, other.end)


def _parted(view: View, quantity: Quantity, moment: Moment) -> bool:
    """Tell whether another number, itself next to no time, stands between the two."""
    low, high = sorted((quantity.start, moment.start))
    return any(low < q.start < high for q in view.statement.quantities if q is not quantity)


def holds_at(view: View, quantity: Quantity, moment: Moment) -> tuple[str, ...]:
    """Return readings (``E4.s17``) whose series held what the number says at the time it names."""
    found = [at for at in _readings(view, quantity, moment) if at.holds]
    return tuple(at.place for at in found[:3])


def denied_at(view: View, quantity: Quantity, moment: Moment) -> tuple[str, ...]:
    """Return readings of what the sentence speaks of when all of them held something else then."""
    found = list(_readings(view, quantity, moment))
    return () if any(at.holds for at in found) else tuple(at.place for at in found[:3])


def change_between(view: View, word: Mention, first: Moment, second: Moment) -> dict[str, float]:
    """Return how much what a word is about changed from one time to another, by series.

    In the unit of each series.
    """
    sampled = _sampled(view.ground)
    found: dict[str, float] = {}
    codes: list[int] = series_about(view, word).tolist()
    for code in codes:
        old, _ = next(sampled.values_at(code, first))
        new, _ = next(sampled.values_at(code, second))
        if len(old) and len(new) and is_open(view, int(sampled.calls[code])):
            found[sampled.places[code]] = float(new[-1] - old[0])
    return found


def rows_saying(view: View, quantity: Quantity) -> Mask:
    """Return the rows whose value is what a number says, whatever they are about."""
    ground = view.ground
    found = np.zeros(len(ground), np.bool_)
    for values in in_unit(quantity.unit, ground.units, ground.unit, ground.value):
        found |= accepted(quantity, values)
    return found


@dataclass(frozen=True, slots=True)
class _At:
    place: str
    holds: bool


def _readings(view: View, quantity: Quantity, moment: Moment) -> Iterator[_At]:
    sampled = _sampled(view.ground)
    codes: list[int] = series_about(view, quantity).tolist()
    for code in codes:
        if not is_open(view, int(sampled.calls[code])):
            continue
        for values, unit in sampled.values_at(code, moment):
            scales = factors(quantity.unit, unit)
            if scales and len(values):
                holds = any(quantity.accepts(float(v) * s) for v in values for s in scales)
                yield _At(sampled.places[code], holds)


def is_open(view: View, call: int) -> bool:
    """Tell whether samples of a call may bear the sentence out: all of it is cited, or nothing."""
    if view.cited is None:
        return True
    of_call = view.ground.call == call
    return bool(np.all(view.cited[of_call]))


def series_about(view: View, mention: Mention) -> Ints:
    """Return the codes of the series of a mention's entities that share most with its words."""
    sampled = _sampled(view.ground)
    paths = view.entities(view.clause_of(mention))
    # A bare count is a value of anything.
    lenient = _LENIENT if isinstance(mention, Quantity) and mention.unit else 0
    own = np.ones(len(sampled.places), np.bool_)
    if paths:
        own = np.isin(sampled.owners, np.array(paths, np.str_))
    topics = topics_of(view, mention)
    if isinstance(mention, Quantity):
        topics = (*view.topics(mention), view.before)
        for percentile in percentiles_of(view, mention):
            of_it = view.ground.of_statistic(percentile).astype(np.int8)
            own &= sampled.of_rows(of_it) > 0
    for topic in topics:
        shared = view.shared(topic)
        score = sampled.of_rows(shared)
        hit = own & (score > 0)
        if hit.any():
            return np.flatnonzero(hit & (score >= score[hit].max() - lenient))
    return np.zeros(0, np.int64)


_LENIENT = 1
"""A series that lacks one of the words may still be the one that is meant."""


@dataclass(frozen=True, slots=True)
class _Sampled:
    """Series with the rows of facts that are about them."""

    ground: Ground
    owners: NDArray[np.str_]
    calls: Ints
    places: tuple[str, ...]
    subject: Ints
    """Code in `Ground.subjects`; -1 where no fact is about a series."""

    def of_rows(self, scores: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the best score of the rows of each series."""
        best = np.zeros(len(self.ground.subjects) + 1, np.int8)
        np.maximum.at(best, self.ground.subject, scores)
        return best[self.subject]

    def values_at(self, code: int, moment: Moment) -> Iterator[tuple[Floats, str]]:
        """Yield the samples at a time as they were judged, and of a counter as they stand.

        Those the words of the time hold; without any, the last before and the first after it, at
        most a step away.
        """
        stored = self.ground.stored
        unit, mode = stored.meanings[code].unit, MODES[int(stored.modes[code])]
        yield self._near(code, moment, raw=False), f"{unit}/s" if mode == "rate" else unit
        if mode != "value":
            yield self._near(code, moment, raw=True), unit

    def _near(self, code: int, moment: Moment, *, raw: bool) -> Floats:
        samples = self.ground.stored.raw if raw else self.ground.stored.judged
        part = slice(int(samples.offsets[code]), int(samples.offsets[code + 1]))
        times, values = samples.times[part], samples.values[part]
        low, high = to_ms(moment.low), to_ms(moment.high)
        inside = (times >= low) & (times <= high)
        if not inside.any() and len(times) > 1:
            step = float(np.median(np.diff(times)))
            inside = (times >= low - step) & (times <= high + step)
        return values[inside]


@lru_cache(maxsize=4)
def _sampled(ground: Ground) -> _Sampled:
    """Return the series of a ground, bound to its rows."""
    stored = ground.stored
    codes = {(s.entity, s.name): k for k, s in enumerate(ground.subjects)}
    keys = zip(stored.owners, stored.names, strict=True)
    return _Sampled(
        ground=ground,
        owners=np.array(stored.owners, np.str_),
        calls=stored.calls,
        places=tuple(stored.place(k) for k in range(len(stored))),
        subject=np.array([codes.get(key, -1) for key in keys], np.int64),
    )
