"""What an exported document shows of one stored session: its report, and what each citation is.

A document is read where the database is not: so everything that a statement cites stands in it,
with the call it was read from, and how to check it. Pure: the same session gives the same dossier.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.report import Claim, Report, Section
from superbizagent.domain.session import DiagnosisSession
from superbizagent.domain.window import Window
from superbizagent.errors import UsageError
from superbizagent.investigation.courses import Course, courses_of
from superbizagent.investigation.stored import StoredDiagnosis
from superbizagent.investigation.wording.asked import asked_of
from superbizagent.investigation.wording.exporting import export_words
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.slots import is_call
from superbizagent.investigation.wording.values import instant

__all__ = ["CallShown", "Dossier", "FactShown", "dossier_of"]

CHARTS = 12
"""Drawn in one document: a reader looks at a few, the rest are values in the table."""
_QUOTE = 1000  # characters: a line with a stack trace is evidence, a page of it is a burden


@dataclass(frozen=True, slots=True)
class FactShown:
    """A row of the evidence table."""

    id: str
    entity: str
    name: str
    statistic: str
    value: str
    """As it is stored, every digit."""
    unit: str
    time: str
    """In the report's zone, with its offset; empty for what has none."""
    quote: str
    course: int | None = None
    """Position of the chart that draws it."""


@dataclass(frozen=True, slots=True)
class CallShown:
    """The call that facts were read from."""

    id: str
    title: str
    """What was looked for, in the report's language."""
    details: tuple[str, ...]
    """Source, query, span, how it ended."""
    facts: tuple[FactShown, ...]


@dataclass(frozen=True, slots=True)
class Dossier:
    """One session as a document shows it."""

    report: Report
    session_id: str
    head_hash: str
    markdown: str
    """The canonical Markdown, as it was stored."""
    calls: tuple[CallShown, ...]
    """Those that are cited, in their order."""
    courses: tuple[Course, ...]
    """Cited series to draw, what stands first in the report first."""
    courses_left_out: int
    order: Mapping[str, int] = field(default_factory=dict[str, int])
    """Cited id -> position of its first citation."""

    @property
    def say(self) -> Narrator:
        """The words of the report."""
        return narrator_for(self.report.language)

    @property
    def words(self) -> Narrator:
        """The words of the document around it."""
        return export_words(self.report.language)

    @property
    def verify_command(self) -> str:
        """What checks the stored session and prints its head hash."""
        return f"superbiz trace verify {self.session_id}"

    def first_rows(self, sizes: Mapping[str, int], room: int) -> frozenset[str]:
        """Return the facts whose rows fit ``room`` together, those cited first before the rest.

        Args:
            sizes: of the row of each fact, in the unit of ``room``.
            room: for all of them.
        """
        kept: set[str] = set()
        for id_ in sorted(sizes, key=lambda i: self.order[i]):
            room -= sizes[id_]
            if room < 0:
                break
            kept.add(id_)
        return frozenset(kept)

    def facts(self) -> Iterator[FactShown]:
        """Every cited fact, in the order of the calls."""
        return (fact for call in self.calls for fact in call.facts)

    def sections(self) -> Iterator[tuple[Section, tuple[Claim, ...]]]:
        """Sections that have statements, in reading order."""
        for section in Section:
            claims = self.report.section(section)
            if claims:
                yield section, claims


def dossier_of(session: DiagnosisSession, stored: StoredDiagnosis) -> Dossier:
    """Return what a document shows of a session.

    Raises:
        UsageError: when the session has no report.
    """
    if stored.report is None:
        raise UsageError(
            f"session {session.session_id!r} is {session.status.value} and has no report; go on"
            f" with it: superbiz diagnose --session {session.session_id}"
        )
    order = _cited(stored.report)
    courses = courses_of(stored, [i for i in order if not is_call(i)])
    charts = {i: n for n, course in enumerate(courses[:CHARTS]) for i in course.fact_ids}
    return Dossier(
        report=stored.report,
        session_id=session.session_id,
        head_hash=session.head_hash,
        markdown=session.final_report or "",
        calls=tuple(_calls(stored, order, charts)),
        courses=courses[:CHARTS],
        courses_left_out=max(0, len(courses) - CHARTS),
        order=order,
    )


def _cited(report: Report) -> dict[str, int]:
    """Everything that is cited, statements taken out included, in reading order."""
    claims = [c for section in Section for c in report.section(section)]
    claims += [item.claim for item in report.rejected]
    ids = dict.fromkeys(i for claim in claims for i in claim.fact_ids)
    return {i: n for n, i in enumerate(ids)}


def _calls(
    stored: StoredDiagnosis, order: Mapping[str, int], charts: Mapping[str, int]
) -> Iterator[CallShown]:
    language = stored.scope.language
    say, words = narrator_for(language), export_words(language)
    numbers = {int(re.split(r"[E.]", i)[1]) for i in order}
    for row in stored.evidence.invocations:
        if row.number not in numbers:
            continue
        facts = [f for f in row.facts if f.id in order]
        yield CallShown(
            id=f"E{row.number}",
            title=say.say(f"look.{row.tool.value}"),
            details=tuple(_details(row, stored, words, say)),
            facts=tuple(_shown(f, stored, words, charts.get(f.id)) for f in facts),
        )


def _details(
    row: ToolInvocation, stored: StoredDiagnosis, words: Narrator, say: Narrator
) -> Iterator[str]:
    yield words.say("call.source", source=row.call.source)
    if asked := asked_of(row):
        yield words.say("call.asked", asked=asked)
    window = row.call.input.get("window")
    if window:
        yield _span(Window.model_validate(window), stored, words, "call.span")
    yield say.say(f"status.{row.status.value}")
    if row.truncated:
        yield words.say("call.truncated")
    if row.error:
        yield words.say("call.error", error=row.error)


def _span(window: Window, stored: StoredDiagnosis, words: Narrator, key: str) -> str:
    return words.say(
        key, start=instant(window.start, stored.zone), end=instant(window.end, stored.zone)
    )


def _shown(fact: Fact, stored: StoredDiagnosis, words: Narrator, course: int | None) -> FactShown:
    time = ""
    if fact.at is not None:
        time = instant(fact.at, stored.zone)
    elif fact.window is not None:
        time = _span(fact.window, stored, words, "table.time_span")
    quote = fact.quote if len(fact.quote) <= _QUOTE else fact.quote[: _QUOTE - 1] + "…"
    return FactShown(
        id=fact.id,
        entity=fact.entity.rsplit("/", 1)[-1],
        name=fact.name,
        statistic=fact.statistic,
        value="" if fact.value is None else str(fact.value),
        unit=fact.unit,
        time=time,
        quote=quote,
        course=course,
    )
