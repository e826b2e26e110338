"""The small files of a bundle: alert or question, topology, changes, source, time labels.

Everything about the truth is none of our business: ``truth.yaml`` is never opened, and of
``label.json`` only the keys below are taken.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from superbizagent.domain.alert import Alert
from superbizagent.domain.canonical import loads
from superbizagent.domain.change_rows import read_changes
from superbizagent.domain.outputs import Change, Edge, Topology, TopologyNode
from superbizagent.domain.payload import parse_payload, read_instant
from superbizagent.domain.window import Instant
from superbizagent.errors import NothingReadableError

__all__ = ["FolderFacts", "check_folder", "read_folder"]

_LABEL_KEYS = ("entry", "alert_metric", "inject_time", "alert_time", "end_time", "normal")
_TIME_KEYS = ("inject_time", "alert_time", "end_time")

_EVIDENCE = ("topology.yaml", "graph.csv", "changes.jsonl")
"""Files whose loss may hide the cause; the others only frame the question."""

_SMALL_BYTES = 16_000_000
"""None of these files is ever this large; one that is was put there by mistake."""


@dataclass(slots=True)
class FolderFacts:
    """What the small files say."""

    alerts: tuple[Alert, ...] = ()
    question: str = ""
    topology: Topology = field(default_factory=Topology)
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    """Entity name -> kind, where the topology says it."""
    changes: tuple[Change, ...] = ()
    has_alert_file: bool = False
    has_topology: bool = False
    has_changes: bool = False
    version: str = ""
    scrape_interval: timedelta | None = None
    log_timezone: tzinfo | None = None
    """Of log times that carry none, as the recorder knew it."""
    entry: str = ""
    alert_metric: str = ""
    hints: dict[str, Instant] = field(default_factory=dict[str, Instant])
    baseline: Path | None = None
    """Folder with normal telemetry of the same system."""
    rules: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the server printed of its rules."""
    notes: list[str] = field(default_factory=list[str])
    unreadable: list[str] = field(default_factory=list[str])
    """Files of evidence that are there and of which nothing could be read."""


def check_folder(path: Path) -> None:
    """Refuse what is no folder with something in it.

    Raises:
        NothingReadableError: with what to do instead.
    """
    try:
        if not path.exists():
            raise NothingReadableError(
                f"there is no folder {str(path)!r}; pass the folder of a recorded incident"
            )
        if not path.is_dir():
            raise NothingReadableError(
                f"{str(path)!r} is a file, not the folder of a recorded incident;"
                " for a log file use --logs NAME=FILE, for an alert --alert FILE"
            )
        if not any(path.iterdir()):
            raise NothingReadableError(
                f"the folder {str(path)!r} is empty; record an incident into it first"
            )
    except PermissionError as error:
        raise NothingReadableError(
            f"{str(path)!r} may not be read; give this user read permission"
        ) from error


def read_folder(path: Path) -> FolderFacts:
    """Read the small files; what is malformed becomes a note."""
    facts = FolderFacts()
    _read_label(path, facts)
    _read_payload(path, facts)
    _read_topology(path, facts)
    _read_graph(path, facts)
    _read_changes(path, facts)
    _read_source(path, facts)
    facts.rules = _json_object(path / "rules.json", facts)
    return facts


def _text(path: Path, facts: FolderFacts) -> str | None:
    """Return a file's text, or None when it is absent or unreadable."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(_SMALL_BYTES)
    except OSError as error:
        facts.notes.append(f"{path.name} cannot be read: {error.strerror or error}")
        if path.name in _EVIDENCE:
            facts.unreadable.append(path.name)
        return None
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _json_object(path: Path, facts: FolderFacts) -> Mapping[str, Any]:
    text = _text(path, facts)
    if text is None:
        return {}
    try:
        value = loads(text)
    except ValueError as error:
        facts.notes.append(f"{path.name} is malformed JSON and was left out: {error}")
        return {}
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    facts.notes.append(f"{path.name} holds no JSON object and was left out")
    return {}


def _read_label(path: Path, facts: FolderFacts) -> None:
    whole = _json_object(path / "label.json", facts)
    label = {key: whole[key] for key in _LABEL_KEYS if whole.get(key) is not None}
    facts.entry = str(label.get("entry", ""))
    facts.alert_metric = str(label.get("alert_metric", ""))
    for key in _TIME_KEYS:
        if (at := read_instant(label.get(key))) is not None:
            facts.hints[key] = at
    normal = str(label.get("normal", ""))
    # A name, never a path: a recording must not make us read elsewhere.
    if normal and Path(normal).name == normal and normal not in {".", ".."}:
        folder = path.resolve().parent / "_normal" / normal
        if folder.is_dir():
            facts.baseline = folder
        else:
            facts.notes.append(f"the normal telemetry {normal!r} is not there")


def _read_payload(path: Path, facts: FolderFacts) -> None:
    text = _text(path / "alert.json", facts)
    if text is not None:
        facts.has_alert_file = True
        payload = parse_payload(text)
        facts.alerts, facts.question = payload.alerts, payload.question
        facts.notes += [f"alert.json: {note}" for note in payload.notes]
        if not text.strip():
            facts.notes.append("alert.json is empty")
    question = _text(path / "question.txt", facts)
    if question and question.strip():
        facts.question = question.strip()


def _read_topology(path: Path, facts: FolderFacts) -> None:
    text = _text(path / "topology.yaml", facts)
    if text is None:
        return
    import yaml  # noqa: PLC0415 - 25 ms that a bundle without the file must not pay

    try:
        value = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        facts.notes.append(f"topology.yaml is malformed{place} and was left out")
        facts.unreadable.append("topology.yaml")
        return
    if not isinstance(value, Mapping):
        facts.notes.append("topology.yaml holds no mapping and was left out")
        facts.unreadable.append("topology.yaml")
        return
    body = cast("Mapping[str, Any]", value)
    facts.has_topology = True
    nodes: list[TopologyNode] = []
    edges: list[Edge] = []
    for name, entry in _entries(body.get("services"), facts):
        kind = str(entry.get("kind") or "service")
        if "kind" in entry:
            facts.kinds[name] = kind
        nodes.append(
            TopologyNode(
                name=name,
                kind=kind,
                owner=str(entry.get("owner") or ""),
                runbook_url=str(entry.get("runbook") or entry.get("runbook_url") or ""),
                channel=str(entry.get("channel") or ""),
            )
        )
        edges += [Edge(caller=name, callee=c) for c in _names(name, entry.get("calls"), facts)]
    aliases = body.get("aliases")
    if isinstance(aliases, Mapping):
        facts.aliases = {str(k): str(v) for k, v in cast("Mapping[Any, Any]", aliases).items()}
    elif aliases is not None:
        facts.notes.append("topology.yaml: aliases is no mapping and was left out")
    facts.topology = _topology(nodes, edges)


def _entries(services: Any, facts: FolderFacts) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield names with what is said of them; what is no such thing becomes a note."""
    if not isinstance(services, Mapping):
        if services is not None:
            facts.notes.append("topology.yaml: services is no mapping of names and was left out")
        return
    for name, entry in cast("Mapping[Any, Any]", services).items():
        if entry is not None and not isinstance(entry, Mapping):
            facts.notes.append(f"topology.yaml: what stands at {str(name)!r} is no mapping")
        yield str(name), cast("Mapping[str, Any]", entry if isinstance(entry, Mapping) else {})


def _names(caller: str, value: Any, facts: FolderFacts) -> list[str]:
    """Read a name or a list of names; what is neither becomes a note."""
    if value is None:
        return []
    found = cast("list[Any]", value) if isinstance(value, list) else [value]
    names = [name for name in found if isinstance(name, str) and name]
    if len(names) < len(found):
        facts.notes.append(f"topology.yaml: calls of {caller!r} that are no names were left out")
    return names


def _topology(nodes: list[TopologyNode], edges: list[Edge]) -> Topology:
    """Add a node for each name that only an edge mentions; order both."""
    known = {node.name: node for node in nodes}
    for edge in edges:
        for name in (edge.caller, edge.callee):
            known.setdefault(name, TopologyNode(name=name))
    unique = sorted(set(edges), key=lambda e: (e.caller, e.callee))
    return Topology(nodes=tuple(known[name] for name in sorted(known)), edges=tuple(unique))


def _read_graph(path: Path, facts: FolderFacts) -> None:
    text = _text(path / "graph.csv", facts)
    if text is None:
        return
    try:
        rows = list(csv.DictReader(text.splitlines()))
    except csv.Error as error:
        facts.notes.append(f"graph.csv is malformed and was left out: {error}")
        facts.unreadable.append("graph.csv")
        return
    edges = [
        Edge(caller=row["caller"], callee=row["callee"])
        for row in rows
        if row.get("caller") and row.get("callee")
    ]
    if len(edges) < len(rows):
        facts.notes.append(f"graph.csv: {len(rows) - len(edges)} rows without caller and callee")
    facts.has_topology = facts.has_topology or bool(edges)
    nodes = list(facts.topology.nodes)
    facts.topology = _topology(nodes, [*facts.topology.edges, *edges])


def _read_changes(path: Path, facts: FolderFacts) -> None:
    text = _text(path / "changes.jsonl", facts)
    if text is None:
        return
    rows = read_changes(text)
    facts.changes = rows.changes
    # Nothing in it is a valid list; nothing of it that can be read is none.
    facts.has_changes = bool(rows.changes) or not rows.left_out
    if not facts.has_changes:
        facts.unreadable.append("changes.jsonl")
    if rows.remark:
        facts.notes.append(f"changes.jsonl: {rows.remark}")


def _first(row: Mapping[str, Any], *keys: str) -> Any:
    return next((row[key] for key in keys if row.get(key) is not None), None)


def _read_source(path: Path, facts: FolderFacts) -> None:
    source = _json_object(path / "source.json", facts)
    facts.version = str(_first(source, "version", "server_version") or "")
    interval = _first(source, "scrape_interval_seconds", "scrape_interval")
    seconds = _seconds(interval)
    if seconds:
        facts.scrape_interval = timedelta(seconds=seconds)
    elif interval is not None:
        facts.notes.append(f"source.json: the scrape interval {interval!r} is not understood")
    if name := str(source.get("log_timezone") or ""):
        facts.log_timezone = _zone(name)
        if facts.log_timezone is None:
            facts.notes.append(f"source.json: the log time zone {name!r} is not understood")


def _zone(name: str) -> tzinfo | None:
    """Read ``UTC``, ``+08:00`` or a name of the time zone database."""
    if name.upper() in {"UTC", "Z"}:
        return UTC
    try:
        offset = datetime.strptime(name, "%z").tzinfo
    except ValueError:
        offset = None
    if offset is not None:
        return offset
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _seconds(value: Any) -> float | None:
    """Read ``15``, ``"15s"``, ``"1m"`` or ``"500ms"``."""
    units = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
    text = str(value if value is not None else "").strip()
    number = text.rstrip("mhs")
    try:
        seconds = float(number) * units[text[len(number) :]]
    except (ValueError, KeyError):
        return None
    return seconds if 0 < seconds < 86_400 else None
