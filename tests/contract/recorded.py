"""What every source under the contract is filled with, whatever its form."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import polars as pl

from superbizagent.domain.series import Labels
from superbizagent.domain.window import Window, Windows, to_ms

__all__ = [
    "END",
    "LOG_COLUMNS",
    "LOG_LINES",
    "SAMPLES",
    "START",
    "STEP",
    "Sample",
    "log_lines",
    "log_windows",
    "samples",
    "series_labels",
    "window",
]

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
STEP = timedelta(seconds=15)
SAMPLES = 40
END = START + STEP * (SAMPLES - 1)
LOG_COLUMNS = {
    "time": pl.Int64,
    "severity": pl.Int8,
    "service": pl.String,
    "body": pl.String,
    "line": pl.String,
    "offset": pl.Int64,
    "trace_id": pl.String,
}
"""The columns of `LogChunk.frame`."""

LOG_LINES = 600
"""One a second from `START`, for each service."""

SERVICES = ("front", "order", "stock")
METRICS = ("errors_total", "pool_active", "pool_max", "requests_total")

Sample = tuple[Labels, int, float]


def series_labels() -> Iterator[Labels]:
    """Every series in the order of their printed names."""
    for metric in METRICS:
        for service in SERVICES:
            yield {"__name__": metric, "service": service}


def samples() -> Iterator[Sample]:
    """Label set, time in ms and value of each sample; ``pool_max`` never changes."""
    for number, labels in enumerate(series_labels()):
        # The pool of the front door is replaced half-way: its series ends.
        ends = labels == {"__name__": "pool_active", "service": "front"}
        for k in range(SAMPLES // 2 if ends else SAMPLES):
            value = 50.0 if labels["__name__"] == "pool_max" else float(number * 100 + k * k)
            yield labels, to_ms(START + STEP * k), value


def window(first: int = 0, last: int = SAMPLES - 1) -> Window:
    """The span from one sample to another."""
    return Window(start=START + STEP * first, end=START + STEP * last)


def log_lines(service: str) -> Iterator[tuple[datetime, str]]:
    """Time and message of each record of a service."""
    for k in range(LOG_LINES):
        level = "ERROR" if k % 100 == 7 else "INFO"
        yield (
            START + timedelta(seconds=k),
            f"{level} {service} handled request {k} in {k % 50} ms",
        )


def log_windows(baseline: tuple[int, int], incident: tuple[int, int]) -> Windows:
    """Windows by seconds after `START`."""

    def span(ends: tuple[int, int]) -> Window:
        return Window(
            start=START + timedelta(seconds=ends[0]), end=START + timedelta(seconds=ends[1])
        )

    return Windows(incident=span(incident), baselines=(span(baseline),))
