"""What anyone would do first with a list of alerts, scored beside the product in the same run."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from superbizagent.analysis.alert_readings import AlertReading
from superbizagent.evaluation.alert_lists.cases import AlertCase

__all__ = ["BASELINES", "Scores"]

Scores = Mapping[str, float]
"""Instance -> score, the higher the likelier; absent: 0."""

_RESTART = 0.15
_STEPS = 50


def count(case: AlertCase, readings: Sequence[AlertReading]) -> Scores:
    """The instance with the most alerts."""
    del case
    return Counter(reading.entity for reading in readings)


def earliest(case: AlertCase, readings: Sequence[AlertReading]) -> Scores:
    """The instance that alerted first; where alerts carry no time, as they stand in the list."""
    del case
    found: dict[str, float] = {}
    for place, reading in enumerate(readings):
        at = reading.at.timestamp() if reading.at is not None else float(place)
        found[reading.entity] = max(found.get(reading.entity, float("-inf")), -at)
    lowest = min(found.values(), default=0.0)
    return {entity: 1.0 + value - lowest for entity, value in found.items()}


def random_walk(case: AlertCase, readings: Sequence[AlertReading]) -> Scores:
    """A walk along the calls that starts again where alerts are, by their number."""
    counts = count(case, readings)
    total = sum(counts.values())
    if not total:
        return {}
    start = {node: counts.get(node, 0.0) / total for node in case.nodes}
    callees: dict[str, list[str]] = defaultdict(list)
    for caller, callee in sorted(case.edges):
        callees[caller].append(callee)
    found = dict(start)
    for _ in range(_STEPS):
        moved = {node: _RESTART * share for node, share in start.items()}
        for node, share in found.items():
            # Who calls nobody is where the walk stays.
            targets = callees.get(node) or [node]
            for target in targets:
                moved[target] = moved.get(target, 0.0) + (1 - _RESTART) * share / len(targets)
        found = moved
    return found


BASELINES = {"count": count, "earliest": earliest, "random walk": random_walk}
"""Name -> how it scores."""
