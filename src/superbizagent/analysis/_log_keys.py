"""Which numbers a kind of log message carries: ``key=value``, ``after 1415ms``, a status code."""

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from superbizagent.analysis._masks import HEAD, KEY

__all__ = ["Key", "is_code", "keys_of", "spot_of"]

_AT_MOST = 8  # keys a kind of record
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_KEYED = re.compile(
    r"(?:^|[\s,;|({\[\"'])([A-Za-z_][\w.\-]*)[\"']?\s*[=:]\s*[\"']?"
    rf"({_NUMBER})(ms|us|s|%|KB|MB|GB|B)?(?=[\s,;|)}}\]\"']|$)"
)
# `acquired after 1415ms`: the word before names it, the unit shows that it measures something.
_MEASURED = re.compile(rf"\b([A-Za-z][A-Za-z_\-]*) ({_NUMBER}) ?(ms|us|s|%|KB|MB|GB)\b")
# Codes have no unit; what they are is told by the word before, or by a request.
_CODED = re.compile(r"\b((?i:status|status code|code|error code|exit code|errno)) ([0-9]{1,5})\b")
_STATUS = (
    r"HTTP/[0-9.]+\"?,? ([1-5][0-9]{2})(?:[^0-9]|$)",
    r"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) [^ ]+ (?:-> |: )?([1-5][0-9]{2})(?:[^0-9]|$)",
)
# Names of what identifies or dates, and ids; a larger value of these means nothing.
_NO_MEASURE = re.compile(
    r"(?i)(^|[_.\-])(id|pid|tid|port|line|time|date|year|month|day|version)$|Id$|[0-9]{4}"
)
# Names of what has no order: between 200 and 503 there is nothing.
_CODES = re.compile(
    r"(?i)(^|[_.\- ])(status|code|errno|rc|exit|result|state|signal)$|(Status|Code)$"
)


def is_code(key: str) -> bool:
    """Tell whether a field holds codes, of which a median says nothing."""
    return _CODES.search(key) is not None


_PART = re.compile(KEY)


class Form(IntEnum):
    """What may stand where the number of a field stands."""

    NUMBER = 0
    """Digits, perhaps with a decimal point."""
    MEASURE = 1
    """The same, and its unit behind it."""
    CODE = 2
    """At most five digits."""
    STATUS = 3
    """Three digits, of which the first says what kind of answer it was."""


class Spot(NamedTuple):
    """Where the number of a field stands in every message of a kind."""

    part: int
    """Which of the parts that the grouping key leaves out begins with it, from 0."""
    before: int
    """The byte before its digits: a minus, or what separates it from its name."""
    form: Form
    unit: bytes
    """What must follow it, at most two letters; a space may stand between."""


@dataclass(frozen=True, slots=True)
class Key:
    """One numeric field of a kind of record."""

    name: str
    unit: str
    pattern: str
    """Regular expression whose first group is the number."""
    form: Form = Form.NUMBER


def keys_of(body: str) -> tuple[tuple[Key, int], ...]:
    """Return the numeric fields of a representative message, in the order they stand.

    With each comes the place of its number.
    """
    found: dict[str, tuple[Key, int]] = {}
    for match in _KEYED.finditer(body):
        name, unit = match.group(1), match.group(3) or ""
        if "." in name and body[match.end(1)] == ":" and match.start(2) == match.end(1) + 1:
            continue  # a host and its port
        # ASCII classes: Unicode's take a hundred times as long to compile.
        pattern = (
            rf"(?:^|[ \t\n,;|(\[{{\"']){re.escape(name)}[\"']?[ \t]*[=:][ \t]*[\"']?({_NUMBER})"
        )
        _remember(found, Key(name, unit, pattern), match.start(2))
    for match in _MEASURED.finditer(body):
        name, unit = match.group(1), match.group(3)
        pattern = rf"(?-u:\b){re.escape(name)} ({_NUMBER}) ?{unit}"
        _remember(found, Key(name, unit, pattern, Form.MEASURE), match.start(2))
    for match in _CODED.finditer(body):
        name = match.group(1)
        pattern = rf"(?-u:\b){re.escape(name)} ([0-9]{{1,5}})(?-u:\b)"
        _remember(found, Key(name, "", pattern, Form.CODE), match.start(2))
    for pattern in _STATUS:
        match = re.search(pattern, body)
        if match:
            _remember(found, Key("status", "", pattern, Form.STATUS), match.start(1))
    return tuple(found.values())[:_AT_MOST]


def _remember(found: dict[str, tuple[Key, int]], key: Key, place: int) -> None:
    if not _NO_MEASURE.search(key.name):
        found.setdefault(key.name, (key, place))


def spot_of(body: str, key: Key, place: int) -> Spot | None:
    """Return where the number of a field stands in all messages with the grouping key of one.

    None when that cannot be told: it is no part of its own, or stands behind the first line.
    """
    if "\n" in body[:HEAD] or place >= HEAD:
        return None
    digits = place + (body[place] == "-")
    parts = [m.start() + _first_digit(m.group()) for m in _PART.finditer(body[:HEAD])]
    before = body[digits - 1 : digits]
    if digits not in parts or not before.isascii() or not before:
        return None
    if _PART.search(key.name):  # `p99=`: in another message it is `p50=`
        return None
    unit = key.unit.encode() if key.form is Form.MEASURE else b""
    return Spot(parts.index(digits), ord(before), key.form, unit)


def _first_digit(part: str) -> int:
    return next(k for k, letter in enumerate(part) if letter in "0123456789")
