"""Our own facts in ``details.facts``, what belongs together folded into one fact."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from superbizagent.analysis.rows.fact import (
    FactKind,
    RowFact,
    Value,
    as_list,
    as_mapping,
    is_value,
    shown,
    text_of,
)
from superbizagent.analysis.rows.foreign import fact_of_line

__all__ = ["own_facts"]

_KINDS = {
    "log": FactKind.LOG,
    "field": FactKind.LOG,
    "alert": FactKind.ALERT,
    "change": FactKind.CHANGE,
    "edge": FactKind.EDGE,
}
"""Prefix of a fact's name -> kind; a name without one is a series."""
_FIELD_STATISTICS = frozenset({"max", "value", "last"})
"""Of a log field its extreme is shown, as the line that holds it has it."""


@dataclass(slots=True)
class _Draft:
    """A fact while its statistics are still being added."""

    kind: FactKind
    name: str
    entity: str
    values: list[Value] = field(default_factory=list[Value])
    ids: list[str] = field(default_factory=list[str])
    level: str = ""
    text: str = ""

    def fact(self) -> RowFact:
        """Return it, with level, service and fields read out of a log line's own text."""
        fact = RowFact(
            kind=self.kind,
            name=self.name,
            entity=self.entity,
            values=tuple(self.values),
            level=self.level,
            text=self.text,
            ids=tuple(self.ids),
        )
        line = fact_of_line(fact.text) if fact.kind is FactKind.LOG and fact.text else None
        if line is None:
            return fact
        return replace(
            fact,
            entity=fact.entity or line.entity,
            level=line.level or fact.level,
            text=line.text,
            values=(*line.values, *fact.values),
        )


def own_facts(details: Any, limit: int) -> tuple[RowFact, ...]:
    """Read ``details.facts``: the statistics of one series, template or alert become one fact.

    Args:
        details: JSON of the row.
        limit: how many facts at most.
    """
    drafts: dict[tuple[str, ...], _Draft] = {}
    for item in as_list((as_mapping(details) or {}).get("facts")):
        source = as_mapping(item)
        if source is None or not isinstance(source.get("name"), str):
            continue
        key = _key(source)
        draft = drafts.get(key)
        if draft is None:
            if len(drafts) == limit:
                continue
            drafts[key] = draft = _new(source)
        _add(draft, source)
    return tuple(draft.fact() for draft in drafts.values())


def _key(source: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a fact belongs to: a template by its place, all else by entity and name."""
    place = text_of(source, ("place",)).split("/")
    if place[0] == "template":
        return tuple(place[:2])
    return text_of(source, ("entity",)), text_of(source, ("name",)), *place[:2]


def _kind(source: Mapping[str, Any]) -> tuple[FactKind, str]:
    prefix, colon, rest = source["name"].partition(":")
    if colon and prefix in _KINDS:
        return _KINDS[prefix], rest
    if source.get("place") == "output":
        return FactKind.COUNT, ""
    return FactKind.METRIC, source["name"]


def _new(source: Mapping[str, Any]) -> _Draft:
    kind, name = _kind(source)
    named = kind in (FactKind.METRIC, FactKind.ALERT, FactKind.CHANGE)
    entity = text_of(source, ("entity",)).rsplit("/", 1)[-1]
    return _Draft(kind, name if named else "", entity)


def _add(draft: _Draft, source: Mapping[str, Any]) -> None:
    """Add one statistic to the fact it belongs to."""
    if isinstance(source.get("id"), str):
        draft.ids.append(source["id"])
    if draft.kind in (FactKind.LOG, FactKind.CHANGE, FactKind.EDGE) and not draft.text:
        draft.text = text_of(source, ("quote",))
    value = source.get("value")
    if not is_value(value):
        return
    statistic = text_of(source, ("statistic",))
    if draft.kind is FactKind.COUNT:
        _add_value(draft, source["name"], value, source)
    elif draft.kind is FactKind.METRIC:
        _add_value(draft, statistic, value, source)
    elif source["name"].startswith("field:"):
        if statistic in _FIELD_STATISTICS:
            _add_value(draft, source["name"].removeprefix("field:"), value, source)
    else:
        _describe(draft, statistic, value, source)


def _describe(draft: _Draft, statistic: str, value: float | str, source: Mapping[str, Any]) -> None:
    """Add a statistic of a log template, an alert, a change or an edge."""
    match statistic:
        case "service" | "service_name" | "job":
            draft.entity = draft.entity or shown(value)
        case "severity":
            draft.level = shown(value)
        case "line" | "message" | "summary":
            draft.text = draft.text or shown(value)
        case "callee":
            pass  # the edge's quote says it all
        case _:
            _add_value(draft, "" if statistic == "status" else statistic, value, source)


def _add_value(draft: _Draft, key: str, value: float | str, source: Mapping[str, Any]) -> None:
    unit = "" if isinstance(value, str) else text_of(source, ("unit",))
    draft.values.append((key, value, unit))
