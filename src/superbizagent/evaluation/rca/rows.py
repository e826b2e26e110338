"""What one run came to, against the label."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from superbizagent.analysis.ranking import Ranking
from superbizagent.domain.entity import Entity
from superbizagent.domain.finding import CandidateCause, FaultKind
from superbizagent.evaluation.rca.core import Input, Run, Seen, inputs_name
from superbizagent.evaluation.rca.ranks import place
from superbizagent.evaluation.rca.recordings import Recording
from superbizagent.evaluation.rca.timing import TimeMode

__all__ = ["Row", "row_of"]


@dataclass(frozen=True, slots=True)
class Row:
    """One case, in one mode of time, with one selection of inputs."""

    set: str
    case: str
    fault: str
    time: TimeMode
    inputs: str
    candidates: int
    chance: float
    rank: float
    """Of the best right entity among all that have a score, ties behind; infinite: not among them.
    """
    answered: bool
    """Something is abnormal: the core names candidates."""
    answer_right: bool
    """It answers, and its first candidate is right."""
    margin: float
    strength: float
    """Of the strongest entity."""
    top: tuple[str, ...]
    """Names of the first three."""
    kind_asked: bool
    """The name of the fault tells a kind."""
    kind_of_truth: FaultKind | None
    """What the core calls the fault of a right entity; None: it is not among those with a score."""
    kind_right: bool
    miss: str
    """Why the first is wrong: ``absent, tied, caller, callee, other``; empty when it is right."""
    seconds: float
    peak_bytes: int

    @property
    def is_first(self) -> bool:
        """Whether a right entity is first, alone."""
        return self.rank <= 1


def row_of(seen: Seen, time: TimeMode, inputs: frozenset[Input], ranking: Ranking, run: Run) -> Row:
    """Hold a ranking against the label of its recording."""
    recording, causes = seen.recording, seen.recording.causes
    rank = place({c.entity: c.score for c in ranking.suspects}, causes)
    answer = place({c.entity: c.score for c in ranking.candidates}, causes)
    truth = next((c for c in ranking.suspects if c.entity in causes), None)
    expected = recording.label.kind
    return Row(
        set=recording.case.set,
        case=recording.case.name,
        fault=recording.label.fault or "unnamed",
        time=time,
        inputs=inputs_name(inputs),
        candidates=len(recording.candidates),
        chance=recording.chance,
        rank=rank,
        answered=bool(ranking.candidates),
        answer_right=answer <= 1,
        margin=ranking.margin,
        strength=ranking.health.strength,
        top=tuple(Entity.parse(c.entity).name for c in ranking.suspects[:3]),
        kind_asked=expected is not None,
        kind_of_truth=truth.fault_kind if truth else None,
        kind_right=truth is not None and truth.fault_kind is expected,
        miss="" if rank <= 1 else _miss(recording, ranking, rank),
        seconds=run.seconds,
        peak_bytes=run.peak_bytes,
    )


def _miss(recording: Recording, ranking: Ranking, rank: float) -> str:
    """Say what stands before the right entity, as the call graph has it."""
    if rank == inf:
        return "absent"
    wrong = next(c for c in ranking.suspects if c.entity not in recording.causes)
    best = max(c.score for c in ranking.suspects if c.entity in recording.causes)
    if wrong.score == best:
        return "tied"
    first = Entity.parse(wrong.entity).name
    right = _names(ranking.suspects, recording)
    edges = recording.topology.edges
    if any(e.caller == first and e.callee in right for e in edges):
        return "caller"
    if any(e.callee == first and e.caller in right for e in edges):
        return "callee"
    return "other"


def _names(suspects: Sequence[CandidateCause], recording: Recording) -> set[str]:
    return {Entity.parse(c.entity).name for c in suspects if c.entity in recording.causes}
