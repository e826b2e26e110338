"""How an average or an increase came about, so that a reader can check it with two samples."""

import math
from collections.abc import Sequence
from datetime import tzinfo

from superbizagent.domain.check import Reduce
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.series import Series, SeriesSet
from superbizagent.domain.source import RangeQuery
from superbizagent.domain.window import Window, from_ms
from superbizagent.investigation.facts.checks import counted_from, reduce_series
from superbizagent.investigation.wording.narrator import Narrator

__all__ = ["counting_lines", "is_counted", "rows_of"]

_INCREASES = frozenset({"increase", "failed", "requests", "spent", "answered"})
_NO_DIGITS = 1e-9  # of the increase: less is the rounding of the subtraction


def rows_of(fact: Fact) -> tuple[int, ...]:
    """Return the series that a fact was read out of: ``series/3`` is one, ``sum/3,7`` are two."""
    kind, _, rest = fact.place.partition("/")
    if kind not in {"series", "sum"}:
        return ()
    return tuple(int(k) for k in rest.partition("/")[0].split(","))


def is_counted(fact: Fact) -> bool:
    """Tell whether a fact is about a whole window of raw samples, not about one of them."""
    of_samples = fact.statistic in {*_INCREASES, "elapsed"} or (
        fact.statistic == "mean" and "sample" not in fact.place
    )
    return of_samples and fact.window is not None


def counting_lines(
    fact: Fact, call: ToolInvocation, series: SeriesSet, zone: tzinfo, words: Narrator
) -> list[str]:
    """Return the first and last sample of each series with their difference, then the total."""
    span = fact.window
    if span is None:
        return []
    chosen = [series[k] for k in rows_of(fact)]
    if fact.statistic == "mean":
        return [line for one in chosen for line in _mean(one, span, zone, words)]
    history = RangeQuery.model_validate(call.call.input).window.start_ms
    lines = [line for one in chosen for line in _increase(one, span, history, zone, words)]
    if fact.statistic == "elapsed":
        said = words.say("counted.elapsed", value=str(fact.value), unit=fact.unit)
        return [*lines, said]
    if len(chosen) > 1:
        total = sum(_value(one, span, history) for one in chosen)
        lines.append(words.say("counted.total", n=str(len(chosen)), value=repr(total)))
    return lines


def _value(series: Series, span: Window, history: int) -> float:
    reading = reduce_series(series, Reduce.INCREASE, span, history)
    return reading.value if reading is not None else 0.0


def _increase(
    series: Series, span: Window, history: int, zone: tzinfo, words: Narrator
) -> list[str]:
    over = counted_from(series, span)
    if over is None:
        return [str(series), words.say("counted.no_sample")]
    rows = _rows(series, over[0], over[1])
    first, last = float(series.values[rows[0]]), float(series.values[rows[-1]])
    value = _value(series, span, history)
    start = f"  {_clock(series, rows[0], zone)}  {first!r}"
    if series.times[rows[0]] < span.start_ms:
        start += words.say("counted.before")
    elif abs(value - last) <= _NO_DIGITS * value and first:
        # Born inside the look: it had counted nothing before.
        start += words.say("counted.born")
        first = 0.0
    lines = [f"{series}", start, f"  {_clock(series, rows[-1], zone)}  {last!r}"]
    lines.append(words.say("counted.difference", value=repr(last - first)))
    if abs(value - (last - first)) > _NO_DIGITS * max(value, 1.0):
        lines.append(words.say("counted.fell", value=repr(value)))
    return lines


def _mean(series: Series, span: Window, zone: tzinfo, words: Narrator) -> list[str]:
    rows = _rows(series, span.start_ms, span.end_ms)
    if not rows:
        return [str(series), words.say("counted.no_sample")]
    ends = [
        f"  {_clock(series, k, zone)}  {float(series.values[k])!r}" for k in (rows[0], rows[-1])
    ]
    mean = float(series.values[list(rows)].mean())
    return [
        str(series),
        *ends,
        words.say("counted.mean", n=str(len(rows)), value=repr(mean)),
    ]


def _rows(series: Series, start_ms: int, end_ms: int) -> Sequence[int]:
    inside = (series.times >= start_ms) & (series.times <= end_ms)
    finite = abs(series.values) < math.inf  # false for NaN too
    return (inside & finite).nonzero()[0].tolist()


def _clock(series: Series, row: int, zone: tzinfo) -> str:
    return f"{from_ms(int(series.times[row])).astimezone(zone):%H:%M:%S.%f}"[:-3]
