"""Seeded samples with everything that makes evaluation hard."""

import random
import struct
from collections.abc import Callable, Iterator

import numpy as np

from superbizagent.domain.series import SeriesSet

__all__ = ["END", "START", "Written", "as_series_set", "random_series"]

START = 1_767_225_600_000 + 3_217
"""Milliseconds since the epoch; off every grid of whole seconds."""
END = START + 40 * 60_000
INTERVAL = 15_000
JITTER = (0, 0, 1, 7, 250)
STALE = struct.unpack("<d", struct.pack("<Q", 0x7FF0000000000002))[0]
BOUNDS = ("0.1", "0.5", "1", "2.5", "+Inf")

Written = dict[tuple[tuple[str, str], ...], list[tuple[int, float]]]
"""Label pairs of a series -> its samples."""


def random_series(seed: int) -> Written:
    """Return some forty series of six metrics: counters, gauges, a histogram, and oddities."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    found: Written = {}
    for labels, values in _families(draw):
        times = _times(draw)
        samples = list(zip(times, values(len(times)), strict=True))
        found[tuple(sorted(labels.items()))] = _stale(draw, samples)
    return found


def as_series_set(written: Written) -> SeriesSet:
    """Return the samples as the evaluator takes them."""
    return SeriesSet.of(
        (
            dict(labels),
            np.array([at for at, _ in samples], np.int64),
            np.array([value for _, value in samples], np.float64),
        )
        for labels, samples in written.items()
    )


_Values = Callable[[int], list[float]]


def _families(draw: random.Random) -> Iterator[tuple[dict[str, str], _Values]]:
    for job in ("api", "web", "db"):
        for instance in ("a:1", "b:1", "c:2"):
            where = {"job": job, "instance": instance}
            for code in ("200", "500"):
                name = {"__name__": "requests_total", "code": code}
                yield where | name, lambda n: _counter(draw, n)
            yield where | {"__name__": "load"}, lambda n: _gauge(draw, n)
            if draw.random() < 0.7:
                yield where | {"__name__": "queue"}, lambda n: _small(draw, n)
        yield {"__name__": "limit", "job": job, "team": f"t{len(job)}"}, lambda n: [40.0] * n
        if job != "db":
            for rank, bound in enumerate(BOUNDS if job == "api" else BOUNDS[:-1]):
                name = {"__name__": "seconds_bucket", "job": job, "le": bound}
                yield name, lambda n, rank=rank: _bucket(n, rank)
    yield {"__name__": "lone"}, lambda n: _gauge(draw, n)


def _times(draw: random.Random) -> list[int]:
    jitter = draw.choice(JITTER)
    first = START + draw.choice((0, 0, 0, 400_000)) + draw.choice((0, 0, 3_783, 11_000))
    last = END - draw.choice((0, 0, 0, 700_000))
    times: list[int] = []
    at = first - first % INTERVAL if draw.random() < 0.4 else first
    while at <= last:
        moved = at + (draw.randint(-jitter, jitter) if jitter else 0)
        if draw.random() > 0.04:
            times.append(moved)
        at += INTERVAL * (draw.randint(2, 30) if draw.random() < 0.02 else 1)
    return times


def _stale(draw: random.Random, samples: list[tuple[int, float]]) -> list[tuple[int, float]]:
    if draw.random() < 0.5:
        return samples
    places = {draw.randrange(len(samples)) for _ in range(3)}
    return [(at, STALE if k in places else value) for k, (at, value) in enumerate(samples)]


def _counter(draw: random.Random, count: int) -> list[float]:
    total, values = float(draw.choice((0, 3, 10_000))), list[float]()
    for _ in range(count):
        total = 0.0 if draw.random() < 0.03 else total + draw.choice((0, 0, 1, 2, 7.5))
        values.append(total)
    return values


def _gauge(draw: random.Random, count: int) -> list[float]:
    rare = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0)
    return [draw.choice(rare) if draw.random() < 0.02 else draw.gauss(20, 30) for _ in range(count)]


def _small(draw: random.Random, count: int) -> list[float]:
    return [float(draw.randint(-2, 4)) for _ in range(count)]


def _bucket(count: int, rank: int) -> list[float]:
    # Every third scrape the buckets disagree a little, as those of a moving histogram do.
    return [float(k * (rank + 1) ** 2 // 3 - (5 if k % 3 == rank else 0)) for k in range(count)]
