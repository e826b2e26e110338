"""Read the facts that stand in one stored call, whatever wrote the row.

Used by the tool-trace summary and by the gates. A row may hold our own facts (``details.facts``),
the JSON of a remote or older tool (``details``, or a preview that is JSON), retrieval fields, or
plain text. Nothing is inferred: every text and number here occurs in the row. What cannot be read
is skipped, never an error.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, cast

import orjson

from superbizagent.domain.evaluation import InvocationRecord

__all__ = ["FactKind", "RowFact", "as_list", "as_mapping", "read_facts", "shown"]

MAX_FACTS = 200
"""Facts read of one row: far more than a summary or a gate can use, a bound on hostile rows."""
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
_SERIOUS = frozenset({"FATAL", "CRITICAL", "SEVERE", "ERROR"})


class FactKind(StrEnum):
    """Which sort of source a fact came from."""

    LOG = "log"
    METRIC = "metric"
    ALERT = "alert"
    PASSAGE = "passage"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class RowFact:
    """One fact of a row; every non-empty string occurs in the row."""

    kind: FactKind
    name: str = ""
    """Series, field, alert name, passage title."""
    entity: str = ""
    """Service or other entity, its bare name."""
    values: tuple[tuple[str, float | str, str], ...] = ()
    """(statistic or key, value, unit) in the row's order."""
    level: str = ""
    text: str = ""
    """Log line, message, description or snippet, verbatim."""
    ids: tuple[str, ...] = ()
    """``E3.2`` where the row has them."""

    @property
    def serious(self) -> bool:
        """An error line or an alert: what a reader must not miss."""
        return self.kind is FactKind.ALERT or self.level.upper() in _SERIOUS


def read_facts(record: InvocationRecord) -> tuple[RowFact, ...]:
    """Return the facts of a row in its own order; the first source that has any is used.

    Args:
        record: the row as stored.

    Returns:
        At most `MAX_FACTS` facts; empty when the row holds none that can be read.
    """
    details = _parsed(record.details)
    found = _own_facts(details)
    if not found:
        found = (*_walk(_parsed(record.retrieval_details)), *_walk(details))
    if not found:
        preview = _parsed(record.output_preview)
        found = tuple(_walk(preview)) or _lines(record.output_preview)
    return tuple(found)[:MAX_FACTS]


def shown(value: float | str) -> str:
    """Return a value as the row's JSON prints it, without a trailing ``.0``."""
    if isinstance(value, str):
        return value
    return orjson.dumps(value).decode().removesuffix(".0")


def _parsed(value: Any) -> Any:
    """Return JSON data; text is parsed when it is JSON, else None."""
    if not isinstance(value, str):
        return value
    if not value.lstrip().startswith(("{", "[")):
        return None
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return None


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """Return JSON data as an object, or None when it is something else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None


def as_list(value: Any) -> list[Any]:
    """Return JSON data as a list, empty when it is something else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def _text(source: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = source.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


# Our own facts -----------------------------------------------------------------------------------


def _own_facts(details: Any) -> tuple[RowFact, ...]:
    """Read ``details.facts``, statistics of one entity and name folded into one fact."""
    holder = as_mapping(details)
    folded: dict[tuple[str, str], RowFact] = {}
    for item in as_list(holder.get("facts") if holder else None):
        fact = _own_fact(as_mapping(item))
        if fact is None:
            continue
        key = (fact.entity, fact.name)
        known = folded.get(key)
        folded[key] = fact if known is None else _fold(known, fact)
        if len(folded) >= MAX_FACTS:
            break
    return tuple(folded.values())


def _own_fact(item: Mapping[str, Any] | None) -> RowFact | None:
    name = item.get("name") if item else None
    if item is None or not isinstance(name, str):
        return None
    kind, bare = _own_kind(name)
    value, quote = item.get("value"), _text(item, ("quote",))
    values: tuple[tuple[str, float | str, str], ...] = ()
    if isinstance(value, int | float | str) and not isinstance(value, bool) and value != quote:
        values = ((_text(item, ("statistic",)), value, _text(item, ("unit",))),)
    fact = RowFact(
        kind=kind,
        name=bare,
        entity=_text(item, ("entity",)).rsplit("/", 1)[-1],
        values=values,
        text=quote if kind is not FactKind.METRIC else "",
        ids=(item["id"],) if isinstance(item.get("id"), str) else (),
    )
    line = _line(quote) if kind is FactKind.LOG and quote else None
    if line is None:
        return fact
    return replace(
        fact,
        entity=fact.entity or line.entity,
        level=line.level,
        text=line.text,
        values=fact.values + line.values,
    )


def _own_kind(name: str) -> tuple[FactKind, str]:
    prefix, colon, rest = name.partition(":")
    if colon and prefix == "log":
        return FactKind.LOG, ""
    if colon and prefix == "field":
        return FactKind.LOG, rest
    if colon and prefix == "alert":
        return FactKind.ALERT, rest
    return FactKind.METRIC, name


def _fold(known: RowFact, fact: RowFact) -> RowFact:
    return replace(
        known,
        values=known.values + fact.values,
        text=known.text or fact.text,
        level=known.level or fact.level,
        ids=known.ids + fact.ids,
    )


# JSON of other tools -----------------------------------------------------------------------------


def _walk(data: Any) -> tuple[RowFact, ...]:
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
    name = _text(labels, _ALERT_KEYS)
    if not name:
        return None
    notes = as_mapping(node.get("annotations")) or node
    return RowFact(
        kind=FactKind.ALERT,
        name=name,
        entity=_text(labels, _SERVICE_KEYS),
        level=_text(labels, ("severity",)),
        values=_states(node),
        text=_text(notes, _NOTE_KEYS),
    )


def _states(node: Mapping[str, Any]) -> tuple[tuple[str, float | str, str], ...]:
    nested = as_mapping(node.get("status"))
    state = _text(nested, ("state",)) if nested else _text(node, _STATE_KEYS)
    return (("", state, ""),) if state else ()


def _series(node: Mapping[str, Any]) -> RowFact | None:
    metric = as_mapping(node.get("metric"))
    if metric is None:
        return None
    sample = (as_list(node.get("values")) or [node.get("value")])[-1]
    last = (as_list(sample) or [None])[-1]  # [time, "value"]
    if not isinstance(last, str | int | float):
        return None
    return RowFact(
        kind=FactKind.METRIC,
        name=_text(metric, ("__name__",)),
        entity=_text(metric, _SERVICE_KEYS),
        values=(("", last, ""),),
    )


def _log(node: Mapping[str, Any]) -> RowFact | None:
    message = _text(node, _MESSAGE_KEYS)
    level = _text(node, _LEVEL_KEYS)
    service = _text(node, _SERVICE_KEYS)
    if not message or not (level or service):
        return None
    holders = [as_mapping(node.get(key)) for key in _NUMBER_HOLDERS]
    numbers = [pair for holder in (node, *holders) if holder for pair in _numbers(holder)]
    return RowFact(
        kind=FactKind.LOG, entity=service, level=level, text=message, values=tuple(numbers)
    )


def _numbers(holder: Mapping[str, Any]) -> Iterator[tuple[str, float | str, str]]:
    for key, value in holder.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            if "time" not in key.lower() or key.lower().endswith(("_ms", "_seconds")):
                yield key, value, ""
        elif isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d+)?", value):
            yield key, value, ""


def _passage(node: Mapping[str, Any]) -> RowFact | None:
    title = _text(node, ("title",))
    if not title:
        return None
    return RowFact(
        kind=FactKind.PASSAGE,
        name=title,
        entity=_text(node, ("source",)),
        text=_text(node, ("snippet", "content")),
    )


def _scalars(node: Mapping[str, Any]) -> Iterator[RowFact]:
    for key, value in node.items():
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            yield RowFact(kind=FactKind.OTHER, values=((key, value, ""),))


# Plain text --------------------------------------------------------------------------------------


def _level(text: str) -> str:
    field = _LEVEL_FIELD.search(text)
    if field:
        return field.group(1)
    word = _LEVEL.search(text)
    return word.group(1) if word else ""


def _lines(preview: str) -> tuple[RowFact, ...]:
    """Read a preview that is text: lines that carry a level or numbers with names."""
    return tuple(
        fact for line in preview.splitlines()[:_MAX_LINES] if (fact := _line(line.strip()))
    )


def _line(line: str) -> RowFact | None:
    inner = as_mapping(_parsed(line))
    if inner is not None:
        return _alert(inner) or _log(inner)
    level = _level(line)
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
