"""Lists of changes as a data source."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from superbizagent.datasources.changes.git import is_repository, read_repository
from superbizagent.domain.change_rows import ordered, read_changes
from superbizagent.domain.outputs import Change, ChangeList
from superbizagent.domain.source import Answer, EvidenceStatus, Signal, SourceDescription
from superbizagent.domain.window import Window
from superbizagent.errors import DataSourceError, NothingReadableError, PermanentDataSourceError

__all__ = ["GIT", "ChangeSource"]

GIT = "git:"
"""Begins the name of a repository; everything else names a file."""
_LARGEST = 64 << 20
"""Bytes of a file of changes; a list of deployments is a thousandth of that."""
_BEFORE = timedelta(hours=24)
_AFTER = timedelta(hours=1)
"""Around the incident: what is older explains nothing that began now."""
_CLOCK_SLACK = timedelta(minutes=5)


class ChangeSource:
    """Reads files of deploy events and local git repositories.

    Args:
        places: files, and repositories as ``git:PATH``.
        span: when the incident was; repositories are read for the day before it.
        now: what lies well after it is remarked on; None to know no present.
        name: name in plans and reports.
    """

    def __init__(
        self,
        places: Sequence[str],
        span: Window,
        *,
        now: datetime | None = None,
        name: str = "changes",
    ) -> None:
        self._places = tuple(places)
        self._now = now
        self._span = Window(start=span.start - _BEFORE, end=span.end + _AFTER)
        self._name = name

    @property
    def name(self) -> str:
        """Name in plans and reports."""
        return self._name

    async def describe(self) -> SourceDescription:
        """Say which of the places can be read.

        Raises:
            NothingReadableError: when none can.
        """
        notes = await asyncio.to_thread(lambda: list(self._missing()))
        if len(notes) == len(self._places):
            raise NothingReadableError(f"no list of changes could be read: {'; '.join(notes)}")
        return SourceDescription(
            name=self._name, kind="changes", signals=(Signal.CHANGES,), notes=tuple(notes)
        )

    def _missing(self) -> Iterator[str]:
        for place in self._places:
            path = Path(place.removeprefix(GIT))
            if place.startswith(GIT):
                if not is_repository(path):
                    yield f"{place}: no git repository"
            elif not path.is_file():
                yield f"{place}: no such file"

    async def list_changes(self) -> Answer:
        """Return what was changed, oldest first; a place that cannot be read is a warning."""
        return await asyncio.to_thread(self._list)

    def _list(self) -> Answer:
        found: list[Change] = []
        remarks: list[str] = []
        errors: list[str] = []
        for place in self._places:
            try:
                changes, remark = self._read(place)
                ahead = self._ahead(changes)
            except (DataSourceError, OSError) as error:
                reason = getattr(error, "strerror", "") or str(error)
                errors.append(f"{_short(place)}: {reason}")
                continue
            found += changes
            remarks += [f"{_short(place)}: {text}" for text in (ahead, remark) if text]
        if len(errors) == len(self._places):
            return Answer(status=EvidenceStatus.ERROR, error="; ".join(errors))
        return Answer(
            status=EvidenceStatus.OK if found else EvidenceStatus.EMPTY,
            output=ChangeList(changes=ordered(found)),
            warnings=(*errors, *remarks),
            stats={"changes": len(found)},
        )

    def _read(self, place: str) -> tuple[tuple[Change, ...], str]:
        if place.startswith(GIT):
            return read_repository(Path(place.removeprefix(GIT)), self._span)
        path = Path(place)
        if path.stat().st_size > _LARGEST:
            raise PermanentDataSourceError("larger than 64 MiB; pass the part that matters")
        rows = read_changes(path.read_bytes().decode("utf-8", "replace"))
        if rows.left_out and not rows.changes:
            raise PermanentDataSourceError(f"holds no change that can be read: {rows.remark}")
        return rows.changes, rows.remark

    def _ahead(self, changes: Sequence[Change]) -> str:
        """A remark on times that cannot be right; empty when there are none."""
        if self._now is None:
            return ""
        ahead = [change.at for change in changes if change.at > self._now + _CLOCK_SLACK]
        if not ahead:
            return ""
        first = f"{min(ahead):%Y-%m-%d %H:%M} UTC"
        return f"in the future: {len(ahead)}, from {first} on; check clock and zone"


def _short(place: str) -> str:
    """A place without its folders: remarks have one line."""
    kind = GIT if place.startswith(GIT) else ""
    return f"{kind}{Path(place.removeprefix(GIT)).name}"
