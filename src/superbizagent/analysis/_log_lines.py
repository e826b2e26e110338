"""Which log lines are kept verbatim: the same ones however the stream is cut into chunks.

Of every kind and window the first few, those whose number in the kind is a power of two (a sample
that thins out by itself), the last, and those that hold the maximum of a field; of errors in the
incident more.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import repeat, starmap
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.domain.logs import SEVERITIES, LogLine
from superbizagent.domain.window import from_ms

__all__ = ["Batch", "Chosen", "LineStore"]

Ints = NDArray[np.int64]

_FIRST = 3
_ERRORS = 50
_ERROR = SEVERITIES.index("error")
_EACH = 4  # lines that every template gets before any gets more


@dataclass(frozen=True, slots=True)
class Batch:
    """Records of one chunk that lie in a window."""

    path: str
    frame: pl.DataFrame
    kinds: Ints
    windows: Ints
    records: Ints
    """Number of each record over all chunks."""


class _Line(NamedTuple):
    record: int
    kind: int
    window: int
    path: str
    row: tuple[Any, ...]
    """``time, severity, service, line, offset``."""
    sampled: bool = True
    """Kept for its number in the kind; else only while it holds a maximum."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Lines of the digest, in time order."""

    lines: tuple[LogLine, ...]
    position: dict[int, int]
    """Record number -> index in ``lines``."""
    of_template: tuple[tuple[int, ...], ...]
    """Indices in ``lines`` of each template, in time order."""


@dataclass(slots=True)
class LineStore:
    """Lines that may be shown, while the stream goes by."""

    kept: dict[int, _Line] = field(default_factory=dict[int, _Line])
    last: dict[int, _Line] = field(default_factory=dict[int, _Line])
    """By kind * 2 + window."""
    by_kind: dict[int, list[int]] = field(default_factory=dict[int, list[int]])

    def keep(self, batch: Batch, occurrence: Ints, maxima: Ints) -> None:
        """Keep what may be shown of one batch."""
        number = occurrence + 1
        wanted = (occurrence < _FIRST) | ((number & occurrence) == 0)
        severity = batch.frame["severity"].fill_null(0).to_numpy()
        wanted |= (severity >= _ERROR) & (batch.windows == 1) & (occurrence < _ERRORS)
        top = np.isin(batch.records, maxima) & ~wanted
        for rows, sampled in ((wanted, True), (top, False)):
            for line in self._read(batch, np.flatnonzero(rows), sampled=sampled):
                self.kept[line.record] = line
                self.by_kind.setdefault(line.kind, []).append(line.record)
        # The last row of each kind and window: what is written last stays.
        cell = batch.kinds * 2 + batch.windows
        latest = np.full(int(cell.max()) + 1, -1, np.int64)
        latest[cell] = np.arange(len(cell), dtype=np.int64)
        cells = np.flatnonzero(latest >= 0)
        rows = latest[cells]
        self.last.update(zip(cells.tolist(), self._read(batch, rows), strict=True))

    def _read(self, batch: Batch, rows: Ints, *, sampled: bool = True) -> list[_Line]:
        columns = ["time", "severity", "service", "line", "offset"]
        parts = zip(
            batch.records[rows].tolist(),
            batch.kinds[rows].tolist(),
            batch.windows[rows].tolist(),
            repeat(batch.path),
            batch.frame.select(columns)[rows].iter_rows(),
            repeat(sampled),
        )
        return list(starmap(_Line, parts))

    def choose(
        self,
        groups: Sequence[Collection[int]],
        names: Sequence[str],
        maxima: Sequence[Collection[int]],
        limit: int,
    ) -> Chosen:
        """Return at most ``limit`` lines of the templates (groups of kinds), strongest first.

        ``names`` are the templates' ids, ``maxima`` the records that hold a field's maximum.
        """
        picks = [self._ordered(kinds, top) for kinds, top in zip(groups, maxima, strict=True)]
        taken: list[tuple[int, _Line]] = []
        for part in (slice(0, _EACH), slice(_EACH, None)):
            for template, lines in enumerate(picks):
                taken += [(template, line) for line in lines[part]][: limit - len(taken)]
        taken.sort(key=lambda item: (item[1].row[0], item[1].record))
        of_template: list[list[int]] = [[] for _ in groups]
        for index, (template, _) in enumerate(taken):
            of_template[template].append(index)
        return Chosen(
            lines=tuple(_shown(line, names[template]) for template, line in taken),
            position={line.record: index for index, (_, line) in enumerate(taken)},
            of_template=tuple(tuple(rows) for rows in of_template),
        )

    def _ordered(self, kinds: Collection[int], maxima: Collection[int]) -> list[_Line]:
        """Return a template's lines, what is wanted most first; the incident's when it has any."""
        lines = {r: self.kept[r] for k in kinds for r in self.by_kind.get(k, ())}
        # A maximum that was overtaken later depends on where the chunks were cut.
        lines = {r: x for r, x in lines.items() if x.sampled or r in maxima}
        ends = [self.last[c] for k in kinds for c in (2 * k, 2 * k + 1) if c in self.last]
        lines |= {line.record: line for line in ends}
        window = max((line.window for line in lines.values()), default=0)
        mine = sorted((x for x in lines.values() if x.window == window), key=_by_time)
        wanted = [mine[0], mine[-1], *(x for x in mine if x.record in maxima)]
        middle = mine[len(mine) // 2]
        return list({x.record: x for x in (*wanted, middle, *mine)}.values())


def _by_time(line: _Line) -> tuple[int, int]:
    return (int(line.row[0]), line.record)


def _shown(line: _Line, template: str) -> LogLine:
    time, severity, service, text, offset = line.row
    return LogLine(
        file=line.path,
        offset=int(offset or 0),
        at=from_ms(time),
        service=service or "",
        severity=SEVERITIES[int(severity or 0)],
        text=text or "",
        template=template,
    )
