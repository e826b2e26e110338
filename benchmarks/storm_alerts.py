"""Storms of alerts whose faults are known: Alertmanager bodies, one alert each, the truth apart.

Ten thousand deliveries in a minute: five faults in one connected system (see `storm_system`) with
the alerts of their callers, names that faults share, groups by alert name, duplicates, resolved
alerts, some that overtake their firing, and noise that belongs to none of them.

    python -m benchmarks.storm_alerts --seed 1 --shape mixed --out storm.jsonl --truth truth.json
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.storm_faults import SHAPES, Fault, Symptom, draw_faults, symptoms_of
from benchmarks.storm_system import System, make_system

__all__ = ["START", "Delivery", "Storm", "make_storm"]

SECONDS = 60.0
START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_DUPLICATES = 0.72
"""Share of deliveries that only repeat: two Alertmanagers, retries, groups sent again."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One request."""

    received_at: datetime
    body: bytes


@dataclass(frozen=True, slots=True)
class Storm:
    """What came in, and apart from it what it was about."""

    system: System
    faults: tuple[Fault, ...]
    deliveries: tuple[Delivery, ...]
    truth: tuple[str, ...]
    """Of each delivery: name of its fault, a name of its own for noise that somebody should look
    at, empty where nobody is asked to act."""


@dataclass(frozen=True, slots=True)
class _Sent:
    at: float
    symptom: Symptom
    status: str
    truth: str


def make_storm(
    seed: int, shape: str = "mixed", *, count: int = 10_000, mesh: float = 0.3, breadth: int = 1
) -> Storm:
    """Make a storm.

    Args:
        seed: decides everything that the rest leaves open.
        shape: which faults; one of `SHAPES`.
        count: deliveries.
        mesh: share of services whose complaints of a callee name it, as those of a mesh do.
        breadth: how many calls go from one service to the next layer at most.
    """
    rng = random.Random(f"{seed} {shape}")  # noqa: S311 - data to be made again, no secret
    system = make_system(rng, breadth=breadth)
    faults = draw_faults(system, shape, rng)
    first = [
        _Sent(at, symptom, "firing", fault)
        for at, symptom, fault in symptoms_of(system, faults, rng, mesh=mesh)
    ]
    first = [sent for sent in first if sent.at < SECONDS]
    rng.shuffle(first)
    room = int(count * (1 - _DUPLICATES))
    sent = [*first[:room], *_noise(system, rng, count)]
    sent += _resolved(sent, rng)
    sent += _repeated(sent, rng, count - len(sent))
    # Requests overtake each other by a second or two.
    arrivals = sorted(((one.at + rng.uniform(0, 2), k) for k, one in enumerate(sent)))
    sent = [sent[k] for _, k in arrivals]
    whole = tuple(_delivery(at, one) for (at, _), one in zip(arrivals, sent, strict=True))
    return Storm(system, faults, whole, tuple(one.truth for one in sent))


def _noise(system: System, rng: random.Random, count: int) -> Iterator[_Sent]:
    """What fires anyway: heartbeats, information, and single warnings about somebody."""
    for k in range(count // 1000):
        labels = {"alertname": "Watchdog", "severity": "none", "cluster": "prod-1"}
        yield _Sent(k * SECONDS / (count // 1000), Symptom(labels), "firing", "")
    for _ in range(count // 100):
        service = rng.choice(system.services)
        pod = rng.choice(system.pods[service])
        labels = {
            "alertname": rng.choice(("CPUThrottlingHigh", "KubeQuotaFullyUsed", "NewRelease")),
            "severity": "info",
            "namespace": system.namespaces[service],
            "service": service,
            "pod": pod.name,
        }
        yield _Sent(rng.uniform(0, SECONDS), Symptom(labels), "firing", "")
    for k in range(count // 500):
        yield _Sent(rng.uniform(0, SECONDS), Symptom(_warning(k, system, rng)), "firing", f"n{k}")


def _warning(k: int, system: System, rng: random.Random) -> dict[str, str]:
    """A single warning; most are about what has no part in the storm, as systems are large."""
    if rng.random() < 0.25:
        service = rng.choice(system.services)
        where = {"namespace": system.namespaces[service], "service": service}
    else:
        where = {"namespace": f"team-{k % 7}", "service": f"batch-{k}"}
    name = rng.choice(
        ("BackupOverdue", "HighLatency", "JobFailed", "LogVolumeHigh", "QueueGrowing")
    )
    return {"alertname": name, "severity": "warning", "cluster": "prod-1", **where}


def _resolved(sent: Sequence[_Sent], rng: random.Random) -> list[_Sent]:
    """Some resolve within the minute; of a few of them the firing comes later."""
    found: list[_Sent] = []
    for one in sent:
        if one.symptom.labels["alertname"] != "Watchdog" and rng.random() < 0.05:
            at = one.at + rng.choice((-1.0, 3.0, 15.0, 15.0, 25.0))
            found.append(_Sent(min(at, SECONDS), one.symptom, "resolved", one.truth))
    return found


def _repeated(sent: Sequence[_Sent], rng: random.Random, count: int) -> list[_Sent]:
    found: list[_Sent] = []
    for one in rng.choices(sent, k=max(0, count)):
        at = rng.uniform(one.at, SECONDS)
        found.append(_Sent(at, one.symptom, one.status, one.truth))
    return found


def _delivery(at: float, sent: _Sent) -> Delivery:
    labels, name = sent.symptom.labels, sent.symptom.labels["alertname"]
    started = START + timedelta(seconds=round(sent.symptom.fired - 2, 3))
    resolved = sent.status == "resolved"
    ended = max(START + timedelta(seconds=sent.at), started)
    alert: dict[str, Any] = {
        "status": sent.status,
        "labels": labels,
        "annotations": {"summary": f"{name} on {labels.get('service', labels.get('node', name))}"},
        "startsAt": started.isoformat(),
        "endsAt": ended.isoformat() if resolved else "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example/graph",
    }
    body = {
        "version": "4",
        "groupKey": f'{{}}/{{severity=~".+"}}:{{alertname="{name}"}}',
        "truncatedAlerts": 0,
        "status": sent.status,
        "receiver": "superbiz",
        "groupLabels": {"alertname": name},
        "commonLabels": labels,
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example",
        "alerts": [alert],
    }
    return Delivery(START + timedelta(seconds=at), json.dumps(body).encode())


def main() -> None:
    """Write a storm and its truth."""
    parser = argparse.ArgumentParser(description="Write a storm of alerts and its truth.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shape", choices=sorted(SHAPES), default="mixed")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--out", type=Path, required=True, help="one body a line")
    parser.add_argument("--truth", type=Path, required=True, help="fault of each line, as JSON")
    args = parser.parse_args()
    storm = make_storm(args.seed, args.shape, count=args.count)
    args.out.write_bytes(b"".join(one.body + b"\n" for one in storm.deliveries))
    truth = {
        "faults": [[fault.name, fault.kind, fault.where] for fault in storm.faults],
        "edges": storm.system.edges,
        "of_line": storm.truth,
    }
    args.truth.write_text(json.dumps(truth), encoding="utf-8")
    print(f"{len(storm.deliveries)} alerts of {len(storm.faults)} faults -> {args.out}")


if __name__ == "__main__":
    main()
