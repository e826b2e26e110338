"""Finds, in everything that was collected, the readings that one check is about.

A reading is a fact of some stored call, so a check never rests on a number that cannot be cited.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import ChangeList
from superbizagent.domain.plan import ToolName
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels, SeriesSet, series_name
from superbizagent.domain.skill import Check, Reduce
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window
from superbizagent.investigation.facts.log_checks import log_matches
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


_Key = tuple[str, str, str, Window | None]
"""Entity, name, statistic and window of a fact."""


@dataclass(frozen=True, slots=True)
class _Indexed:
    """An answered metrics call: its series by entity and name, its facts by what they say."""

    row: ToolInvocation
    series: dict[tuple[str, str], list[Labels]]
    facts: dict[_Key, Fact]

    def named(self, entity: str, name: str) -> Iterator[Labels]:
        """The series of one entity and metric; of no metric in particular: all of the entity."""
        if name:
            yield from self.series.get((entity, name), ())
        else:
            yield from (s for (e, _), group in self.series.items() if e == entity for s in group)


@dataclass(slots=True)
class CheckEvidence:
    """The answered calls of a session, indexed for checks.

    Calls made for checks come before the sweep: they were not subject to its caps.
    """

    evidence: Evidence
    entity_of: EntityOf
    _metrics: list[_Indexed] = field(default_factory=list[_Indexed])
    _facts: dict[int, dict[_Key, Fact]] = field(default_factory=dict[int, dict[_Key, Fact]])

    def __post_init__(self) -> None:
        """Index every answered metrics call once."""
        rows = sorted(
            self.evidence.invocations,
            key=lambda r: (not r.call.purpose.startswith("check:"), r.number),
        )
        for row in rows:
            if isinstance(row.output, SeriesSet) and row.status is EvidenceStatus.OK:
                self._metrics.append(self._index(row, row.output))

    def series(
        self, selectors: Sequence[Selector], entities: Sequence[str], reduce: Reduce, span: Window
    ) -> tuple[Found, ...]:
        """Return of each entity the series of the first selector that finds any."""
        found: dict[str, Found] = {}
        for entity in entities:
            for selector in selectors:
                own = self._matching_series(selector, entity, reduce, span)
                if own:
                    found |= own
                    break
        return tuple(found[name] for name in sorted(found))

    def sums(
        self, selectors: Sequence[Selector], entities: Sequence[str], reduce: Reduce, span: Window
    ) -> tuple[Found, ...]:
        """Return of each entity what the series of the first selector that finds any add up to."""
        found: list[Found] = []
        for entity in entities:
            own = [f for s in selectors if (f := self._sum(s, entity, reduce, span)) is not None]
            found += own[:1]
        return tuple(found)

    def fact(self, found: Found, reduce: Reduce, span: Window) -> Fact | None:
        """Return the fact of another reduction of the same series, out of the same call."""
        key = (found.fact.entity, found.fact.name, reduce.value, span)
        return self._facts[found.row.number].get(key)

    def changes(
        self, check: Check, entities: Sequence[str], span: Window
    ) -> tuple[bool, tuple[Fact, ...]]:
        """Return whether anybody keeps changes, and those of the entities in a time."""
        looked, found = False, list[Fact]()
        for row in self.evidence.invocations:
            if not isinstance(row.output, ChangeList):
                continue
            looked = True
            for fact in row.facts:
                if fact.at is None or fact.entity not in entities:
                    continue
                said = f"{fact.name.partition(':')[2]} {fact.quote}".casefold()
                asked = not check.contains or any(c.casefold() in said for c in check.contains)
                if asked and span.start <= fact.at <= span.end:
                    found.append(fact)
        return looked, tuple(sorted(found, key=lambda f: (f.at, f.id)))

    def logs(self, check: Check, entities: Sequence[str]) -> LogAnswer:
        """Return the templates of the entities that have one of the check's texts."""
        looked, total = False, None
        counts: list[tuple[Fact, Fact | None]] = []
        for row, digest in self._log_calls():
            if not self._covers(row, digest, entities):
                continue
            looked = True
            key = ("", "records", "count", digest.windows.incident)
            total = total or self._facts_of(row).get(key)
            counts += self._matching(row, digest, check, entities)
        return LogAnswer(looked, tuple(counts), total)

    def _index(self, row: ToolInvocation, output: SeriesSet) -> _Indexed:
        series: dict[tuple[str, str], list[Labels]] = {}
        for labels in output.labels:
            entity = self.entity_of(labels)
            if entity:
                series.setdefault((entity, labels.get("__name__", "")), []).append(labels)
        return _Indexed(row, series, self._facts_of(row))

    def _matching_series(
        self, selector: Selector, entity: str, reduce: Reduce, span: Window
    ) -> dict[str, Found]:
        found: dict[str, Found] = {}
        for call in self._metrics:
            for labels in call.named(entity, selector.name):
                if not selector.matches(labels):
                    continue
                name = series_name(labels)
                fact = call.facts.get((entity, name, reduce.value, span))
                if fact is not None:
                    found.setdefault(name, Found(labels, call.row, fact))
        return found

    def _sum(self, selector: Selector, entity: str, reduce: Reduce, span: Window) -> Found | None:
        """Of several calls that hold the metric, the one that holds most of its series."""
        key = (entity, str(selector), reduce.value, span)
        known = [(call.row, fact) for call in self._metrics if (fact := call.facts.get(key))]
        best = max(known, key=lambda pair: pair[1].place.count(","), default=None)
        return Found({"entity": entity}, *best) if best is not None else None

    def _log_calls(self) -> Iterator[tuple[ToolInvocation, LogDigest]]:
        for row in self.evidence.invocations:
            if isinstance(row.output, LogDigest) and row.tool is ToolName.SEARCH_LOGS:
                yield row, row.output

    def _matching(
        self, row: ToolInvocation, digest: LogDigest, check: Check, entities: Sequence[str]
    ) -> Iterator[tuple[Fact, Fact | None]]:
        windows = digest.windows
        facts = self._facts_of(row)
        for template in digest.templates:
            entity = self.entity_of({"service": template.service})
            if not entity or entity not in entities or not log_matches(check, template, digest):
                continue
            name = f"log:{template.id}"
            value = facts.get((entity, name, "count", windows.incident))
            if check.field:
                statistic = "max" if check.reduce is Reduce.MAX else "median"
                value = self._field(row, name, check.field, statistic)
            before = None
            if windows.baselines:
                before = facts.get((entity, name, "baseline_count", windows.baselines[0]))
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

    def _facts_of(self, row: ToolInvocation) -> dict[_Key, Fact]:
        if row.number not in self._facts:
            index: dict[_Key, Fact] = {}
            for fact in row.facts:
                index.setdefault((fact.entity, fact.name, fact.statistic, fact.window), fact)
            self._facts[row.number] = index
        return self._facts[row.number]
