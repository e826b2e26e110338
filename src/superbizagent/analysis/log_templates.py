"""Folds a stream of log records into one digest: templates, counts, numbers, and a few lines.

Work is done on distinct keys first: a record's message with numbers as ``#`` (and its service and
severity) is a *kind*; there are a few thousand of them in millions of records. Templates are made
of the kinds when the digest is asked for, baseline and incident in one run, so that their ids
agree. The result depends on the order of records, not on how they were cut into chunks.

Score of a template with ``c`` records in an incident of ``N`` with ``T`` templates:
``-log2((c + .5) / (N + .5 T)) * (1 + w) + 10 [never in the baseline] + 5 (1 + w) ln(1 + burst)``,
``w`` by severity, ``burst`` its surprise against the baseline in standard deviations. Rare, new,
severe and bursting templates come first.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis._log_drafts import Draft, drafts_of, score_drafts
from superbizagent.analysis._log_fields import FieldStore, Rows
from superbizagent.analysis._log_kinds import Kinds
from superbizagent.analysis._log_lines import Batch, LineStore
from superbizagent.analysis._log_links import LinkStore
from superbizagent.analysis._log_numbers import Buckets, field_stat
from superbizagent.analysis._log_shares import ShareShift, shifted_shares
from superbizagent.domain.logs import (
    SEVERITIES,
    FieldStat,
    LogChunk,
    LogDigest,
    LogFile,
    LogTemplate,
)
from superbizagent.domain.window import Instant, Windows, from_ms

__all__ = ["LogMiner", "bucket_length"]

Ints = NDArray[np.int64]

_MAX_LINES = 5000
_MAX_TEMPLATES = 2000
_MAX_BUCKETS = 240
_BUCKETS = (1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0)
_STRIDE = 1 << 20  # more than any number of buckets: kind and bucket in one integer


def bucket_length(windows: Windows) -> float:
    """Return seconds a bucket: about twenty in the incident, at most `_MAX_BUCKETS` in all."""
    wanted = max(
        windows.incident.length.total_seconds() / 20,
        windows.whole.length.total_seconds() / _MAX_BUCKETS,
    )
    whole_days = np.ceil(wanted / 3600.0) * 3600.0
    return next((b for b in _BUCKETS if b >= wanted), float(whole_days))


class LogMiner:
    """Takes chunks in file order and gives the digest of all of them."""

    def __init__(self, windows: Windows, *, max_lines: int = _MAX_LINES) -> None:
        """Start with nothing; ``max_lines`` bounds what the digest keeps verbatim."""
        self._windows = windows
        self._bucket = bucket_length(windows)
        self._max_lines = max_lines
        self._kinds = Kinds()
        self._fields = FieldStore()
        self._lines = LineStore()
        self._links = LinkStore()
        self._counts: list[tuple[Ints, Ints]] = []
        self._files: dict[str, LogFile] = {}
        self._read = 0

    def add(self, chunk: LogChunk) -> None:
        """Fold one chunk in; chunks of one file come in its order."""
        self._files[chunk.file.path] = chunk.file
        start, self._read = self._read, self._read + len(chunk.frame)
        times = chunk.frame["time"].cast(pl.Int64).fill_null(-1).to_numpy()
        window = self._window_of(times)
        rows = np.flatnonzero(window >= 0)
        if len(rows) == 0:
            return
        frame = chunk.frame
        if len(rows) < len(frame):
            frame, window, times = frame[rows], window[rows], times[rows]
        keyed = self._kinds.of(frame)
        kinds = keyed.kinds
        for kind, body in keyed.new.items():
            self._fields.learn(kind, body, alike=not self._kinds.is_coarse(kind))
        records = start + rows
        given = Rows(kinds, window, times, records)
        holders = self._fields.add(frame["body"], keyed.shapes, given)
        batch = Batch(chunk.file.path, frame, kinds, window, records)
        self._lines.keep(batch, self._kinds.occurrences(kinds, window), holders)
        self._links.add(frame, kinds)
        self._kinds.see(kinds, window, times)
        bucket = self._buckets.of(times)
        cells, counts = np.unique(kinds * _STRIDE + bucket, return_counts=True)
        self._counts.append((cells, counts.astype(np.int64)))

    def _window_of(self, times: Ints) -> Ints:
        """Return 1 for the incident, 0 for a baseline, -1 for neither or no time."""
        window = np.full(len(times), -1, np.int64)
        for baseline in self._windows.baselines:
            window[(times >= baseline.start_ms) & (times <= baseline.end_ms)] = 0
        incident = self._windows.incident
        window[(times >= incident.start_ms) & (times <= incident.end_ms)] = 1
        return window

    def digest(self) -> LogDigest:
        """Return what was found so far; more chunks may follow."""
        kinds = self._kinds
        drafts = drafts_of(kinds)
        score_drafts(drafts, kinds, has_baseline=bool(self._windows.baselines))
        drafts.sort(key=lambda d: (-d.score, d.service, d.text))
        left_out = max(0, len(drafts) - _MAX_TEMPLATES)
        drafts = drafts[:_MAX_TEMPLATES]
        fields = [self._fields.of(d.kinds) for d in drafts]
        chosen = self._lines.choose(
            [d.kinds for d in drafts],
            [d.id for d in drafts],
            [{r for v in found.values() for r in v.shown_records()} for found in fields],
            self._max_lines,
        )
        counts = self._bucket_counts(drafts)
        shares = shifted_shares(drafts, counts[: len(drafts)]) if self._windows.baselines else {}
        buckets = self._buckets
        totals = kinds.seen.sum(axis=0)
        return LogDigest(
            windows=self._windows,
            bucket_seconds=self._bucket,
            files=tuple(self._files[k] for k in sorted(self._files)),
            templates=tuple(
                self._template(
                    draft,
                    counts[k],
                    tuple(field_stat(key, v, buckets, chosen) for key, v in fields[k].items()),
                    shares.get(k),
                    chosen.of_template[k],
                )
                for k, draft in enumerate(drafts)
            ),
            templates_left_out=left_out,
            lines=chosen.lines,
            records_read=self._read,
            records_in_baseline=int(totals[0]),
            records_in_incident=int(totals[1]),
            links=self._links.of([d.kinds for d in drafts], len(kinds)),
        )

    def _bucket_counts(self, drafts: Sequence[Draft]) -> Ints:
        """Return records by template and bucket over the whole look."""
        buckets = self._buckets
        n = buckets.of(self._windows.whole.end_ms) + 1
        counts = np.zeros((len(drafts) + 1, n), np.int64)
        home = np.full(len(self._kinds) + 1, len(drafts), np.int64)
        for k, draft in enumerate(drafts):
            home[list(draft.kinds)] = k
        for cells, found in self._counts:
            # A normal time that was recorded later lies behind the look.
            inside = cells % _STRIDE < n
            kept = cells[inside]
            np.add.at(counts, (home[kept // _STRIDE], kept % _STRIDE), found[inside])
        return counts

    @property
    def _buckets(self) -> Buckets:
        return Buckets(self._windows, round(self._bucket * 1000))

    def _template(
        self,
        draft: Draft,
        buckets: Ints,
        fields: tuple[FieldStat, ...],
        share: ShareShift | None,
        lines: tuple[int, ...],
    ) -> LogTemplate:
        first = int(self._kinds.first[list(draft.kinds)].min())
        last = int(self._kinds.last[list(draft.kinds)].max())
        return LogTemplate(
            id=draft.id,
            service=draft.service,
            severity=SEVERITIES[draft.severity],
            text=draft.text,
            baseline_count=draft.before,
            incident_count=draft.during,
            buckets=tuple(buckets.tolist()),
            first_at=from_ms(first),
            last_at=from_ms(last),
            onset_at=self._onset(draft, buckets),
            score=draft.score,
            novel=draft.novel,
            fields=fields,
            share=self._buckets.shown(share.shift, share.siblings) if share else None,
            lines=lines,
        )

    def _onset(self, draft: Draft, buckets: Ints) -> Instant | None:
        """Return the first record of a new template, the first full bucket of a bursting one."""
        if draft.during == 0:
            return None
        if draft.novel or not self._windows.baselines:
            return from_ms(int(self._kinds.first[list(draft.kinds), 1].min()))
        width = round(self._bucket * 1000)
        start = self._windows.whole.start_ms
        incident = self._windows.incident.start_ms
        share = width / sum(max(1, w.end_ms - w.start_ms) for w in self._windows.baselines)
        usual = draft.before * min(1.0, share)
        high = buckets > usual + 3.0 * np.sqrt(usual + 1.0)
        hits = np.flatnonzero(high)
        hits = hits[(hits + 1) * width + start > incident]
        return from_ms(max(incident, int(hits[0]) * width + start)) if len(hits) else None
