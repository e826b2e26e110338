"""The answer of ``superbiz logs`` on a terminal."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from rich.text import Text

from superbizagent.analysis.log_comparison import Comparison, Seen, TemplateChange, Turn
from superbizagent.cli.render.layout import claim_lines, lines_text, printable
from superbizagent.cli.render.terminal import WIDTH
from superbizagent.domain.model import Model
from superbizagent.domain.window import Window
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.values import clock_time, instant, zone_of

__all__ = ["Compared", "Split", "render_compared"]

_ORDER = (Turn.NEW, Turn.BURSTING, Turn.VANISHED)
_STYLES = {"error": "red", "fatal": "bold red", "warn": "yellow"}
_LINES = 400  # characters of an example: the file itself has the rest


class Split(Model):
    """Which part was compared with which."""

    now: Window | None
    """None: the files have no times, so they were taken whole."""
    before: Window | None
    against: tuple[str, ...]
    """Older files, as they were named; none: the earlier part of the same files."""
    told: bool
    """The times were given, not chosen by us."""


class Compared(Model):
    """Everything that is printed, in text or as JSON."""

    split: Split
    comparison: Comparison
    """Templates that are shown, with line numbers."""
    totals: Mapping[Turn, int]
    """How many templates there are of each sort, shown or not."""
    notes: tuple[str, ...]
    """What was degraded: files that could not be read, zones that are a guess."""
    zone: str


def render_compared(compared: Compared, words: Narrator, limit: int, *, color: bool = False) -> str:
    """Return the answer as text.

    Args:
        compared: what was found.
        words: the table of the reader's language.
        limit: templates of each list at most.
        color: whether the reader's terminal shows styles.
    """
    lines: list[Text] = []
    for sentence in _head(compared, words):
        lines += claim_lines("", sentence, WIDTH)
    lines += [Text(f"! {printable(note)}", style="yellow") for note in compared.notes]
    if not any(compared.totals[turn] for turn in _ORDER):
        lines += [Text(), Text(words.say("none"))]
    for turn in _ORDER:
        total = compared.totals[turn]
        if not total:
            continue
        lines += [Text(), Text(words.say(turn.value, n=f"{total:,}"), style="bold")]
        shown = compared.comparison.of(turn)
        for template in shown[:limit]:
            lines += _template(template, compared, words)
        if total > len(shown):
            more = words.say("more", n=f"{total - len(shown):,}", all=str(total))
            lines.append(Text(more, style="dim"))
    return lines_text(lines, WIDTH, color=color)


def _head(compared: Compared, words: Narrator) -> Iterator[str]:
    split, zone = compared.split, zone_of(compared.zone)
    found = compared.comparison
    old = ", ".join(split.against)
    if split.now is None or split.before is None:
        yield words.say("split.undated", old=old)
    else:
        key = "against" if split.against else "told" if split.told else "quarter"
        yield words.say(
            f"split.{key}",
            old=old,
            start=instant(split.now.start, zone),
            end=instant(split.now.end, zone),
            before=instant(split.before.start, zone),
            before_end=instant(split.before.end, zone),
        )
    yield words.say("records", now=f"{found.records_now:,}", before=f"{found.records_before:,}")
    if found.records_elsewhere:
        yield words.say("records.elsewhere", n=f"{found.records_elsewhere:,}")


def _template(template: TemplateChange, compared: Compared, words: Narrator) -> Iterator[Text]:
    say = words.say
    head = f"  {template.severity:<7} "
    text = f"{template.service}: {_line(template.text)}"
    first, *rest = claim_lines(head, text, WIDTH)
    style = _STYLES.get(template.severity, "")
    if style:
        first.stylize(style, 0, len(head))
    yield first
    yield from rest
    count = say(
        "count",
        now=f"{template.now:,}",
        before=f"{template.before:,}",
        now_share=_share(template.now_ratio),
        before_share=_share(template.before_ratio),
    )
    parts = [count]
    if template.turn is not Turn.NEW:
        parts.append(say("count.expected", n=f"{template.expected:,.3g}"))
    parts.append(_places(template, compared, words))
    indent = " " * len(head)
    for part in parts[:1] if len(parts) == 1 else [say("separator").join(parts[:-1]), parts[-1]]:
        for line in claim_lines(indent, part, WIDTH):
            line.stylize("dim")
            yield line
    example = _line(template.first.text)
    yield from claim_lines(indent, example, WIDTH)


def _places(template: TemplateChange, compared: Compared, words: Narrator) -> str:
    first, last = template.first, template.last
    key = "lines" if (first.file, first.offset) != (last.file, last.offset) else "lines.one"
    if first.at is None or last.at is None:
        undated = {"lines": "lines.undated", "lines.one": "lines.one_undated"}[key]
        return words.say(undated, first_line=_place(first), last_line=_place(last))
    return words.say(
        key,
        first=_time(first.at, compared),
        last=_time(last.at, compared),
        first_line=_place(first),
        last_line=_place(last),
    )


def _time(at: datetime, compared: Compared) -> str:
    """The time of day where all lies in one day, else with its date."""
    zone = zone_of(compared.zone)
    spans = [w for w in (compared.split.now, compared.split.before) if w]
    days = {t.astimezone(zone).date() for w in spans for t in (w.start, w.end)}
    return clock_time(at, zone) if days == {at.astimezone(zone).date()} else instant(at, zone)


def _place(seen: Seen) -> str:
    return f"{seen.file}:{seen.line}" if seen.line else seen.file


def _share(ratio: float) -> str:
    return f"{100 * ratio:.3g} %"


def _line(text: str) -> str:
    line = " ".join(printable(text).split())
    return line if len(line) <= _LINES else f"{line[: _LINES - 1]}…"
