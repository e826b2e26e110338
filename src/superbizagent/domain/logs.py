"""Log records on their way in, and the digest of them that is stored as evidence.

A `LogSearcher` yields `LogChunk`s; the analysis core folds them into one `LogDigest`. The file
itself is never stored: only templates, counts and the lines that a fact may cite.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant, Windows

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "SEVERITIES",
    "FieldStat",
    "LogChunk",
    "LogDigest",
    "LogFile",
    "LogLine",
    "LogLinks",
    "LogShift",
    "LogTemplate",
    "ValueCount",
]

SEVERITIES = ("unknown", "trace", "debug", "info", "warn", "error", "fatal")
"""Index in this tuple is the severity code used in columns; OpenTelemetry's short names."""


class LogFile(Model):
    """One file that was read, and how its times were understood."""

    path: str
    """Relative to the source, ``/`` separated."""
    service: str
    size_bytes: int
    digest: str
    """Digest of the bytes that were read."""
    lines: int = 0
    undated_lines: int = 0
    timezone: str = ""
    """Zone applied to zone-less times, e.g. ``+08:00``; empty when the lines carry a zone."""
    timezone_reason: str = ""
    truncated: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogChunk:
    """Some records of one file.

    ``frame`` columns: ``time`` (Int64, ms since the epoch, null when undated), ``severity`` (Int8,
    code in `SEVERITIES`), ``service`` (String), ``body`` (String: the message without its header,
    stack trace folded in), ``line`` (String: the whole raw text, redacted), ``offset`` (Int64: byte
    offset of the record in the uncompressed file), ``trace_id`` (String, nullable), and where the
    source has a place for it ``span_id`` (String, nullable).
    """

    file: LogFile
    frame: "pl.DataFrame"


class LogLine(Model):
    """One kept record, verbatim after redaction."""

    file: str
    offset: int
    at: Instant | None
    service: str
    severity: str
    text: str
    template: str = ""
    """Id of the template it belongs to."""


class LogShift(Model):
    """A level that changed for good: of a number, or of a share of the records."""

    at: Instant
    """Start of the first bucket of the new level."""
    onset_at: Instant
    """Middle of the bucket in which it began to move: true to half a bucket."""
    before: float
    """Median, or share from 0 to 1, of everything before ``at``."""
    after: float
    effect: float
    """Difference over the usual spread within a bucket; of a share, the ratio of its odds."""
    siblings: tuple[str, ...] = ()
    """Texts of the templates that make up the whole; empty: all of the service's records."""


class ValueCount(Model):
    """How often one value of a code came."""

    value: float
    baseline_count: int
    incident_count: int
    line: int | None = None
    """Index in `LogDigest.lines` of the first record that holds it, in the incident if any."""


class FieldStat(Model):
    """A numeric ``key=value`` field of one template, baseline against incident."""

    key: str
    unit: str = ""
    baseline_count: int = 0
    baseline_median: float | None = None
    incident_count: int = 0
    incident_median: float | None = None
    incident_max: float | None = None
    incident_max_line: int | None = None
    """Index in `LogDigest.lines` of a record that holds the maximum."""
    rare_values: tuple[float, ...] = ()
    """Of ``values``, those that came at most three times among a thousand records or more."""
    values: tuple[ValueCount, ...] = Field(default=(), exclude_if=lambda values: not values)
    """Every value where they are few, as of a status code; the most frequent first."""
    shift: LogShift | None = Field(default=None, exclude_if=lambda shift: shift is None)


class LogTemplate(Model):
    """One kind of record of one service, and how often it came."""

    id: str
    """Stable: derived from service and text alone."""
    service: str
    severity: str
    text: str
    """The message with variable parts as ``<*>``."""
    baseline_count: int
    incident_count: int
    buckets: tuple[int, ...]
    """Records per bucket over `LogDigest.windows.whole`."""
    first_at: Instant | None = None
    last_at: Instant | None = None
    onset_at: Instant | None = None
    score: float = 0.0
    """Surprise of its incident count, rarity and novelty; see `analysis.log_templates`."""
    novel: bool = False
    """Never seen in the baseline."""
    share: LogShift | None = Field(default=None, exclude_if=lambda share: share is None)
    """Where its share of the service's or its siblings' records changed."""
    fields: tuple[FieldStat, ...] = ()
    lines: tuple[int, ...] = ()
    """Indices in `LogDigest.lines`: first, last and some in between."""


class LogLinks(Model):
    """Which templates the requests wrote: distinct (template, trace, span), sorted, in columns.

    Of too many requests some are left out whole, by their id alone.
    """

    traces: tuple[str, ...] = ()
    """Distinct trace ids, sorted."""
    spans: tuple[str, ...] = ()
    """Distinct span ids, sorted; the empty one of records that name no span."""
    template: tuple[int, ...] = ()
    """Positions in `LogDigest.templates`; with ``trace`` and ``span`` one row a link."""
    trace: tuple[int, ...] = ()
    """Positions in ``traces``."""
    span: tuple[int, ...] = ()
    """Positions in ``spans``."""
    count: tuple[int, ...] = ()
    """Records."""

    def __len__(self) -> int:
        return len(self.template)


class LogDigest(Model):
    """What a log call found."""

    windows: Windows
    bucket_seconds: float
    files: tuple[LogFile, ...] = ()
    templates: tuple[LogTemplate, ...] = ()
    """Strongest first; ties by service and text."""
    templates_left_out: int = 0
    lines: tuple[LogLine, ...] = ()
    """At most 5,000, in time order."""
    records_read: int = 0
    records_in_baseline: int = 0
    records_in_incident: int = 0
    links: LogLinks = Field(default=LogLinks(), exclude_if=lambda links: not links)
    """None where no record names a trace."""
