"""Runs the core over labelled recordings; a broken case is told, and is not the end of all."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from superbizagent.errors import SuperbizError
from superbizagent.evaluation.rca.alarms import JudgedWindow
from superbizagent.evaluation.rca.baselines import baseline_scores
from superbizagent.evaluation.rca.core import LADDER, Input, Run, Seen, run_core
from superbizagent.evaluation.rca.healthy import SeenTimes, judged_windows
from superbizagent.evaluation.rca.ranks import place
from superbizagent.evaluation.rca.recordings import Broken, CaseFolder, Recording, read_recording
from superbizagent.evaluation.rca.rows import Row, row_of
from superbizagent.evaluation.rca.timing import TimeMode, sight_of

__all__ = ["BaselineRow", "Plan", "RcaScore", "score_rca"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run of every case."""

    times: Sequence[TimeMode] = tuple(TimeMode)
    inputs: Sequence[frozenset[Input]] = LADDER
    healthy: bool = True


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """Where a published method puts the right entity of a case."""

    set: str
    time: TimeMode
    method: str
    variant: str
    rank: float


@dataclass
class RcaScore:
    """What all cases came to."""

    rows: list[Row] = field(default_factory=list[Row])
    baselines: list[BaselineRow] = field(default_factory=list[BaselineRow])
    windows: list[JudgedWindow] = field(default_factory=list[JudgedWindow])
    """Faults and healthy windows, for false alarms and detection."""
    broken: list[Broken] = field(default_factory=list[Broken])
    untimed: dict[TimeMode, int] = field(default_factory=dict[TimeMode, int])
    """Cases whose label has no time for a mode."""


def score_rca(
    cases: Iterable[CaseFolder], plan: Plan, tell: Callable[[str], None] = lambda _: None
) -> RcaScore:
    """Run the core on every case.

    Args:
        cases: where they are.
        plan: what to run.
        tell: is told each case that was left out.
    """
    score = RcaScore()
    seen: SeenTimes = set()
    for case in cases:
        try:
            recording = read_recording(case)
            found = _Scored(recording, plan, seen)
        except SuperbizError as error:
            broken = Broken(case, " ".join(str(error).split()))
        except Exception as error:  # noqa: BLE001 - one broken case is one line, not the end of all
            broken = Broken(case, f"{type(error).__name__}: {' '.join(str(error).split())}")
        else:
            found.add_to(score)
            continue
        score.broken.append(broken)
        tell(f"left out: {case.set}/{case.name}: {broken.reason}")
    return score


class _Scored:
    """One case in all modes; kept apart until it is whole, so that none counts by half."""

    def __init__(self, recording: Recording, plan: Plan, seen: SeenTimes) -> None:
        self.rows: list[Row] = []
        self.baselines: list[BaselineRow] = []
        self.untimed: list[TimeMode] = []
        for time in plan.times:
            self._run(recording, time, plan)
        self.windows = list(judged_windows(recording, seen)) if plan.healthy else []

    def _run(self, recording: Recording, time: TimeMode, plan: Plan) -> None:
        sight = sight_of(recording, time)
        if sight is None:
            self.untimed.append(time)
            return
        seen = Seen(recording, sight)
        whole = Run(seconds=0.0, peak_bytes=0)
        for inputs in plan.inputs:
            ranking, run = run_core(seen, inputs)
            whole += run  # what the inputs before prepared is used again, and was needed too
            self.rows.append(row_of(seen, time, inputs, ranking, whole))
        for (method, *variant), scores in baseline_scores(
            recording, seen.series, seen.windows
        ).items():
            rank = place(scores, recording.causes)
            name = "/".join(variant)
            self.baselines.append(BaselineRow(recording.case.set, time, method, name, rank))

    def add_to(self, score: RcaScore) -> None:
        """Count the case."""
        score.rows += self.rows
        score.baselines += self.baselines
        score.windows += self.windows
        for time in self.untimed:
            score.untimed[time] = score.untimed.get(time, 0) + 1
