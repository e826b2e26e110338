"""The canonical Markdown of a report: what is stored, judged and replayed, byte for byte.

Nothing of the run is in it (see `Envelope`). Text out of logs is hostile until escaped.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from superbizagent.domain.report import (
    FIRST_SCREEN,
    NOT_COMPARED,
    Claim,
    RejectedClaim,
    Report,
    Section,
)
from superbizagent.investigation.wording.links import is_link
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.values import flat

__all__ = [
    "SPARKS",
    "escaped",
    "rejection_text",
    "report_markdown",
    "sparkline_text",
    "standing_text",
]

SPARKS = "▁▂▃▄▅▆▇█"
_NUMBERED = frozenset({Section.WHY, Section.DO_NOW, Section.CHECK_NEXT, Section.CANDIDATES})
_HOSTILE = re.compile(r"[\\`*<>|]|!(?=\[)|(?<=\])(?=\()")


def report_markdown(report: Report) -> str:
    """Return the whole report as Markdown, the first screen first, ending in one newline."""
    narrator = narrator_for(report.language)
    if report.answers:
        return _answer(report, narrator)
    lines = [f"# {escaped(report.title)}", "", f"**{_verdict(report, narrator)}**"]
    for section in Section:
        claims = report.section(section)
        if claims:
            lines += ["", f"## {narrator.say(f'section.{section.value}')}", ""]
            lines += _section(section, claims, narrator)
    if report.rejected:
        lines += ["", f"## {narrator.say('section.rejected')}", ""]
        lines += [_rejected(item, narrator) for item in report.rejected]
    return "\n".join(lines) + "\n"


def _answer(report: Report, narrator: Narrator) -> str:
    """A short text: statements in the order in which they answer, under what was asked."""
    lines = [f"**{escaped(report.title)}**", ""]
    for claim in report.claims:
        lines += [f"- {escaped(claim.text)}", *_details(claim, narrator)]
    return "\n".join(lines).rstrip() + "\n"


def sparkline_text(values: object) -> str:
    """Return one character a value, a blank where there is none."""
    numbers = cast("list[float | None]", values) if isinstance(values, list) else []
    known = [v for v in numbers if v is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    if high == low:
        return "".join(" " if v is None else SPARKS[0] for v in numbers)
    top = len(SPARKS) - 1
    return "".join(
        " " if v is None else SPARKS[round((v - low) / (high - low) * top)] for v in numbers
    )


def rejection_text(item: RejectedClaim, narrator: Narrator) -> str:
    """Return in words why a statement was taken out; a reason without words as it is."""
    key, _, argument = item.reason.partition(":")
    if item.words or not narrator.knows(f"reject.{key}"):
        return item.words or item.reason
    return narrator.say(f"reject.{key}", arg=argument)


def standing_text(claim: Claim, narrator: Narrator) -> str:
    """Return what decides a hypothesis, or what of a remark was not compared; empty for others."""
    if claim.section is Section.HYPOTHESES:
        check = str(claim.extras.get("decided_by", ""))
        said = narrator.say("full.decided_by", check=check)
        return said if check else narrator.say("full.undecided")
    parts = cast("list[str]", claim.extras.get(NOT_COMPARED, ()))
    if claim.section is not Section.REMARKS or not parts:
        return ""
    return narrator.say("full.not_compared", text=narrator.say("list.or").join(parts))


def _verdict(report: Report, narrator: Narrator) -> str:
    return narrator.say(f"verdict.{report.verdict.value}")


def _section(section: Section, claims: tuple[Claim, ...], narrator: Narrator) -> Iterator[str]:
    for number, claim in enumerate(claims, 1):
        mark = f"{number}." if section in _NUMBERED else "-"
        yield f"{mark} {escaped(claim.text)}"
        if section in FIRST_SCREEN:
            yield from _details(claim, narrator)
        elif standing := standing_text(claim, narrator):
            yield f"   - {escaped(standing)}"


def _details(claim: Claim, narrator: Narrator) -> Iterator[str]:
    extras: dict[str, Any] = claim.extras
    spark = sparkline_text(extras.get("sparkline"))
    if spark:
        yield f"   `{spark}`"
    for key in ("risk", "undo"):
        if extras.get(key):
            yield f"   - {narrator.say(key)}: {escaped(str(extras[key]))}"
    for label, text in extras.get("links", ()):
        yield f"   - {label}: {f'<{text}>' if is_link(text) else escaped(text)}"
    if claim.command:
        yield from ("", "   ```", f"   {_one_line(claim.command)}", "   ```", "")


def _rejected(item: RejectedClaim, narrator: Narrator) -> str:
    return f"- {escaped(item.claim.text)} ({escaped(rejection_text(item, narrator))})"


def escaped(text: str) -> str:
    """Return verbatim text that is not read as markup; marks (``[E3.2]``) stay as they are."""
    return _HOSTILE.sub(lambda m: f"\\{m.group()}", _one_line(text))


def _one_line(text: str) -> str:
    return flat(text)
