"""Facts in JSON and text that our own tools did not write: remote tools, older rows.

Log records, alerts, series and passages are recognised by their usual keys; of anything else the
scalars are taken as they are. Bounded, because a row may be hostile.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from superbizagent.analysis.rows.fact import (
    FactKind,
    RowFact,
    Value,
    as_list,
    as_mapping,
    is_value,
    parsed,
    text_of,
)

__all__ = ["fact_of_line", "facts_of_json", "facts_of_text"]

_MAX_NODES = 2000
_MAX_DEPTH = 6
_MAX_LINES = 50

_LEVEL = re.compile(r"\b(FATAL|CRITICAL|SEVERE|ERROR|WARNING|WARN|INFO|DEBUG|TRACE)\b")
_LEVEL_FIELD = re.compile(r"""["']?(?:level|severity|lvl)["']?\s*[=:]\s*["']?([A-Za-z]+)""")
_SERVICE_FIELD = re.compile(
    r"""["']?(?:service|service_name|service\.name|app|svc)["']?\s*[=:]\s*["']?([\w.-]+)"""
)
_PAIR = re.compile(r"(?<![\w.=])([A-Za-z_][\w.]*)=([-+]?\d+(?:\.\d+)?)(%|[A-Za-z]{1,3}\b)?")

_SERVICE_KEYS = (
    "service",
    "service_name",
    "serviceName",
    "service.name",
    "app",
    "job",
    "container",
)
_LEVEL_KEYS = ("level", "severity", "severity_text", "severityText", "log_level")
_MESSAGE_KEYS = ("message", "msg", "body", "log", "line", "text")
_ALERT_KEYS = ("alertname", "alert_name", "alertName")
_STATE_KEYS = ("state", "status", "severity")
_NOTE_KEYS = ("description", "summary")
_NUMBER_HOLDERS = ("metrics", "fields", "attributes")


def facts_of_json(data: Any) -> tuple[RowFact, ...]:
    """Return the records that are recognised anywhere in JSON data, else its scalars."""
    records: list[RowFact] = []
    scalars: list[RowFact] = []
    for node in _nodes(data):
        fact = _alert(node) or _series(node) or _log(node) or _passage(node)
        if fact is not None:
            records.append(fact)
        else:
            scalars.extend(_scalars(node))
    return tuple(records or scalars)


def _nodes(data: Any) -> Iterator[Mapping[str, Any]]:
    """Yield objects outside in, in the data's order; a recognised record is not entered."""
    stack: list[tuple[Any, int]] = [(data, 0)]
    for _ in range(_MAX_NODES):
        if not stack:
            return
        node, depth = stack.pop()
        inner = as_list(node)
        mapping = as_mapping(node)
        if mapping is not None:
            yield mapping
            if not _is_record(mapping):
                inner = list(mapping.values())
        if depth < _MAX_DEPTH:
            stack.extend((value, depth + 1) for value in reversed(inner))


def _is_record(node: Mapping[str, Any]) -> bool:
    readers = (_alert, _series, _log, _passage)
    return any(reader(node) is not None for reader in readers)


def _alert(node: Mapping[str, Any]) -> RowFact | None:
    labels = as_mapping(node.get("labels")) or as_mapping(node.get("metric")) or node
    name = text_of(labels, _ALERT_KEYS)
    if not name:
        return None
    notes = as_mapping(node.get("annotations")) or node
    return RowFact(
        kind=FactKind.ALERT,
        name=name,
        entity=text_of(labels, _SERVICE_KEYS),
        level=text_of(labels, ("severity",)),
        values=_states(node),
        text=text_of(notes, _NOTE_KEYS),
    )


def _states(node: Mapping[str, Any]) -> tuple[Value, ...]:
    nested = as_mapping(node.get("status"))
    state = text_of(nested, ("state",)) if nested else text_of(node, _STATE_KEYS)
    return (("", state, ""),) if state else ()


def _series(node: Mapping[str, Any]) -> RowFact | None:
    metric = as_mapping(node.get("metric"))
    if metric is None:
        return None
    sample = (as_list(node.get("values")) or [node.get("value")])[-1]
    last = (as_list(sample) or [None])[-1]  # [time, "value"]
    if not is_value(last):
        return None
    return RowFact(
        kind=FactKind.METRIC,
        name=text_of(metric, ("__name__",)),
        entity=text_of(metric, _SERVICE_KEYS),
        values=(("", last, ""),),
    )


def _log(node: Mapping[str, Any]) -> RowFact | None:
    message = text_of(node, _MESSAGE_KEYS)
    level = text_of(node, _LEVEL_KEYS)
    service = text_of(node, _SERVICE_KEYS)
    if not message or not (level or service):
        return None
    holders = [as_mapping(node.get(key)) for key in _NUMBER_HOLDERS]
    numbers = [pair for holder in (node, *holders) if holder for pair in _numbers(holder)]
    return RowFact(
        kind=FactKind.LOG, entity=service, level=level, text=message, values=tuple(numbers)
    )


def _numbers(holder: Mapping[str, Any]) -> Iterator[Value]:
    for key, value in holder.items():
        if is_value(value) and not isinstance(value, str):
            if "time" not in key.lower() or key.lower().endswith(("_ms", "_seconds")):
                yield key, value, ""
        elif isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d+)?", value):
            yield key, value, ""


def _passage(node: Mapping[str, Any]) -> RowFact | None:
    title = text_of(node, ("title",))
    if not title:
        return None
    return RowFact(
        kind=FactKind.PASSAGE,
        name=title,
        entity=text_of(node, ("source",)),
        text=text_of(node, ("snippet", "content")),
    )


def _scalars(node: Mapping[str, Any]) -> Iterator[RowFact]:
    for key, value in node.items():
        if is_value(value) and value != "":
            yield RowFact(kind=FactKind.OTHER, values=((key, value, ""),))


# Plain text --------------------------------------------------------------------------------------


def level_of(text: str) -> str:
    field = _LEVEL_FIELD.search(text)
    if field:
        return field.group(1)
    word = _LEVEL.search(text)
    return word.group(1) if word else ""


def facts_of_text(preview: str) -> tuple[RowFact, ...]:
    """Read a preview that is text: lines that carry a level or numbers with names."""
    return tuple(
        fact for line in preview.splitlines()[:_MAX_LINES] if (fact := fact_of_line(line.strip()))
    )


def fact_of_line(line: str) -> RowFact | None:
    """Return one line's fact when it is JSON, has a level or has numbers with names."""
    inner = as_mapping(parsed(line))
    if inner is not None:
        return _alert(inner) or _log(inner)
    level = level_of(line)
    pairs = tuple((m.group(1), m.group(2), m.group(3) or "") for m in _PAIR.finditer(line))
    if not level and not pairs:
        return None
    service = _SERVICE_FIELD.search(line)
    return RowFact(
        kind=FactKind.LOG,
        entity=service.group(1) if service else "",
        level=level,
        text=line,
        values=pairs,
    )
