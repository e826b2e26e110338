"""A small recorded incident: a service's pool fills up. Names are the caller's choice."""

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 7, 6, 9, 0, tzinfo=UTC)
FAULT = START + timedelta(minutes=45)
END = START + timedelta(minutes=60)
STEP = timedelta(seconds=15)


def write_bundle(folder: Path, service: str = "order-service", alert: str = "PoolFull") -> Path:
    """Write alert, metrics and logs of one incident of ``service`` into ``folder``."""
    (folder / "logs").mkdir(parents=True)
    body = {
        "version": "4",
        "status": "firing",
        "alerts": [
            {
                "status": "firing",
                "labels": {"alertname": alert, "service": service, "severity": "critical"},
                "annotations": {"summary": "the pool is full"},
                "startsAt": _iso(FAULT + timedelta(minutes=2)),
                "endsAt": "0001-01-01T00:00:00Z",
            }
        ],
    }
    (folder / "alert.json").write_text(json.dumps(body))
    rows = ["time,name,labels,value", *_samples(service), *_samples("billing", faulty=False)]
    (folder / "metrics.csv").write_text("\n".join(rows) + "\n")
    (folder / "logs" / f"{service}.log").write_text("".join(_lines(service)))
    return folder


def _iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _samples(service: str, *, faulty: bool = True) -> Iterator[str]:
    labels = json.dumps({"service": service}).replace('"', '""')
    at, n, errors = START, 0, 0.0
    while at <= END:
        bad = faulty and at >= FAULT
        errors += 40.0 if bad else 0.0
        used = 50.0 if bad else 11.0 + round(math.sin(n / 7), 3)
        for name, value in (("db_pool_active_connections", used), ("http_errors_total", errors)):
            yield f'{_iso(at)},{name},"{labels}",{value}'
        at, n = at + STEP, n + 1


def _lines(service: str) -> Iterator[str]:
    at = START
    while at <= END:
        yield f"{_iso(at)} INFO [{service}] order placed in 12ms\n"
        if at >= FAULT:
            yield (
                f"{_iso(at)} ERROR [{service}] Connection is not available, timed out after 30000ms"
                " pool_active=50 pool_max=50 waiting_threads=23\n"
            )
        at += timedelta(seconds=20)
