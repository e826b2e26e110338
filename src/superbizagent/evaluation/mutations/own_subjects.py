"""What a session found, chosen for sentences of this package's own: series, logs, calls."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.domain.logs import LogDigest
from superbizagent.evaluation.mutations.session_facts import SessionFacts, time_of

__all__ = [
    "Event",
    "LogSubject",
    "SeriesSubject",
    "events",
    "logs",
    "moved_series",
    "number",
    "still_series",
    "was_quiet_before",
]

_MOST_MOVED, _MOST_STILL, _MOST_LOGS = 6, 3, 3
"""So many of each an incident: enough of every kind, none of them leads the figures."""
_BASELINE = ("median", "rate_median", "mean_median")
_INCIDENT = ("mean", "rate_mean", "mean_mean")
_MAX = ("max", "rate_max", "mean_max")
_MIN = ("min", "rate_min", "mean_min")
_LAST = ("last", "rate_last", "mean_last")
_LONGEST_QUOTE, _SHORTEST_QUOTE = 60, 12
"""Characters: long enough to be of one kind of record."""
_SURE = timedelta(minutes=10)
"""An onset less certain than this orders nothing."""


@dataclass(frozen=True, slots=True)
class SeriesSubject:
    """One series: its values before and during the incident."""

    entity: str
    before: Fact
    after: Fact
    highest: Fact | None = None
    lowest: Fact | None = None
    last: Fact | None = None
    onset: Fact | None = None

    @property
    def direction(self) -> int:
        """+1 when it rose, -1 when it fell, 0 when both values are one."""
        before, after = number(self.before), number(self.after)
        return (after > before) - (after < before)


@dataclass(frozen=True, slots=True)
class LogSubject:
    """One kind of log record."""

    entity: str
    count: Fact
    before: Fact
    quote: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that began or happened at an instant."""

    kind: str
    """``rose``, ``fell`` or ``logged``."""
    entity: str
    fact: Fact
    at: datetime
    uncertainty: timedelta


def number(fact: Fact) -> float:
    """Return the value of a fact that has a number."""
    return float(fact.value) if isinstance(fact.value, int | float) else 0.0


def moved_series(session: SessionFacts) -> Iterator[SeriesSubject]:
    """Yield series that left their band, the strongest first, at most one a metric and entity."""
    seen: set[tuple[str, str]] = set()
    for finding in session.examined.diagnosis.analysis.findings:
        if finding.kind is not FindingKind.METRIC_DEVIATION or len(seen) >= _MOST_MOVED:
            continue
        first = next((f for f in session.of(finding.fact_ids) if f.place != "output"), None)
        subject = _series(session, first) if first is not None else None
        if subject is None or (key := (subject.entity, subject.before.name)) in seen:
            continue
        if subject.direction == finding.direction and _far_apart(subject):
            seen.add(key)
            yield subject


def _far_apart(subject: SeriesSubject) -> bool:
    """Tell whether the two values read differently even when rounded to two digits."""
    before, after = abs(number(subject.before)), abs(number(subject.after))
    return abs(after - before) > 0.1 * max(before, after)


def still_series(session: SessionFacts) -> Iterator[SeriesSubject]:
    """Yield series that stayed in their band, of different entities."""
    abnormal = {
        fact.name
        for finding in session.examined.diagnosis.analysis.findings
        for fact in session.of(finding.fact_ids)
    }
    seen: set[str] = set()
    for fact in session.numbers:
        if fact.statistic not in _BASELINE or fact.name in abnormal or fact.entity in seen:
            continue
        subject = _series(session, fact)
        if subject is not None and number(subject.after) and len(seen) < _MOST_STILL:
            seen.add(fact.entity)
            yield subject


def _series(session: SessionFacts, fact: Fact) -> SeriesSubject | None:
    if not isinstance(fact.value, int | float):
        return None
    every = session.siblings(fact)
    onset = next((f for f in session.of_entity(fact.entity) if _is_onset(f, fact)), None)

    def of(statistics: tuple[str, ...]) -> Fact | None:
        return next((f for f in every if f.statistic in statistics), None)

    before, after = of(_BASELINE), of(_INCIDENT)
    if before is None or after is None:
        return None
    return SeriesSubject(fact.entity, before, after, of(_MAX), of(_MIN), of(_LAST), onset)


def _is_onset(fact: Fact, value: Fact) -> bool:
    return fact.statistic == "onset_at" and (fact.name, fact.call) == (value.name, value.call)


def logs(session: SessionFacts) -> Iterator[LogSubject]:
    """Yield kinds of records that came in the incident, the most telling first."""
    found = 0
    for finding in session.examined.diagnosis.analysis.findings:
        if finding.kind not in {FindingKind.LOG_NOVEL, FindingKind.LOG_BURST}:
            continue
        facts = session.of(finding.fact_ids)
        count = next((f for f in facts if f.statistic == "count" and f.quote), None)
        subject = _log(session, count) if count is not None else None
        if subject is not None and found < _MOST_LOGS:
            found += 1
            yield subject


def _log(session: SessionFacts, count: Fact) -> LogSubject | None:
    before = next((f for f in session.siblings(count) if f.statistic == "baseline_count"), None)
    quote = _plain_part(_message(session, count), count.quote)
    if before is None or not quote or not count.entity:
        return None
    return LogSubject(count.entity, count, before, quote)


def _message(session: SessionFacts, count: Fact) -> str:
    for fact in session.of_entity(count.entity):
        if (fact.name, fact.statistic) == (count.name, "message") and isinstance(fact.value, str):
            return fact.value
    return ""


def _plain_part(message: str, line: str) -> str:
    """Return the longest part of a record's template that stands in its line, quote marks apart."""
    parts = [part.strip(" ,:;.") for part in re.split(r'<\*>|["“”]', message)]
    longest = max((part for part in parts if part in line), key=len, default="")
    if len(longest) > _LONGEST_QUOTE:
        longest = longest[:_LONGEST_QUOTE].rsplit(" ", 1)[0]
    return longest if len(longest) >= _SHORTEST_QUOTE else ""


def was_quiet_before(session: SessionFacts, log: LogSubject) -> bool:
    """Tell whether no kind of record that holds the quote came in the baseline, shown or not."""
    shown = all(
        fact.value == 0
        for fact in session.of_entity(log.entity)
        if fact.statistic == "baseline_count" and log.quote in _line_of(session, fact)
    )
    rows = session.examined.diagnosis.evidence.invocations
    digests = (row.output for row in rows if isinstance(row.output, LogDigest))
    return shown and not any(
        template.baseline_count and log.quote in template.text
        for digest in digests
        for template in digest.templates
    )


def _line_of(session: SessionFacts, fact: Fact) -> str:
    return next((f.quote for f in session.siblings(fact) if f.quote), "")


def events(session: SessionFacts) -> Iterator[Event]:
    """Yield what began at a known time, surely enough to be put in an order."""
    for finding in session.examined.diagnosis.analysis.findings:
        uncertainty = finding.onset_uncertainty or timedelta(0)
        at = finding.onset_at
        if at is None or uncertainty > _SURE:
            continue
        for fact in session.of(finding.fact_ids):
            if time_of(fact) == at and fact.statistic.endswith("_at"):
                kind = _event_kind(finding)
                if kind:
                    yield Event(kind, finding.entity, fact, at, uncertainty)
                break


def _event_kind(finding: Finding) -> str:
    match finding.kind:
        case FindingKind.METRIC_DEVIATION:
            return {1: "rose", -1: "fell"}.get(finding.direction, "")
        case FindingKind.LOG_NOVEL:
            return "logged"
        case _:
            return ""
