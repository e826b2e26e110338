"""Sentences of a text, Chinese or English, plain or Markdown, with the citations they carry."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from superbizagent.analysis.claims.mentions import Place, Sentence
from superbizagent.analysis.claims.scan._characters import normalise
from superbizagent.analysis.claims.scan._markdown import Block, blocks
from superbizagent.analysis.claims.scan._word_lists import words

__all__ = ["LONGEST", "normalise", "split_text"]

LONGEST = 2000
"""Characters of a sentence; what is longer is cut, flagged, and nothing of it is judged."""

_ID = re.compile(r"E\d{1,6}(?:\.\d{1,6})?")
_MARK = re.compile(
    r"[\[【]\s?E\d{1,6}(?:\.\d{1,6})?(?:\s?[,、;–~-]\s?E\d{1,6}(?:\.\d{1,6})?){0,40}\s?[\]】]"
    # Of many citations the first two and the last are printed: [E1.1][E1.2]…[E9.4]
    r"(?:\s?\.\.\.\s?(?=[\[【]E\d))?"
)
# What is left over when marks are taken out of brackets or back-ticks.
_HOLLOW = re.compile(r"\s?[(（]\s?[,;]?\s?[)）]|\s?``")
_END = re.compile(r"[.!?;。]+[\"'”’」』)\]]*")
_CLOSED = re.compile(
    r"“[^“”]{1,400}”|「[^「」]{1,400}」|\"[^\"]{1,400}\"|`[^`]{1,400}`|\([^()]{1,300}\)"
)
_WORD_BEFORE = re.compile(r"[A-Za-z.]{1,12}$")
_NEVER_LAST = words(
    "e.g i.e eg ie vs cf approx ca incl resp mr mrs dr fig figs sect est dept viz al"
)
# May end a sentence, when a capital follows: "It took 20 sec. The pool was full."
_SELDOM_LAST = words(
    "etc a.m p.m min mins max avg sec secs hr hrs inc no nos jan feb mar apr jun jul aug sep "
    "sept oct nov dec st std dev ver temp conn req"
)
_NUMBER_ALONE = re.compile(r"\s*\(?\d{1,3}$")
_CJK = "\u2e80"
"""The first ideograph-like character; everything from it on is written without blanks."""

_Marks = list[tuple[int, tuple[str, ...]]]


def split_text(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in its order.

    A row of a table is one sentence, a line of code another; citations behind a full stop belong
    to the sentence before. Takes time in proportion to the length of the text.
    """
    return tuple(sentence for block in blocks(text) for sentence in _sentences(block))


def _sentences(block: Block) -> Iterator[Sentence]:
    if block.place is Place.CODE:
        number, said = block.lines[0]
        yield _sentence(block, said, number, ())
        return
    text, marks, starts = _joined(block)
    ends = () if block.place in {Place.CELL, Place.HEADING} else _ends(text)
    begin, at = 0, 0
    for end in (*ends, len(text)):
        said = text[begin:end].strip()
        if not said.strip(".,;:!?。 "):
            begin = end if said else begin
            continue
        cut = at
        # What stands right behind the end is of this sentence; what leads the text, of the first.
        while at < len(marks) and marks[at][0] <= end:
            at += 1
        ids = dict.fromkeys(i for _, each in marks[cut:at] for i in each)
        number = block.lines[max(0, bisect_right(starts, begin) - 1)][0]
        yield _sentence(block, said, number, tuple(ids))
        begin = end


def _sentence(block: Block, said: str, number: int, ids: tuple[str, ...]) -> Sentence:
    too_long = len(said) > LONGEST
    return Sentence(
        said[:LONGEST] if too_long else said,
        number,
        block.place,
        ids,
        block.heading,
        too_long=too_long,
    )


def _joined(block: Block) -> tuple[str, _Marks, list[int]]:
    """Return a block as one line without marks, the marks with their place, the lines' starts."""
    if len(block.lines) == 1:
        text, marks = _without_marks(block.lines[0][1])
        return text, marks, [0]
    parts: list[str] = []
    marks, starts, length = _Marks(), list[int](), 0
    for _, line in block.lines:
        text, found = _without_marks(line)
        # A wrapped Chinese line goes on without a blank.
        glue = " " if not parts or not parts[-1] or parts[-1][-1] < _CJK or text[:1] < _CJK else ""
        if parts:
            parts.append(glue)
            length += len(glue)
        starts.append(length)
        marks += [(length + place, ids) for place, ids in found]
        parts.append(text)
        length += len(text)
    return "".join(parts), marks, starts


def _without_marks(line: str) -> tuple[str, _Marks]:
    if "E" not in line or not ("[" in line or "【" in line):
        return line, []
    parts: list[str] = []
    marks, length, begin = _Marks(), 0, 0
    for match in _MARK.finditer(line):
        length = _append(parts, length, line[begin : match.start()])
        marks.append((length, tuple(_ID.findall(match[0]))))
        begin = match.end()
    if not marks:
        return line, []
    _append(parts, length, line[begin:])
    text = "".join(parts)
    return _filled(text, marks) if "(" in text or "``" in text else (text, marks)


def _filled(text: str, marks: _Marks) -> tuple[str, _Marks]:
    """Take out the brackets that held nothing but marks, and move the marks along."""
    hollows = [match.span() for match in _HOLLOW.finditer(text)]
    moved = [
        (place - sum(min(end, place) - start for start, end in hollows if start < place), ids)
        for place, ids in marks
    ]
    return _HOLLOW.sub("", text), moved


def _append(parts: list[str], length: int, piece: str) -> int:
    """Add what follows a mark, with one blank where words meet; return the whole length."""
    if not parts:
        piece = piece.rstrip() if piece.strip() else ""
        parts.append(piece)
        return len(piece)
    bare = piece.strip()
    if not bare:
        return length
    last = next((part[-1] for part in reversed(parts) if part), "")
    apart = (
        bool(last)
        and bare[0] not in ".,;:!?)]。、"
        and last + bare[0] != "``"
        and (last < _CJK or bare[0] < _CJK)
    )
    said = f" {bare}" if apart else bare
    parts.append(said)
    return length + len(said)


def _ends(text: str) -> Iterator[int]:
    """Yield where each sentence but the last ends: where the next one begins."""
    closed = _Closed(text)
    begin = 0
    for match in _END.finditer(text):
        end = match.end()
        if end >= len(text) or not _ends_here(text, begin, match) or closed.holds(end):
            continue
        while end < len(text) and text[end] == " ":
            end += 1
        yield end
        begin = end


def _ends_here(text: str, begin: int, match: re.Match[str]) -> bool:
    """Tell whether a stop ends a sentence that began at ``begin``."""
    stop, after = match[0], text[match.end()]
    if "。" in stop:
        return True
    if after != " " and after < _CJK:
        return False
    if stop[0] != ".":
        return True
    following = text[match.end() : match.end() + 2].lstrip()[:1]
    if stop.startswith(".."):
        return not following.islower()
    if _NUMBER_ALONE.fullmatch(text[begin : match.start()][:6]):
        return False
    return _ends_a_word(text, match.start(), following)


def _ends_a_word(text: str, stop: int, following: str) -> bool:
    """Tell whether the word before a full stop is no abbreviation that goes on."""
    before = _WORD_BEFORE.search(text, max(0, stop - 12), stop)
    word = before[0].lower().lstrip(".") if before else ""
    if word in _SELDOM_LAST:
        return following.isupper() or following >= _CJK
    return word not in _NEVER_LAST


class _Closed:
    """Quotations, code and brackets of a text: no sentence ends within them."""

    def __init__(self, text: str) -> None:
        self._spans: Sequence[tuple[int, int]] = [m.span() for m in _CLOSED.finditer(text)]
        self._at = 0

    def holds(self, end: int) -> bool:
        """Tell whether a place lies within one; places are asked for in rising order."""
        while self._at < len(self._spans) and self._spans[self._at][1] <= end:
            self._at += 1
        return self._at < len(self._spans) and self._spans[self._at][0] < end
