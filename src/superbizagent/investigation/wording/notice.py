"""A report as a message: at most ten lines of what was checked, and where to read the rest.

Nothing is said but the report's own statements, its title and verdict, and what is known of the
incident itself. Statements stand whole; one that is too long is cut visibly.
"""

import re
import shlex
from collections.abc import Iterator
from itertools import islice
from urllib.parse import quote

from superbizagent.domain.finding import Verdict
from superbizagent.domain.notification import (
    MOST_CHARACTERS,
    MOST_LINES,
    IncidentFacts,
    Notice,
    NoticeKind,
)
from superbizagent.domain.report import FIRST_SCREEN, Claim, Report, Section
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.values import flat, instant, zone_of

__all__ = ["cause_of", "trial_notice", "write_notice"]

_MARKS = re.compile(r"\s*(?:\[E\d+(?:\.\d+)?\]…?)+\s*$")
_ADDRESS = re.compile(r"https?://\S+")
_DATED = ("|instant}", "{frame|start_instant}", "{frame|alert_instant}")
"""Slots of the statement that says since when."""
_TITLE_CHARACTERS = 200
"""Of a title that somebody else wrote: of an alert, or of an incident."""

_URGENT = (
    (Section.SURENESS, 0),
    (Section.DO_NOW, 0),
    (Section.IMPACT, 0),
    (Section.WHAT, 0),
    (Section.WHAT, 1),
    (Section.IMPACT, 1),
    (Section.DO_NOW, 1),
)
"""What has to be said first, should there be no room for all: section and place in it.

The first statement on what happened and the one on since when come before all of these.
"""


def cause_of(report: Report) -> str:
    """Return what a report names as the cause, for comparing; empty where it names none."""
    if report.verdict not in (Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY) or not report.entity:
        return ""
    return f"{report.entity} {report.fault_kind or ''}".strip()


def write_notice(  # noqa: PLR0913 - what a message is made of
    report: Report,
    facts: IncidentFacts,
    session_id: str,
    kind: NoticeKind,
    *,
    public_url: str = "",
    marks: bool = False,
) -> Notice:
    """Return the message about a checked report, in the report's language.

    Args:
        report: as it is stored.
        facts: what is known of the incident beside it.
        session_id: whose report it is.
        kind: why it is sent.
        public_url: address of this service for people; empty: the message names the command.
        marks: keep the citations behind the statements.
    """
    say = narrator_for(report.language)
    title = _title(report, facts, say)
    link, place = _place(session_id, public_url)
    head = [title, _incident(facts, report, say)]
    room = MOST_LINES - len(head) - 1
    body = [_line(claim, say, marks=marks) for claim in _chosen(report, room)]
    return Notice(
        incident_id=facts.incident_id,
        session_id=session_id,
        kind=kind,
        language=report.language,
        severity=_clean(facts.severity),
        verdict=report.verdict,
        cause=cause_of(report),
        title=title,
        news=_fitting(say.say(f"notice.news_{kind.value}", title=title), say),
        lines=(*head, *body, say.say("notice.report", place=place)),
        link=link,
    )


def trial_notice(narrator: Narrator, at: str) -> Notice:
    """Return a message that is about nothing, to try a channel.

    Args:
        narrator: of the language.
        at: the time, as people read it: which of several tries has arrived.
    """
    title = narrator.say("notice.test")
    return Notice(
        incident_id="test",
        session_id="test",
        kind=NoticeKind.FIRST,
        language=narrator.language,
        severity="info",
        verdict=Verdict.INCONCLUSIVE,
        title=title,
        news=title,
        lines=(title, narrator.say("notice.test_line"), at),
    )


def _title(report: Report, facts: IncidentFacts, say: Narrator) -> str:
    # What others wrote is put in last: it may look like a slot of ours.
    verdict = say.say(f"verdict.{report.verdict.value}")
    text = say.say("notice.title", verdict=verdict, title=_short(report.title))
    if facts.resolved_at is not None:
        text = say.say("notice.resolved", text=text)
    severity = _clean(facts.severity)[:32]
    before = say.say("notice.severity", severity=severity) if severity else ""
    return _fitting(before + text, say)


def _incident(facts: IncidentFacts, report: Report, say: Narrator) -> str:
    """Which incident it is: of a storm the number of its alerts, not their names."""
    text = say.say("notice.incident", title=_short(facts.title) or facts.incident_id)
    zone = zone_of(report.frame.timezone)
    if facts.alert_count > 1:
        text = say.say("notice.alerts", n=str(facts.alert_count), text=text)
    if facts.started_at is not None and not any(map(_is_dated, report.section(Section.WHAT))):
        text = say.say("notice.since", at=instant(facts.started_at, zone), text=text)
    if facts.resolved_at is not None:
        text = say.say("notice.until", at=instant(facts.resolved_at, zone), text=text)
    return _fitting(text, say)


def _chosen(report: Report, room: int) -> list[Claim]:
    """As many statements as there is room for, the most urgent first, in reading order."""
    wanted = list(islice(_urgent(report), room))
    return [c for s in FIRST_SCREEN for c in report.section(s) if c in wanted]


def _urgent(report: Report) -> Iterator[Claim]:
    what = report.section(Section.WHAT)
    ahead = what[:1] + tuple(c for c in what[1:] if _is_dated(c))[:1]
    yield from ahead
    for section, place in _URGENT:
        claims = [c for c in report.section(section) if c not in ahead]
        if place < len(claims):
            yield claims[place]


def _is_dated(claim: Claim) -> bool:
    return any(slot in claim.template for slot in _DATED)


def _line(claim: Claim, say: Narrator, *, marks: bool) -> str:
    text = _clean(claim.text)
    kept = _MARKS.search(text) if marks else None
    bare = _MARKS.sub("", text)
    line = say.say("notice.line", label=say.say(f"label.{claim.section.value}"), text=bare)
    return _fitting(line, say, kept.group().rstrip() if kept else "")


def _fitting(text: str, say: Narrator, after: str = "") -> str:
    """One line that is not too long; what stands after it is never cut off."""
    if len(text) + len(after) <= MOST_CHARACTERS:
        return text + after
    room = MOST_CHARACTERS - len(after) - len(say.say("notice.cut", text=""))
    return say.say("notice.cut", text=text[:room].rstrip()) + after


def _short(title: str) -> str:
    text = _clean(title)
    return text if len(text) <= _TITLE_CHARACTERS else text[: _TITLE_CHARACTERS - 1] + "…"


def _clean(text: str) -> str:
    """One line without control characters, and without halves of characters."""
    return flat(text).encode("utf-8", "replace").decode("utf-8")


def _place(session_id: str, public_url: str) -> tuple[str, str]:
    """The address of the report, and what stands in the message: it, or the command."""
    link = f"{public_url.rstrip('/')}/traces/{quote(session_id, safe='')}"
    if _ADDRESS.fullmatch(public_url) and len(link) <= MOST_CHARACTERS - 20:
        return link, link
    return "", f"superbiz trace show {shlex.quote(session_id)}"
