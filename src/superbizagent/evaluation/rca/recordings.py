"""Labelled recordings as the product itself reads them, with the label beside."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path

from superbizagent.datasources.bundle import BundleSource
from superbizagent.datasources.bundle.labels import DEFAULT_LABEL_KINDS
from superbizagent.domain.entity import Catalogue
from superbizagent.domain.outputs import Topology
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.source import Signal, SourceDescription, TraceQuery
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Window, Windows, from_ms
from superbizagent.errors import SuperbizError, UsageError
from superbizagent.evaluation.rca.label import LABEL_FILE, Label, read_label

__all__ = ["Broken", "CaseFolder", "Recording", "cases_of", "read_recording"]

_ALWAYS = Window(start=from_ms(0), end=from_ms(253_402_300_799_000))
_ALL_SERIES = 10_000_000
_NO_SERVICE = frozenset({"host", "entry"})
"""Kinds that are no candidates: machines belong to everybody, the front door to nobody."""
_NOT_A_CASE = ("_", ".")
_DEFAULT_STEP = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class CaseFolder:
    """A folder with a label, and the set it is of."""

    set: str
    folder: Path

    @property
    def name(self) -> str:
        """Of the folder."""
        return self.folder.name


@dataclass(frozen=True, slots=True)
class Broken:
    """A case that could not be read or run, and why."""

    case: CaseFolder
    reason: str


@dataclass(frozen=True)
class Recording:
    """One labelled recording, read."""

    case: CaseFolder
    label: Label
    description: SourceDescription
    topology: Topology
    series: SeriesSet
    """Every sample, of the incident and of the normal telemetry."""
    source: BundleSource

    @cached_property
    def catalogue(self) -> Catalogue:
        """The entities of the recording."""
        return Catalogue.of(self.description.entities, self.description.aliases)

    def entity_of(self, labels: Labels) -> str | None:
        """Return the path of a service, None for hosts and the front door."""
        entity = self.catalogue.of_labels(labels, tuple(DEFAULT_LABEL_KINDS))
        return entity.path if entity is not None and entity.kind not in _NO_SERVICE else None

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Paths of the services that have a metric, sorted."""
        return tuple(sorted({e for item in self.series.labels if (e := self.entity_of(item))}))

    @cached_property
    def causes(self) -> frozenset[str]:
        """Paths of the right answers among the candidates."""
        names = self.label.causes
        known = {e.path for n in names for e in self.catalogue.resolve(n).entities}
        return frozenset(known & set(self.candidates))

    @property
    def chance(self) -> float:
        """Probability of naming a right one by drawing one candidate."""
        return len(self.causes) / len(self.candidates)

    @property
    def step(self) -> timedelta:
        """Sampling interval."""
        return self.description.scrape_interval or _DEFAULT_STEP

    @property
    def has_logs(self) -> bool:
        """Whether log records can be read."""
        return Signal.LOGS in self.description.signals

    @property
    def has_spans(self) -> bool:
        """Whether spans can be read."""
        return Signal.TRACES in self.description.signals

    def spans(self, windows: Windows) -> SpanSet:
        """Return the spans of some windows.

        Raises:
            SuperbizError: when they cannot be read.
        """
        answer = asyncio.run(self.source.read_spans(TraceQuery(windows=windows)))
        if answer.error:
            raise SuperbizError(answer.error)
        return answer.output if isinstance(answer.output, SpanSet) else SpanSet()


def cases_of(root: Path, only: tuple[str, ...] = ()) -> Iterator[CaseFolder]:
    """Yield the labelled cases below a folder of sets, or of one set, by name.

    Args:
        root: holds ``<set>/cases/<case>``, or ``cases/<case>``, or the cases themselves.
        only: names of the sets that are wanted; empty: all.

    Raises:
        UsageError: when there are none.
    """
    found = _cases_in(root) or [c for each in _folders(root) for c in _cases_in(each)]
    known = list(dict.fromkeys(c.set for c in found))
    if unknown := [name for name in only if name not in known]:
        raise UsageError(f"no set {unknown[0]!r} below {str(root)!r}; there are {', '.join(known)}")
    if not found:
        raise UsageError(
            f"no labelled case below {str(root)!r}; a case is SET/cases/NAME with {LABEL_FILE} and"
            " metrics.csv.gz in it"
        )
    yield from (c for c in found if not only or c.set in only)


def _cases_in(root: Path) -> list[CaseFolder]:
    held = root / "cases" if (root / "cases").is_dir() else root
    cases = [f for f in _folders(held) if (f / LABEL_FILE).is_file()]
    return [CaseFolder(root.resolve().name, f) for f in cases]


def _folders(root: Path) -> list[Path]:
    named = (f for f in root.iterdir() if f.is_dir() and not f.name.startswith(_NOT_A_CASE))
    return sorted(named)


def read_recording(case: CaseFolder) -> Recording:
    """Read one case.

    Raises:
        SuperbizError: when its label or telemetry cannot be read, or no service has a metric.
    """
    label = read_label(case.folder)
    source = BundleSource(case.folder)
    description, samples, topology = asyncio.run(_asked(source))
    recording = Recording(case, label, description, topology, samples, source)
    if not recording.candidates:
        raise UsageError("no service has a metric: nothing can be ranked")
    return recording


async def _asked(source: BundleSource) -> tuple[SourceDescription, SeriesSet, Topology]:
    description = await source.describe()
    answer = await source.read_samples([Selector()], _ALWAYS, _ALL_SERIES)
    if answer.error:
        raise SuperbizError(answer.error)
    topology = await source.get_topology()
    series = answer.output if isinstance(answer.output, SeriesSet) else SeriesSet()
    graph = topology.output if isinstance(topology.output, Topology) else Topology()
    return description, series, graph
