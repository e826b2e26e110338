"""Values that are in stored outputs but not among the stored facts.

A report cites some strong series of each call; a statement may speak of any. Their values are read
the way the stored facts are, over the same windows, and get ids that say where they stand:
``E4.s17.mean`` is the mean over the incident of series 17 of call 4, ``E4.s17.before.mean`` that
of the baseline, ``E4.s17.since.mean`` that since the symptom began.
"""

from collections.abc import Iterator
from datetime import timedelta

from superbizagent.analysis._fact_list import EntityOf
from superbizagent.analysis.claims.evidence._log_readings import (
    readings_of_logs,
    readings_of_topology,
)
from superbizagent.analysis.claims.evidence._series import StoredSeries
from superbizagent.analysis.claims.evidence._series_readings import (
    readings_of_series,
    siblings_of,
)
from superbizagent.analysis.claims.evidence._sums import readings_of_sums
from superbizagent.analysis.claims.evidence.spans import acute_of, counted, spans_of
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import Topology
from superbizagent.domain.window import Windows

__all__ = ["readings_of", "readings_of_stored"]


def readings_of(
    evidence: Evidence, windows: Windows, step: timedelta, entity_of: EntityOf
) -> tuple[Fact, ...]:
    """Return the readings of all stored outputs, each series once, in a fixed order.

    Args:
        evidence: the calls with their stored facts.
        windows: the incident and what it is compared with.
        step: the sampling interval.
        entity_of: which entity a label set belongs to.
    """
    stored = StoredSeries.of(evidence, windows, step, entity_of)
    return readings_of_stored(stored, evidence, windows, step, entity_of)


def readings_of_stored(
    stored: StoredSeries,
    evidence: Evidence,
    windows: Windows,
    step: timedelta,
    entity_of: EntityOf,
) -> tuple[Fact, ...]:
    """Return `readings_of` for series that were read already."""
    stored_facts = [f for row in evidence.invocations for f in row.facts]
    known = {_key(f) for f in stored_facts}
    alike = {(f.name, f.statistic, f.value) for f in stored_facts}  # cheap, and most are not
    return tuple(
        fact
        for fact in _all(stored, evidence, windows, step, entity_of)
        if (fact.name, fact.statistic, fact.value) not in alike or _key(fact) not in known
    )


def _all(
    stored: StoredSeries,
    evidence: Evidence,
    windows: Windows,
    step: timedelta,
    entity_of: EntityOf,
) -> Iterator[Fact]:
    guard = round(step.total_seconds() * 1000)
    spans = spans_of(stored, windows, acute_of(evidence, windows), guard)
    history = windows.whole.start_ms
    rises = counted(stored, spans, history)
    siblings = siblings_of(stored)
    yield from readings_of_series(stored, spans, rises, siblings)
    yield from readings_of_sums(stored, spans, rises, siblings)
    for row in evidence.invocations:
        match row.output:
            case LogDigest() as digest:
                yield from readings_of_logs(row.number, digest, entity_of)
            case Topology() as topology:
                yield from readings_of_topology(row.number, topology, entity_of)
            case _:
                pass


def _key(fact: Fact) -> tuple[object, ...]:
    """What two facts of one call share when they say the same of the same."""
    # A last value stands at its sample, and in no window.
    start = fact.window.start if fact.window and not fact.statistic.endswith("last") else None
    place = "/".join(fact.place.split("/", 2)[:2])
    return fact.call, fact.name, fact.statistic, fact.value, place, start
