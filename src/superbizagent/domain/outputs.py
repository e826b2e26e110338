"""What an evidence tool returned: one closed union, and its bytes.

``encode`` and ``decode`` are exact inverses; ``encode`` is deterministic, so the digest of the
bytes identifies the output.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from superbizagent.domain.alert import Alert
from superbizagent.domain.cluster import ClusterSnapshot
from superbizagent.domain.columns import pack, unpack
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.model import Model
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Instant
from superbizagent.errors import IntegrityError

__all__ = [
    "AlertList",
    "Change",
    "ChangeKind",
    "ChangeList",
    "Edge",
    "ToolOutput",
    "Topology",
    "TopologyNode",
    "decode",
    "encode",
    "is_empty",
    "joined_topology",
    "sort_of_change",
]


class AlertList(Model):
    """Alerts known to a source."""

    alerts: tuple[Alert, ...] = ()


class TopologyNode(Model):
    """What is known of one entity beyond its name."""

    name: str
    kind: str = "service"
    owner: str = ""
    runbook_url: str = ""
    channel: str = ""


class Edge(Model):
    """``caller`` calls ``callee``."""

    caller: str
    callee: str


class Topology(Model):
    """Who calls whom."""

    nodes: tuple[TopologyNode, ...] = ()
    edges: tuple[Edge, ...] = ()

    def neighbours(self, name: str) -> tuple[str, ...]:
        """Names one hop away in either direction, sorted."""
        near = {e.callee for e in self.edges if e.caller == name}
        near |= {e.caller for e in self.edges if e.callee == name}
        return tuple(sorted(near - {name}))

    def callees(self, name: str) -> tuple[str, ...]:
        """Names that ``name`` calls, sorted."""
        return tuple(sorted({e.callee for e in self.edges if e.caller == name} - {name}))

    def downstream(self, name: str) -> tuple[str, ...]:
        """Names reachable through calls from ``name``, nearest first, each once."""
        seen, front = [name], [name]
        while front:
            front = [c for n in front for c in self.callees(n) if c not in seen]
            front = list(dict.fromkeys(front))
            seen += front
        return tuple(seen[1:])


def joined_topology(parts: Iterable[Topology]) -> Topology:
    """Return what several say together; of what they say of one name the last one stays."""
    kept = tuple(parts)
    edges = {(e.caller, e.callee): e for part in kept for e in part.edges}
    nodes = {name: TopologyNode(name=name) for pair in edges for name in pair}
    nodes |= {n.name: n for part in kept for n in part.nodes}
    return Topology(
        nodes=tuple(nodes[k] for k in sorted(nodes)), edges=tuple(edges[k] for k in sorted(edges))
    )


class ChangeKind(StrEnum):
    """The few sorts of changes that explain different things."""

    DEPLOY = "deploy"
    CONFIG = "config"
    RESTART = "restart"


_CONFIG = frozenset(
    {"config", "configuration", "configmap", "secret", "flag", "toggle", "feature", "setting"}
    | {"settings", "limit", "limits", "scale", "scaling", "scaled", "replicas", "resources"}
)
_RESTART = frozenset({"restart", "restarted", "reboot", "rebooted", "start", "started", "kill"})


def sort_of_change(kind: str) -> ChangeKind:
    """Return the sort of a kind in any usual wording; of what says nothing, a deployment."""
    words = set(re.split(r"[^a-z]+", kind.lower()))
    if words & _RESTART:
        return ChangeKind.RESTART
    return ChangeKind.CONFIG if words & _CONFIG else ChangeKind.DEPLOY


class Change(Model):
    """A deployment, a configuration change, a scaling: something done to an entity."""

    at: Instant
    entity: str
    kind: str = "change"
    summary: str = ""
    author: str = ""
    revision: str = ""
    also: tuple[str, ...] = Field(default=(), exclude_if=lambda names: not names)
    """Further names that it may have touched, as a commit touches several folders."""
    within: str = Field(default="", exclude_if=lambda name: not name)
    """What holds all that, as a repository does: the name that counts when no other is known."""
    quote: str = Field(default="", exclude_if=lambda quote: not quote)
    """Verbatim: the samples it was read from, where a source has no words for it."""

    @property
    def sort(self) -> ChangeKind:
        """What sort of change it is, whatever its source calls it."""
        return sort_of_change(self.kind)


class ChangeList(Model):
    """Changes known to a source, oldest first."""

    changes: tuple[Change, ...] = ()


ToolOutput = (
    SeriesSet
    | SpanSet
    | LogDigest
    | AlertList
    | Topology
    | ChangeList
    | ClusterSnapshot
    | LearntNormal
)


@dataclass(frozen=True, slots=True)
class _Kind:
    tag: Literal["alerts", "topology", "changes", "logs", "cluster", "normal"]
    model: type[AlertList | Topology | ChangeList | LogDigest | ClusterSnapshot | LearntNormal]


_KINDS = (
    _Kind("alerts", AlertList),
    _Kind("topology", Topology),
    _Kind("changes", ChangeList),
    _Kind("logs", LogDigest),
    _Kind("cluster", ClusterSnapshot),
    _Kind("normal", LearntNormal),
)


_SPAN_TEXTS = ("services", "operations", "errors", "peers", "instances", "traces", "span_ids")
_SPAN_COLUMNS = (
    *("trace", "parent", "service", "operation", "kind", "error", "peer", "instance"),
    *("start", "duration"),
)


def encode(output: ToolOutput) -> bytes:
    """Return the output's bytes."""
    if isinstance(output, SeriesSet):
        header: Any = {"kind": "series", "labels": list(output.labels)}
        columns = {"offsets": output.offsets, "times": output.times, "values": output.values}
        return pack(header, columns)
    if isinstance(output, SpanSet):
        header = {"kind": "spans"} | {n: list(getattr(output, n)) for n in _SPAN_TEXTS}
        header["traces_left_out"] = output.traces_left_out
        return pack(header, {n: getattr(output, n) for n in _SPAN_COLUMNS})
    tag = next(k.tag for k in _KINDS if isinstance(output, k.model))
    return pack({"kind": tag, "value": output.model_dump(mode="json")}, {})


def decode(data: bytes) -> ToolOutput:
    """Read back what ``encode`` wrote.

    Raises:
        IntegrityError: when the bytes are of no known kind.
    """
    header, columns = unpack(data)
    if header["kind"] == "series":
        return SeriesSet(
            tuple(header["labels"]), columns["offsets"], columns["times"], columns["values"]
        )
    if header["kind"] == "spans":
        parts: dict[str, Any] = {n: tuple(header[n]) for n in _SPAN_TEXTS}
        parts |= {n: columns[n] for n in _SPAN_COLUMNS}
        return SpanSet(**parts, traces_left_out=header["traces_left_out"])
    for kind in _KINDS:
        if kind.tag == header["kind"]:
            return kind.model.model_validate(header["value"])
    raise IntegrityError(f"stored output has unknown kind {header['kind']!r}")


def is_empty(output: ToolOutput) -> bool:  # noqa: PLR0911 - one way a kind
    """Tell whether the call found nothing."""
    match output:
        case SeriesSet() | SpanSet():
            return len(output) == 0
        case LogDigest():
            return output.records_in_baseline + output.records_in_incident == 0
        case AlertList():
            return not output.alerts
        case Topology():
            return not output.edges and not output.nodes
        case ClusterSnapshot():
            return not output.objects
        case LearntNormal():
            return not output.lengths
        case _:
            return not output.changes
