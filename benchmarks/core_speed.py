"""How fast the root-cause core is on one core, and how it grows.

    python -m benchmarks.core_speed [--series 100000] [--spans 60000] [--json]

Series of 60 samples, of services with twenty metrics each, one of which goes wrong; the whole way
from samples to a ranking, facts of the thirty strongest included, as a diagnosis asks for it. Spans
of requests through ten services, one of which becomes slow. Fails above the budget.
"""

import argparse
import json
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl

from superbizagent.analysis.calls import MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import facts_of_series
from superbizagent.analysis.findings import findings_from_series, number_findings
from superbizagent.analysis.ranking import Ranking, RankingInput, rank_causes
from superbizagent.analysis.span_channels import read_spans
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.span_table import spans_from
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Window, Windows, from_ms

SERIES_BUDGET_SECONDS = 5.0
"""For 100,000 series of 60 samples."""
SPANS_BUDGET_SECONDS = 1.0
"""For 60,000 spans."""

_START = 1_790_000_000_000
_STEP_MS = 15_000
_SAMPLES = 60
_OF_A_SERVICE = 20
_NAMES = (
    "http_request_duration_seconds_p99", "http_requests_errors", "process_cpu_usage",
    "process_resident_memory_bytes", "disk_used_bytes", "network_receive_rate",
    "http_requests_rate", "pool_pending", "queue_length", "cache_entries",
)  # fmt: skip


def windows() -> Windows:
    """Three quarters of the samples before, one quarter during."""
    begin = _START + 45 * _STEP_MS
    return Windows(
        incident=Window(start=from_ms(begin), end=from_ms(_START + (_SAMPLES - 1) * _STEP_MS)),
        baselines=(Window(start=from_ms(_START), end=from_ms(begin - 2 * _STEP_MS)),),
    )


def made_series(count: int) -> SeriesSet:
    """Return noise around a level of its own for each series; service 3 becomes slow and busy."""
    random = np.random.default_rng(0)
    values = random.uniform(1, 100, (count, 1)) * (1 + 0.05 * random.normal(size=(count, _SAMPLES)))
    faulty = slice(3 * _OF_A_SERVICE, 3 * _OF_A_SERVICE + 3)
    values[faulty, 45:] *= 4
    labels = tuple(
        {
            "__name__": _NAMES[k % len(_NAMES)],
            "service": f"s{k // _OF_A_SERVICE}",
            "instance": str(k % _OF_A_SERVICE // len(_NAMES)),
        }
        for k in range(count)
    )
    times = np.tile(_START + _STEP_MS * np.arange(_SAMPLES, dtype=np.int64), count)
    return SeriesSet(labels, np.arange(count + 1) * _SAMPLES, times, values.ravel())


def made_spans(count: int) -> SpanSet:
    """Return requests through a chain of ten services; one becomes slow to reach."""
    random = np.random.default_rng(0)
    requests = count // 10
    start = _START * 1000 + np.sort(random.integers(0, _SAMPLES * _STEP_MS * 1000, requests))
    late = start >= windows().incident.start_ms * 1000
    wire = random.uniform(500, 1500, (requests, 10)).astype(np.int64)
    wire[late, 5] += 30_000
    duration = np.cumsum(wire[:, ::-1], axis=1)[:, ::-1]
    depth = np.tile(np.arange(10), requests)
    request = np.repeat(np.arange(requests), 10)
    name = [f"{r}-{d}" for r, d in zip(request.tolist(), depth.tolist(), strict=True)]
    parents = ["" if d == 0 else f"{r}-{d - 1}" for r, d in zip(request, depth, strict=True)]
    return spans_from(
        pl.DataFrame(
            {
                "trace_id": [str(r) for r in request.tolist()],
                "span_id": name,
                "parent_id": parents,
                "service": [f"s{d}" for d in depth.tolist()],
                "operation": ["get"] * len(name),
                "start_us": np.repeat(start, 10) + depth * 200,
                "duration_us": duration.ravel(),
            }
        )
    )


def entity_of(labels: Labels) -> str | None:
    """Return the path of the service."""
    return f"//service/{labels['service']}"


def rank_series(series: SeriesSet) -> Ranking:
    """Go the whole way from samples to a ranking."""
    deviations = measure(series, windows(), timedelta(milliseconds=_STEP_MS))
    facts = facts_of_series(1, series, deviations, entity_of)
    findings = number_findings(findings_from_series(series, deviations, facts, entity_of))
    call = MetricCall(1, series, deviations, facts)
    return rank_causes(RankingInput(entity_of, metrics=(call,), findings=findings))


def seconds_of(work: Callable[[], object]) -> float:
    """Return CPU seconds of the process, so that a busy machine tells the same."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measured(series: int, spans: int) -> dict[str, Any]:
    """Return seconds at a hundredth, a tenth and the whole of both sizes."""
    found: dict[str, Any] = {"series": {}, "spans": {}}
    for part in (100, 10, 1):
        n = max(_OF_A_SERVICE * 10, series // part)
        made = made_series(n)
        found["series"][n] = round(seconds_of(lambda made=made: rank_series(made)), 3)
        m = max(100, spans // part)
        recorded = made_spans(m)
        found["spans"][m] = round(
            seconds_of(lambda recorded=recorded: read_spans(recorded, windows(), entity_of)), 3
        )
    return found


def main() -> None:
    """Print the seconds; end with 1 above the budget."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--series", type=int, default=100_000)
    parser.add_argument("--spans", type=int, default=60_000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = measured(args.series, args.spans)
    lines = [f"{n:>9,} {kind}: {s:.3f} s" for kind, rows in found.items() for n, s in rows.items()]
    print(json.dumps(found) if args.json else "\n".join(lines))
    late = [
        f"{kind}: {list(found[kind].values())[-1]} s, at most {budget} s"
        for kind, budget in (("series", SERIES_BUDGET_SECONDS), ("spans", SPANS_BUDGET_SECONDS))
        if list(found[kind].values())[-1] > budget
    ]
    if late:
        raise SystemExit("too slow: " + "; ".join(late))


if __name__ == "__main__":
    main()
