"""Small recordings, written as text, and questions to them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import numpy as np

from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.window import Window, from_ms
from superbizagent.promql import (
    Server,
    evaluate_instant,
    evaluate_range,
    parse_query,
    parse_selector,
)

__all__ = ["STALE", "T0", "Data", "Recording", "record"]

T0 = 1_700_000_040_000
"""A whole minute, in milliseconds; times of the tests are seconds after it."""

STALE = np.array([0x7FF0000000000002], np.uint64).view(np.float64)[0]

Data = Mapping[str, Sequence[float | str | None]]
"""Series as a selector -> values ``every`` seconds, None for a gap, ``stale`` for its marker."""


class Recording:
    """Samples, and what the evaluator says about them."""

    def __init__(self, data: Data, every: float, version: str) -> None:
        self.samples = SeriesSet.of(
            (_labels(text), *_columns(values, every)) for text, values in data.items()
        )
        self.server = Server(version=version)

    def at(self, query: str, seconds: float = 0.0) -> dict[str, float]:
        """Ask at one instant: printed series -> value."""
        moment = from_ms(T0 + round(seconds * 1000))
        found = evaluate_instant(parse_query(query), self.samples, moment, self.server)
        return {str(series): float(series.values[0]) for series in found}

    def over(
        self, query: str, start: float, end: float, step: float
    ) -> dict[str, dict[float, float]]:
        """Ask over a span: printed series -> seconds -> value."""
        window = Window(
            start=from_ms(T0 + round(start * 1000)), end=from_ms(T0 + round(end * 1000))
        )
        found = evaluate_range(
            parse_query(query), self.samples, window, timedelta(seconds=step), self.server
        )
        return {
            str(series): {
                (int(at) - T0) / 1000: float(value)
                for at, value in zip(series.times, series.values, strict=True)
            }
            for series in found
        }


def record(data: Data, *, every: float = 15.0, version: str = "3.1.0") -> Recording:
    """Record values ``every`` seconds from time 0 on, as a server of some version does."""
    return Recording(data, every, version)


def _labels(text: str) -> Labels:
    selector = parse_selector(text)
    labels = {matcher.label: matcher.value for matcher in selector.matchers}
    return {"__name__": selector.name, **labels} if selector.name else labels


def _columns(
    values: Sequence[float | str | None], every: float
) -> tuple[
    np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.float64]]
]:
    places = [k for k, value in enumerate(values) if value is not None]
    times = np.array([T0 + round(k * every * 1000) for k in places], np.int64)
    numbers = np.zeros(len(places))
    for k, place in enumerate(places):
        value = values[place]
        numbers[k] = STALE if isinstance(value, str) else value
    return times, numbers
