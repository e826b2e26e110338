"""Which numbers a kind of log message carries: ``key=value``, ``after 1415ms``, a status code."""

import re
from dataclasses import dataclass

__all__ = ["Key", "is_code", "keys_of"]

_AT_MOST = 8  # keys a kind of record
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_KEYED = re.compile(
    r"(?:^|[\s,;|({\[\"'])([A-Za-z_][\w.\-]*)[\"']?\s*[=:]\s*[\"']?"
    rf"{_NUMBER}(ms|us|s|%|KB|MB|GB|B)?(?=[\s,;|)}}\]\"']|$)"
)
# `acquired after 1415ms`: the word before names it, the unit shows that it measures something.
_MEASURED = re.compile(rf"\b([A-Za-z][A-Za-z_\-]*) {_NUMBER} ?(ms|us|s|%|KB|MB|GB)\b")
# Codes have no unit; what they are is told by the word before, or by a request.
_CODED = re.compile(r"\b((?i:status|status code|code|error code|exit code|errno)) [0-9]{1,5}\b")
_STATUS = (
    r"HTTP/[0-9.]+\"?,? ([1-5][0-9]{2})(?:[^0-9]|$)",
    r"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) [^ ]+ (?:-> |: )?([1-5][0-9]{2})(?:[^0-9]|$)",
)
# Names of what identifies or dates; a larger value of these means nothing.
_NO_MEASURE = re.compile(
    r"(?i)(^|[_.\-])(id|pid|tid|port|line|time|date|year|month|day|version)$|Id$"
)
# Names of what has no order: between 200 and 503 there is nothing.
_CODES = re.compile(
    r"(?i)(^|[_.\- ])(status|code|errno|rc|exit|result|state|signal)$|(Status|Code)$"
)


def is_code(key: str) -> bool:
    """Tell whether a field holds codes, of which a median says nothing."""
    return _CODES.search(key) is not None


@dataclass(frozen=True, slots=True)
class Key:
    """One numeric field of a kind of record."""

    name: str
    unit: str
    pattern: str
    """Regular expression whose first group is the number."""


def keys_of(body: str) -> tuple[Key, ...]:
    """Return the numeric fields of a representative message, in the order they stand."""
    found: dict[str, Key] = {}
    for match in _KEYED.finditer(body):
        name, unit = match.group(1), match.group(2) or ""
        # ASCII classes: Unicode's take a hundred times as long to compile.
        pattern = (
            rf"(?:^|[ \t\n,;|(\[{{\"']){re.escape(name)}[\"']?[ \t]*[=:][ \t]*[\"']?({_NUMBER})"
        )
        _remember(found, Key(name, unit, pattern))
    for match in _MEASURED.finditer(body):
        name, unit = match.group(1), match.group(2)
        _remember(found, Key(name, unit, rf"(?-u:\b){re.escape(name)} ({_NUMBER}) ?{unit}"))
    for match in _CODED.finditer(body):
        name = match.group(1)
        _remember(found, Key(name, "", rf"(?-u:\b){re.escape(name)} ([0-9]{{1,5}})(?-u:\b)"))
    for pattern in _STATUS:
        if re.search(pattern, body):
            _remember(found, Key("status", "", pattern))
    return tuple(found.values())[:_AT_MOST]


def _remember(found: dict[str, Key], key: Key) -> None:
    if not _NO_MEASURE.search(key.name):
        found.setdefault(key.name, key)
