"""Ranks the instances of every labelled list and holds each ranking against its label."""

import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from superbizagent.analysis.alert_evidence import shows_itself
from superbizagent.analysis.alert_history import AlertHistory
from superbizagent.analysis.alert_list import AlertListInput, ScoredEntity, rank_alert_list
from superbizagent.analysis.alert_readings import AlertReading, readings_of
from superbizagent.domain.finding import FaultKind
from superbizagent.domain.series import Labels
from superbizagent.evaluation.alert_lists.baselines import BASELINES, Scores
from superbizagent.evaluation.alert_lists.cases import AlertCase, AlertSystem

__all__ = ["METHODS", "Placed", "ScoredSystem", "interval", "score_system"]

_WITH, _ALONE = "with history", "one list alone"
METHODS = (_WITH, _ALONE, *BASELINES)
"""The product twice, then what anyone would do first."""

_RESAMPLES = 1000
_KINDS = {
    "cpu": FaultKind.CPU,
    "memory": FaultKind.MEMORY,
    "network-delay": FaultKind.NETWORK_DELAY,
    "network-loss": FaultKind.NETWORK_LOSS,
    "network-corrupt": FaultKind.NETWORK_LOSS,
    "pod-kill": FaultKind.RESTART,
    "pod-failure": FaultKind.RESTART,
    "container-kill": FaultKind.RESTART,
}


@dataclass(frozen=True, slots=True)
class Placed:
    """One case: where the faulty instance stands."""

    case: AlertCase
    rank: int
    """1 for the first; equals count as before it, and no score at all as last."""
    first: str
    """Instance that stands first; empty when none does."""
    margin: float = 0.0
    """First score minus second as share of the first."""
    by_itself: bool = False
    """Whether the first shows something of itself, as a report asks before it names a cause."""
    kind_right: bool | None = None
    """Whether the faulty instance got its kind of fault; None where the label has none of ours."""


@dataclass(frozen=True, slots=True)
class ScoredSystem:
    """All cases of one system by method."""

    name: str
    placed: Mapping[str, tuple[Placed, ...]]
    seconds: Mapping[str, float]
    """By method, of all its rankings."""

    @property
    def chance(self) -> float:
        """Mean share of instances that are right: what a draw would get."""
        cases = [p.case for p in self.placed[_WITH]]
        return sum(1 / len(c.nodes) for c in cases) / len(cases) if cases else 0.0


def score_system(system: AlertSystem) -> ScoredSystem:
    """Rank every list of a system by every method.

    The history of a list is all other lists of its system, without their labels.
    """
    lists = [_read(case) for case in system.cases]
    placed: dict[str, tuple[Placed, ...]] = {}
    seconds: dict[str, float] = {}
    for name in METHODS:
        begin = time.perf_counter()
        placed[name] = tuple(_placed(name, system.cases, lists))
        seconds[name] = time.perf_counter() - begin
    return ScoredSystem(system.name, placed, seconds)


def _read(case: AlertCase) -> tuple[AlertReading, ...]:
    nodes = set(case.nodes)

    def entity_of(labels: Labels) -> str | None:
        name = labels.get("service", "")
        return name if name in nodes else None

    return readings_of(case.alerts, entity_of)


def _placed(
    name: str, cases: Sequence[AlertCase], lists: Sequence[Sequence[AlertReading]]
) -> Iterator[Placed]:
    if name in BASELINES:
        for case, readings in zip(cases, lists, strict=True):
            scores = BASELINES[name](case, readings)
            yield Placed(
                case, _rank(case, scores), max(scores, key=lambda e: scores[e], default="")
            )
        return
    history = AlertHistory.of(lists) if name == _WITH else None
    for row, (case, readings) in enumerate(zip(cases, lists, strict=True)):
        past = history.besides(row) if history is not None else None
        given = AlertListInput(readings, _callees(case), case.nodes, past)
        yield _judged(case, rank_alert_list(given))


def _callees(case: AlertCase) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for caller, callee in case.edges:
        found.setdefault(caller, set()).add(callee)
    return found


def _judged(case: AlertCase, ranked: Sequence[ScoredEntity]) -> Placed:
    scores = {item.entity: item.score for item in ranked}
    best = sorted(scores.values(), reverse=True)
    margin = (best[0] - best[1]) / best[0] if len(best) > 1 and best[0] > 0 else float(bool(best))
    own = next((item for item in ranked if item.entity == case.instance), None)
    wanted = _KINDS.get(case.fault)
    right = None if wanted is None else own is not None and own.fault_kind is wanted
    first = ranked[0].entity if ranked else ""
    by_itself = bool(ranked) and shows_itself(ranked[0].terms)
    return Placed(case, _rank(case, scores), first, margin, by_itself, right)


def _rank(case: AlertCase, scores: Scores) -> int:
    """Place of the faulty instance; every other with its score stands before it."""
    own = scores.get(case.instance, 0.0)
    if own <= 0:
        return len(case.nodes)
    others = (node for node in case.nodes if node != case.instance)
    return 1 + sum(scores.get(node, 0.0) >= own for node in others)


def interval(values: Iterable[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean; the same for the same values."""
    each = list(values)
    if not each:
        return 0.0, 0.0
    draw = random.Random(0)  # noqa: S311 - resampling, no secret
    means = sorted(sum(draw.choices(each, k=len(each))) / len(each) for _ in range(_RESAMPLES))
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]
