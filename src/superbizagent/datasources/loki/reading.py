"""The lines of one search, page after page, within what a guest may take.

Where there are more lines than may be read, only those that speak of failure are, and the span is
cut into slices that get an equal share each: so baseline and incident are read alike.
"""

import itertools
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from superbizagent.datasources._http.failures import http_status
from superbizagent.datasources.loki.asking import exactly, line_filter, nanoseconds
from superbizagent.datasources.loki.client import LokiClient
from superbizagent.datasources.loki.entries import Entry, decode_streams, label_sets
from superbizagent.datasources.loki.holdings import volume_of
from superbizagent.datasources.loki.limits import LokiLimits
from superbizagent.domain.protocols import Clock
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import DataSourceError, PermanentDataSourceError

__all__ = ["LokiReading", "Search"]

Keys = set[tuple[int, str, str]]
"""Entries that were read already."""

_SLICES = 24
"""Of the whole span, where not every line is read: minutes each, as a diagnosis looks at them."""

_SHORTEST_NS = 60_000_000_000
"""A slice that a server finds too long or too large is halved down to a minute."""

_TOO_LONG = re.compile(r"time range exceeds the limit|too many bytes|query is too large")
_TOO_MANY = re.compile(r"max entries limit.*?\((\d+) > (\d+)\)")


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for."""

    selectors: Sequence[str]
    spans: Sequence[tuple[int, int]]
    """Closed spans in milliseconds."""
    contains: Sequence[str] = ()
    max_bytes: int = 1 << 62


@dataclass(frozen=True, slots=True)
class _Slice:
    selector: str
    filter: str
    start_ns: int
    end_ns: int
    """Not part of it."""


@dataclass(slots=True)
class LokiReading:
    """One pass over the lines of a search."""

    client: LokiClient
    clock: Clock
    limits: LokiLimits
    lines: int = 0
    truncated: bool = False
    notes: list[str] = field(default_factory=list[str])
    _page_lines: int = 0
    _began: float = 0.0

    async def pages(self, search: Search) -> AsyncGenerator[list[Entry]]:
        """Yield entries, oldest first within a page.

        Raises:
            DataSourceError: when not even the first page can be read.
        """
        self._began = self.clock.monotonic()
        self._page_lines = self.limits.page_lines
        try:
            slices = await self._plan(search)
            for number, slice_ in enumerate(slices):
                share = -(-(self.limits.max_lines - self.lines) // (len(slices) - number))
                async for page in self._slice(slice_, share):
                    self.lines += len(page)
                    yield page
                    if self._is_spent(search.max_bytes):
                        return
        except DataSourceError as error:
            if not self.lines:
                raise
            self._stop(f"the rest was not read: {error}")

    async def _plan(self, search: Search) -> list[_Slice]:
        volumes = [
            await volume_of(self.client, selector, Window(start=from_ms(start), end=from_ms(end)))
            for selector in search.selectors
            for start, end in search.spans
        ]
        entries = sum(volume.entries for volume in volumes if volume)
        narrowed = entries > self.limits.max_lines and not search.contains
        if narrowed:
            few = "only those with words of failure were read"
            self._stop(f"about {entries:,} lines are too many: {few}")
        known = None not in volumes and entries <= self.limits.max_lines
        total = sum(end - start + 1 for start, end in search.spans) or 1
        narrow = line_filter(search.contains, failures=narrowed)
        found: list[_Slice] = []
        for selector in search.selectors:
            for start, end in search.spans:
                share = 1 if known else round(_SLICES * (end - start + 1) / total)
                found += _cut(selector, narrow, (start, end), max(share, 1))
        return found

    async def _slice(self, slice_: _Slice, quota: int) -> AsyncGenerator[list[Entry]]:
        """Yield at most ``quota`` entries of one slice."""
        cursor, taken = slice_.start_ns, 0
        seen: Keys = set()
        waiting = [slice_.end_ns]
        """Ends of the parts that a server found too long as a whole, the next one last."""
        while waiting:
            limit = min(self._page_lines, quota - taken + len(seen))
            try:
                entries = await self._ask(
                    slice_.selector + slice_.filter, cursor, waiting[-1], limit
                )
            except PermanentDataSourceError as error:
                if not self._learn(error, cursor, waiting):
                    raise
                continue
            fresh = [entry for entry in entries if entry.key not in seen]
            taken += len(fresh)
            if fresh:
                yield fresh
            if len(entries) < limit:
                cursor = waiting.pop()
                seen.clear()
            elif taken >= quota:
                self._cut_off(quota)
                return
            elif entries[-1].ns > cursor:
                cursor = entries[-1].ns
                seen = {entry.key for entry in entries if entry.ns == cursor}
            else:
                more = await self._instant(slice_, cursor, seen | {e.key for e in entries})
                taken += len(more)
                if more:
                    yield more
                cursor += 1
                seen.clear()
            if self._late():
                return

    async def _instant(self, slice_: _Slice, at: int, known: Keys) -> list[Entry]:
        """Return what else was written at one instant that alone fills a page, stream by stream."""
        params = [("match[]", slice_.selector), ("start", str(at)), ("end", str(at + 1))]
        streams = label_sets((await self.client.ask("/series", params)).data)
        found: list[Entry] = []
        for labels in streams:
            query = exactly(labels) + slice_.filter
            more = await self._ask(query, at, at + 1, self._page_lines)
            found += [entry for entry in more if entry.key not in known]
            if len(more) >= self._page_lines:
                self._stop(
                    f"more than {self._page_lines} lines of one stream bear one time: the others"
                    " of them were not read"
                )
        return found

    async def _ask(self, query: str, start_ns: int, end_ns: int, limit: int) -> list[Entry]:
        params = [
            ("query", query),
            ("start", str(start_ns)),
            ("end", str(end_ns)),
            ("limit", str(limit)),
            ("direction", "forward"),
        ]
        answer = await self.client.ask("/query_range", params)
        for warning in answer.warnings:
            self._note(warning)
        self.truncated |= answer.partial or bool(answer.warnings)
        try:
            return decode_streams(answer.data)
        except ValueError as error:
            raise self.client.permanent(
                f"{self.client.address} answers with {error}; is this a Loki?"
            ) from error

    def _learn(self, error: PermanentDataSourceError, cursor: int, waiting: list[int]) -> bool:
        """Ask for less from now on when that is what the server wants."""
        if http_status(error) not in {400, 413, 422}:
            return False
        if (found := _TOO_MANY.search(str(error))) and int(found[2]) < self._page_lines:
            self._page_lines = max(int(found[2]), 1)
            return True
        length = waiting[-1] - cursor
        if _TOO_LONG.search(str(error)) and length > _SHORTEST_NS:
            waiting.append(cursor + length // 2)
            return True
        return False

    def _is_spent(self, max_bytes: int) -> bool:
        if self.lines >= self.limits.max_lines:
            return self._stop(f"reading stopped after {self.lines:,} lines")
        if self.client.bytes_read >= min(max_bytes, self.limits.max_bytes):
            return self._stop("reading stopped at the byte limit")
        if self.client.requests >= self.limits.max_requests:
            return self._stop(f"reading stopped after {self.client.requests} requests")
        return self._late()

    def _late(self) -> bool:
        if self.clock.monotonic() - self._began > self.limits.read_seconds:
            return self._stop(f"reading stopped after {self.limits.read_seconds:g} s")
        return False

    def _stop(self, note: str) -> bool:
        self.truncated = True
        self._note(note)
        return True

    def _cut_off(self, quota: int) -> None:
        self.truncated = True
        self._note(f"of some parts of the span only the first {quota:,} lines were read")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _cut(selector: str, narrow: str, span: tuple[int, int], parts: int) -> list[_Slice]:
    """Cut a closed span of milliseconds into equal parts."""
    start, end = int(nanoseconds(span[0])), int(nanoseconds(span[1] + 1))
    ends = [start + (end - start) * k // parts for k in range(parts + 1)]
    return [_Slice(selector, narrow, a, b) for a, b in itertools.pairwise(ends)]
