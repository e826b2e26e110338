"""Recorded incidents that a scorer runs on, and the checker of what was found in each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from superbizagent.analysis.claims.checker import Checked, Checker
from superbizagent.analysis.claims.compare.judgement import Judgement
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Analysis
from superbizagent.errors import UsageError
from superbizagent.investigation.pipeline import Diagnosis
from superbizagent.investigation.wording.values import zone_of

__all__ = [
    "CheckerOf",
    "Diagnose",
    "Examined",
    "Incident",
    "Reads",
    "case_folder",
    "checker_of",
    "collection_of",
    "incidents_below",
    "is_recording",
]

_MARKS_OF_A_CASE = ("source.json", "label.json", "metrics.csv", "metrics.csv.gz")
"""Any of these files makes a folder a recorded incident."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What a diagnosis came to, and the labels that name an entity."""

    diagnosis: Diagnosis
    entity_labels: tuple[str, ...] = ()


Diagnose = Callable[[Path, Sequence[str]], Examined]
"""Diagnoses a folder with further arguments of ``superbiz diagnose``."""


class Reads(Protocol):
    """What a scorer asks of a `Checker`."""

    def text(self, text: str) -> tuple[Checked, ...]:
        """Judge every sentence of a text."""
        ...

    def sentence(
        self, text: str, marks: Sequence[str] = (), about: Sequence[str] = ()
    ) -> Judgement:
        """Judge one statement."""
        ...

    def entities(self, text: str) -> tuple[str, ...]:
        """Return the paths that a text names."""
        ...


CheckerOf = Callable[[Examined, Evidence, Analysis], Reads]
"""Makes the checker of a diagnosis on evidence that may have been altered."""


def checker_of(examined: Examined, evidence: Evidence, analysis: Analysis) -> Checker:
    """Return the product's checker."""
    diagnosis = examined.diagnosis
    frame = diagnosis.checked.report.frame
    ground = Ground.of(evidence, analysis, diagnosis.scope, frame, examined.entity_labels)
    return Checker.of(ground, zone_of(frame.timezone))


def case_folder(case: str, root: Path | None) -> Path | None:
    """Return the folder of a case, None when it is not here.

    Args:
        case: a path below the working directory, or ``<set>/<name>``.
        root: where ``<set>/cases/<name>`` is looked for.
    """
    if Path(case).is_dir():
        return Path(case)
    part, _, name = case.partition("/")
    found = root / part / "cases" / name if root is not None and name else None
    return found if found is not None and found.is_dir() else None


@dataclass(frozen=True, slots=True)
class Incident:
    """A folder with a recorded incident, and the collection it is of."""

    source: str
    folder: Path

    @property
    def name(self) -> str:
        """``source/folder``."""
        return f"{self.source}/{self.folder.name}"


def incidents_below(folders: Sequence[Path]) -> Iterator[Incident]:
    """Yield the incidents of each folder: itself when it is one, else those it holds, by name.

    Raises:
        UsageError: when a folder is none and holds none.
    """
    for folder in folders:
        below = _cases_in(folder)
        if not below:
            raise UsageError(f"no recorded incident in {str(folder)!r}; give a folder of cases")
        source = collection_of(folder, is_case=below == [folder])
        yield from (Incident(source, each) for each in below)


def _cases_in(folder: Path) -> list[Path]:
    if _is_case(folder):
        return [folder]
    held = folder / "cases" if (folder / "cases").is_dir() else folder
    return sorted(each for each in held.iterdir() if _is_case(each)) if held.is_dir() else []


def _is_case(folder: Path) -> bool:
    # An underscore marks telemetry that several cases share.
    return not folder.name.startswith(("_", ".")) and is_recording(folder)


def is_recording(folder: Path) -> bool:
    """Tell whether a folder holds a recorded incident."""
    return any((folder / name).is_file() for name in _MARKS_OF_A_CASE)


def collection_of(folder: Path, *, is_case: bool) -> str:
    """Name the collection of a folder: by its own, ``cases`` and the case itself left out."""
    path = folder.resolve()
    path = path.parent if is_case else path
    return path.parent.name if path.name == "cases" else path.name
