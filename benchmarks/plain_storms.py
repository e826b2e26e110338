"""Storms as somebody writes them to try grouping: five faults on services that share nothing.

Each fault is N pods of one service, each with M alerts; noise is single warnings and information
about other services; all of it within a minute. No call graph is needed to take them apart.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

__all__ = ["PLAIN_SHAPES", "PlainDelivery", "make_plain_storm"]

_START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_SERVICES = ("payments", "search", "mailer", "inventory", "reports")
_OTHERS = tuple(f"batch-{k}" for k in range(40))
_NAMES = ("HighErrorRate", "HighLatency", "PodNotReady", "CPUHigh", "RestartsHigh", "QueueFull")
_PODS = 8

Labels = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Shape:
    """How labels and groups are written."""

    labels: Callable[[str, int], Labels]
    """Of a service and the number of its pod."""
    group: Callable[[str, str], str]
    """Of a service and an alert's name."""


@dataclass(frozen=True, slots=True)
class PlainDelivery:
    """One request with one alert, and its truth: empty where nobody is asked to act."""

    received_at: datetime
    body: bytes
    truth: str


def _pod(service: str, k: int) -> Labels:
    return {"namespace": "prod", "pod": f"{service}-7d9f8b6c5d-x{k}k2z"}


def _app(service: str, k: int) -> Labels:
    return {"app": service, **_pod(service, k), "node": f"worker-{k % 4}"}


def _job(service: str, k: int) -> Labels:
    number = (*_SERVICES, *_OTHERS).index(service)
    return {"job": service, "instance": f"10.0.{number}.{k}:8080"}


def _machine(service: str, _: int) -> Labels:
    return {"instance": f"{service}-vm:9100", "job": "node-exporter"}


def _nameless(service: str, k: int) -> Labels:
    return {"path": f"/{service}/{k}"}


def _by_name(_: str, name: str) -> str:
    return f'{{}}:{{alertname="{name}"}}'


def _all(_: str, __: str) -> str:
    return "{}:{}"


def _receiver(_: str, __: str) -> str:
    return '{}:{cluster="prod"}'


def _by_fault(service: str, _: str) -> str:
    return f'{{}}:{{team="{service}"}}'


PLAIN_SHAPES: Mapping[str, _Shape] = {
    "plain-app": _Shape(_app, _by_name),
    "plain-job": _Shape(_job, _by_name),
    "plain-pod": _Shape(_pod, _by_name),
    "plain-machine": _Shape(_machine, _by_name),
    "plain-one-group": _Shape(_app, _all),
    "plain-cluster-group": _Shape(_job, _receiver),
    "plain-group-only": _Shape(_nameless, _by_fault),
}


def make_plain_storm(seed: int, shape: str, *, count: int = 10_000) -> tuple[PlainDelivery, ...]:
    """Make a storm of one of `PLAIN_SHAPES`; every delivery beyond the first of each repeats."""
    rng = random.Random(f"{seed} {shape}")  # noqa: S311 - data to be made again, no secret
    way = PLAIN_SHAPES[shape]
    first: list[tuple[Labels, str, str]] = []
    for service in _SERVICES:
        for k in range(_PODS):
            for name in _NAMES:
                labels = {"alertname": name, "severity": "critical", **way.labels(service, k)}
                first.append((labels, way.group(service, name), service))
    for service in _OTHERS:
        severity = rng.choice(("info", "warning"))
        name = rng.choice(_NAMES)
        labels = {"alertname": name, "severity": severity, **way.labels(service, 0)}
        first.append((labels, way.group(service, name), service if severity != "info" else ""))
    sent = first + rng.choices(first, k=max(0, count - len(first)))
    rng.shuffle(sent)
    return tuple(
        _delivery(60.0 * k / len(sent), labels, group, truth)
        for k, (labels, group, truth) in enumerate(sent)
    )


def _delivery(at: float, labels: Labels, group: str, truth: str) -> PlainDelivery:
    received = _START + timedelta(seconds=at)
    alert = {
        "status": "firing",
        "labels": labels,
        "annotations": {},
        "startsAt": _START.isoformat(),
        "endsAt": "0001-01-01T00:00:00Z",
    }
    body = {"version": "4", "groupKey": group, "status": "firing", "alerts": [alert]}
    return PlainDelivery(received, json.dumps(body).encode(), truth)
