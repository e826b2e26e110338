"""Deploy events in any usual form to `Change`s: JSON lines, a JSON array, CSV with a header.

Lenient, never an exception.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, cast

from superbizagent.domain.canonical import loads
from superbizagent.domain.json_values import mapping
from superbizagent.domain.outputs import Change
from superbizagent.domain.payload import read_instant
from superbizagent.domain.window import Instant

__all__ = ["ChangeRows", "given_changes", "ordered", "read_changes"]

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
_DELIMITERS = ",;\t"
_NAMED = 5
_EXAMPLE = '{"at": "2026-05-06T12:00:00Z", …}'


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """What a file of changes holds."""

    changes: tuple[Change, ...]
    """Oldest first."""
    left_out: tuple[int, ...] = ()
    """Lines, counted from 1, that are no change; of a JSON list its rows."""
    unit: str = "line"

    @property
    def remark(self) -> str:
        """One line about what was left out and what to write instead; empty when nothing was."""
        if not self.left_out:
            return ""
        named = ", ".join(map(str, self.left_out[:_NAMED]))
        more = f" and {len(self.left_out) - _NAMED} more" if len(self.left_out) > _NAMED else ""
        return f"left out {self.unit} {named}{more}: malformed or no time; write {_EXAMPLE}"


def read_changes(text: str) -> ChangeRows:
    """Return the changes of a file, and which of its rows are none.

    A row without a time is none. Keys are taken in any usual spelling, whatever their case.
    """
    rows = _rows(re.sub(r"\r\n?", "\n", text.lstrip("\ufeff")))
    read = [(number, _change(value)) for number, value in rows.of]
    return ChangeRows(
        changes=ordered(change for _, change in read if change is not None),
        left_out=tuple(number for number, change in read if change is None),
        unit=rows.unit,
    )


def given_changes(text: str, now: datetime) -> tuple[tuple[Change, dict[str, Any]], ...]:
    """Return what a hook reports, each change with the object that it was read from.

    Args:
        text: JSON, an object or a list; JSON lines; CSV with a header.
        now: time of a change that tells none: it is reported as it is made.

    Returns:
        In the order given; what names neither time, entity nor kind nor says anything is none.
    """
    found: list[tuple[Change, dict[str, Any]]] = []
    for _, value in _rows(re.sub(r"\r\n?", "\n", text.lstrip("\ufeff"))).of:
        change = _change(value, now)
        if change is not None and (change.entity or change.summary or change.revision):
            found.append((change, {str(k): v for k, v in mapping(value).items()}))
    return tuple(found)


def ordered(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return changes oldest first, ties by entity and summary."""
    return tuple(sorted(changes, key=lambda c: (c.at, c.entity, c.summary)))


class _Rows(NamedTuple):
    """Rows by number; what is none stays, so that it is counted."""

    of: list[tuple[int, Any]]
    unit: str = "line"


def _rows(text: str) -> _Rows:
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    head = text.lstrip()[:1]
    if head in {"[", "{"}:
        whole = _json(text)
        if isinstance(whole, list | Mapping):
            return _Rows(list(enumerate(_inner(cast("Any", whole)), 1)), "row")
    elif lines and any(delimiter in lines[0][1] for delimiter in _DELIMITERS):
        return _Rows(list(_csv(lines[0][0], text)))
    return _Rows([(n, _json(line)) for n, line in lines])


def _csv(first: int, text: str) -> Iterator[tuple[int, Any]]:
    """Rows of a table whose header is line ``first``; a row is numbered by its last line."""
    lines = text.split("\n")[first - 1 :]
    delimiter = max(_DELIMITERS, key=lines[0].count)
    reader = csv.DictReader((f"{line}\n" for line in lines), delimiter=delimiter)
    while True:
        row = None
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:  # a field of megabytes
            pass
        yield first - 1 + reader.reader.line_num, row


def _json(text: str) -> Any:
    try:
        return loads(text)
    except ValueError:
        return None


def _inner(whole: list[Any] | Mapping[str, Any]) -> list[Any]:
    """The list inside an object that wraps one, else the object itself as the only row."""
    if isinstance(whole, list):
        return whole
    for key in _LISTS:
        if isinstance(whole.get(key), list):
            return cast("list[Any]", whole[key])
    return [whole]


def _change(value: Any, now: datetime | None = None) -> Change | None:
    if not isinstance(value, Mapping):
        return None
    given = cast("Mapping[Any, Any]", value)
    row = {str(k).strip().lower(): v for k, v in given.items() if k is not None}
    told = _first(row, _AT)
    at = now if told is None else _instant(told)
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
