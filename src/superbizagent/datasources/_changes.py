"""Deploy events in any usual form to `Change`s: JSON lines, a JSON array, CSV with a header."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from superbizagent.domain.canonical import loads
from superbizagent.domain.outputs import Change
from superbizagent.domain.payload import read_instant
from superbizagent.domain.window import Instant

__all__ = ["ordered", "read_changes"]

_AT = (
    *("at", "time", "timestamp", "ts", "date", "datetime", "deployed_at", "created_at"),
    *("started_at", "finished_at", "completed_at", "start", "start_time", "when", "@timestamp"),
)
_ENTITY = (
    *("entity", "service", "service_name", "service.name", "name", "app", "application"),
    *("component", "deployment", "target", "project", "repository", "resource"),
)
_KIND = ("kind", "type", "event", "action", "event_type", "category")
_SUMMARY = ("summary", "message", "description", "title", "subject", "text", "comment", "reason")
_AUTHOR = ("author", "user", "by", "actor", "deployed_by", "username", "owner")
_REVISION = ("revision", "version", "commit", "sha", "tag", "image", "build", "release")
_LISTS = ("changes", "events", "deployments", "deploys", "items", "data", "releases")
"""Where an answer of an API keeps its list."""


def read_changes(text: str) -> tuple[tuple[Change, ...], int]:
    """Return the changes of a file, oldest first, and how many rows were no change.

    A row without a time is none. Keys are taken in any usual spelling, whatever their case.
    """
    rows = _rows(text.lstrip("\ufeff"))
    changes = [change for row in rows if (change := _change(row)) is not None]
    return ordered(changes), len(rows) - len(changes)


def ordered(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return changes oldest first, ties by entity and summary."""
    return tuple(sorted(changes, key=lambda c: (c.at, c.entity, c.summary)))


def _rows(text: str) -> list[Any]:
    """The rows of a file; what is none stays, so that it is counted."""
    head = text.lstrip()[:1]
    if head in {"[", "{"}:
        whole = _json(text)
        if isinstance(whole, list):
            return cast("list[Any]", whole)
        if isinstance(whole, Mapping):
            return _inner(cast("Mapping[str, Any]", whole))
        return [_json(line) for line in text.splitlines() if line.strip()]
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or lines[0].count(",") + lines[0].count(";") + lines[0].count("\t") == 0:
        return [_json(line) for line in lines]
    delimiter = max(",;\t", key=lines[0].count)
    return list(csv.DictReader(io.StringIO("\n".join(lines)), delimiter=delimiter))


def _json(text: str) -> Any:
    try:
        return loads(text)
    except ValueError:
        return None


def _inner(whole: Mapping[str, Any]) -> list[Any]:
    """The list inside an object that wraps one, else the object itself as the only row."""
    for key in _LISTS:
        if isinstance(whole.get(key), list):
            return cast("list[Any]", whole[key])
    return [whole]


def _change(value: Any) -> Change | None:
    if not isinstance(value, Mapping):
        return None
    given = cast("Mapping[Any, Any]", value)
    row = {str(k).strip().lower(): v for k, v in given.items() if k is not None}
    at = _instant(_first(row, _AT))
    if at is None:
        return None
    return Change(
        at=at,
        entity=_text(row, _ENTITY),
        kind=_text(row, _KIND) or "change",
        summary=_text(row, _SUMMARY),
        author=_text(row, _AUTHOR),
        revision=_text(row, _REVISION),
    )


def _first(row: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((row[key] for key in keys if row.get(key) is not None and row[key] != ""), None)


def _instant(value: Any) -> Instant | None:
    """Read a time; CSV knows no numbers, only their digits."""
    if isinstance(value, str) and re.fullmatch(r"\d{9,13}(\.\d+)?", value.strip()):
        return read_instant(float(value))
    return read_instant(value)


def _text(row: Mapping[str, Any], keys: Iterable[str]) -> str:
    for key in keys:
        value = row.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            return str(value).strip()
    return ""
