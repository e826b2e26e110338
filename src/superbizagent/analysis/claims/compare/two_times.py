"""How far apart one series was at two times: a difference, a ratio or a percentage of its samples.

"Came down by 7.3 s from 13:45 to 13:46", "nearly six times its usual value at 22:12".
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from superbizagent.analysis.claims.compare.sampled import is_open, series_about
from superbizagent.analysis.claims.compare.scales import factors
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Ground, Period, Statistic
from superbizagent.analysis.claims.mentions import Form, Moment, Quantity, WordKind
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.window import to_ms

__all__ = ["of_two_times"]

_TWO = 2
_MOST_SERIES = 6
"""More than these are no answer to which series is meant: some pair of samples always fits."""
_USUAL = (Statistic.MEAN, Statistic.MEDIAN, Statistic.CONSTANT)


def of_two_times(view: View, quantity: Quantity) -> tuple[str, ...]:
    """Return the series (``E4.s17``) of whose samples at two times a number is an operation.

    The second time may be the baseline: "six times its usual value at 22:12". Nothing when the
    number is no operation, or when its clause names no such times.
    """
    changes = quantity.form in {Form.CHANGE, Form.MULTIPLE} or quantity.unit == "ratio"
    if not changes:
        return ()
    moments = [m for m in view.statement.moments if view.clause_of(quantity).holds(m)]
    codes: list[int] = series_about(view, quantity).tolist() if moments else []
    if len(codes) > _MOST_SERIES:
        return ()
    stored = view.ground.stored
    own = [k for k in codes if is_open(view, int(stored.calls[k]))]
    return tuple(
        stored.place(k)
        for k in own
        if any(_is(quantity, *pair) for pair in _pairs(view, quantity, k, moments))
    )


def _pairs(
    view: View, quantity: Quantity, code: int, moments: list[Moment]
) -> Iterator[tuple[float, float, str]]:
    """Yield what the series was first and then, in its unit."""
    ground = view.ground
    if len(moments) == _TWO:
        first, second = sorted(moments, key=lambda m: m.low)
        for raw in (False, True):
            old, new = (_beside(ground, code, m, raw=raw) for m in (first, second))
            yield from ((a, b, _unit(ground, code, raw=raw)) for a in old for b in new)
    elif len(moments) == 1 and _says_usual(view, quantity):
        new = _beside(ground, code, moments[0], raw=False)
        unit = _unit(ground, code, raw=False)
        yield from ((a, b, unit) for a in _usual(ground, code) for b in new)


def _unit(ground: Ground, code: int, *, raw: bool) -> str:
    unit = ground.stored.meanings[code].unit
    rate = MODES[int(ground.stored.modes[code])] == "rate"
    return f"{unit}/s" if rate and not raw else unit


def _beside(ground: Ground, code: int, moment: Moment, *, raw: bool) -> list[float]:
    """Return the last sample before the time as it is written and the first one after it.

    Not all that its precision allows: among many pairs one always has the wanted difference.
    """
    samples = ground.stored.raw if raw else ground.stored.judged
    part = slice(int(samples.offsets[code]), int(samples.offsets[code + 1]))
    times, values = samples.times[part], samples.values[part]
    if len(times) < _TWO:
        return values.tolist()
    # What it covers begins half a unit before what is written: 12:41 is [12:40:30, 12:42).
    at = to_ms(moment.low + (moment.high - moment.low) / 3)
    step = float(np.median(np.diff(times)))
    k = int(np.searchsorted(times, at))
    rows = [j for j in (k - 1, k) if 0 <= j < len(times) and abs(int(times[j]) - at) <= step]
    return [float(values[j]) for j in rows]


def _says_usual(view: View, quantity: Quantity) -> bool:
    words = view.statement.words_of(WordKind.PERIOD, view.clause_of(quantity))
    return any(word.value == "baseline" for word in words)


def _usual(ground: Ground, code: int) -> tuple[float, ...]:
    """Return what a series was in the baseline."""
    subject = _subjects(ground).get((ground.stored.owners[code], ground.stored.names[code]))
    own = ground.subject == (-1 if subject is None else subject)
    rows = own & (ground.period == Period.BASELINE) & np.isin(ground.statistic, _USUAL)
    return tuple(ground.value[rows & ~np.isnan(ground.value)].tolist())


@lru_cache(maxsize=4)
def _subjects(ground: Ground) -> dict[tuple[str, str], int]:
    return {(s.entity, s.name): k for k, s in enumerate(ground.subjects)}


def _is(quantity: Quantity, old: float, new: float, unit: str) -> bool:
    """Tell whether a number is what lies between two values."""
    ratio = new / old if old else np.nan
    match quantity.form:
        case Form.MULTIPLE:
            return quantity.accepts(ratio)
        case _ if quantity.unit == "ratio" and quantity.form is Form.CHANGE:
            found = [abs(ratio - 1)]
        case _ if quantity.unit == "ratio":
            found = [ratio]
        case _:
            found = []
    if quantity.form is Form.CHANGE:
        found += [abs(new - old) * factor for factor in factors(quantity.unit, unit)]
    return any(quantity.accepts(value) for value in found)
