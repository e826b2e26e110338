"""What of a sentence nobody compared: it must not pass on the number beside it."""

import re
from collections.abc import Iterator, Sequence

from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import LABELS, View
from superbizagent.analysis.claims.mentions import WordKind

__all__ = ["uncompared"]

_CUT = re.compile(
    r"[,;，；:：。()（）]|\b(?:and|so|while|but|which|whereas|because|until|although|though)\b"
)
_WORD = re.compile(r"[A-Za-z]{2,}")
_HAN = re.compile(r"[一-鿿]")
# A time that an earlier sentence gives: what it is, this sentence does not say.
_THEN = re.compile(
    r"\b(?:from then on|since then|from that (?:moment|point)|ever since|by then"
    r"|at that (?:moment|point|time))\b|此后|从此|自那以后|从那(?:时|以后|之后)|打那以后|那时起",
    re.IGNORECASE,
)
_FRAMING = frozenset({WordKind.PERIOD, WordKind.STATISTIC})
_LEAST_WORDS = 3
"""Words that say something: "as the log shows" has two."""
_LEAST_HAN = 4
_FILLING = """
the a an of in on at to by for from with and or as is was were are it its this that all no per than
then not did had has have been be one two who when there most more less into out up down during
since before after where what how only just about over under some other our we they he you each
every both any also still too very same such own if again here itself between within
"""
_EMPTY = frozenset(_FILLING.split())


def uncompared(view: View, parts: Sequence[Part]) -> Iterator[Part]:
    """Yield the stretches between two breaks that say something and hold no part."""
    found = tuple(_stretches(view, parts))
    then = _THEN.search(view.text)
    for text in found or ((then[0],) if then else ()):
        yield Part(PartKind.REST, Outcome.UNCOMPARED, text, "uncompared")


def _stretches(view: View, parts: Sequence[Part]) -> Iterator[str]:
    read = tuple(_places(view.text, parts))
    start = 0
    for end, after in (*_breaks(view), (len(view.text), len(view.text))):
        covered = any(a < end and start < b for a, b in read)
        if not covered and _says_something(view, start, end):
            yield view.text[start:end].strip(" ,，、:：;；")
        start = after


def _breaks(view: View) -> Iterator[tuple[int, int]]:
    """Where a stretch ends and the next begins."""
    statement = view.statement
    held = (*statement.names, *statement.quotes, *statement.moments, *statement.quantities)
    spans = [(m.start, m.end) for m in held]
    # The labels of a printed series tell which one it is; they say nothing.
    spans += [match.span() for match in LABELS.finditer(view.text)]
    for match in _CUT.finditer(view.text):
        if not any(start <= match.start() < end for start, end in spans):
            yield match.span()


def _places(text: str, parts: Sequence[Part]) -> Iterator[tuple[int, int]]:
    """Where the words of the parts stand; a part knows its words alone."""
    for words in {part.text for part in parts if part.text}:
        at = text.find(words)
        while at >= 0:
            yield at, at + len(words)
            at = text.find(words, at + len(words))


def _says_something(view: View, start: int, end: int) -> bool:
    """Tell whether a stretch has words of its own beside names and numbers."""
    statement = view.statement
    held = (*statement.names, *statement.quotes, *statement.moments, *statement.quantities)
    # When it was and which of its values is meant: a part that has a number is judged by them.
    held = (*held, *(w for w in statement.words if w.kind in _FRAMING))
    spans = [(m.start, m.end) for m in held]
    spans += [match.span() for match in LABELS.finditer(view.text)]
    bare = list(view.text[start:end])
    for begin, stop in spans:
        for at in range(max(begin, start), min(stop, end)):
            bare[at - start] = " "
    text = "".join(bare)
    words = [w for w in _WORD.findall(text) if w.lower() not in _EMPTY]
    return len(words) >= _LEAST_WORDS or len(_HAN.findall(text)) >= _LEAST_HAN
