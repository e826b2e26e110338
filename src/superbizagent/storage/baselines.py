"""What was learnt of each system's normal state: a row a signal, a system written as a whole."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import delete, insert, select

from superbizagent.domain.learnt import Band, LearntLength, LearntNormal
from superbizagent.domain.window import Window
from superbizagent.errors import IntegrityError
from superbizagent.storage.database import Database
from superbizagent.storage.tables import health_baseline

__all__ = ["BaselineRepository"]

_table = health_baseline
_BATCH = 500
"""Rows of one statement; MariaDB takes 1 MB, SQLite 32,766 values."""


class BaselineRepository:
    """Keeps and gives back learnt normal states."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, system: str) -> LearntNormal | None:
        """Return what was learnt of a system, None when nothing was.

        Raises:
            IntegrityError: when a row does not hold what this writes.
        """
        found = await self._read(system)
        return found[0] if found else None

    async def list(self) -> tuple[LearntNormal, ...]:
        """Return what was learnt of all systems, by their names.

        Raises:
            IntegrityError: as `get`.
        """
        return tuple(await self._read())

    async def replace(self, learnt: LearntNormal) -> None:
        """Store what was learnt of a system in place of what was known, in one transaction.

        Raises:
            StorageError: when the database refuses.
        """
        rows = list(_rows(learnt))
        async with self._database.write() as connection:
            await connection.execute(delete(_table).where(_table.c.data_source == learnt.system))
            for start in range(0, len(rows), _BATCH):
                await connection.execute(insert(_table), rows[start : start + _BATCH])

    async def forget(self, system: str) -> bool:
        """Delete what was learnt of a system; tell whether there was anything.

        Raises:
            StorageError: when the database refuses.
        """
        mine = _table.c.data_source == system
        async with self._database.write() as connection:
            first = select(_table.c.signal).where(mine).limit(1)
            known = (await connection.execute(first)).first() is not None
            await connection.execute(delete(_table).where(mine))
        return known

    async def _read(self, system: str | None = None) -> Sequence[LearntNormal]:
        query = select(_table).order_by(_table.c.data_source, _table.c.entity, _table.c.signal)
        if system is not None:
            query = query.where(_table.c.data_source == system)
        async with self._database.read() as connection:
            rows = [dict(row) for row in (await connection.execute(query)).mappings()]
        groups = groupby(rows, key=lambda row: str(row["data_source"]))
        return [_learnt(name, list(group)) for name, group in groups]


def _rows(learnt: LearntNormal) -> Iterable[dict[str, Any]]:
    for known in learnt.lengths:
        seconds = round(known.length.total_seconds())
        for band in known.bands:
            yield {
                "data_source": learnt.system,
                "entity": band.entity,
                "signal": f"{band.signal}/{seconds}",
                "samples": band.samples,
                "median": band.median,
                "spread": band.q95 - band.median,
                "details": {
                    "q95": band.q95,
                    "q975": band.q975,
                    "largest": band.largest,
                    "windows": known.windows,
                    "left_out": learnt.left_out,
                },
                "window_start_at": learnt.span.start,
                "window_end_at": learnt.span.end,
                "updated_at": learnt.learnt_at,
            }


def _learnt(system: str, rows: Sequence[Mapping[str, Any]]) -> LearntNormal:
    bands: dict[int, list[Band]] = {}
    windows: dict[int, int] = {}
    try:
        for row in rows:
            signal, _, seconds = str(row["signal"]).rpartition("/")
            details: Mapping[str, Any] = row["details"]
            windows[int(seconds)] = details["windows"]
            bands.setdefault(int(seconds), []).append(
                Band(
                    entity=row["entity"],
                    signal=signal,
                    samples=row["samples"],
                    median=row["median"],
                    q95=details["q95"],
                    q975=details["q975"],
                    largest=details["largest"],
                )
            )
        at: datetime = rows[0]["updated_at"]
        return LearntNormal(
            system=system,
            learnt_at=at,
            span=Window(start=rows[0]["window_start_at"], end=rows[0]["window_end_at"]),
            left_out=rows[0]["details"]["left_out"],
            lengths=tuple(
                LearntLength(
                    length=timedelta(seconds=seconds),
                    windows=windows[seconds],
                    bands=tuple(sorted(bands[seconds], key=lambda b: (b.entity, b.signal))),
                )
                for seconds in sorted(bands)
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"what was learnt of {system!r} cannot be read; learn it again with"
            " superbiz baseline learn"
        ) from error
