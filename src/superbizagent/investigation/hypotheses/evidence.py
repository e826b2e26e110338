"""Finds, in everything that was collected, the readings that one check is about.

A reading is a fact of some stored call, so a check never rests on a number that cannot be cited.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.plan import ToolName
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels, SeriesSet, series_name
from superbizagent.domain.skill import Check, Reduce
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window
from superbizagent.investigation.facts.checks import log_matches
from superbizagent.investigation.facts.symptom import EntityOf

__all__ = ["CheckEvidence", "Found", "LogAnswer"]


@dataclass(frozen=True, slots=True)
class Found:
    """A series of the wanted entity with the fact of its reduced value."""

    labels: Labels
    row: ToolInvocation
    fact: Fact


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """What the logs of some entities say to one check."""

    looked: bool
    """Whether any log call of these entities answered; if not, nothing is known."""
    counts: tuple[tuple[Fact, Fact | None], ...] = ()
    """Of each matching template: its value in the incident, and its count in the baseline."""
    total: Fact | None = None
    """How many records were looked at."""


@dataclass(slots=True)
class CheckEvidence:
    """The answered calls of a session, indexed for checks.

    Calls made for checks come before the sweep: they were not subject to its caps.
    """

    evidence: Evidence
    entity_of: EntityOf
    _facts: dict[int, dict[tuple[str, str, Window | None], Fact]] = field(
        default_factory=dict[int, dict[tuple[str, str, Window | None], Fact]]
    )

    def series(
        self, selectors: Sequence[Selector], entities: Sequence[str], reduce: Reduce, span: Window
    ) -> tuple[Found, ...]:
        """Return the series of the first selector that finds any of the entities."""
        for selector in selectors:
            found: dict[str, Found] = {}
            for row, output in self._metric_calls():
                for item in self._select(row, output, selector, entities, reduce, span):
                    found.setdefault(series_name(item.labels), item)
            if found:
                return tuple(found[name] for name in sorted(found))
        return ()

    def fact(self, found: Found, reduce: Reduce, span: Window) -> Fact | None:
        """Return the fact of another reduction of the same series, out of the same call."""
        return self._read(found.row, series_name(found.labels), reduce.value, span)

    def logs(self, check: Check, entities: Sequence[str]) -> LogAnswer:
        """Return the templates of the entities that have one of the check's texts."""
        looked, total = False, None
        counts: list[tuple[Fact, Fact | None]] = []
        for row, digest in self._log_calls():
            if not self._covers(row, digest, entities):
                continue
            looked = True
            total = total or self._read(row, "records", "count", digest.windows.incident)
            counts += self._matching(row, digest, check, entities)
        return LogAnswer(looked, tuple(counts), total)

    def _metric_calls(self) -> Iterator[tuple[ToolInvocation, SeriesSet]]:
        rows = sorted(
            self.evidence.invocations,
            key=lambda r: (not r.call.purpose.startswith("check:"), r.number),
        )
        for row in rows:
            sampled = row.status is EvidenceStatus.OK and not row.call.reads_rule
            if isinstance(row.output, SeriesSet) and sampled:
                yield row, row.output

    def _log_calls(self) -> Iterator[tuple[ToolInvocation, LogDigest]]:
        for row in self.evidence.invocations:
            if isinstance(row.output, LogDigest) and row.tool is ToolName.SEARCH_LOGS:
                yield row, row.output

    def _select(  # noqa: PLR0913, PLR0917 - one private loop body with all it needs
        self,
        row: ToolInvocation,
        output: SeriesSet,
        selector: Selector,
        entities: Sequence[str],
        reduce: Reduce,
        span: Window,
    ) -> Iterator[Found]:
        for labels in output.labels:
            if selector.matches(labels) and self.entity_of(labels) in entities:
                fact = self._read(row, series_name(labels), reduce.value, span)
                if fact is not None:
                    yield Found(labels, row, fact)

    def _matching(
        self, row: ToolInvocation, digest: LogDigest, check: Check, entities: Sequence[str]
    ) -> Iterator[tuple[Fact, Fact | None]]:
        windows = digest.windows
        for template in digest.templates:
            if self.entity_of({"service": template.service}) not in entities:
                continue
            if not log_matches(check, template, digest):
                continue
            name = f"log:{template.id}"
            value = self._read(row, name, "count", windows.incident)
            if check.field:
                statistic = "max" if check.reduce is Reduce.MAX else "median"
                value = self._field(row, f"log:{template.id}", check.field, statistic)
            before = None
            if windows.baselines:
                before = self._read(row, name, "baseline_count", windows.baselines[0])
            if value is not None:
                yield value, before

    def _field(self, row: ToolInvocation, template: str, key: str, statistic: str) -> Fact | None:
        """A field's fact stands at its template's place, since many templates share a key."""
        places = {f.place for f in row.facts if f.name == template}
        for fact in row.facts:
            same = fact.name == f"field:{key}" and fact.statistic == statistic
            if same and any(fact.place == p or fact.place.startswith(f"{p}/") for p in places):
                return fact
        return None

    def _covers(self, row: ToolInvocation, digest: LogDigest, entities: Sequence[str]) -> bool:
        """Tell whether a call read any file or record of the entities."""
        services = {f.service for f in digest.files} | {t.service for t in digest.templates}
        known = {self.entity_of({"service": s}) for s in services}
        answered = row.status in {EvidenceStatus.OK, EvidenceStatus.EMPTY}
        return answered and any(e in known for e in entities)

    def _read(
        self, row: ToolInvocation, name: str, statistic: str, span: Window | None
    ) -> Fact | None:
        if row.number not in self._facts:
            index: dict[tuple[str, str, Window | None], Fact] = {}
            for fact in row.facts:
                index.setdefault((fact.name, fact.statistic, fact.window), fact)
            self._facts[row.number] = index
        return self._facts[row.number].get((name, statistic, span))
