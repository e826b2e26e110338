"""Reads labelled alert lists in the layout of the TVDiag data sets.

A system is a folder with ``label.csv`` (``index, instance, anomaly_type``) and ``raw/*.json``, each
an object by index: ``nodes`` (names of instances), ``edges`` (pairs of positions in ``nodes``),
``metrics`` (``instance, metric, up|down``), ``traces`` (``caller, callee, operation, kind``; kind
``PD`` is slow, a number the status; both ends equal: seen by that instance, of whatever it calls;
``-1``: from outside), ``logs`` (``instance, template``).
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from superbizagent.domain.alert import Alert
from superbizagent.errors import UsageError

__all__ = ["LABELS", "AlertCase", "AlertSystem", "read_systems"]

LABELS = "label.csv"
_PARTS = ("nodes", "edges", "metrics", "traces", "logs")
_OUTSIDE = "-1"
_SLOW = "PD"


@dataclass(frozen=True, slots=True)
class AlertCase:
    """One list of alerts, and what was really wrong."""

    index: str
    instance: str
    """The faulty one; read by the scorer alone."""
    fault: str
    alerts: tuple[Alert, ...]
    nodes: tuple[str, ...]
    """Instances, those that could be at fault."""
    edges: frozenset[tuple[str, str]]
    """Caller and callee; both ways where the set does not tell."""


@dataclass(frozen=True, slots=True)
class AlertSystem:
    """The lists of one system, in the order of its labels."""

    name: str
    cases: tuple[AlertCase, ...]


def read_systems(data: Path) -> tuple[AlertSystem, ...]:
    """Read every system in or below a folder, by name.

    Raises:
        UsageError: when there is none, or a file of one cannot be read.
    """
    places = sorted(path.parent for path in data.rglob(LABELS))
    if not places:
        raise UsageError(f"{str(data)!r} holds no {LABELS} with raw/*.json beside it")
    return tuple(AlertSystem(_name(place, data), tuple(_cases(place))) for place in places)


def _name(place: Path, data: Path) -> str:
    return place.name if place != data else data.resolve().name


def _cases(place: Path) -> Iterator[AlertCase]:
    parts = {name: _part(place / "raw" / f"{name}.json") for name in _PARTS}
    with (place / LABELS).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        try:
            index, instance, fault = row["index"], row["instance"], row["anomaly_type"]
            own = {name: part[index] for name, part in parts.items()}
            nodes = tuple(str(name) for name in own["nodes"])
            pairs = cast("list[tuple[int, int]]", own["edges"])
            edges = frozenset((nodes[a], nodes[b]) for a, b in pairs if a != b)
            alerts = tuple(_alerts(own))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            where = row.get("index") or "?"
            reason = f"{str(place / LABELS)!r}, case {where}: {type(error).__name__} {error}"
            raise UsageError(f"{reason}; see `superbiz eval alerts --help`") from error
        yield AlertCase(index, instance, fault, alerts, nodes, edges)


def _part(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{str(path)!r} cannot be read as JSON: {error}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{str(path)!r} is no JSON object by case")
    return cast("dict[str, Any]", found)


def _alerts(own: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[Alert]:
    """Write each entry as the alert that a rule of its sort would send."""
    for instance, metric, direction in own["metrics"]:
        yield _alert(metric, service=instance, direction=direction)
    for caller, callee, operation, kind in own["traces"]:
        name = "call_latency" if kind == _SLOW else "call_errors"
        code = {} if kind == _SLOW else {"code": kind}
        ends = {} if caller in {callee, _OUTSIDE} else {"client": caller, "server": callee}
        yield _alert(name, service=callee, operation=operation, **ends, **code)
    for instance, template in own["logs"]:
        # The set writes the instance before the template, which would make all of them different.
        yield _alert("log_novelty", service=instance, template=template.removeprefix(instance))


def _alert(alertname: str, **labels: str) -> Alert:
    return Alert(labels={"alertname": alertname, **labels})
