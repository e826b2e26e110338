"""What one part of some logs holds that another does not: new, vanished and bursting templates.

The parts are two spans of time of the same files, or some files and some older ones. Counts are
judged against what the other part leads to expect, scaled by all records: more traffic gives more
lines of every kind.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._log_drafts import Draft, drafts_of, score_drafts
from superbizagent.analysis._log_kinds import Kinds
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.logs import SEVERITIES, LogChunk
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant, Window, from_ms

__all__ = ["Comparison", "LogComparer", "Parts", "Seen", "TemplateChange", "Turn"]

Ints = NDArray[np.int64]

_BURSTS = 3.0
"""Standard deviations over what is expected, from which more is a burst."""
_TWICE = 2.0  # of what is expected at least: a large count deviates by little and means little
_MISSED = 3.0
"""Expected records from which none at all is no chance: of 3, one look in 20 has none."""
_UNDATED = -1


class Turn(StrEnum):
    """What became of a template."""

    NEW = "new"
    VANISHED = "vanished"
    BURSTING = "bursting"
    USUAL = "usual"


@dataclass(frozen=True, slots=True)
class Parts:
    """Which records of a chunk belong to which part."""

    before: Window | None
    """None: no record of it."""
    now: Window | None
    undated: int = _UNDATED
    """Part of records without a time: 0 before, 1 now, -1 neither."""

    def of(self, times: Ints) -> Ints:
        """Return 0 for the earlier part, 1 for the later, -1 for neither."""
        part = np.full(len(times), -1, np.int64)
        for number, window in enumerate((self.before, self.now)):
            if window is not None:
                part[(times >= window.start_ms) & (times <= window.end_ms)] = number
        part[times == _UNDATED] = self.undated
        return part


class Seen(Model):
    """One record, with its place."""

    file: str
    offset: int
    """Byte of the uncompressed file."""
    line: int = 0
    """Number of its first line, from 1; 0 while nobody counted."""
    at: Instant | None
    text: str


class TemplateChange(Model):
    """One template in both parts."""

    id: str
    turn: Turn
    service: str
    severity: str
    text: str
    before: int
    now: int
    expected: float
    """Records now, if its share of all had stayed."""
    before_ratio: float
    """Share of all records of the part, 0 to 1."""
    now_ratio: float
    score: float
    """Rare, new, severe and bursting first; see `analysis.log_templates`."""
    first: Seen
    """Of the later part, of one that vanished of the earlier."""
    last: Seen


class Comparison(Model):
    """Everything that was found, strongest first."""

    records_before: int
    records_now: int
    records_elsewhere: int
    """Read, but in neither part: beside the spans, or without a time."""
    templates: tuple[TemplateChange, ...]

    def of(self, turn: Turn) -> tuple[TemplateChange, ...]:
        """Return the templates of which one thing became."""
        return tuple(t for t in self.templates if t.turn is turn)


@dataclass(slots=True)
class _Ends:
    """First and last record of every kind in either part: ``(time, path, line, offset)``."""

    first: dict[tuple[int, int], tuple[Any, ...]] = field(
        default_factory=dict[tuple[int, int], tuple[Any, ...]]
    )
    last: dict[tuple[int, int], tuple[Any, ...]] = field(
        default_factory=dict[tuple[int, int], tuple[Any, ...]]
    )

    def see(self, path: str, frame: pl.DataFrame, cells: Ints, times: Ints) -> None:
        """Take in one chunk; files without times are in order of their lines."""
        order = np.lexsort((np.arange(len(cells)), times, cells))
        begins = np.flatnonzero(np.diff(cells[order], prepend=-1))
        ends = np.append(begins[1:], len(order)) - 1
        for known, rows, later in (
            (self.first, order[begins], False),
            (self.last, order[ends], True),
        ):
            found = frame[rows].select("line", "offset").iter_rows()
            for row, (line, offset) in zip(rows.tolist(), found, strict=True):
                key = divmod(int(cells[row]), 2)
                new = (int(times[row]), path, line, offset)
                old = known.get(key)
                if old is None or (new[0] >= old[0] if later else new[0] < old[0]):
                    known[key] = new


class LogComparer:
    """Takes chunks in file order, of both parts in any order, and says what differs."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._kinds = Kinds()
        self._ends = _Ends()
        self._elsewhere = 0

    def add(self, chunk: LogChunk, parts: Parts) -> None:
        """Fold one chunk in."""
        times = chunk.frame["time"].cast(pl.Int64).fill_null(_UNDATED).to_numpy()
        part = parts.of(times)
        rows = np.flatnonzero(part >= 0)
        self._elsewhere += len(times) - len(rows)
        if len(rows) == 0:
            return
        frame, part, times = chunk.frame[rows], part[rows], times[rows]
        kinds = self._kinds.of(frame).kinds
        self._kinds.see(kinds, part, times)
        self._ends.see(chunk.file.path, frame, kinds * 2 + part, times)

    def result(self) -> Comparison:
        """Return what was found so far."""
        drafts = drafts_of(self._kinds)
        score_drafts(drafts, self._kinds, has_baseline=True)
        totals = self._kinds.seen.sum(axis=0).tolist() if len(self._kinds) else [0, 0]
        found = [self._change(d, totals[0], totals[1]) for d in drafts if d.before + d.during]
        found.sort(key=lambda t: (-t.score, -t.before, t.service, t.text))
        return Comparison(
            records_before=totals[0],
            records_now=totals[1],
            records_elsewhere=self._elsewhere,
            templates=tuple(found),
        )

    def _change(self, draft: Draft, before: int, now: int) -> TemplateChange:
        expected = draft.before * now / before if before else 0.0
        part = 1 if draft.during else 0
        return TemplateChange(
            id=draft.id,
            turn=_turn(draft, expected),
            service=draft.service,
            severity=SEVERITIES[draft.severity],
            text=draft.text,
            before=draft.before,
            now=draft.during,
            expected=round_significant(expected),
            before_ratio=round_significant(draft.before / before) if before else 0.0,
            now_ratio=round_significant(draft.during / now) if now else 0.0,
            score=draft.score,
            first=_seen(min(self._of(self._ends.first, draft.kinds, part), key=_time)),
            last=_seen(max(self._of(self._ends.last, draft.kinds, part), key=_time)),
        )

    def _of(
        self, known: dict[tuple[int, int], tuple[Any, ...]], kinds: Sequence[int], part: int
    ) -> Iterator[tuple[Any, ...]]:
        return (known[k, part] for k in kinds if (k, part) in known)


def _time(row: tuple[Any, ...]) -> int:
    return int(row[0])


def _turn(draft: Draft, expected: float) -> Turn:
    if draft.during == 0:
        return Turn.VANISHED if expected >= _MISSED else Turn.USUAL
    if draft.before == 0:
        return Turn.NEW
    spread = float(np.sqrt(expected + 1.0 + 0.1 * expected**2))
    bursts = draft.during - expected >= _BURSTS * spread
    return Turn.BURSTING if bursts and draft.during >= _TWICE * expected else Turn.USUAL


def _seen(row: tuple[Any, ...]) -> Seen:
    time, path, line, offset = row
    at = None if time == _UNDATED else from_ms(time)
    return Seen(file=path, offset=int(offset or 0), at=at, text=line or "")
