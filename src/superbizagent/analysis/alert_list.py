"""Which entity a list of alerts points at, when the alerts are all that is known.

Rare signs weigh most; what others explain weighs less: other alerts of the list that usually come
with it, callees whose latency or errors travel up, an entity's own louder signs. Four channels are
made comparable by peer dominance and added. No label of any earlier list is read.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.alert_history import AlertHistory, Usual
from superbizagent.analysis.alert_readings import AlertReading
from superbizagent.analysis.alert_signs import Sign, Signs, servers_of, signs_of
from superbizagent.analysis.dominance import dominance
from superbizagent.analysis.explained import EXPLAINED
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.finding import FaultKind

__all__ = ["AlertListInput", "AlertTerm", "ScoredEntity", "rank_alert_list"]

Floats = NDArray[np.float64]

_FURTHER = 0.5  # each weaker sign of the same family counts half as much as the one before
_SHARE, _FLOOR = 0.5, 0.5  # of peer dominance
_RAW = 0.2  # of a channel's evidence beside its dominance: how much there is counts, too
_OPERATIONS = 0.5  # what happens inside is slow as often for what it waits for
_CLEAR = 1.0  # nats: a sign that one list in three has, or one entity in three

_TRAVELLING = ("err", "lat", "qps")
"""Families in which callers suffer with their callees."""
_OF_CALLS = ("calls", "operations")
_CHANNELS = ("alerts_own", "alerts_felt", "alerts_logs", "alerts_calls")


@dataclass(frozen=True, slots=True)
class AlertListInput:
    """Everything the ranking looks at."""

    readings: Sequence[AlertReading]
    callees: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    """Who calls whom, as far as it is known beside the calls that the alerts name."""
    entities: Collection[str] = ()
    """Entities that could alert beside those that did."""
    history: AlertHistory | None = None


@dataclass(frozen=True, slots=True)
class AlertTerm:
    """One visible part of a score."""

    name: str
    """One of the four channels, or ``explained_by_callee``, which is below 0."""
    value: float
    sources: tuple[int, ...] = ()
    """Positions of the alerts it rests on, those that say most first."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ScoredEntity:
    """How much a list points at one entity."""

    entity: str
    score: float
    """Sum of the terms, six significant digits."""
    terms: tuple[AlertTerm, ...]
    fault_kind: FaultKind
    first_at: datetime | None = None
    """When its first alert fired."""


@dataclass(slots=True)
class _Evidence:
    """What the signs of one entity say, by family, the strongest first."""

    said: dict[str, list[tuple[float, Sign]]] = field(
        default_factory=lambda: defaultdict(list[tuple[float, Sign]])
    )

    def of(self, family: str) -> float:
        values = sorted((value for value, _ in self.said.get(family, ())), reverse=True)
        return sum(value * _FURTHER**k for k, value in enumerate(values))

    def signs(self, families: Collection[str]) -> list[Sign]:
        found = [pair for f in families for pair in self.said.get(f, ()) if pair[0] > 0]
        return [sign for _, sign in sorted(found, key=lambda pair: (-pair[0], pair[1]))]


def rank_alert_list(given: AlertListInput) -> tuple[ScoredEntity, ...]:
    """Return every entity that a list points at, best first; of equals, the first to alert.

    Empty for a list that names nobody. Neither order nor repetition of the alerts counts.
    """
    history = given.history or AlertHistory.of(())
    servers = dict(history.servers) | servers_of([given.readings])
    signs = signs_of(given.readings, servers)
    if not signs.sources:
        return ()
    entities = sorted({s.entity for s in signs.sources} | set(given.entities))
    usual = history.usual(signs, entities)
    evidence = _evidence(signs, usual)
    callees = _callees(given, signs, history)
    channels, explained = _channels(entities, evidence, signs, callees, history)
    parts = np.array([dominance(v, _SHARE, _FLOOR) + _RAW * v for v in channels])
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.nan_to_num(explained / (channels[1] + explained))
    first = _first_times(given.readings)
    found = [
        _scored(entity, evidence[entity], signs, parts[:, k], float(shares[k]))
        for k, entity in enumerate(entities)
        if entity in evidence
    ]
    dated = [replace(item, first_at=first.get(item.entity)) for item in found]
    return tuple(sorted(dated, key=_order))


def _evidence(signs: Signs, usual: Usual) -> dict[str, _Evidence]:
    """Weigh each sign by what it says that no other sign has said."""
    every = list(signs.sources)
    owner = np.array([sign.entity for sign in every])
    left = usual.alone.copy()
    # Of calls the share that is slow tells whose they are; that they come together is their point.
    seen_in_calls = np.array([signs.family[s] in _OF_CALLS for s in every], np.bool_)
    if usual.given is not None:
        elsewhere = np.where(owner[:, None] == owner[None, :], np.inf, usual.given)
        told = np.minimum(elsewhere.min(axis=1, initial=np.inf), usual.alone)
        left -= np.where(seen_in_calls, 0.0, EXPLAINED * (usual.alone - told))
    weights = np.array([signs.weight[s] for s in every], np.float64)
    found: dict[str, _Evidence] = {}
    for entity in sorted(set(owner.tolist())):
        rows = np.flatnonzero(owner == entity)
        rows = rows[np.argsort(-(left * weights)[rows], kind="stable")]
        own = found.setdefault(entity, _Evidence())
        order: list[int] = rows.tolist()
        for k, row in enumerate(order):
            value = float(left[row])
            if usual.given is not None and k and not seen_in_calls[row]:
                value = min(value, float(usual.given[row, rows[:k]].min()))
            sign = every[row]
            own.said[signs.family[sign]].append((float(weights[row]) * value, sign))
    return found


def _callees(
    given: AlertListInput, signs: Signs, history: AlertHistory
) -> dict[str, frozenset[str]]:
    """Who calls whom. A graph that says so both ways says nothing of who waits for whom."""
    graph = {(a, b) for a, callees in given.callees.items() for b in callees}
    known = {(a, b) for a, b in graph if (b, a) not in graph}
    known |= {(a, b) for a, b, _ in signs.calls | history.calls}
    found: dict[str, set[str]] = defaultdict(set)
    for caller, callee in known:
        found[caller].add(callee)
    return {caller: frozenset(callees) for caller, callees in found.items()}


def _channels(
    entities: Sequence[str],
    evidence: Mapping[str, _Evidence],
    signs: Signs,
    callees: Mapping[str, Collection[str]],
    history: AlertHistory,
) -> tuple[Floats, Floats]:
    """Return the four channels, shape (4, entity), and what callees explain of the second."""
    own, felt, logs, calls, taken = (np.zeros(len(entities)) for _ in range(5))
    shares = _slow_shares(signs, history)
    for k, entity in enumerate(entities):
        mine = evidence.get(entity)
        if mine is None:
            continue
        for family in mine.said:
            value = mine.of(family)
            if family in _TRAVELLING:
                below = [
                    evidence[c].of(family) + evidence[c].of("calls")
                    for c in callees.get(entity, ())
                    if c in evidence
                ]
                explained = EXPLAINED * min(value, max(below, default=0.0))
                felt[k] += value - explained
                taken[k] += explained
            elif family == "log":
                logs[k] += value
            elif family == "calls":
                calls[k] += shares[entity] * value
            elif family == "operations":
                calls[k] += _OPERATIONS * value
            else:
                own[k] += value
    return np.array([own, felt, logs, calls]), taken


def _slow_shares(signs: Signs, history: AlertHistory) -> dict[str, float]:
    """Return of each entity the share of its known calls that are alerted on as its own.

    A delayed entity slows all its calls, its neighbours have one slow call each.
    """
    known: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for call in history.calls | signs.calls:
        known[call[0]].add(call)
        known[call[1]].add(call)
    slow: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for sign in signs.sources:
        if sign.call in signs.calls:
            slow[sign.entity].add(sign.call)
    return {entity: len(own) / len(known[entity]) for entity, own in slow.items()}


def _scored(
    entity: str, evidence: _Evidence, signs: Signs, parts: Floats, explained: float
) -> ScoredEntity:
    terms = _terms(evidence, signs, parts, explained)
    score = round_significant(sum(t.value for t in terms))
    return ScoredEntity(entity, score, terms, _fault_kind(evidence))


def _order(item: ScoredEntity) -> tuple[float, bool, float, str]:
    at = item.first_at.timestamp() if item.first_at is not None else 0.0
    return -item.score, item.first_at is None, at, item.entity


def _terms(
    evidence: _Evidence, signs: Signs, parts: Floats, explained: float
) -> tuple[AlertTerm, ...]:
    terms: list[AlertTerm] = []
    others = set(evidence.said) - {*_TRAVELLING, "log", *_OF_CALLS}
    families = (others, _TRAVELLING, ("log",), _OF_CALLS)
    for name, members, part in zip(_CHANNELS, families, parts.tolist(), strict=True):
        if part <= 0:
            continue
        taken = part * explained / (1.0 - explained) if name == "alerts_felt" else 0.0
        own = evidence.signs(members)
        sources = tuple(dict.fromkeys(i for sign in own for i in signs.sources[sign]))
        terms.append(AlertTerm(name, round_significant(part + taken), sources))
        if taken > 0:
            note = f"share={explained:.2f}"
            terms.append(AlertTerm("explained_by_callee", round_significant(-taken), note=note))
    return tuple(terms)


def _first_times(readings: Sequence[AlertReading]) -> dict[str, datetime]:
    found: dict[str, datetime] = {}
    for reading in readings:
        if reading.at is not None:
            found[reading.entity] = min(reading.at, found.get(reading.entity, reading.at))
    return found


def _fault_kind(evidence: _Evidence) -> FaultKind:
    """Return what the signs of one entity look like; rules in order, the first that holds.

    As in `fault_kind`, memory stress burns processor time too, not the reverse. What changes its
    memory and writes lines that it else never writes has started anew.
    """
    cpu, memory, net = evidence.of("cpu"), evidence.of("mem"), evidence.of("net")
    rules = (
        (evidence.of("inst") > 0, FaultKind.RESTART),
        (cpu >= _CLEAR and memory >= 0.45 * cpu, FaultKind.MEMORY),
        (cpu >= _CLEAR, FaultKind.CPU),
        (memory >= _CLEAR and evidence.of("log") >= _CLEAR, FaultKind.RESTART),
        (memory >= _CLEAR, FaultKind.MEMORY),
        (evidence.of("disk") >= _CLEAR, FaultKind.DISK),
        (net >= _CLEAR / 2, FaultKind.NETWORK_LOSS),
        (evidence.of("calls") + evidence.of("lat") >= _CLEAR, FaultKind.NETWORK_DELAY),
        (evidence.of("err") >= _CLEAR / 2, FaultKind.CODE_ERROR),
    )
    return next((kind for holds, kind in rules if holds), FaultKind.UNKNOWN)
