"""One HTML file that needs nothing else: no script, no request, every citation a link in it."""

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from superbizagent.cli.render.document.chart import chart, chart_summary
from superbizagent.cli.render.document.elements import Markup, element, link, void
from superbizagent.cli.render.document.style import CSS
from superbizagent.domain.report import FIRST_SCREEN, Claim, RejectedClaim, Section
from superbizagent.investigation.dossier import CallShown, Dossier, FactShown
from superbizagent.investigation.wording.markdown import (
    rejection_text,
    sparkline_text,
    standing_text,
)
from superbizagent.investigation.wording.values import instant, zone_of

__all__ = ["LIMIT", "render_html"]

LIMIT = 2_000_000
"""Bytes: what mail and ticket systems take, and a phone opens at once."""
_NUMBERED = frozenset({Section.WHY, Section.DO_NOW, Section.CHECK_NEXT, Section.CANDIDATES})
_MARK = re.compile(r"\[(E\d+(?:\.\d+)?)\]")
_TEXT = 4000  # characters of one statement: a model's essay must not fill the file
_ICONS = {"root_cause_found": "●", "likely": "◐", "healthy": "✓", "inconclusive": "?"}


def render_html(dossier: Dossier, limit: int = LIMIT) -> bytes:
    """Return the document as UTF-8, at most ``limit`` bytes, charset and policy inside.

    Rows of evidence that do not fit are left out, those cited last first, and a line says so. The
    same dossier gives the same bytes.
    """
    page = _Page(dossier, frozenset(dossier.order), zone_of(dossier.report.frame.timezone))
    whole = page.render(limit)
    if len(whole) <= limit:
        return whole
    rows = {fact.id: len(page.row(fact).encode()) for fact in dossier.facts()}
    room = limit - (len(whole) - sum(rows.values())) - len(page.cut_note(limit).encode())
    kept = dossier.first_rows(rows, room) | {call.id for call in dossier.calls}
    return _Page(dossier, kept, page.zone).render(limit)


@dataclass(frozen=True, slots=True)
class _Page:
    dossier: Dossier
    kept: frozenset[str]
    """Ids that have a row, so that a citation of them is a link to it."""
    zone: tzinfo

    def render(self, limit: int) -> bytes:
        body = element("body", element("main", self._parts(limit)))
        page = element("html", self._head(), body, lang=self.dossier.report.language.value)
        return f"<!DOCTYPE html>\n{page}\n".encode()

    def _head(self) -> Markup:
        digest = base64.b64encode(hashlib.sha256(CSS.encode()).digest()).decode()
        policy = (
            f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        )
        return element(
            "head",
            void("meta", charset="utf-8"),
            void("meta", http_equiv="Content-Security-Policy", content=policy),
            void("meta", name="viewport", content="width=device-width, initial-scale=1"),
            void("meta", name="referrer", content="no-referrer"),
            void("meta", name="robots", content="noindex"),
            element("title", self.dossier.report.title),
            element("style", Markup(CSS)),
        )

    def _parts(self, limit: int) -> Iterator[Markup]:
        yield self._header()
        sections = list(self.dossier.sections())
        for section, claims in sections:
            if section in FIRST_SCREEN:
                yield self._section(section, claims)
        yield from self._charts()
        for section, claims in sections:
            if section not in FIRST_SCREEN:
                yield self._section(section, claims)
        if self.dossier.report.rejected:
            items = [self._rejected(item) for item in self.dossier.report.rejected]
            heading = self.dossier.say.say("section.rejected")
            yield _section("rejected", heading, element("ul", items))
        yield self._evidence(limit)
        yield self._integrity()

    def _header(self) -> Markup:
        report, words = self.dossier.report, self.dossier.words
        verdict = report.verdict.value
        badge = element(
            "span",
            f"{_ICONS[verdict]} {self.dossier.say.say(f'verdict.{verdict}')}",
            class_=f"verdict {verdict}",
        )
        window = report.frame.windows.incident
        start, end = instant(window.start, self.zone), instant(window.end, self.zone)
        times = words.say("table.time_span", start=start, end=end)
        return element(
            "header",
            element("h1", element("bdi", report.title)),
            badge,
            element("p", f"{words.say('head.window')}: {times}", class_="meta"),
            element(
                "p",
                f"{words.say('head.session')}: ",
                element("code", self.dossier.session_id),
                class_="meta",
            ),
            self._contents(),
        )

    def _contents(self) -> Markup:
        words = self.dossier.words
        named = [(s.value, self.dossier.say.say(f"section.{s.value}")) for s in self._after()]
        if self.dossier.courses:
            named.insert(0, ("charts", words.say("section.charts")))
        if self.dossier.report.rejected:
            named.append(("rejected", self.dossier.say.say("section.rejected")))
        named += [(key, words.say(f"section.{key}")) for key in ("evidence", "integrity")]
        return element("nav", (element("a", text, href=f"#{key}") for key, text in named))

    def _after(self) -> list[Section]:
        return [s for s, _ in self.dossier.sections() if s not in FIRST_SCREEN]

    def _section(self, section: Section, claims: Sequence[Claim]) -> Markup:
        heading = self.dossier.say.say(f"section.{section.value}")
        kind = "ol" if section in _NUMBERED else "ul"
        return _section(section.value, heading, element(kind, map(self._claim, claims)))

    def _claim(self, claim: Claim) -> Markup:
        return element("li", self._cited(claim), self._details(claim), id=claim.id)

    def _cited(self, claim: Claim) -> Markup:
        """The text of a statement; marks of what it cites are links, all else is text."""
        text = claim.text if len(claim.text) <= _TEXT else f"{claim.text[:_TEXT]}…"
        parts: list[str] = []
        for n, part in enumerate(_MARK.split(text)):
            if n % 2 == 0:
                parts.append(part)
            elif part not in claim.fact_ids:
                parts.append(f"[{part}]")
            else:
                target = part if part in self.kept else "cut"
                parts.append(element("a", part, class_="cite", href=f"#{target}"))
        return element("bdi", parts)

    def _details(self, claim: Claim) -> Markup:
        say, parts = self.dossier.say, list[Markup]()
        if spark := sparkline_text(claim.extras.get("sparkline")):
            parts.append(element("div", spark, class_="spark", aria_hidden="true"))
        for key in ("risk", "undo"):
            if claim.extras.get(key):
                parts.append(element("div", f"{say.say(key)}: {claim.extras[key]}", class_="note"))
        if standing := standing_text(claim, say):
            parts.append(element("div", standing, class_="note"))
        for label, text in claim.extras.get("links", ()):
            parts.append(element("div", f"{label}: ", link(str(text), str(text))))
        if claim.command:
            parts.append(element("pre", claim.command))
        return Markup("".join(parts))

    def _rejected(self, item: RejectedClaim) -> Markup:
        reason = rejection_text(item, self.dossier.say)
        return element("li", self._cited(item.claim), element("div", reason, class_="note"))

    def _charts(self) -> Iterator[Markup]:
        if not self.dossier.courses:
            return
        words, say = self.dossier.words, self.dossier.say
        figures: list[Markup] = []
        for number, course in enumerate(self.dossier.courses):
            summary = chart_summary(course, self.zone, say, words)
            caption = [element("strong", course.entity), " ", element("code", course.title), " "]
            caption += [self._reference(i) for i in course.fact_ids]
            figures.append(
                element(
                    "figure",
                    element("figcaption", element("bdi", caption)),
                    chart(course, summary, self.zone, say),
                    element("div", summary, class_="note"),
                    id=f"chart-{number}",
                )
            )
        if left := self.dossier.courses_left_out:
            figures.append(element("p", words.say("charts.cut", n=str(left)), class_="note"))
        yield _section("charts", words.say("section.charts"), *figures)

    def _reference(self, id_: str) -> Markup:
        target = id_ if id_ in self.kept else "cut"
        return element("a", id_, class_="cite", href=f"#{target}")

    def _evidence(self, limit: int) -> Markup:
        words = self.dossier.words
        names = ("fact", "what", "value", "time", "quote")
        head = element(
            "thead",
            element("tr", (element("th", words.say(f"column.{n}"), scope="col") for n in names)),
        )
        table = element("table", head, map(self._call, self.dossier.calls))
        parts = [element("p", words.say("evidence.intro"), class_="note"), table]
        if any(fact.id not in self.kept for fact in self.dossier.facts()):
            parts.insert(0, self.cut_note(limit))
        return _section("evidence", words.say("section.evidence"), *parts)

    def cut_note(self, limit: int) -> Markup:
        """Say how many rows were left out."""
        ids = [fact.id for fact in self.dossier.facts() if fact.id not in self.kept]
        text = self.dossier.words.say(
            "rows.cut",
            n=str(len(ids)),
            limit=f"{limit / 1e6:g} MB",
            session=self.dossier.session_id,
        )
        return element("p", text, id="cut")

    def _call(self, call: CallShown) -> Markup:
        details = self.dossier.say.say("list.or").join(call.details)
        title = element("strong", f"{call.id}: {call.title}")
        head = element("th", title, " ", element("bdi", details), colspan="5", scope="rowgroup")
        rows = [self.row(fact) for fact in call.facts if fact.id in self.kept]
        return element("tbody", element("tr", head), rows, id=call.id)

    def row(self, fact: FactShown) -> Markup:
        """Return one row of the evidence table."""
        words = self.dossier.words
        what = [f"{fact.entity} "] if fact.entity else []
        what += [element("code", fact.name), f" {fact.statistic}"]
        if fact.course is not None:
            what.append(" ")
            what.append(element("a", words.say("chart.open"), href=f"#chart-{fact.course}"))
        value = f"{fact.value} {fact.unit}".strip()
        cells = (
            ("what", "", element("bdi", what)),
            ("value", "value", element("bdi", value) if value else ""),
            ("time", "", fact.time),
            ("quote", "quote", element("bdi", fact.quote) if fact.quote else ""),
        )
        tds = [
            element("td", text, class_=class_, data_label=words.say(f"column.{key}"))
            for key, class_, text in cells
        ]
        return element("tr", element("td", fact.id), tds, id=fact.id)

    def _integrity(self) -> Markup:
        words, dossier = self.dossier.words, self.dossier
        parts: list[Markup] = [element("p", words.say("integrity.none"))]
        if dossier.head_hash:
            parts = [
                element("p", words.say("integrity.head")),
                element("pre", dossier.head_hash),
                element("p", words.say("integrity.verify")),
                element("pre", dossier.verify_command),
            ]
        parts.append(element("p", words.say("integrity.explain")))
        parts.append(element("pre", f"superbiz explain {dossier.session_id} E1"))
        return _section("integrity", words.say("section.integrity"), *parts)


def _section(key: str, heading: str, *content: Markup) -> Markup:
    return element("section", element("h2", heading), *content, id=key)
