"""Recordings of a small shop over hours, with metrics, logs and traces of one course.

Payment is reached late for some minutes every now and then, and writes errors meanwhile: that is
how this shop is on any day. At the end of it something else may happen.
"""

import gzip
import json
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np

from span_recordings import START, Span, otlp_lines, request

SERVICES = ("storefront", "order", "payment")
HOURS = timedelta(minutes=180)
"""Of the whole recording."""
FAULT = timedelta(minutes=170)
"""When the fault begins that the label tells of."""
STEP = 15
PER_MINUTE = 6

Restless = Sequence[tuple[int, int]]
"""Spans of minutes in which payment is reached late and complains."""

EVERY_HALF_HOUR: Restless = tuple((k, k + 6) for k in range(20, 165, 23))
LOUD = 60.0


def wires(restless: Restless, wire_ms: float) -> list[float]:
    """Return the time to payment of each request, in ms."""
    minutes = round(HOURS / timedelta(minutes=1))
    late = {m for first, last in restless for m in range(first, last)}
    return [wire_ms if k // PER_MINUTE in late else 3.0 for k in range(minutes * PER_MINUTE)]


def spans_of(wire: Iterable[float]) -> list[Span]:
    """Return a checkout for each time on the wire."""
    spans: list[Span] = []
    for number, ms in enumerate(wire):
        at = timedelta(seconds=number * 60 / PER_MINUTE)
        # Nothing takes equally long twice.
        spans += request(number, at, ms * (1 + (number % 7) / 50))
    return spans


def lines_of(wire: Iterable[float], errors: int) -> list[str]:
    """Return what payment logs: each charge, and errors where it is reached late."""
    lines: list[str] = []
    for number, ms in enumerate(wire):
        at = START + timedelta(seconds=number * 60 / PER_MINUTE)
        stamp = at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        lines.append(f"{stamp} INFO charged order {number} in {12 + number % 5} ms")
        if ms > 3.0:
            lines += [f"{stamp} ERROR card network answers late, try {k}" for k in range(errors)]
    return lines


def metrics(seed: int = 0) -> str:
    """Return calm metrics of all services."""
    random = np.random.default_rng(seed)
    times = round(START.timestamp()) + STEP * np.arange(round(HOURS.total_seconds()) // STEP)
    columns = {
        f"{service}|{name}": level * (1 + 0.05 * random.normal(size=len(times)))
        for service in SERVICES
        for name, level in (("cpu_usage", 0.2), ("latency_p95", 0.05), ("error_rate", 0.01))
    }
    rows = [
        [str(t), *(f"{v[k]:.6f}" for v in columns.values())] for k, t in enumerate(times.tolist())
    ]
    return "\n".join(",".join(row) for row in (["time", *columns], *rows)) + "\n"


def write_recording(
    folder: Path,
    restless: Restless = EVERY_HALF_HOUR,
    wire_ms: float = LOUD,
    *,
    errors: int = 2,
    logs: bool = True,
    traces: bool = True,
) -> Path:
    """Write a recording; of calm ones only the last ten minutes are asked about as a fault."""
    (folder / "logs").mkdir(parents=True)
    (folder / "metrics.csv.gz").write_bytes(gzip.compress(metrics().encode()))
    wire = wires(restless, wire_ms)
    if traces:
        (folder / "traces.jsonl").write_text(otlp_lines(spans_of(wire)))
    if logs:
        text = "\n".join(lines_of(wire, errors)) + "\n"
        (folder / "logs" / "payment.log").write_text(text)
    begin = round((START + FAULT).timestamp())
    end = round((START + HOURS).timestamp())
    told = {"inject_time": begin, "end_time": end, "entry": "storefront"}
    (folder / "label.json").write_text(json.dumps(told))
    return folder
