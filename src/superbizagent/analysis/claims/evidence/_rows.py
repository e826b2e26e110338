"""Facts in columns: what a comparison selects by, one row a fact."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.evidence.subjects import Subject, Subjects
from superbizagent.analysis.families import meaning_of
from superbizagent.domain.fact import Fact
from superbizagent.domain.window import Window, Windows, to_ms

__all__ = ["Period", "Rows", "Statistic", "period_of", "statistic_of"]


class Period(IntEnum):
    """Which part of the time a value is of."""

    NONE = 0
    """No time: how many edges there are."""
    BASELINE = 1
    INCIDENT = 2
    """A span that lies in the incident, the whole of it or since the symptom began."""
    POINT = 3
    """One instant."""
    WHOLE = 4
    """A span that is in neither alone: the whole look."""


class Statistic(IntEnum):
    """What a value is of its samples or records."""

    OTHER = 0
    MAX = 1
    MIN = 2
    MEAN = 3
    MEDIAN = 4
    FIRST = 5
    LAST = 6
    COUNT = 7
    TOTAL = 8
    """An increase or a sum of events."""
    ONSET = 9
    """A time, not a value."""
    CONSTANT = 10
    """Largest, least, mean and last at once: it never moved."""
    P50 = 11
    """Percentile of a histogram's events."""
    P90 = 12
    P95 = 13
    P99 = 14
    STOOD_FIRST = 15
    """What a counter itself showed, which is the number of nothing that happened meanwhile."""
    STOOD_LAST = 16


_STATISTICS = {
    "max": Statistic.MAX,
    "min": Statistic.MIN,
    "mean": Statistic.MEAN,
    "median": Statistic.MEDIAN,
    "first": Statistic.FIRST,
    "last": Statistic.LAST,
    "count": Statistic.COUNT,
    "increase": Statistic.TOTAL,
    "failed": Statistic.TOTAL,
    "requests": Statistic.TOTAL,
    "answered": Statistic.TOTAL,
    "spent": Statistic.TOTAL,
    "total": Statistic.TOTAL,
    "constant": Statistic.CONSTANT,
    "raw_first": Statistic.STOOD_FIRST,
    "raw_last": Statistic.STOOD_LAST,
    "p50": Statistic.P50,
    "p90": Statistic.P90,
    "p95": Statistic.P95,
    "p99": Statistic.P99,
}
_OF_SAMPLES = frozenset(
    {"max", "min", "mean", "median", "first", "last", "constant", "increase", "direction"}
)
# How a series was read (`rate_`, `mean_` of a histogram), or over which records a count is; what
# follows it is the statistic. `mean_before` and `mean_since` stay means.
_PREFIX = re.compile(r"(?:rate_|mean_|baseline_)(?=max|min|mean|median|first|last|count|constant)")
_SUFFIX = re.compile(r"_(?:before|since)$")


def statistic_of(statistic: str) -> Statistic:
    """Return the class of a fact's statistic."""
    if statistic.endswith("_at"):
        return Statistic.OTHER if statistic == "last_at" else Statistic.ONSET
    bare = _SUFFIX.sub("", _PREFIX.sub("", statistic))
    if bare in {"rate", "rate_mean", "mean_mean"}:
        return Statistic.MEAN
    return _STATISTICS.get(bare, Statistic.OTHER)


def _manner(statistic: str) -> str:
    """Return what a statistic says beyond which one of its samples it is: ``rate_``, ``failed``.

    The largest and the mean of one series are of the same thing: what it is called is read once.
    """
    bare = _SUFFIX.sub("", _PREFIX.sub("", statistic))
    return statistic[: statistic.find(bare)] if bare in _OF_SAMPLES else statistic


def period_of(window: Window | None, *, is_point: bool, windows: Windows) -> Period:
    """Return which part of the time a value over ``window``, else at an instant, is of."""
    if window is None:
        return Period.POINT if is_point else Period.NONE
    if windows.incident.start <= window.start and window.end <= windows.incident.end:
        return Period.INCIDENT
    if any(w.start <= window.start and window.end <= w.end for w in windows.baselines):
        return Period.BASELINE
    return Period.WHOLE


@dataclass(frozen=True, slots=True)
class Rows:
    """One entry a fact, in the order of the facts."""

    value: NDArray[np.float64]
    """As the fact has it; NaN for text."""
    unit: NDArray[np.int16]
    """Code in `units`."""
    entity: NDArray[np.int32]
    """Code in `entities`; -1 for facts about a call alone."""
    period: NDArray[np.int8]
    statistic: NDArray[np.int8]
    concepts: NDArray[np.uint64]
    call: NDArray[np.int32]
    at: NDArray[np.int64]
    """Milliseconds since the epoch, -1 without an instant."""
    subject: NDArray[np.int32]
    """Code of a `Subject`: equal for the statistics of one series."""
    units: tuple[str, ...]
    entities: tuple[str, ...]
    subjects: tuple[Subject, ...]

    @classmethod
    def of(
        cls,
        facts: Sequence[Fact],
        windows: Windows,
        subject_of: Callable[[Fact], Subject],
        subjects: Subjects,
    ) -> Self:
        """Read facts into columns; ``subjects`` learns what they are about."""
        reader = _Reader(windows, subject_of, subjects)
        read = [reader.row(fact) for fact in facts]
        parts: list[Sequence[float]] = list(zip(*read, strict=True)) if read else [()] * 9
        return cls(
            value=np.array(parts[0], np.float64),
            unit=np.array(parts[1], np.int16),
            entity=np.array(parts[2], np.int32),
            period=np.array(parts[3], np.int8),
            statistic=np.array(parts[4], np.int8),
            concepts=np.array(parts[5], np.uint64),
            call=np.array(parts[6], np.int32),
            at=np.array(parts[7], np.int64),
            subject=np.array(parts[8], np.int32),
            units=tuple(reader.units),
            entities=tuple(reader.entities),
            subjects=tuple(subjects.items),
        )

    def by_token(self) -> dict[str, NDArray[np.int32]]:
        """Return which subjects have a word, by word."""
        found: dict[str, list[int]] = {}
        for code, subject in enumerate(self.subjects):
            for token in subject.tokens():
                found.setdefault(token, []).append(code)
        return {token: np.array(codes, np.int32) for token, codes in found.items()}

    def __len__(self) -> int:
        return len(self.value)


def _unit_of(fact: Fact) -> str:
    """Return a fact's unit; of a log's field that names it, ``duration_ms=5533``, that."""
    if fact.unit or not fact.name.startswith("field:"):
        return fact.unit
    return meaning_of({"__name__": fact.name.removeprefix("field:")}).unit


class _Reader:
    """Codes of everything that thousands of facts say in some hundred ways."""

    def __init__(
        self, windows: Windows, subject_of: Callable[[Fact], Subject], subjects: Subjects
    ) -> None:
        self.windows = windows
        self.subject_of = subject_of
        self.subjects = subjects
        self.units: dict[str, int] = {}
        self.entities: dict[str, int] = {}
        self.codes: dict[tuple[int, str, str, str], int] = {}
        self.bits: dict[tuple[int, str, str], int] = {}
        self.periods: dict[tuple[int, bool], Period] = {}
        self.kinds: dict[str, tuple[Statistic, str]] = {}

    def row(self, fact: Fact) -> tuple[float, int, int, int, int, int, int, int, int]:
        """Return the entry of a fact in every column, in the order of `Rows`."""
        call = fact.call
        about = (call, fact.entity, fact.name, fact.place)
        code = self.codes.get(about, -1)
        if code < 0:
            code = self.codes[about] = self.subjects.code(self.subject_of(fact))
        owner = self.subjects.items[code].entity
        if fact.statistic not in self.kinds:
            self.kinds[fact.statistic] = statistic_of(fact.statistic), _manner(fact.statistic)
        statistic, manner = self.kinds[fact.statistic]
        return (
            fact.value if isinstance(fact.value, int | float) else np.nan,
            self.units.setdefault(_unit_of(fact), len(self.units)),
            self.entities.setdefault(owner, len(self.entities)) if owner else -1,
            self._period(fact),
            statistic,
            self._concepts(code, fact.unit, manner),
            call,
            -1 if fact.at is None else to_ms(fact.at),
            code,
        )

    def _period(self, fact: Fact) -> Period:
        # Windows are few objects: their identity is enough to look the period up.
        span = (id(fact.window), fact.at is not None)
        found = self.periods.get(span)
        if found is None:
            found = period_of(fact.window, is_point=span[1], windows=self.windows)
            self.periods[span] = found
        return found

    def _concepts(self, code: int, unit: str, manner: str) -> int:
        said = (code, unit, manner)
        found = self.bits.get(said)
        if found is None:
            found = self.bits[said] = self.subjects.items[code].concepts(unit, manner)
        return found
