"""Our own facts in ``details.facts``, what belongs together folded into one fact."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from superbizagent.investigation.rows.fact import (
    FactKind,
    RowFact,
    Value,
    as_list,
    as_mapping,
    is_value,
    shown,
    text_of,
)
from superbizagent.investigation.rows.foreign import fact_of_line

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


def own_facts(details: Any, limit: int) -> tuple[RowFact, ...]:
    """Read ``details.facts``: the statistics of one series, template or alert become one fact.

    Args:
        details: JSON of the row.
        limit: how many facts at most.
    """
    folded: dict[tuple[str, ...], RowFact] = {}
    for item in as_list((as_mapping(details) or {}).get("facts")):
        fact = as_mapping(item)
        if fact is None or not isinstance(fact.get("name"), str):
            continue
        key = _key(fact)
        known = folded.get(key)
        if known is None and len(folded) == limit:
            continue
        folded[key] = _add(known or _new(fact), fact)
    return tuple(_with_line(fact) for fact in folded.values())


def _key(fact: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a fact belongs to: a template by its place, all else by entity and name."""
    place = text_of(fact, ("place",)).split("/")
    if place[0] == "template":
        return tuple(place[:2])
    return text_of(fact, ("entity",)), text_of(fact, ("name",)), *place[:2]


def _kind(fact: Mapping[str, Any]) -> tuple[FactKind, str]:
    prefix, colon, rest = fact["name"].partition(":")
    if colon and prefix in _KINDS:
        return _KINDS[prefix], rest
    if fact.get("place") == "output":
        return FactKind.COUNT, ""
    return FactKind.METRIC, fact["name"]


def _new(fact: Mapping[str, Any]) -> RowFact:
    kind, name = _kind(fact)
    named = kind in (FactKind.METRIC, FactKind.ALERT, FactKind.CHANGE)
    entity = text_of(fact, ("entity",)).rsplit("/", 1)[-1]
    return RowFact(kind=kind, name=name if named else "", entity=entity)


def _add(known: RowFact, fact: Mapping[str, Any]) -> RowFact:
    """Add one statistic to the fact it belongs to."""
    if isinstance(fact.get("id"), str):
        known = replace(known, ids=(*known.ids, fact["id"]))
    statistic, value = text_of(fact, ("statistic",)), fact.get("value")
    quote = text_of(fact, ("quote",))
    if known.kind in (FactKind.LOG, FactKind.CHANGE, FactKind.EDGE) and not known.text:
        known = replace(known, text=quote)
    if not is_value(value):
        return known
    if known.kind in (FactKind.METRIC, FactKind.COUNT):
        return _valued(known, _label(known, fact, statistic), value, fact)
    return _described(known, fact, statistic, value)


def _label(known: RowFact, fact: Mapping[str, Any], statistic: str) -> str:
    return fact["name"] if known.kind is FactKind.COUNT else statistic


def _described(
    known: RowFact, fact: Mapping[str, Any], statistic: str, value: float | str
) -> RowFact:
    """Add a statistic of a log template, an alert, a change or an edge."""
    prefix, _, rest = fact["name"].partition(":")
    if prefix == "field":
        shows = statistic in _FIELD_STATISTICS
        return _valued(known, rest, value, fact) if shows else known
    text = shown(value)
    match statistic:
        case "service" | "service_name" | "job":
            return replace(known, entity=known.entity or text)
        case "severity":
            return replace(known, level=text)
        case "line" | "message" | "summary":
            return replace(known, text=known.text or text)
        case "callee":
            return known  # the edge's quote says it all
        case _:
            return _valued(known, "" if statistic == "status" else statistic, value, fact)


def _valued(known: RowFact, key: str, value: float | str, fact: Mapping[str, Any]) -> RowFact:
    unit = "" if isinstance(value, str) else text_of(fact, ("unit",))
    item: Value = (key, value, unit)
    return replace(known, values=(*known.values, item))


def _with_line(fact: RowFact) -> RowFact:
    """Read level, service and fields out of a log line's own text."""
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
