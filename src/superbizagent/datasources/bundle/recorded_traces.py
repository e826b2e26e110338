"""The traces of a bundle: files named ``traces.*`` and those below ``traces/``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from superbizagent.datasources._traces import (
    TRACE_ENDINGS,
    SpanStore,
    edges_of,
    span_frames,
    take,
)
from superbizagent.domain.outputs import Edge, is_empty
from superbizagent.domain.source import Answer, EvidenceStatus, TraceQuery

__all__ = ["RecordedTraces", "TraceSurvey"]

_PACKED = ("", ".gz", ".zst", ".zstd")
_NORMAL = "normal/"
_TOLD = 3
"""Notes of one sort that are told with their file; of more only their number is."""


@dataclass(slots=True)
class TraceSurvey:
    """Which services and which time the traces cover."""

    services: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    extent_ms: tuple[int, int] | None = None
    """Of the bundle's own spans."""
    baseline_extent_ms: tuple[int, int] | None = None
    """Of the added normal telemetry."""
    notes: list[str] = field(default_factory=list[str])
    unreadable: list[str] = field(default_factory=list[str])

    @property
    def readable(self) -> bool:
        """Whether there is at least one span."""
        return bool(self.services)


@dataclass(slots=True)
class _Read:
    """What came of all files."""

    store: SpanStore
    table: pl.DataFrame
    notes: list[str]
    unreadable: list[str]
    extents: dict[bool, tuple[int, int]]
    """Of the spans that are normal telemetry, and of those that are not, in milliseconds."""


class RecordedTraces:
    """All spans of one bundle; read when first asked for and kept.

    Args:
        folder: the bundle.
        baseline: a folder with normal telemetry, whose spans are added.
        entity_of: service name -> name of its entity.
    """

    def __init__(
        self, folder: Path, baseline: Path | None, entity_of: Callable[[str], str]
    ) -> None:
        self._folder = folder
        self._baseline = baseline
        self._entity_of = entity_of

    @property
    def is_empty(self) -> bool:
        """There are no trace files at all."""
        return not self._files and not self._listing_notes

    @cached_property
    def survey(self) -> TraceSurvey:
        """Say which services call whom, and when."""
        found = self._read
        services = [s for s in found.table["service"].unique().sort().to_list() if s]
        survey = TraceSurvey(
            services=tuple(sorted({self._entity_of(s) for s in services})),
            notes=list(found.notes),
            unreadable=list(found.unreadable),
        )
        calls = (
            (self._entity_of(e.caller), self._entity_of(e.callee)) for e in edges_of(found.table)
        )
        survey.edges = tuple(Edge(caller=a, callee=b) for a, b in sorted(set(calls)) if a != b)
        survey.extent_ms = found.extents.get(False)
        survey.baseline_extent_ms = found.extents.get(True)
        return survey

    def read(self, query: TraceQuery) -> Answer:
        """Return the spans that a query asks for."""
        found = self._read
        if not len(found.table):
            why = "; ".join(found.notes[:_TOLD]) or "no spans were found in its traces"
            return Answer(status=EvidenceStatus.ERROR, error=f"traces: {why}")
        names = {s: self._entity_of(s) for s in found.table["service"].unique().to_list()}
        most = min(query.max_spans, found.store.most)
        taken = take(found.table, query.windows, query.services, names, most)
        left_out = taken.spans.traces_left_out
        cut = taken.spans_left_out > 0 or not found.store.bears_all
        warnings = list(found.notes)
        if taken.spans_left_out:
            warnings.insert(0, _left_out(left_out, taken.spans_left_out, most))
        return Answer(
            status=EvidenceStatus.EMPTY if is_empty(taken.spans) else EvidenceStatus.OK,
            output=taken.spans,
            truncated=cut,
            warnings=tuple(warnings),
            stats={
                "spans_read": found.store.read,
                "spans": len(taken.spans),
                "traces": len(taken.spans.traces),
                "traces_left_out": left_out,
            },
        )

    @cached_property
    def _listing_notes(self) -> list[str]:
        _ = self._files
        return self._unlisted

    @cached_property
    def _files(self) -> list[tuple[str, Path]]:
        """Labels and paths, in the order of the labels."""
        self._unlisted: list[str] = []
        self._strange = 0
        found: dict[str, Path] = {}
        for folder, prefix in ((self._folder, ""), (self._baseline, _NORMAL)):
            if folder is not None:
                found |= {prefix + label: path for label, path in self._below(folder)}
        return sorted(found.items())

    def _below(self, folder: Path) -> list[tuple[str, Path]]:
        names = (f"traces{e}{p}" for e in TRACE_ENDINGS for p in _PACKED)
        found = [(name, folder / name) for name in names if (folder / name).is_file()]
        traces = folder / "traces"
        if not traces.is_dir():
            return found
        try:
            inside = [path for path in sorted(traces.rglob("*")) if path.is_file()]
        except OSError as error:
            self._unlisted.append(f"traces/ cannot be listed: {error.strerror or error}")
            return found
        taken = [path for path in inside if _is_trace(path.name)]
        self._strange += len(inside) - len(taken)
        if not taken:
            self._unlisted.append("traces/ holds no file of spans")
        return found + [(f"traces/{p.relative_to(traces).as_posix()}", p) for p in taken]

    @cached_property
    def _read(self) -> _Read:
        store = SpanStore()
        told: dict[str, list[str]] = {}
        unreadable: list[str] = []
        extents: dict[bool, tuple[int, int]] = {}
        for label, path in self._files:
            notes: list[str] = []
            before = store.read
            try:
                for frame in span_frames(path, notes):
                    store.add(frame, notes)
                    _widen(extents, store.taken_ms, is_normal=label.startswith(_NORMAL))
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                told.setdefault(f"cannot be read ({reason})", []).append(label)
                if store.read == before:
                    unreadable.append(label)
            for note in dict.fromkeys(notes):
                told.setdefault(note, []).append(label)
        notes = [*self._unlisted, *_in_few_words(told), *self._repairs(store)]
        return _Read(store, store.table(), notes, unreadable, extents)

    def _repairs(self, store: SpanStore) -> list[str]:
        counted = (
            (store.undated, "spans without a start were left out"),
            (store.nameless, "spans without a trace id were left out"),
            (store.backwards, "spans end before they begin; they count as 0 long"),
            (self._strange, "files below traces/ are in no known form and were not read"),
        )
        notes = [f"{count} {what}" for count, what in counted if count]
        if not store.bears_all:
            notes.append(
                f"of {store.read} recorded spans {store.held} are held at most; whole traces were"
                " left out by their ids"
            )
        return notes


def _widen(
    extents: dict[bool, tuple[int, int]], more: tuple[int, int] | None, *, is_normal: bool
) -> None:
    if more is not None:
        first, last = extents.get(is_normal, more)
        extents[is_normal] = (min(first, more[0]), max(last, more[1]))


def _left_out(traces: int, spans: int, most: int) -> str:
    return (
        f"{spans} spans were left out, {traces} traces as a whole: a look keeps {most} spans, of"
        " traces chosen by their ids"
    )


def _in_few_words(told: dict[str, list[str]]) -> Sequence[str]:
    """Return one note a sort: many files of a folder fail for one reason."""
    notes: list[str] = []
    for reason, labels in told.items():
        if len(labels) <= _TOLD:
            notes += [f"{label}: {reason}" for label in labels]
        else:
            notes.append(f"{len(labels)} files, such as {labels[0]}: {reason}")
    return notes


def _is_trace(name: str) -> bool:
    lower = name.lower()
    for packed in _PACKED[1:]:
        lower = lower.removesuffix(packed)
    return not name.startswith(".") and lower.endswith(TRACE_ENDINGS)
