"""Lines of a terminal: wrapped by cells, since a Chinese character takes two of them."""

import re
from collections.abc import Iterator, Sequence
from io import StringIO

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

__all__ = [
    "LABEL",
    "claim_lines",
    "fitting",
    "labelled",
    "lines_text",
    "plain_width",
    "printable",
    "unbroken",
]

LABEL = 10
"""Columns of the label: the longest has eight, in both languages."""
_MARKS = re.compile(r" (?:\[E[\d.]+\]…?)+$")
_MARK = re.compile(r"\[E[\d.]+\]")
_ELLIPSIS = "…"
_STAMP = re.compile(
    r"(?<= )\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? (?=\S)"
)
"""Time in front of a quoted line: where room is short, what the line says matters more."""
# Where a line may break: at blanks, and around every Chinese character; but an opening bracket
# stays with what follows it, a stop or a closing one with what it follows.
_PIECE = re.compile(
    r"\s+|[（「《“]*(?:[\u2e80-\u2fff\u3040-\u9fff]|[^\s\u2e80-\u9fff\uff00-\uff20]+)"
    r"[，。；：、！？）」》”…]*|[^\s]"
)


def plain_width(text: str) -> int:
    """Return how many columns a text takes."""
    return cell_len(text)


def printable(text: str) -> str:
    """Return a text without characters that do something to a terminal instead of showing."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)


def labelled(
    label: str, texts: Sequence[str], width: int, *, most: int | None = None, style: str = ""
) -> Iterator[Text]:
    """Yield lines with a label in front of the first one, each text at most ``most`` lines."""
    first = label
    for text in texts:
        for line in _cut(text, width - LABEL, most):
            head = Text(first + " " * (LABEL - plain_width(first)), style="bold")
            yield head + _styled(line, style)
            first = ""


def unbroken(label: str, text: str, *, style: str = "") -> Text:
    """Return one line that is never broken: what is copied must come off the screen whole."""
    head = Text(label + " " * (LABEL - plain_width(label)), style="bold")
    return head + Text(printable(text), style=style)


def fitting(texts: Sequence[str], width: int, lines: int, tails: Sequence[str]) -> str:
    """Join as many whole texts as fit behind a label; one cut in two would say something else.

    Args:
        texts: the gravest first; the first one is always there, cut only when it alone is too long.
        width: columns of a line, the label's included.
        lines: how many lines there are.
        tails: what follows the first, the first two … texts, the separators included.
    """
    for number in range(len(texts), 0, -1):
        joined = "".join(texts[:number]) + tails[number - 1]
        if len(_wrapped(joined, width - LABEL)) <= lines:
            return joined
    return texts[0]


def claim_lines(mark: str, text: str, width: int) -> Iterator[Text]:
    """Yield all lines of a statement behind a list mark, further lines indented."""
    indent = " " * plain_width(mark)
    for number, line in enumerate(_wrapped(text, width - len(indent))):
        yield Text(mark if number == 0 else indent) + _styled(line, "")


def _styled(line: str, style: str) -> Text:
    text = Text(line, style=style)
    text.highlight_regex(_MARK, "dim cyan")
    return text


def _cut(text: str, width: int, most: int | None) -> list[str]:
    """Wrap; when there are too many lines, shorten the sentence and keep its marks."""
    lines = _wrapped(text, width)
    if most is None or len(lines) <= most:
        return lines
    found = _MARKS.search(text)
    marks = found.group() if found else ""
    sentence = _STAMP.sub(_ELLIPSIS, text[: found.start()] if found else text, count=1)
    if len(lines := _wrapped(sentence + marks, width)) <= most:
        return lines
    room = most * width - plain_width(marks) - 1
    # Wrapping wastes some cells at the ends of lines, so less may fit than there is room for.
    while room > 0:
        kept = chop_cells(sentence, room)[0].rstrip() + _ELLIPSIS + marks
        lines = _wrapped(kept, width)
        if len(lines) <= most:
            return lines
        room -= 4
    return lines[:most]


def _wrapped(text: str, width: int) -> list[str]:
    """Break between words, inside Chinese text anywhere, inside a word only when it is too long."""
    lines, line = list[str](), ""
    for piece in _PIECE.findall(printable(text)):
        if plain_width(line) + plain_width(piece) <= width:
            line += piece
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = "" if piece.isspace() else piece
        while plain_width(line) > width:
            head, *_ = chop_cells(line, width)
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line.strip() or not lines else lines


def lines_text(lines: Sequence[Text], width: int, *, color: bool) -> str:
    """Return lines as one text, with ANSI styles when ``color``."""
    if not color:
        return "".join(f"{line.plain.rstrip()}\n" for line in lines)
    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=True,
        color_system="standard",
        markup=False,
        emoji=False,
        highlight=False,
    )
    for line in lines:
        console.print(line, soft_wrap=True)
    return stream.getvalue()
