"""Reads the files of ``superbiz logs`` and compares one part with the other."""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from superbizagent.analysis.log_comparison import (
    Comparison,
    LogComparer,
    Parts,
    Seen,
    TemplateChange,
    Turn,
)
from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import settings_for
from superbizagent.cli.intake import parse_span, parse_when
from superbizagent.cli.render.compared_logs import Compared, Split, render_compared
from superbizagent.cli.sources import read_zone
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.datasources.logfile.specs import expand_logs
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.incident import report_language
from superbizagent.domain.logs import LogChunk
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.source import LogQuery, SourceDescription
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import UsageError
from superbizagent.investigation.wording.comparing import comparing_words
from superbizagent.settings import Settings, local_timezone, locale_language, no_color
from superbizagent.storage.installation import installation_key

__all__ = ["compare_logs"]

_QUARTER = 4
"""Without --since the last quarter is looked at: short enough to be news, long enough to count."""
_EARLY = timedelta(days=3650)
_LATE = timedelta(hours=1)
"""Around what heads and tails of files cover: lines that are out of order lie beside it."""
_EVERY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Side:
    """The files of one part and what they say about themselves."""

    source: LogFileSource
    about: SourceDescription

    def everything(self) -> Window:
        """A window that no record of the files lies beside."""
        if self.about.extent is None:
            at = SystemClock().now()
            return Window(start=at - _EARLY, end=at)
        return Window(start=self.about.extent.start - _EARLY, end=self.about.extent.end + _LATE)

    def chunks(self, *, quiet: bool) -> Iterator[LogChunk]:
        """Read all records, with a line on standard error now and then.

        Raises:
            DataSourceError: when no file can be read.
        """
        clock = SystemClock()
        said = clock.monotonic()
        windows = Windows(incident=self.everything(), baselines=())
        for chunk in self.source.read_logs(LogQuery(windows=windows, max_bytes=sys.maxsize)):
            yield chunk
            if not quiet and clock.monotonic() - said >= _EVERY_SECONDS:
                said = clock.monotonic()
                progress = f"{chunk.file.path}, {chunk.file.lines:,} lines"
                click.echo(f"superbiz: logs     {progress}", err=True)


def compare_logs(flags: Mapping[str, Any]) -> str:
    """Return what ``superbiz logs`` prints.

    Raises:
        UsageError: when flags contradict each other or the files cannot be compared.
        NothingReadableError: when no file can be read.
    """
    settings = settings_for(
        lang=flags.get("lang"), timezone=flags.get("timezone"), log_tz=flags.get("log_tz")
    )
    zone = settings.timezone or local_timezone()
    now, old = _sides(flags, settings, zone)
    comparer = LogComparer()
    split = _split(flags, now, old, zone)
    for side, parts in _reading(now, old, split):
        for chunk in side.chunks(quiet=flags["quiet"]):
            comparer.add(chunk, parts)
    found = comparer.result()
    _check(found, split, now)
    redactor = Redactor(installation_key(settings.data_dir, reading=True))
    shown = _Shown(found, [s for s in (now, old) if s], redactor)
    language = report_language(settings.lang, "", locale_language())
    compared = Compared(
        split=split,
        comparison=shown.everything() if flags["as_json"] else shown.first(flags["limit"]),
        totals={turn: len(found.of(turn)) for turn in Turn},
        notes=tuple(n for side in (now, old) if side for n in side.about.notes),
        zone=zone,
    )
    if flags["as_json"]:
        return canonical_bytes(compared).decode() + "\n"
    color = sys.stdout.isatty() and not no_color()
    return render_compared(compared, comparing_words(language), flags["limit"], color=color)


def _sides(flags: Mapping[str, Any], settings: Settings, zone: str) -> tuple[_Side, _Side | None]:
    if not flags["files"]:
        raise UsageError("name a log file: superbiz logs FILE, or - for standard input")
    files, older = expand_logs(flags["files"]), expand_logs(flags["against"])
    if older and set(files) != set(older):
        # Names of files name no services then, and a template must find its like on both sides.
        files, older = {"logs": _all(files)}, {"logs": _all(older)}
    # Lines without a zone show the reader's clock, and so do the times that are printed.
    log_tz = read_zone(settings.log_tz or zone)
    sources = [LogFileSource(f, log_tz) for f in (files, older) if f]
    sides = [_Side(source, asyncio.run(source.describe())) for source in sources]
    return sides[0], sides[1] if len(sides) > 1 else None


def _all(files: Mapping[str, Sequence[Path]]) -> tuple[Path, ...]:
    return tuple(path for paths in files.values() for path in paths)


def _split(flags: Mapping[str, Any], now: _Side, old: _Side | None, zone: str) -> Split:
    """Decide which part is compared with which.

    Raises:
        UsageError: when the files hold nothing that could be parted so.
    """
    extent = now.about.extent
    since, until = flags["since"], flags["until"]
    if extent is None:
        if old is None or since or until:
            raise UsageError(
                f"no times were found in {', '.join(flags['files'])}, so nothing says what came"
                " earlier; compare with an older file: --against OLD"
            )
        return Split(now=None, before=None, against=tuple(flags["against"]), told=False)
    end = _time(until, zone, extent.end) if until else extent.end
    if old is not None:
        start = _time(since, zone, extent.end) if since else extent.start
    elif since:
        start = _time(since, zone, extent.end)
    else:
        start = extent.end - (extent.end - extent.start) / _QUARTER
    if end <= start:
        raise UsageError(
            f"nothing lies between {start.isoformat()} and {end.isoformat()}; the log ends at"
            f" {extent.end.isoformat()}, choose another --since or --until"
        )
    if old is not None:
        return Split(
            now=Window(start=start, end=end),
            before=old.about.extent,
            against=tuple(flags["against"]),
            told=bool(since or until),
        )
    if start <= extent.start:
        raise UsageError(
            f"--since {since!r} is not after the first record ({extent.start.isoformat()}), so"
            " there is nothing earlier; choose a later --since, or an older file: --against OLD"
        )
    before = Window(start=extent.start, end=start - timedelta(milliseconds=1))
    return Split(now=Window(start=start, end=end), before=before, against=(), told=bool(since))


def _time(text: str, zone: str, end: datetime) -> datetime:
    """Read a time; a bare span counts back from the log's end.

    Raises:
        UsageError: when it is neither.
    """
    try:
        return end - parse_span(text)
    except UsageError:
        return parse_when(text, zone, end)


def _reading(now: _Side, old: _Side | None, split: Split) -> Iterator[tuple[_Side, Parts]]:
    """Each side with what part its records are of; the widest spans, since heads and tails lie."""
    whole = now.everything()
    if old is not None:
        yield old, Parts(before=old.everything(), now=None, undated=0)
        narrowed = split.told and split.now is not None
        yield now, Parts(before=None, now=split.now if narrowed else whole, undated=1)
    elif split.now is not None:
        end = split.now.start - timedelta(milliseconds=1)
        last = now.about.extent
        open_end = last is not None and split.now.end == last.end
        later = Window(start=split.now.start, end=whole.end if open_end else split.now.end)
        yield now, Parts(before=Window(start=whole.start, end=end), now=later)


def _check(found: Comparison, split: Split, now: _Side) -> None:
    """Raise `UsageError` when one part is empty: everything or nothing would be new then."""
    if found.records_now and found.records_before:
        return
    empty = "later" if not found.records_now else "earlier"
    covered = ""
    if extent := now.about.extent:
        covered = f"; the log covers {extent.start.isoformat()} to {extent.end.isoformat()}"
    way = "name another file with --against" if split.against else "choose another --since"
    raise UsageError(f"the {empty} part holds no record{covered}; {way}")


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is printed of a comparison: with line numbers, without secrets."""

    found: Comparison
    sides: Sequence[_Side]
    redactor: Redactor

    def everything(self) -> Comparison:
        return self._of(set(range(len(self.found.templates))))

    def first(self, limit: int) -> Comparison:
        """Keep the first ``limit`` templates of each list."""
        kept: set[int] = set()
        for turn in (Turn.NEW, Turn.BURSTING, Turn.VANISHED):
            own = [k for k, t in enumerate(self.found.templates) if t.turn is turn]
            kept |= set(own[:limit])
        return self._of(kept)

    def _of(self, kept: set[int]) -> Comparison:
        chosen = [t for k, t in enumerate(self.found.templates) if k in kept]
        lines = self._lines(chosen)
        templates = tuple(
            t.model_copy(
                update={
                    "text": self.redactor.text(t.text),
                    "first": self._placed(t.first, lines[self._side(t)]),
                    "last": self._placed(t.last, lines[self._side(t)]),
                }
            )
            for t in chosen
        )
        return self.found.model_copy(update={"templates": templates})

    def _side(self, template: TemplateChange) -> int:
        """Which side a template's records are shown of; files of both may have one name."""
        return 0 if template.now or len(self.sides) == 1 else 1

    def _lines(self, templates: Sequence[TemplateChange]) -> list[dict[tuple[str, int], int]]:
        """Count the lines of each file of each side once."""
        numbers: list[dict[tuple[str, int], int]] = []
        for number, side in enumerate(self.sides):
            mine = [t for t in templates if self._side(t) == number]
            wanted: dict[str, set[int]] = {}
            for seen in (s for t in mine for s in (t.first, t.last)):
                wanted.setdefault(seen.file, set()).add(seen.offset)
            numbers.append(
                {
                    (file, offset): line
                    for file, offsets in wanted.items()
                    for offset, line in side.source.line_numbers(file, offsets).items()
                }
            )
        return numbers

    def _placed(self, seen: Seen, lines: Mapping[tuple[str, int], int]) -> Seen:
        line = lines.get((seen.file, seen.offset), 0)
        return seen.model_copy(update={"line": line, "text": self.redactor.text(seen.text)})
