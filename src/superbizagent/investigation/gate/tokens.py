"""Concrete tokens of the evidence that a report uses again.

A token is a name the payload did not bring, an error type, a number in its context, a passage's
title or a phrase of a log line. What the payload already said proves no look, so it is no token.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from superbizagent.analysis.rows.fact import FactKind, RowFact, shown
from superbizagent.investigation.gate.normalise import PlainText, compact, plain

__all__ = ["ReportText", "reused_tokens"]

_ENOUGH = 3
"""Tokens after which the search ends: one is asked for, three explain."""
_BUCKETS = 20
"""Numbers are indexed on a logarithmic scale, 5 % a bucket."""
_PHRASE = 4
"""Words in a row that a report must share with a log line."""
_MARK = re.compile(r"\[E\d+[^\]]*\]")
_NUMBER = re.compile(
    r"(?<![\w.:/\-])([-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?)"
    r"(?![\d:/]|[-.]\d)\s?(%|[a-zµ]{1,5}(?:/s)?|[毫微]?秒|分钟|小时|次|个|条)?"
)
_ERROR_TYPE = re.compile(
    r"\b(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Exception|Error|Timeout|Refused|Denied)\b"
    r"|\b(?:ERROR|SQLSTATE|errno)[ =:\[(]*\w*\d\w*"
)
_WORDS = re.compile(r"[a-z0-9_]+|[\u4e00-\u9fff]+")
_BARE = frozenset({"error", "exception", "timeout", "refused", "denied"})
_COMMON = frozenset(
    {"total", "count", "seconds", "bytes", "value", "bucket", "requests", "request", "current"}
)
"""Words that stand in half of all series names, so that sharing one says nothing."""
_FACTORS: dict[str, tuple[float, ...]] = {
    "": (1.0,),
    "%": (1.0, 0.01),
    "us": (1.0, 1e-3, 1e-6),
    "µs": (1.0, 1e-3, 1e-6),
    "ms": (1.0, 1e-3, 1e3),
    "毫秒": (1.0, 1e-3),
    "s": (1.0, 1e3, 1e6),
    "秒": (1.0, 1e3),
    "min": (1.0, 60.0, 60e3),
    "分钟": (1.0, 60.0),
    "h": (1.0, 3600.0),
    "小时": (1.0, 3600.0),
    "k": (1.0, 1e3),
    "kb": (1.0, 1e3, 1024.0),
    "kib": (1.0, 1024.0),
    "m": (1.0, 1e6, 60.0),
    "mb": (1.0, 1e6, 1024.0**2),
    "mib": (1.0, 1024.0**2),
    "g": (1.0, 1e9),
    "gb": (1.0, 1e9, 1024.0**3),
    "gib": (1.0, 1024.0**3),
}
"""Unit as written -> what one of it may be in the row's unit, which need not be the same."""


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of the report: the span of values it can be the rounding of, and where it stands."""

    low: float
    high: float
    distinctive: bool
    """Has a unit or three significant digits, so it need not stand beside a name."""
    line: int


@dataclass(slots=True)
class ReportText:
    """A report prepared for looking up names, numbers and phrases."""

    names: PlainText
    lines: tuple[str, ...]
    """Compact lines."""
    marks: tuple[frozenset[str], ...]
    """Fact ids cited in each line."""
    phrases: frozenset[tuple[str, ...]]
    numbers: dict[int, list[_Number]]
    known: dict[str, bool] = field(default_factory=dict[str, bool])

    @classmethod
    def of(cls, text: str) -> "ReportText":
        """Prepare a text."""
        raw = text.splitlines()
        return cls(
            names=PlainText.of(text),
            lines=tuple(compact(line) for line in raw),
            marks=tuple(frozenset(re.findall(r"E\d+\.\d+", line)) for line in raw),
            phrases=frozenset(_phrases(text)),
            numbers=_index(raw),
        )

    def mentions(self, name: str) -> bool:
        """Tell whether a name stands in the text; each name is looked up once."""
        if name not in self.known:
            self.known[name] = self.names.names(name)
        return self.known[name]


def reused_tokens(
    report: ReportText, facts: Iterable[RowFact], payload_names: AbstractSet[str]
) -> tuple[str, ...]:
    """Return up to three tokens of the facts that the report uses.

    Args:
        report: the prepared report.
        facts: facts of successful rows.
        payload_names: compact names that the payload brought; no tokens.
    """
    found: dict[str, None] = {}
    for fact in facts:
        for token in _tokens_of(report, fact, payload_names):
            found[token] = None
            if len(found) == _ENOUGH:
                return tuple(found)
    return tuple(found)


def _tokens_of(report: ReportText, fact: RowFact, payload_names: AbstractSet[str]) -> Iterator[str]:
    names = [fact.entity]
    if fact.kind in (FactKind.ALERT, FactKind.PASSAGE):
        names.append(fact.name)
    for name in names:
        packed = compact(name)
        if len(packed) > 2 and packed not in payload_names and report.mentions(name):
            yield name
    for error in _ERROR_TYPE.findall(fact.text):
        bare = error.rsplit(".", 1)[-1]
        if compact(bare) not in _BARE and report.mentions(bare):
            yield bare
    for key, value, _unit in fact.values:
        if _number_used(report, fact, key, value):
            label = fact.name.partition("{")[0] if fact.kind is FactKind.METRIC else ""
            yield f"{label} {key}={shown(value)}".strip(" =")
    for phrase in _phrases(fact.text):
        if phrase in report.phrases:
            yield " ".join(phrase)
            return


def _phrases(text: str) -> Iterator[tuple[str, ...]]:
    """Yield runs of four words that are not all numbers; a Chinese run counts as one word."""
    words = _WORDS.findall(plain(text))
    for at in range(len(words) - _PHRASE + 1):
        run = tuple(words[at : at + _PHRASE])
        if sum(word.isdigit() for word in run) <= 1:
            yield run


# Numbers -----------------------------------------------------------------------------------------


def _index(lines: Sequence[str]) -> dict[int, list[_Number]]:
    index: dict[int, list[_Number]] = {}
    for at, line in enumerate(lines):
        for match in _NUMBER.finditer(plain(_MARK.sub(" ", line))):
            for number in _readings(match.group(1), match.group(2) or "", at):
                for bucket in range(_bucket(number.low), _bucket(number.high) + 1):
                    index.setdefault(bucket, []).append(number)
    return index


def _readings(digits: str, unit: str, line: int) -> Iterator[_Number]:
    """Yield what a written number can stand for, within the rounding of its last digit."""
    digits = digits.replace(",", "")
    value = abs(float(digits))
    _, _, decimals = digits.partition(".")
    half = 0.5 * 10.0 ** -len(decimals)
    figures = digits.lstrip("+-0.").replace(".", "")
    distinctive = unit in _FACTORS and unit != ""
    distinctive = distinctive or len(figures) >= 3
    for factor in _FACTORS.get(unit, (1.0,)):
        low, high = max(0.0, value - half) * factor, (value + half) * factor
        if value and low:
            yield _Number(low, high, distinctive, line)


def _bucket(value: float) -> int:
    return math.floor(math.log(value) * _BUCKETS)


def _number_used(report: ReportText, fact: RowFact, key: str, value: float | str) -> bool:
    number = _as_number(value)
    if number is None or number == 0 or not math.isfinite(number):
        return False
    number = abs(number)
    for candidate in report.numbers.get(_bucket(number), ()):
        if candidate.low <= number <= candidate.high and (
            candidate.distinctive or _beside_name(report, fact, key, candidate.line)
        ):
            return True
    return False


def _as_number(value: float | str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _beside_name(report: ReportText, fact: RowFact, key: str, line: int) -> bool:
    """Tell whether a line speaks of the fact: cites it, or shares a telling word of its name."""
    if report.marks[line] & set(fact.ids):
        return True
    words = _WORDS.findall(plain(f"{fact.name} {key}").replace("_", " "))
    telling = [w for w in words if len(w) > 3 and w not in _COMMON]
    return any(word in report.lines[line] for word in telling)
