"""What each series that moved is like since it hurts, against the same quantity before.

The sweep's own statistics are made for finding: a median against the mean of a window that was
opened early. What a reader is told is the same quantity twice: the mean of a level, the rate of a
counter, the time per event of a histogram.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.preparation import MODES
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.check import Reduce
from superbizagent.domain.fact import Fact
from superbizagent.domain.series import Labels, series_name
from superbizagent.domain.window import Window
from superbizagent.investigation.facts.checks import counted_from, reduce_series
from superbizagent.investigation.facts.windows import CheckWindows

__all__ = ["count_sibling", "facts_since"]


def count_sibling(labels: Labels) -> Labels:
    """Return the labels of the ``_count`` that belongs to a histogram's ``_sum``."""
    return labels | {"__name__": labels["__name__"].removesuffix("_sum") + "_count"}


def facts_since(call: MetricCall, windows: CheckWindows) -> tuple[Fact, ...]:
    """Return ``mean_before`` and ``mean_since`` of every series with an onset among the facts.

    Of counters and histograms the statistics begin with ``rate_`` and ``mean_``, as the sweep's do.
    Ids go on after those of ``call.facts``.
    """
    reader = _Reader(call, {series_name(labels): k for k, labels in enumerate(call.series.labels)})
    drafts = [
        draft
        for fact in call.facts
        if fact.statistic == "onset_at" and fact.place.startswith("series/")
        for draft in reader.drafts(fact, windows)
    ]
    first = len(call.facts) + 1
    return tuple(Fact(id=f"E{call.number}.{n}", **d) for n, d in enumerate(drafts, first))


@dataclass(frozen=True, slots=True)
class _Reader:
    call: MetricCall
    places: dict[str, int]

    def drafts(self, onset: Fact, windows: CheckWindows) -> Iterator[dict[str, Any]]:
        row = int(onset.place.split("/")[1])
        mode = MODES[int(self.call.deviations.mode[row])]
        unit = self.call.deviations.meanings[row].unit
        for statistic, span in (("mean_before", windows.baseline), ("mean_since", windows.acute)):
            value = self._value(row, mode, span) if span is not None else None
            if value is not None:
                yield {
                    "entity": onset.entity,
                    "name": onset.name,
                    "statistic": statistic if mode == "value" else f"{mode}_{statistic}",
                    "value": round_significant(value),
                    "unit": f"{unit}/s" if mode == "rate" else unit,
                    "window": span,
                    "place": f"series/{row}",
                }

    def _value(self, row: int, mode: str, span: Window) -> float | None:
        if mode == "value":
            return self._reduced(row, Reduce.MEAN, span)
        risen = self._reduced(row, Reduce.INCREASE, span)
        by = self._seconds(row, span) if mode == "rate" else self._events(row, span)
        return risen / by if risen is not None and by else None

    def _seconds(self, row: int, span: Window) -> float:
        over = counted_from(self.call.series[row], span)
        return (over[1] - over[0]) / 1000 if over is not None else 0.0

    def _events(self, row: int, span: Window) -> float:
        name = series_name(count_sibling(self.call.series.labels[row]))
        found = self.places.get(name)
        return (self._reduced(found, Reduce.INCREASE, span) or 0.0) if found is not None else 0.0

    def _reduced(self, row: int, reduce: Reduce, span: Window) -> float | None:
        history = self.call.deviations.windows.whole.start_ms
        reading = reduce_series(self.call.series[row], reduce, span, history)
        return reading.value if reading is not None else None
