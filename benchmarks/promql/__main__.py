"""``python -m benchmarks.promql [--queries N] [--seed S]``.

Starts a Prometheus (the program ``prometheus`` is needed), compares, prints the shares of agreement
and every difference, and the time that queries over a thousand series take.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import numpy as np

from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, from_ms
from superbizagent.promql import evaluate_range, parse_query

from .compare import Outcome, differential
from .data import START

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from prometheus_server import PrometheusServer

TIMED = (
    "load",
    "rate(load[5m])",
    "sum by (job) (rate(load[5m]))",
    "avg_over_time(load[5m])",
    "quantile_over_time(0.9, load[5m])",
    "deriv(load[5m])",
    "max_over_time(rate(load[1m])[5m:15s])",
    "load / on (instance) group_left sum by (instance) (load)",
    "topk(5, load)",
)


def main() -> int:
    """Compare and measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promql")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        server = PrometheusServer(Path(folder))
        try:
            outcomes = differential(server, options.queries, options.seed)
        finally:
            server.stop()
    _report(outcomes, time.perf_counter() - began)
    _measure()
    return 1 if any(outcome.difference for outcome in outcomes) else 0


def _report(outcomes: list[Outcome], seconds: float) -> None:
    differing = [outcome for outcome in outcomes if outcome.difference]
    counts = Counter(
        "refused by both" if o.refused else "empty" if o.empty else "with series" for o in outcomes
    )
    rounded = sum(outcome.rounded for outcome in outcomes)
    agreed = len(outcomes) - len(differing) - rounded
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    print(f"{agreed} of {len(outcomes)} queries agree within 1e-9 ({kinds}) in {seconds:.1f} s")
    print(f"{rounded} more agree within 1e-6, {len(differing)} differ")
    for outcome in differing:
        print(f"  {outcome.query}\n    at {outcome.where}: {outcome.difference}")


def _measure() -> None:
    """Time a 60-minute range with a step of 15 s over 1,000 series."""
    times = START + np.arange(300, dtype=np.int64) * 15_000
    values = np.random.default_rng(1).random((1000, 300))
    samples = SeriesSet.of(
        ({"__name__": "load", "instance": str(k), "job": str(k % 10)}, times, values[k])
        for k in range(1000)
    )
    start = START + 900_000
    window = Window(start=from_ms(start), end=from_ms(start + 3_600_000))
    for text in TIMED:
        query = parse_query(text)
        began = time.perf_counter()
        found = evaluate_range(query, samples, window, timedelta(seconds=15))
        spent = (time.perf_counter() - began) * 1000
        print(f"{spent:7.0f} ms  {len(found.times):7,} values  {text}")


if __name__ == "__main__":
    raise SystemExit(main())
