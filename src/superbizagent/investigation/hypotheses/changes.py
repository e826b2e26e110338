"""Whether a change may have done it: it came first, and then errors began that were new.

That two things follow each other is no cause. So a change counts only when errors came after it,
on the same entity, that were not there before, soon enough, and when nothing that the entity calls
explains them: errors that a dependency hands up are no work of the caller's last deployment. Where
nobody knows what it calls, the words of the error may still say that it got no answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from superbizagent.domain.check import Check
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import CheckOutcome, Finding, FindingKind
from superbizagent.domain.outputs import ChangeKind, ChangeList, sort_of_change
from superbizagent.domain.plan import ToolName
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.facts.symptom import EntityOf

__all__ = ["ChangeAnswer", "ChangeTests"]

_NEW = frozenset({FindingKind.LOG_NOVEL, FindingKind.SERIES_APPEARED})
_TELLING = ("count", "rate_mean_since", "mean_since", "rate_mean", "mean")
"""Statistics that say that there was an error, the most telling first."""
_NO_ANSWER = re.compile(
    r"connection (?:was )?(?:refused|reset|closed|timed)|lost connection|econn(?:refused|reset)"
    r"|(?:could not|can't|cannot|unable to|failed to) connect|communications link failure"
    r"|time-?d? ?out|deadline exceeded|unavailable|unreachable|no route to host|broken pipe"
    r"|upstream|bad gateway|超时|连接被(?:拒|重置)|无法连接|不可用",
    re.IGNORECASE,
)
"""An error that says this is about something called, whatever was changed at the caller."""


@dataclass(frozen=True, slots=True)
class ChangeAnswer:
    """How a check on changes ended."""

    outcome: CheckOutcome
    reason: str
    facts: tuple[Fact, ...] = ()
    """The change, and of one that holds what followed."""


@dataclass(frozen=True)
class ChangeTests:
    """Holds the changes of a session against what began after them."""

    scope: Scope
    evidence: Evidence
    findings: Sequence[Finding]
    entity_of: EntityOf

    @cached_property
    def looked(self) -> bool:
        """Whether any list of changes, or series that show them, could be read."""
        return any(
            row.tool is ToolName.LIST_CHANGES
            and (
                row.status is EvidenceStatus.OK
                # An empty list says that nothing was changed; no such series says nothing.
                or (row.status is EvidenceStatus.EMPTY and not row.call.input)
            )
            for row in self.evidence.invocations
        )

    @cached_property
    def entities(self) -> frozenset[str]:
        """Paths of those that changed, or about which anything was found."""
        return frozenset(f.entity for f in (*self._changes, *self.findings))

    def of_kinds(self, kinds: Sequence[ChangeKind]) -> tuple[Fact, ...]:
        """Return the facts of all changes of some sorts, in order of time."""
        return tuple(f for f in self._changes if _sort(f) in kinds)

    @cached_property
    def _changes(self) -> tuple[Fact, ...]:
        found = [
            f
            for row in self.evidence.invocations
            if isinstance(row.output, ChangeList)
            for f in row.facts
            if f.place.startswith("change/") and f.at is not None
        ]
        return tuple(sorted(found, key=lambda f: (f.at, f.call, f.place)))

    def test(self, check: Check, entities: Sequence[str]) -> ChangeAnswer:
        """Return how the check ends on the changes of some entities."""
        changes = [f for f in self.of_kinds(check.kinds) if f.entity in entities]
        if not changes:
            return ChangeAnswer(CheckOutcome.UNKNOWN, "no data")
        news = self._news(entities)
        if news is None or news.onset_at is None:
            return ChangeAnswer(CheckOutcome.FAILS, "no new error", (changes[-1],))
        told = self._told(entities, news)
        reach = timedelta(seconds=check.within_seconds)
        before = [f for f in changes if f.at is not None and f.at <= news.onset_at]
        if not before or told is None:
            slack = news.onset_uncertainty or self.scope.step
            near = [f for f in changes if f.at is not None and f.at <= news.onset_at + slack]
            outcome = CheckOutcome.UNKNOWN if near else CheckOutcome.FAILS
            return ChangeAnswer(outcome, "after the errors", (changes[0],))
        last = before[-1]
        if last.at is None or news.onset_at - last.at > reach:
            return ChangeAnswer(CheckOutcome.FAILS, "long before the errors", (last,))
        if self._callee_explains(entities, news, told):
            return ChangeAnswer(CheckOutcome.UNKNOWN, "a callee explains the errors", (last, told))
        return ChangeAnswer(CheckOutcome.HOLDS, "new errors followed", (last, told))

    def _new(self, entities: Sequence[str]) -> list[Finding]:
        """Errors of sorts that were not there before, dated."""
        return [
            f
            for f in self.findings
            if f.entity in entities
            and f.kind in _NEW
            and f.family == "err"
            and f.direction > 0
            and f.score > 0
            and f.onset_at is not None
        ]

    def _news(self, entities: Sequence[str]) -> Finding | None:
        """The first sort of error that was not there before."""
        new = self._new(entities)
        return min(new, key=lambda f: (f.onset_at, -f.score, f.subject), default=None)

    def _told(self, entities: Sequence[str], news: Finding) -> Fact | None:
        """The fact to cite: a log line of about the same time says more than a series.

        Of several, one of the entity's own before one about something that did not answer.
        """
        slack = self.scope.step + (news.onset_uncertainty or timedelta())
        logs = [
            f
            for f in self._new(entities)
            if f.kind is FindingKind.LOG_NOVEL
            and f.onset_at is not None
            and news.onset_at is not None
            and f.onset_at <= news.onset_at + slack
        ]
        own = [f for f in logs if not _NO_ANSWER.search(f.subject)]
        chosen = max(own or logs, key=lambda f: (f.score, f.subject), default=news)
        return self._fact_of(chosen) or self._fact_of(news)

    def _fact_of(self, finding: Finding) -> Fact | None:
        facts = self.evidence.facts()
        own = [facts[i] for i in finding.fact_ids if i in facts]
        for statistic in _TELLING:
            for fact in own:
                if fact.statistic == statistic and fact.value != 0:
                    return fact
        return None

    def _callee_explains(self, entities: Sequence[str], news: Finding, told: Fact) -> bool:
        """Tell whether something called did not answer, or was abnormal before the errors began."""
        if told.name.startswith("log:") and _NO_ANSWER.search(told.quote):
            return True
        names = {e.rsplit("/", 1)[-1] for e in entities}
        called = {c for name in names for c in self.scope.topology.downstream(name)} - names
        paths = {self.entity_of({"service": name}) for name in called}
        slack = self.scope.step + (news.onset_uncertainty or timedelta())
        return any(
            f.entity in paths
            and f.score > 0
            and f.family != "other"
            and f.onset_at is not None
            and news.onset_at is not None
            and f.onset_at <= news.onset_at + slack
            for f in self.findings
        )


def _sort(fact: Fact) -> ChangeKind:
    return sort_of_change(fact.name.removeprefix("change:"))
