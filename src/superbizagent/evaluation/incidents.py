"""Scores whole diagnoses of recorded incidents against what really happened there."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from superbizagent.domain.finding import Analysis, FaultKind, Verdict
from superbizagent.errors import UsageError
from superbizagent.evaluation.cases import Examined, Incident, collection_of, is_recording
from superbizagent.evaluation.truth import TRUTH_FILE, TrueFault, Truth, read_truth

__all__ = [
    "Measure",
    "Outcome",
    "ScoredIncident",
    "cases_below",
    "outcome_of",
    "score_incidents",
]

_CAUSE_NAMED = frozenset({Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a diagnosis came to, in figures."""

    verdict: Verdict
    ranking: tuple[tuple[str, FaultKind], ...]
    """Entity path and fault kind of every candidate, the first cause first."""
    entity: str
    """Path of the entity that the report names; empty when none."""
    independent: tuple[str, ...]
    """Paths of the entities that it names as faults of their own beside it."""
    statements: int
    taken_out: int
    calls: int
    """Evidence calls that were made."""
    seconds: float
    """Of the diagnosis alone, without the start of the program."""
    peak_bytes: int
    """Most memory that its process held; 0 where the system does not tell."""


Measure = Callable[[Path, Sequence[str]], Outcome | str]
"""Diagnoses a folder, with further arguments of ``superbiz diagnose``, in a process of its own;
a text says why it could not be done."""


def outcome_of(examined: Examined, *, seconds: float, peak_bytes: int) -> Outcome:
    """Return the figures of a finished diagnosis."""
    diagnosis = examined.diagnosis
    report = diagnosis.checked.report
    return Outcome(
        verdict=report.verdict,
        ranking=_ranking(diagnosis.analysis),
        entity=report.entity,
        independent=tuple(f.cause.entity for f in diagnosis.analysis.independent),
        statements=report.stats.statements,
        taken_out=report.stats.taken_out,
        calls=len(diagnosis.evidence.invocations),
        seconds=seconds,
        peak_bytes=peak_bytes,
    )


def _ranking(analysis: Analysis) -> tuple[tuple[str, FaultKind], ...]:
    """The cause, faults that were named as independent of it, and what else may be the cause."""
    named = [fault.cause for fault in analysis.independent]
    causes = (*analysis.candidates[:1], *named, *analysis.candidates[1:])
    return tuple((c.entity, c.fault_kind) for c in causes)


@dataclass(frozen=True, slots=True)
class ScoredIncident:
    """A case, what really happened, and what its diagnosis came to."""

    incident: Incident
    truth: Truth | None
    """None: it cannot be read."""
    outcome: Outcome | None
    """None: the case was not run."""
    problem: str = ""
    """Why it was not run."""

    @property
    def is_healthy(self) -> bool:
        """Whether nothing was wrong."""
        return self.truth is not None and not self.truth.faults

    @property
    def names_a_cause(self) -> bool:
        """Whether the report names a cause at all."""
        return self.outcome is not None and self.outcome.verdict in _CAUSE_NAMED

    @property
    def is_right_verdict(self) -> bool | None:
        """Whether the verdict is one of those that the truth lists; None when it lists none."""
        if self.outcome is None or self.truth is None or not self.truth.verdict:
            return None
        return self.outcome.verdict in self.truth.verdict

    @property
    def is_false_cause(self) -> bool:
        """Whether the report names a cause that was none: of a healthy time, or a wrong entity.

        Of several that it names as independent none may be wrong.
        """
        if self.outcome is None or self.truth is None or not self.names_a_cause:
            return False
        named = (self.outcome.entity, *self.outcome.independent)
        return not all(any(f.is_of(path) for f in self.truth.faults) for path in named)

    def entity_within(self, most: int) -> bool:
        """Tell whether the first ``most`` entities hold a right one of every fault.

        Of several faults, one is enough for the first place.
        """
        return self._within(most, [self._entity_rank(fault) for fault in self._faults])

    def kind_within(self, most: int) -> bool:
        """Tell whether the first ``most`` causes hold one right in entity and kind, as above."""
        return self._within(most, [self._cause_rank(fault) for fault in self._faults])

    @property
    def rank(self) -> int | None:
        """The best place of a right entity, 1 for the first; None when none is ranked."""
        ranks = [rank for fault in self._faults if (rank := self._entity_rank(fault))]
        return min(ranks, default=None)

    @property
    def _faults(self) -> tuple[TrueFault, ...]:
        return self.truth.faults if self.truth is not None else ()

    @property
    def _ranking(self) -> tuple[tuple[str, FaultKind], ...]:
        return self.outcome.ranking if self.outcome is not None else ()

    @staticmethod
    def _within(most: int, ranks: Sequence[int | None]) -> bool:
        hits = [rank is not None and rank <= most for rank in ranks]
        return any(hits) if most < len(ranks) else bool(hits) and all(hits)

    def _entity_rank(self, fault: TrueFault) -> int | None:
        """Place among the entities, each counted once."""
        paths = dict.fromkeys(path for path, _ in self._ranking)
        return next((n for n, path in enumerate(paths, 1) if fault.is_of(path)), None)

    def _cause_rank(self, fault: TrueFault) -> int | None:
        """Place among the causes: the right kind of a wrong entity is no hit."""
        return next(
            (
                n
                for n, (path, kind) in enumerate(self._ranking, 1)
                if kind in fault.fault_kind and fault.is_of(path)
            ),
            None,
        )


def cases_below(folders: Sequence[Path]) -> Iterator[Incident]:
    """Yield the cases of each folder: itself when it is one, else those it holds, by name.

    A recording without a truth is a case as well, one that cannot be scored.

    Raises:
        UsageError: when a folder is none and holds none.
    """
    for folder in folders:
        if _is_case(folder):
            yield Incident(collection_of(folder, is_case=True), folder)
            continue
        held = folder / "cases" if (folder / "cases").is_dir() else folder
        cases = sorted(each for each in held.iterdir() if each.is_dir() and _is_case(each))
        if not cases:
            raise UsageError(f"{str(folder)!r} holds no case: a folder with {TRUTH_FILE} in it")
        yield from (Incident(collection_of(folder, is_case=False), each) for each in cases)


def _is_case(folder: Path) -> bool:
    if folder.name.startswith(("_", ".")):
        return False  # telemetry that several cases share
    return (folder / TRUTH_FILE).is_file() or is_recording(folder)


def score_incidents(incidents: Sequence[Incident], measure: Measure) -> Iterator[ScoredIncident]:
    """Diagnose each case and hold the outcome against its truth; yields as they are done."""
    for incident in incidents:
        try:
            truth = read_truth(incident.folder)
        except UsageError as error:
            yield ScoredIncident(incident, None, None, str(error))
            continue
        folder = incident.folder / truth.recording
        found = measure(folder, truth.asked.arguments)
        if isinstance(found, str):
            yield ScoredIncident(incident, truth, None, found)
        else:
            yield ScoredIncident(incident, truth, found)
