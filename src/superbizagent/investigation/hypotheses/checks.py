"""Tests the hypotheses of playbooks on every entity they fit, in three-valued logic.

A check holds, fails or is unknown. Unknown never fails: what could not be looked at refutes
nothing. Refuted: a refuter holds, a required check fails, or all of those of which one is required.
Supported: all required hold, and one of those of which one is required.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from superbizagent.domain.canonical import round_significant
from superbizagent.domain.check import Across, Check, CheckRole, Comparison, Place, Reduce
from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import (
    CheckOutcome,
    CheckResult,
    Finding,
    FindingKind,
    HypothesisOutcome,
    HypothesisResult,
)
from superbizagent.domain.plan import ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels
from superbizagent.domain.skill import Hypothesis, Skill
from superbizagent.investigation.facts.symptom import EntityOf
from superbizagent.investigation.facts.windows import CheckWindows, check_windows
from superbizagent.investigation.hypotheses.changes import ChangeTests
from superbizagent.investigation.hypotheses.evidence import CheckEvidence, Found
from superbizagent.investigation.hypotheses.objects import ObjectEvidence
from superbizagent.skills import bind, entities_of, fits

__all__ = ["evaluate_hypotheses"]

_FOR_JOIN_IGNORED = frozenset({"__name__"})


def evaluate_hypotheses(  # noqa: PLR0913 - what is tested, and what it is held against
    scope: Scope,
    evidence: Evidence,
    skills: Sequence[Skill],
    entity_of: EntityOf,
    *,
    onset: datetime | None = None,
    findings: Sequence[Finding] = (),
) -> tuple[HypothesisResult, ...]:
    """Return each hypothesis's result on each entity about which anything could be read.

    A hypothesis of which nothing could be read anywhere is open, about no entity (``""``): a rival
    that was not tested must not pass for refuted. One that needs a change is refuted, about no
    entity, when the changes are known and none is of its sort. One about objects of a cluster is
    tested where something is abnormal; where nothing is there is nothing to explain.
    """
    changes = ChangeTests(scope, evidence, findings, entity_of)
    objects = ObjectEvidence(evidence)
    unwell = {f.entity for f in findings if f.kind is FindingKind.OBJECT_STATE}
    windows = check_windows(scope, onset)
    collected = CheckEvidence(evidence, entity_of)
    read = collected.entities | changes.entities
    known = {e.path: e for e in scope.everything if e.path in read or objects.knows(e.path)}
    bench = _Bench(scope, known, collected, windows, changes, objects)
    results: list[HypothesisResult] = []
    for skill in skills:
        for hypothesis in skill.hypotheses:
            about_objects = hypothesis.is_about_objects
            tested = [
                result
                for entity in scope.everything
                if fits(hypothesis, entity) and (not about_objects or entity.path in unwell)
                if bench.may_tell(hypothesis, entity)
                for result in (bench.test(skill, hypothesis, entity),)
                if _is_about(result)
            ]
            if about_objects and any(objects.knows(e.path) for e in scope.everything):
                results += tested
                continue
            untested = HypothesisResult(
                skill=skill.name,
                id=hypothesis.id,
                fault_kind=hypothesis.fault_kind,
                entity="",
                outcome=_untested(hypothesis, changes),
            )
            results += tested or [untested]
    return tuple(results)


def _untested(hypothesis: Hypothesis, changes: ChangeTests) -> HypothesisOutcome:
    """What is known of a hypothesis that was tested on no entity."""
    needs = [c for c in hypothesis.evidence if c.role is CheckRole.REQUIRED and c.kinds]
    absent = changes.looked and any(not changes.of_kinds(c.kinds) for c in needs)
    return HypothesisOutcome.REFUTED if absent else HypothesisOutcome.OPEN


def _is_about(result: HypothesisResult) -> bool:
    """Tell whether anything that a hypothesis requires, or that holds, was read of the entity."""
    return any(
        c.outcome is CheckOutcome.HOLDS
        or (c.role == CheckRole.REQUIRED and c.outcome is CheckOutcome.FAILS)
        for c in result.checks
    )


@dataclass(frozen=True, slots=True)
class _Quantity:
    """What is compared: a value, divided by another where the check says so."""

    facts: tuple[Fact, ...]
    number: float
    baseline: float | None = None


_Asks = tuple[str, str, tuple[Selector, ...], tuple[Selector, ...], tuple[str, ...]]
"""Playbook, check, selectors, those it is divided by, and whose series."""


@dataclass(frozen=True, slots=True)
class _Bench:
    scope: Scope
    known: Mapping[str, Entity]
    """By path, those of which anything was read: of a thousand, the caps leave some sixty."""
    collected: CheckEvidence
    windows: CheckWindows
    changes: ChangeTests
    objects: ObjectEvidence
    metric_results: dict[_Asks, CheckResult] = field(default_factory=dict[_Asks, CheckResult])
    paths: dict[tuple[Place, str], tuple[str, ...]] = field(
        default_factory=dict[tuple[Place, str], tuple[str, ...]]
    )

    def may_tell(self, hypothesis: Hypothesis, entity: Entity) -> bool:
        """Tell whether any check can end otherwise than for want of data."""
        return entity.path in self.known or any(
            c.at is not Place.ENTITY for c in hypothesis.evidence
        )

    def test(self, skill: Skill, hypothesis: Hypothesis, entity: Entity) -> HypothesisResult:
        """Return what all checks of a hypothesis say together about one entity."""
        checks = tuple(
            self._check(skill, hypothesis, check, entity) for check in hypothesis.evidence
        )
        seen = any(
            result.outcome is CheckOutcome.HOLDS and check.shows_mechanism
            for check, result in zip(hypothesis.evidence, checks, strict=True)
        )
        return HypothesisResult(
            skill=skill.name,
            id=hypothesis.id,
            fault_kind=hypothesis.fault_kind,
            entity=entity.path,
            outcome=_outcome(checks),
            checks=checks,
            mechanism_seen=seen,
        )

    def _check(
        self, skill: Skill, hypothesis: Hypothesis, check: Check, entity: Entity
    ) -> CheckResult:
        if check.tool is ToolName.GET_KUBERNETES:
            return self._object_check(check, entity)
        if check.tool is ToolName.LIST_CHANGES:
            asked = entities_of(check.at, entity, self.scope.everything, self.scope.topology)
            answer = self.changes.test(check, [e.path for e in asked])
            return _result(check, answer.outcome, answer.reason, answer.facts)
        paths = self._read_at(check.at, entity)
        if check.tool is ToolName.SEARCH_LOGS:
            return self._log_check(check, paths)
        key = f"{hypothesis.id}/{check.id}"
        left, right = (
            tuple(bind(s, entity) for s in skill.selectors.get(k, ()))
            for k in (key, f"{key}/other")
        )
        # Entities of which nothing was read ask the same of the same others.
        asks = (skill.name, key, left, right, paths)
        if asks not in self.metric_results:
            self.metric_results[asks] = self._metric_check(check, left, right, paths)
        return self.metric_results[asks]

    def _read_at(self, place: Place, entity: Entity) -> tuple[str, ...]:
        """Return the paths of those at a place of which anything was read."""
        key = (place, entity.path)
        if key not in self.paths:
            asked = entities_of(place, entity, tuple(self.known.values()), self.scope.topology)
            self.paths[key] = tuple(e.path for e in asked if e.path in self.known)
        return self.paths[key]

    def _metric_check(
        self,
        check: Check,
        selectors: Sequence[Selector],
        others: Sequence[Selector],
        paths: Sequence[str],
    ) -> CheckResult:
        quantities = list(self._quantities(check, selectors, others, paths))
        if not quantities:
            return _result(check, CheckOutcome.UNKNOWN, "no data")
        return self._judge(check, quantities)

    def _quantities(
        self,
        check: Check,
        selectors: Sequence[Selector],
        others: Sequence[Selector],
        paths: Sequence[str],
    ) -> Iterator[_Quantity]:
        summed = check.across is Across.SUM
        collected = self.collected.sums if summed else self.collected.series
        left = collected(selectors, paths, check.reduce, self.windows.of(check.reduce))
        if check.holds.other is None:
            for found in left:
                yield self._alone(check, found)
            return
        reduce = check.holds.other.reduce
        right = collected(others, paths, reduce, self.windows.of(reduce))
        for found in left:
            other = _joined(found.labels, right)
            quantity = self._over(check, found, other) if other else None
            if quantity is not None:
                yield quantity

    def _alone(self, check: Check, found: Found) -> _Quantity:
        value = _number(found.fact)
        if check.holds.baseline_ratio is None:
            return _Quantity((found.fact,), value)
        before = self._before(check, found)
        if before is None:
            return _Quantity((found.fact,), value)
        scaled = _number(before) * self._same_length(check)
        return _Quantity((found.fact, before), value, scaled)

    def _over(self, check: Check, found: Found, other: Found) -> _Quantity | None:
        divisor = _number(other.fact)
        if divisor == 0 or check.holds.other is None:
            return None  # a pool without a maximum has no share in use
        value = _number(found.fact) / divisor
        facts = (found.fact, other.fact)
        if check.holds.baseline_ratio is None:
            return _Quantity(facts, value)
        left = self._before(check, found)
        span = self.windows.baseline_of(check.holds.other.reduce)
        right = self.collected.fact(other, check.holds.other.reduce, span) if span else None
        if left is None or right is None or _number(right) == 0:
            return _Quantity(facts, value)
        return _Quantity((*facts, left, right), value, _number(left) / _number(right))

    def _before(self, check: Check, found: Found) -> Fact | None:
        span = self.windows.baseline_of(check.reduce)
        return self.collected.fact(found, check.reduce, span) if span else None

    def _same_length(self, check: Check) -> float:
        """How much longer the incident's span is: growth over less time is less growth."""
        span = self.windows.baseline_of(check.reduce)
        if check.reduce is not Reduce.INCREASE or span is None or not span.length:
            return 1.0
        return self.windows.of(check.reduce).length / span.length

    def _judge(self, check: Check, quantities: Sequence[_Quantity]) -> CheckResult:
        """A check holds when it holds for any series; the strongest is the one to cite."""
        order = sorted(quantities, key=lambda q: -q.number if _rises(check) else q.number)
        judged = [(_compare(check, q), q) for q in order]
        ranks = (CheckOutcome.HOLDS, CheckOutcome.FAILS, CheckOutcome.UNKNOWN)
        outcome, quantity = min(judged, key=lambda pair: ranks.index(pair[0]))
        if outcome is CheckOutcome.FAILS and self.windows.may_be_diluted(check.reduce):
            return _result(check, CheckOutcome.UNKNOWN, "diluted", quantity.facts)
        return _result(check, outcome, _reason(check, quantity), quantity.facts)

    def _object_check(self, check: Check, entity: Entity) -> CheckResult:
        answer = self.objects.answer(check, entity.path)
        if not answer.looked:
            return _result(check, CheckOutcome.UNKNOWN, "no data")
        if check.reduce is Reduce.COUNT:
            told = answer.facts[:1]
            counted = _Quantity(told, float(len(answer.facts)))
            return _result(check, _compare(check, counted), _reason(check, counted), told)
        quantities = [_Quantity((f,), f.value) for f in answer.facts if isinstance(f.value, float)]
        if not quantities:
            return _result(check, CheckOutcome.UNKNOWN, "no such reading")
        chosen = max if check.reduce is Reduce.MAX else min
        return self._judge(check, [chosen(quantities, key=lambda q: q.number)])

    def _log_check(self, check: Check, paths: Sequence[str]) -> CheckResult:
        answer = self.collected.logs(check, paths)
        if not answer.looked:
            return _result(check, CheckOutcome.UNKNOWN, "no data")
        quantities = [
            _Quantity(
                (value,) if before is None else (value, before),
                _number(value),
                None if before is None else _number(before) * self._log_share(),
            )
            for value, before in answer.counts
        ]
        if quantities:
            return self._judge(check, quantities)
        outcome = CheckOutcome.FAILS if _rises(check) else CheckOutcome.HOLDS
        facts = (answer.total,) if answer.total is not None else ()
        return _result(check, outcome, "no such record", facts)

    def _log_share(self) -> float:
        """The incident's length over that of all baselines: what their counts lead to expect."""
        before = sum(w.length.total_seconds() for w in self.scope.windows.baselines)
        during = self.scope.windows.incident.length.total_seconds()
        return during / before if before > 0 else 1.0


def _rises(check: Check) -> bool:
    return check.holds.op in {Comparison.AT_LEAST, Comparison.ABOVE}


def _compare(check: Check, quantity: _Quantity) -> CheckOutcome:
    holds = check.holds
    if holds.baseline_ratio is None:
        bound = holds.value if holds.value is not None else holds.factor or 0.0
        met = holds.op.holds(quantity.number, bound)
        return CheckOutcome.HOLDS if met else CheckOutcome.FAILS
    before = quantity.baseline
    # Nothing can fall below nothing; but something after nothing has risen, whatever the ratio.
    if before is None or (before == 0 and not _rises(check)):
        return CheckOutcome.UNKNOWN
    met = holds.op.holds(quantity.number, holds.baseline_ratio * before)
    if _rises(check):
        met = met and quantity.number > 0 and quantity.number >= holds.floor
    return CheckOutcome.HOLDS if met else CheckOutcome.FAILS


def _joined(labels: Labels, others: Sequence[Found]) -> Found | None:
    """Return the series that agrees on every label both have, the closest one first."""
    own = {k: v for k, v in labels.items() if k not in _FOR_JOIN_IGNORED}

    def shared(found: Found) -> int:
        return sum(k in own for k in found.labels)

    agreeing = [f for f in others if all(own.get(k, v) == v for k, v in _plain(f).items())]
    return max(agreeing, key=shared, default=None)


def _plain(found: Found) -> Labels:
    return {k: v for k, v in found.labels.items() if k not in _FOR_JOIN_IGNORED}


def _outcome(checks: Sequence[CheckResult]) -> HypothesisOutcome:
    for check in checks:
        if check.role == CheckRole.REFUTES and check.outcome is CheckOutcome.HOLDS:
            return HypothesisOutcome.REFUTED
        if check.role == CheckRole.REQUIRED and check.outcome is CheckOutcome.FAILS:
            return HypothesisOutcome.REFUTED
    one_of = {c.outcome for c in checks if c.role == CheckRole.ONE_OF}
    if one_of == {CheckOutcome.FAILS}:
        return HypothesisOutcome.REFUTED
    required = {c.outcome for c in checks if c.role == CheckRole.REQUIRED}
    if required <= {CheckOutcome.HOLDS} and (not one_of or CheckOutcome.HOLDS in one_of):
        return HypothesisOutcome.SUPPORTED
    return HypothesisOutcome.OPEN


def _number(fact: Fact) -> float:
    return float(fact.value) if isinstance(fact.value, int | float) else 0.0


def _reason(check: Check, quantity: _Quantity) -> str:
    """Found and expected as one formula, without any language."""
    holds = check.holds
    found = f"{round_significant(quantity.number):g}"
    if holds.baseline_ratio is None:
        bound = holds.value if holds.value is not None else holds.factor
        return f"{found} {holds.op.value} {bound:g}"
    before = "?" if quantity.baseline is None else f"{round_significant(quantity.baseline):g}"
    return f"{found} {holds.op.value} {holds.baseline_ratio:g} x {before}"


def _result(
    check: Check, outcome: CheckOutcome, reason: str, facts: Sequence[Fact] = ()
) -> CheckResult:
    return CheckResult(
        id=check.id,
        role=check.role.value,
        outcome=outcome,
        reason=reason,
        fact_ids=tuple(f.id for f in facts),
    )
