"""The report on a terminal: the first screen fits 25 lines of 100 columns, the rest on demand.

What does not fit is cut from the bottom of the lists, the least urgent list first; nothing that
is on the screen is changed but long quotes, which end in an ellipsis before their marks. What we
say ourselves is never cut: half a sentence may say the opposite.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rich.text import Text

from superbizagent.cli.render.footer import footer_text, track_text
from superbizagent.cli.render.layout import (
    LABEL,
    claim_lines,
    fitting,
    labelled,
    lines_text,
    plain_width,
    unbroken,
)
from superbizagent.domain.finding import Verdict
from superbizagent.domain.report import FIRST_SCREEN, Claim, Envelope, Report, Section
from superbizagent.investigation.wording.markdown import (
    rejection_text,
    sparkline_text,
    standing_text,
)
from superbizagent.investigation.wording.narrator import Narrator, narrator_for

__all__ = ["LINES", "WIDTH", "render_terminal"]

LINES, WIDTH = 25, 100
_VERDICT_STYLE = {
    Verdict.ROOT_CAUSE_FOUND: "bold red",
    Verdict.LIKELY: "bold yellow",
    Verdict.HEALTHY: "bold green",
    Verdict.INCONCLUSIVE: "bold magenta",
}
_NUMBERED = frozenset({Section.DO_NOW, Section.CHECK_NEXT})


@dataclass(frozen=True, slots=True)
class _Room:
    """How much of each list is shown, and how many lines one statement may take."""

    most: dict[Section, int] = field(default_factory=dict[Section, int])
    lines: int = 2
    """Of the remarks on what was not seen."""
    quotes: int = 2
    """Of a statement that ends in a quote."""

    def of(self, section: Section) -> int:
        return self.most.get(section, 99)


# Tried in order until the screen fits. Checks can wait, mitigations less, reasons least; of a quote
# the end can.
_ROOMS = (
    _Room({Section.WHY: 3, Section.DO_NOW: 3, Section.CHECK_NEXT: 3}),
    _Room({Section.WHY: 3, Section.DO_NOW: 3, Section.CHECK_NEXT: 2}),
    _Room({Section.WHY: 3, Section.DO_NOW: 2, Section.CHECK_NEXT: 2}),
    _Room({Section.WHY: 3, Section.DO_NOW: 2, Section.CHECK_NEXT: 2, Section.NOT_SEEN: 2}),
    _Room({Section.WHY: 2, Section.DO_NOW: 2, Section.CHECK_NEXT: 2, Section.NOT_SEEN: 2}),
    _Room(
        {Section.WHY: 2, Section.DO_NOW: 2, Section.CHECK_NEXT: 2, Section.NOT_SEEN: 2}, quotes=1
    ),
    _Room({Section.WHY: 2, Section.DO_NOW: 1, Section.CHECK_NEXT: 2, Section.NOT_SEEN: 2}),
    _Room({Section.WHY: 2, Section.DO_NOW: 1, Section.CHECK_NEXT: 1, Section.NOT_SEEN: 2}),
    _Room(
        {
            Section.WHAT: 3,
            Section.IMPACT: 1,
            Section.WHY: 2,
            Section.DO_NOW: 1,
            Section.CHECK_NEXT: 1,
            Section.NOT_SEEN: 1,
        },
        lines=1,
        quotes=1,
    ),
)


def render_terminal(
    report: Report, envelope: Envelope, *, full: bool = False, color: bool = False
) -> str:
    """Return the report as text for a terminal, with ANSI styles when ``color``.

    Args:
        report: a checked report.
        envelope: the run, for the footer.
        full: everything, the statements taken out included, without limits.
        color: whether the reader's terminal shows styles.
    """
    narrator = narrator_for(report.language)
    footer = footer_text(envelope, narrator, room=0 if full else WIDTH)
    texts = (track_text(envelope.track_record, narrator), footer)
    foot = [Text(text, style="dim") for text in texts if text]
    if full:
        return lines_text([*_everything(report, narrator), Text(), *foot], WIDTH, color=color)
    left = LINES - sum(map(_height, foot))
    rooms = _rooms(report)
    screens = (list(_first_screen(report, narrator, room)) for room in rooms)
    lines = next((s for s in screens if sum(map(_height, s)) <= left), None)
    if lines is None:
        lines = _cut_off(list(_first_screen(report, narrator, rooms[-1])), left)
    return lines_text([*lines, *foot], WIDTH, color=color)


def _rooms(report: Report) -> tuple[_Room, ...]:
    """How to make room; an independent fault keeps its sentence and the first thing to do."""
    if not any(c.extras.get("also") for c in report.section(Section.DO_NOW)):
        return _ROOMS
    kept = {Section.WHY: 1, Section.DO_NOW: 2, Section.CHECK_NEXT: 1}
    return tuple(
        replace(room, most=room.most | kept | ({Section.WHAT: 4} if room.lines == 1 else {}))
        if room.of(Section.DO_NOW) == 1
        else room
        for room in _ROOMS
    )


def _cut_off(lines: Sequence[Text], left: int) -> list[Text]:
    """Keep as many lines from the top as there is room for."""
    kept: list[Text] = []
    for line in lines:
        left -= _height(line)
        if left < 0:
            break
        kept.append(line)
    return kept


def _height(line: Text) -> int:
    """How many rows of the screen a line takes: links and commands may be longer than one."""
    return max(1, -(-plain_width(line.plain) // WIDTH))


def _first_screen(report: Report, narrator: Narrator, room: _Room) -> Iterator[Text]:
    yield _title(report, narrator)
    for section in FIRST_SCREEN:
        shown_here = [c for c in report.section(section) if _has_room(c)]
        claims = shown_here[: room.of(section)]
        if not claims:
            continue
        label = narrator.say(f"label.{section.value}")
        if section is Section.NOT_SEEN:
            joined = _joined(claims, len(report.section(section)), narrator, room.lines)
            yield from labelled(label, [joined], WIDTH, most=room.lines)
            continue
        for number, claim in enumerate(claims, 1):
            mark = f"{number}. " if section in _NUMBERED and len(claims) > 1 else ""
            shown = label if number == 1 else ""
            links = _short_links(claim)
            if links:
                yield unbroken(shown, mark + links[0])
                yield from (unbroken("", link) for link in links[1:])
            else:
                most = room.quotes if _may_be_cut(claim) else None
                yield from labelled(shown, [mark + claim.text], WIDTH, most=most)
            yield from _details(claim, narrator, room)


def _short_links(claim: Claim) -> list[str]:
    """The links that take one row, and the first if it takes a few.

    The link to a rule holds the whole of its expression: that is for ``--full``.
    """
    rows = WIDTH - LABEL - len("1. ")
    lines = enumerate(_links(claim))
    return [line for n, line in lines if plain_width(line) <= (rows if n else 3 * rows)]


def _has_room(claim: Claim) -> bool:
    return not claim.extras.get("links") or bool(_short_links(claim))


def _may_be_cut(claim: Claim) -> bool:
    """Tell whether a statement ends in a quote, which may be long; our own words stand whole."""
    return claim.template.endswith("|quote}")


def _joined(claims: Sequence[Claim], total: int, narrator: Narrator, lines: int) -> str:
    """As many whole remarks as fit, and how many more there are."""
    separator = narrator.say("list.or")
    texts = [claim.text if n == 0 else separator + claim.text for n, claim in enumerate(claims)]
    left = [total - n for n in range(1, len(texts) + 1)]
    tails = [narrator.say("more.remarks", n=str(n)) if n else "" for n in left]
    return fitting(texts, WIDTH, lines, tails)


def _title(report: Report, narrator: Narrator) -> Text:
    verdict = narrator.say(f"verdict.{report.verdict.value}")
    room = WIDTH - plain_width(verdict) - 2
    title = Text(report.title, style="bold", no_wrap=True)
    title.truncate(room, overflow="ellipsis", pad=True)
    return title + Text("  ") + Text(verdict, style=_VERDICT_STYLE[report.verdict])


def _details(claim: Claim, narrator: Narrator, room: _Room | None) -> Iterator[Text]:
    """What stands below a statement: its course, what it risks, what to copy."""
    spark = sparkline_text(claim.extras.get("sparkline"))
    if spark:
        yield from labelled("", [spark], WIDTH, style="cyan")
    said = [
        f"{narrator.say(key)}: {claim.extras[key]}"
        for key in ("risk", "undo")
        if claim.extras.get(key)
    ]
    if said:
        text = narrator.say("list.or").join(said)
        yield from labelled("", [f"   {text}"], WIDTH, style="dim")
    if room is None and _links(claim):
        yield from (unbroken("", link) for link in _links(claim))
    if claim.command:
        yield unbroken("", f"   {claim.command}", style="green")


def _links(claim: Claim) -> list[str]:
    """The links of a statement, as many on a line as fit: none is broken in two."""
    lines: list[str] = []
    for label, text in claim.extras.get("links", ()):
        link = f"{label} {text}"
        together = f"{lines[-1]}  {link}" if lines else link
        if lines and plain_width(together) <= WIDTH - LABEL - len("1. "):
            lines[-1] = together
        else:
            lines.append(link)
    return lines


def _everything(report: Report, narrator: Narrator) -> Iterator[Text]:
    yield _title(report, narrator)
    for section in Section:
        claims = report.section(section)
        if not claims:
            continue
        yield Text()
        yield Text(narrator.say(f"section.{section.value}"), style="bold")
        for number, claim in enumerate(claims, 1):
            yield from claim_lines(
                f"{number}. " if section in _NUMBERED else "- ", claim.text, WIDTH
            )
            yield from _details(claim, narrator, None)
            if standing := standing_text(claim, narrator):
                yield from claim_lines("     ", standing, WIDTH)
    if report.rejected:
        yield Text()
        yield Text(narrator.say("section.rejected"), style="bold")
        for item in report.rejected:
            reason = rejection_text(item, narrator)
            yield from claim_lines("- ", f"{item.claim.text} ({reason})", WIDTH)
    yield Text()
    yield Text(_unchecked(report, narrator))


def _unchecked(report: Report, narrator: Narrator) -> str:
    """The share of statements that nothing can be held against."""
    stats = report.stats
    return narrator.say(
        "full.unchecked",
        n=str(stats.nothing_to_check),
        total=str(stats.statements),
        share=str(round(100 * stats.nothing_to_check_ratio)),
    )
