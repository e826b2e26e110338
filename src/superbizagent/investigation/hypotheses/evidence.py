"""Finds, in everything that was collected, the readings that one check is about.

A reading is a fact of some stored call, so a check never rests on a number that cannot be cited.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from superbizagent.domain.check import Check, Reduce
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.plan import ToolName
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels, SeriesSet, series_name
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.facts.log_checks import log_matches, log_text
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
class _Read:
    """A series as one call holds it, with what was read of it."""

    labels: Labels
    row: ToolInvocation
    facts: dict[tuple[str, Window | None], Fact]


@dataclass(frozen=True, slots=True)
class _Logs:
    """A log call by what checks ask."""

    row: ToolInvocation
    windows: Windows
    entities: frozenset[str]
    """Those of which any file or record was read."""
    templates: tuple[tuple[str, str, str], ...]
    """Entity, name of the facts, and `log_text` of each."""


_Metrics = dict[str, dict[str, list[_Read]]]
"""Metric -> printed series -> every call that holds it, the first one first."""


@dataclass(slots=True)
class CheckEvidence:
    """The answered calls of a session, indexed for checks.

    Calls made for checks come before the sweep: they were not subject to its caps.
    """

    evidence: Evidence
    entity_of: EntityOf
    _series: dict[str, _Metrics] = field(default_factory=dict[str, _Metrics])
    """Entity -> its series of which anything was read."""
    _logs: list[_Logs] = field(default_factory=list[_Logs])
    _sums: dict[_Key, Found] = field(default_factory=dict[_Key, Found])
    _summed: set[str] = field(default_factory=set[str])
    """Entities of which there is any sum."""
    _facts: dict[int, dict[_Key, Fact]] = field(default_factory=dict[int, dict[_Key, Fact]])

    def __post_init__(self) -> None:
        """Index every call once."""
        rows = sorted(
            self.evidence.invocations,
            key=lambda r: (not r.call.purpose.startswith("check:"), r.number),
        )
        for row in rows:
            sampled = row.status is EvidenceStatus.OK and not row.call.reads_rule
            if isinstance(row.output, SeriesSet) and sampled:
                self._index(row, row.output)
            if isinstance(row.output, LogDigest) and row.tool is ToolName.SEARCH_LOGS:
                self._logs.append(self._index_logs(row, row.output))

    @property
    def entities(self) -> frozenset[str]:
        """Paths of those of which a check can find anything."""
        of_logs = (entity for call in self._logs for entity in call.entities)
        return frozenset((*self._series, *(key[0] for key in self._sums), *of_logs))

    def series(
        self, selectors: Sequence[Selector], entities: Sequence[str], reduce: Reduce, span: Window
    ) -> tuple[Found, ...]:
        """Return of each entity the series of the first selector that finds any."""
        found: dict[str, Found] = {}
        for entity in (e for e in entities if e in self._series):
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
        known = [entity for entity in entities if entity in self._summed]
        names = [str(selector) for selector in selectors] if known else []
        for entity in known:
            keys = ((entity, name, reduce.value, span) for name in names)
            first = next((self._sums[key] for key in keys if key in self._sums), None)
            found += [first] if first is not None else []
        return tuple(found)

    def fact(self, found: Found, reduce: Reduce, span: Window) -> Fact | None:
        """Return the fact of another reduction of the same series, out of the same call."""
        key = (found.fact.entity, found.fact.name, reduce.value, span)
        return self._facts_of(found.row).get(key)

    def logs(self, check: Check, entities: Sequence[str]) -> LogAnswer:
        """Return the templates of the entities that have one of the check's texts."""
        looked, total = False, None
        counts: list[tuple[Fact, Fact | None]] = []
        for call in self._logs:
            if call.entities.isdisjoint(entities):
                continue
            looked = True
            key = ("", "records", "count", call.windows.incident)
            total = total or self._facts_of(call.row).get(key)
            counts += self._matching(call, check, entities)
        return LogAnswer(looked, tuple(counts), total)

    def _index(self, row: ToolInvocation, output: SeriesSet) -> None:
        facts: dict[str, dict[tuple[str, Window | None], Fact]] = {}
        for fact in row.facts:
            if fact.place.startswith("sum/"):
                self._keep_sum(row, fact)
            else:
                facts.setdefault(fact.name, {}).setdefault((fact.statistic, fact.window), fact)
        for labels in output.labels:
            printed = series_name(labels)
            entity = self.entity_of(labels) if printed in facts else None
            if entity:
                metric = self._series.setdefault(entity, {}).setdefault(labels["__name__"], {})
                metric.setdefault(printed, []).append(_Read(labels, row, facts[printed]))

    def _keep_sum(self, row: ToolInvocation, fact: Fact) -> None:
        """Of several calls that hold a metric, keep the one that holds most of its series."""
        key = (fact.entity, fact.name, fact.statistic, fact.window)
        known = self._sums.get(key)
        if known is None or known.fact.place.count(",") < fact.place.count(","):
            self._sums[key] = Found({"entity": fact.entity}, row, fact)
            self._summed.add(fact.entity)

    def _matching_series(
        self, selector: Selector, entity: str, reduce: Reduce, span: Window
    ) -> dict[str, Found]:
        metrics = self._series.get(entity, {})
        wanted = [metrics.get(selector.name, {})] if selector.name else list(metrics.values())
        found: dict[str, Found] = {}
        for printed, reads in (item for metric in wanted for item in metric.items()):
            if not selector.matches(reads[0].labels):
                continue
            for read in reads:
                fact = read.facts.get((reduce.value, span))
                if fact is not None:
                    found[printed] = Found(read.labels, read.row, fact)
                    break
        return found

    def _matching(
        self, call: _Logs, check: Check, entities: Sequence[str]
    ) -> Iterator[tuple[Fact, Fact | None]]:
        row, windows = call.row, call.windows
        facts = self._facts_of(row)
        for entity, name, text in call.templates:
            if entity not in entities or not log_matches(check, text):
                continue
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

    def _index_logs(self, row: ToolInvocation, digest: LogDigest) -> _Logs:
        services = {f.service for f in digest.files} | {t.service for t in digest.templates}
        owners = {s: self.entity_of({"service": s}) or "" for s in services}
        answered = row.status in {EvidenceStatus.OK, EvidenceStatus.EMPTY}
        return _Logs(
            row=row,
            windows=digest.windows,
            entities=frozenset(e for e in owners.values() if e and answered),
            templates=tuple(
                (owners[t.service], f"log:{t.id}", log_text(t, digest)) for t in digest.templates
            ),
        )

    def _facts_of(self, row: ToolInvocation) -> dict[_Key, Fact]:
        if row.number not in self._facts:
            index: dict[_Key, Fact] = {}
            for fact in row.facts:
                index.setdefault((fact.entity, fact.name, fact.statistic, fact.window), fact)
            self._facts[row.number] = index
        return self._facts[row.number]
