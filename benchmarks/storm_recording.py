"""A recording of the system of a made storm: what its servers would have told of the faults.

Requests, errors and time of every service, an hour before the storm and a few minutes into it, and
who calls whom. Enough for a diagnosis to look at; how good diagnoses are is measured elsewhere.
"""

import csv
import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.storm_alerts import START, Storm

__all__ = ["write_recording"]

_STEP = 15
_BEFORE, _AFTER = timedelta(minutes=60), timedelta(minutes=3)


def write_recording(storm: Storm, folder: Path) -> None:
    """Write the recording of a storm into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    begin, end = START - _BEFORE, START + _AFTER
    calls: dict[str, list[str]] = {name: [] for name in storm.system.services}
    for caller, callee in storm.system.edges:
        calls[caller].append(callee)
    # JSON is YAML, too.
    topology = {"services": {n: {"kind": "service", "calls": c} for n, c in calls.items()}}
    (folder / "topology.yaml").write_text(json.dumps(topology, indent=1), encoding="utf-8")
    about = {
        "server": "prometheus",
        "version": "3.5.0",
        "scrape_interval_seconds": _STEP,
        "from": begin.isoformat(),
        "to": end.isoformat(),
        "services": list(calls),
    }
    (folder / "source.json").write_text(json.dumps(about), encoding="utf-8")
    with (folder / "metrics.csv").open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(("time", "name", "labels", "value"))
        for name in calls:
            table.writerows(_rows(storm, name, begin, end))


def _rows(
    storm: Storm, service: str, begin: datetime, end: datetime
) -> Iterator[tuple[str, str, str, float]]:
    rng = random.Random(service)  # noqa: S311 - data to be made again, no secret
    hurt = _hurt(storm, service)
    good = failed = seconds = 0.0
    at = begin
    while at <= end:
        share = max((h for since, h in hurt if at >= since), default=0.0)
        requests = _STEP * rng.uniform(18, 22)
        errors = requests * min(0.9, 0.002 + 0.5 * share)
        good, failed = good + requests - errors, failed + errors
        seconds += requests * (0.02 + 1.5 * share) * rng.uniform(0.9, 1.1)
        told = at.isoformat()
        for name, labels, value in (
            ("http_requests_total", {"code": "200"}, good),
            ("http_requests_total", {"code": "500"}, failed),
            ("http_request_duration_seconds_sum", {}, seconds),
            ("http_request_duration_seconds_count", {}, good + failed),
        ):
            about = {"job": service, "service": service, "instance": f"{service}:8080"}
            yield told, name, json.dumps(about | labels, sort_keys=True), round(value, 3)
        at += timedelta(seconds=_STEP)


def _hurt(storm: Storm, service: str) -> list[tuple[datetime, float]]:
    """Since when each fault hurts a service, and how much: the nearer, the more."""
    system, found = storm.system, list[tuple[datetime, float]]()
    for fault in storm.faults:
        hit = [
            name
            for name in system.services
            if fault.where in {name, system.namespaces[name]}
            or any(pod.node == fault.where for pod in system.pods[name])
        ]
        hops = min((_hops(storm, service, name) for name in hit), default=9)
        if hops <= 2:
            # A fault is there before its first alert fires.
            since = START + timedelta(seconds=fault.at - 60)
            found.append((since, 1.0 / (1 + 2 * hops)))
    return found


def _hops(storm: Storm, service: str, name: str) -> int:
    return 0 if service == name else storm.system.callers(name, 2).get(service, 9)
