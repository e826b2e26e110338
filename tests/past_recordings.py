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

NOW_AND_THEN: Restless = tuple((k, k + 6) for k in range(22, 165, 47))
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


def _failures(first: int, end: int, count: int) -> Iterable[str]:
    for number in range(first, end):
        at = START + timedelta(seconds=number * 60 / PER_MINUTE)
        stamp = at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        for k in range(count):
            yield f"{stamp} ERROR ledger refuses the booking, part {k}"


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
    restless: Restless = NOW_AND_THEN,
    wire_ms: float = LOUD,
    *,
    errors: int = 2,
    logs: bool = True,
    traces_from: timedelta | None = timedelta(0),
    fault_ms: float = 3.0,
    fault_errors: int = 0,
) -> Path:
    """Write a recording.

    Args:
        folder: does not exist yet.
        restless: when payment is reached late before the label's fault.
        wire_ms: how late it is then.
        errors: lines of a request that is late then.
        logs: whether there are any.
        traces_from: when the tracing was switched on; None: never.
        fault_ms: how late payment is reached in the fault; 3 ms is the usual.
        fault_errors: lines of each request in the fault.
    """
    (folder / "logs").mkdir(parents=True)
    (folder / "metrics.csv.gz").write_bytes(gzip.compress(metrics().encode()))
    wire = wires(restless, wire_ms)
    begins = round(FAULT / timedelta(minutes=1)) * PER_MINUTE
    if fault_ms > 3.0:
        wire[begins:] = [fault_ms] * (len(wire) - begins)
    if traces_from is not None:
        first = traces_from / timedelta(microseconds=1)
        spans = [s for s in spans_of(wire) if s.start >= first]
        (folder / "traces.jsonl").write_text(otlp_lines(spans))
    if logs:
        lines = [*lines_of(wire, errors), *_failures(begins, len(wire), fault_errors)]
        text = "\n".join(lines) + "\n"
        (folder / "logs" / "payment.log").write_text(text)
    begin = round((START + FAULT).timestamp())
    end = round((START + HOURS).timestamp())
    told = {"inject_time": begin, "end_time": end, "entry": "storefront"}
    (folder / "label.json").write_text(json.dumps(told))
    over = {
        "labels": {"alertname": "PaymentSlow", "service": "payment"},
        "status": "resolved",
        "startsAt": (START + FAULT + timedelta(minutes=5)).isoformat(),
        "endsAt": (START + HOURS).isoformat(),
    }
    (folder / "alert.json").write_text(json.dumps({"alerts": [over]}))
    return folder
