r"""Blocks of a Markdown or plain text: headings, paragraphs, list items, table rows, code.

Enough of CommonMark for reports. Where it and caution disagree, caution wins: text that is
indented by four blanks is read as prose, because a statement must not escape by its indentation,
and a fence that is said to hold Markdown (an answer wrapped as a whole) is looked into.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from superbizagent.analysis.claims.mentions import Place
from superbizagent.analysis.claims.scan._characters import normalise

__all__ = ["Block", "blocks"]

_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([^`\s]{0,40})")
_TRANSPARENT = frozenset({"md", "markdown"})
_HEADING = re.compile(r"\s{0,3}(#{1,6})(?:\s+|$)")
_BOLD_LINE = re.compile(r"\s*\*\*([^*]{1,60})\*\*\s*[:：]?\s*$")
_QUOTE = re.compile(r"\s{0,3}(?:>\s?){1,20}")
_ITEM = re.compile(
    r"\s*(?:"
    r"(?:[-+*•·‣◦▪–—]|\d{1,3}[.)]|[a-h][.)]|[ivx]{1,4}[.)])\s+"
    r"|\((?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})\)\s*"
    r"|\d{1,3}[、）](?!\d)\s*"
    r"|（(?:\d{1,3}|[a-zA-Z]|[一二三四五六七八九十]{1,3})）\s*"
    r"|[一二三四五六七八九十]{1,3}、\s*"
    r"|[①-⑳⑴-⒇❶-❿]\ufe0f?\s*"
    r")(?:\[[ xX]\]\s+)?"
)
_RULE = re.compile(r"\s{0,3}(?:-[-\s]{2,}|\*[*\s]{2,}|_[_\s]{2,})$")
_LABEL = re.compile(r"\s*(?:\*\*)?[A-Z\u4e00-\u9fff][\w\u4e00-\u9fff ]{1,30}(?:\*\*)?[:：]")
_TABLE_RULE = frozenset("|-: \t")
_STARTS = frozenset("#`~>-+*•·‣◦▪–—([（|_= \t") | frozenset("0123456789")

# Emphasis, links and tags: what a reader does not see.
_COMMENT = re.compile(r"<!--[^<>]{0,2000}-->")
_TAG = re.compile(
    r"</?(?:br|b|i|u|em|strong|p|li|ul|ol|div|span|code|pre|details|summary|sub|sup|h[1-6]|hr|table"
    r"|tr|td|th|tbody|thead|a|mark|small)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}(?:\s\"[^\"()]{0,100}\")?\)")
_FOOTNOTE = re.compile(r"\[\^[\w-]{1,20}\]:?")
_STRONG = re.compile(r"(?<!\d)\*\*|\*\*(?!\d)|~~|(?<!\w)__(?=\w)|(?<=\S)__(?!\w)")
_EMPHASIS = re.compile(r"(?<![\w*/.])\*(?=[^\s*])([^*]{1,200})(?<=[^\s*])\*(?![\w*])")
_UNDERLINED = re.compile(r"(?<![\w_/.])_(?=[^\s_])([^_]{1,200})(?<=[^\s_])_(?![\w_])")
_ESCAPED = re.compile(r"\\([*_`#\[\]()|<>~\"'+.!-])")
# An escaped mark is kept apart as a character of private use until the others are gone.
_APART = 0xE000
_KEPT = re.compile("[\ue000-\ue07f]")
_CODE_SPAN = re.compile(r"(`{1,2}[^`]{1,500}`{1,2})")
_ENTITIES = {"&nbsp;": " ", "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'"}
_ENTITY = re.compile("|".join(_ENTITIES))
# A wrapped line is long; a short one that is followed by a capital was meant to end.
_SHORT = 45


@dataclass(slots=True)
class Block:
    """Text that belongs together, normalised."""

    place: Place
    lines: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Number of the line, from 1, and what it says."""
    heading: str = ""
    level: int = 0
    """Of a heading."""


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a text in its order; takes time in proportion to its length."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        yield from reader.read(number, line)
    yield from reader.flush()


class _Reader:
    """The state between two lines."""

    def __init__(self) -> None:
        self._open: Block | None = None
        self._last = ""
        """The raw line before, of the open block."""
        self._heading = ""
        self._fence = ""
        self._in_table = False

    def flush(self) -> Iterator[Block]:
        """Yield the open block, if there is one."""
        block, self._open = self._open, None
        if block is not None and any(said for _, said in block.lines):
            block.heading = self._heading
            yield block

    def read(self, number: int, line: str) -> Iterator[Block]:
        """Take one line in; yield what it ends."""
        if self._fence:
            yield from self._code(number, line)
            return
        if line[:4].lstrip()[:1] == ">":
            line = _QUOTE.sub("", line, count=1)
        bare = line.strip()
        if not bare:
            yield from self.flush()
            self._in_table = False
        elif bare[0] in _STARTS or not bare.isascii() or "|" in bare or bare[1:2] in ").":
            yield from self._marked(number, line, bare)
        else:
            yield from self._prose(number, line)

    def _code(self, number: int, line: str) -> Iterator[Block]:
        bare = line.strip()
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            self._fence = ""
            return
        said = normalise(line)
        if said:
            yield Block(Place.CODE, [(number, said)], self._heading)

    def _marked(self, number: int, line: str, bare: str) -> Iterator[Block]:
        """Read a line that may begin with a mark."""
        fence = _FENCE.match(line)
        if fence:
            yield from self.flush()
            # The fence of a wrapped answer is dropped at both ends.
            if fence[2].lower() not in _TRANSPARENT and "`" not in line[fence.end() :]:
                self._fence = fence[1]
            return
        heading = _HEADING.match(line)
        if heading:
            yield from self._title(number, line[heading.end() :].rstrip(" #"), len(heading[1]))
        elif "|" in bare and (yield from self._table(number, bare)):
            return
        elif bare[0] in "=-" and not bare.strip(bare[0]) and self._underlines():
            block, self._open = self._open, None
            if block is not None:
                yield from self._title(block.lines[0][0], block.lines[0][1], 1)
        elif _RULE.match(line):
            yield from self.flush()
        else:
            yield from self._item_or_prose(number, line, bare)

    def _underlines(self) -> bool:
        """Tell whether a line of dashes would make the open paragraph a heading."""
        block = self._open
        return block is not None and block.place is Place.PROSE and len(block.lines) == 1

    def _item_or_prose(self, number: int, line: str, bare: str) -> Iterator[Block]:
        title = _BOLD_LINE.match(line)
        if title and self._open is None and not any(c.isdigit() for c in title[1]):
            yield from self._title(number, title[1].rstrip(":："), 6)
            return
        item = _ITEM.match(line)
        if item and item.end() < len(line):
            yield from self.flush()
            self._open = Block(Place.ITEM, [(number, _visible(line[item.end() :]))])
            self._last = line
        elif item is None or bare:
            yield from self._prose(number, line)

    def _title(self, number: int, line: str, level: int) -> Iterator[Block]:
        yield from self.flush()
        said = _visible(line)
        if said:
            yield Block(Place.HEADING, [(number, said)], self._heading, level)
            self._heading = said

    def _table(self, number: int, bare: str) -> "Iterator[Block]":
        """Read a line with a bar; return whether it is a row of a table."""
        if "-" in bare and _TABLE_RULE.issuperset(bare):
            # The line above was the header: it names columns and states nothing.
            block, self._open = self._open, None
            self._in_table = True
            if block is not None:
                *before, header = block.lines
                if before:
                    yield Block(block.place, before, self._heading)
                yield Block(Place.CODE, [(header[0], header[1])], self._heading)
            return True
        if self._in_table or (bare[0] == "|" and bare[-1] == "|" and len(bare) > 1):
            yield from self.flush()
            self._open = Block(Place.CELL, [(number, _row(bare))])
            return True
        return False

    def _prose(self, number: int, line: str) -> Iterator[Block]:
        said = _visible(line)
        if self._open is None or self._open.place is Place.CELL or self._breaks(line):
            place = self._open.place if self._open is not None else Place.PROSE
            yield from self.flush()
            self._open = Block(Place.ITEM if place is Place.ITEM else Place.PROSE)
        self._in_table = False
        self._open.lines.append((number, said))
        self._last = line

    def _breaks(self, line: str) -> bool:
        """Tell whether the break before a line was meant, or is a wrapped paragraph's."""
        last = self._last
        if last.endswith(("  ", "\\")) or _LABEL.match(line):
            return True
        width = len(last) if last.isascii() else sum(1 if c < "\u2e80" else 2 for c in last[:100])
        first = line.lstrip()[:1]
        return width < _SHORT and (first.isupper() or first >= "\u2e80")


def _row(bare: str) -> str:
    """Return the cells of a row, joined by bars that stand alone."""
    inner = bare.removeprefix("|")
    inner = inner.removesuffix("|") if not inner.endswith("\\|") else inner
    return " | ".join(cell and _visible(cell) for cell in inner.replace("\\|", "\u2223").split("|"))


def _visible(line: str) -> str:
    """Return what a reader sees of a line, normalised: no emphasis, link targets or tags."""
    if line.isascii() and line.replace(" ", "").isalnum():
        return normalise(line)
    parts = _CODE_SPAN.split(line) if "`" in line else [line]
    # Code spans stand at the odd places and keep what they hold.
    parts[::2] = [_bare(part) for part in parts[::2]]
    return normalise("".join(parts))


def _bare(text: str) -> str:
    if "\\" in text:
        text = _ESCAPED.sub(lambda m: chr(_APART + ord(m[1])), _KEPT.sub("", text))
        return _KEPT.sub(lambda m: chr(ord(m[0]) - _APART), _plain(text))
    return _plain(text)


def _plain(text: str) -> str:
    if "<" in text:
        text = _TAG.sub(" ", _COMMENT.sub("", text))
    if "[" in text:
        text = _FOOTNOTE.sub("", _LINK.sub(r"\1", text))
    if "&" in text:
        text = _ENTITY.sub(lambda m: _ENTITIES[m[0]], text)
    if "*" in text or "_" in text or "~" in text:
        text = _UNDERLINED.sub(r"\1", _EMPHASIS.sub(r"\1", _STRONG.sub("", text)))
    return text
