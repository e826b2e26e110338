"""Notes with fenced output: which lines are output, and which are somebody's words."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Block", "blocks_of"]

_FENCE = re.compile(
    r"^[ \t]*(?:```+|~~~+|\{(?:noformat|code|quote)(?::[^}\n]*)?\}[ \t]*$|\[/?(?:code|pre)\][ \t]*$"
    r"|</?pre>[ \t]*$)",
    re.IGNORECASE,
)
"""Of Markdown, of Jira's and a forum's markup, and of HTML."""
_OPENS = re.compile(r"^([ \t]*(?:```+|~~~+))(?=[^\s`~]*[ \t]+\S|[^\n`]*```)", re.MULTILINE)
_CLOSES = re.compile(r"(?<=[^\s`])[ \t]*(```+)[ \t]*$", re.MULTILINE)
"""Chats set output directly behind the fence, and the fence behind the output."""
_QUOTED = re.compile(r"^[ \t]*> ?")
_MARGIN = re.compile(r"^(?: {4,}|\t)")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines between two fences, or outside of any."""

    text: str
    is_fenced: bool


def blocks_of(body: str) -> Iterator[Block]:
    """Yield the blocks of a text; one without fences is one block, not fenced."""
    if "```" in body:
        body = _CLOSES.sub(r"\n\1", _OPENS.sub(r"\1\n", body))
    lines = _unquoted(body.split("\n"))
    fences = [n for n, line in enumerate(lines) if _FENCE.match(line)]
    if not fences:
        yield Block(_dedented(lines), is_fenced=False)
        return
    start, margin, inside = 0, 0, False
    for place in [*fences, len(lines)]:
        block = lines[start:place]
        if any(line.strip() for line in block):
            yield Block("\n".join(_outdented(line, margin) for line in block), is_fenced=inside)
        start, inside = place + 1, not inside
        margin = _margin_of(lines[place]) if inside and place < len(lines) else 0


def _margin_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _outdented(line: str, margin: int) -> str:
    """Take away what a fence is indented by, from a line of its block."""
    return line[min(margin, _margin_of(line)) :]


def _dedented(lines: list[str]) -> str:
    told = [line for line in lines if line.strip()]
    whole = "\n".join(lines)
    return textwrap.dedent(whole) if told and all(_MARGIN.match(line) for line in told) else whole


def _unquoted(lines: list[str]) -> list[str]:
    """Take away the mark of a quotation where lines below each other have it."""
    marked = [_QUOTED.match(line) is not None for line in lines]
    told = [n for n, line in enumerate(lines) if line.strip()]
    if not told:
        return lines
    # A single one may be a prompt.
    run = {n for both in pairwise(told) if all(marked[m] for m in both) for n in both}
    run |= set(told) if all(marked[n] for n in told) else set()
    return [_QUOTED.sub("", li, count=1) if n in run else li for n, li in enumerate(lines)]
