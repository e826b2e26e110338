"""Words of relation and of concepts: what a sentence says besides its names and numbers."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from superbizagent.analysis.claims.mentions import Word, WordKind
from superbizagent.analysis.claims.phrases import Hit, Span
from superbizagent.analysis.claims.scan.lexicon import LEXICON
from superbizagent.analysis.claims.scan.lexicon.rows import Sense
from superbizagent.analysis.claims.scan.lexicon.rules import REACH, Around, holds
from superbizagent.analysis.claims.scan.lexicon.verbs import (
    NEVER_OBJECTS,
    OBJECTS,
    ORDERS,
    ORDERS_ZH,
    WEAK_ORDERS,
)

__all__ = ["find_words"]

# What may stand between the start of a sentence and the verb of an order.
_LEAD = (
    r"(?:[A-Za-z][A-Za-z ]{0,30}:\s+)?"
    r"(?:(?:if|when|once|to|before|after|until|in|on|for|as)\b[^,;]{0,120},\s+)?"
    r"(?:(?:first|then|next|now|immediately|finally|also|otherwise|second|third|quickly|manually|"
    r"urgently|please|temporarily|meanwhile|just|simply|and|or),?\s+){0,2}"
)
_ORDER = re.compile(rf"\W*{_LEAD}([a-z]+(?:['’]t)?)\b[\s-]*([a-z]*)", re.IGNORECASE)
_FURTHER = re.compile(
    r"(?:[,;]\s*(?:and |or |then |and then )?|\b(?:and|or|then)\s+)([a-z]+)\b[\s-]*([a-z]*)",
    re.IGNORECASE,
)
_ORDER_ZH = re.compile(
    rf"[\W_]*(?:[一-鿿]{{1,6}}[：:]\s*)?(?:先|立即|尽快|然后|并|再|马上|首先|其次|手动)?"
    rf"({'|'.join(sorted(ORDERS_ZH, key=len, reverse=True))})"
    r"(?!后|前|时|了|过|次数|完|的|由|被|期间|之|导致|使|失败|成功|操作|发生|出|显示|发现|\s*\d)"
)
# "Add up the times and you get 162 minutes" states, though it begins as an order.
_SUM = re.compile(
    r"\b(?:you|we|one) (?:will )?(?:gets?|sees?|finds?|arrives?|has|have)\b", re.IGNORECASE
)
_ADJECTIVES = re.compile(
    r"\s*(?:(?:significant|significantly|real|visible|visibly|notable|noticeable|further|such|clear|"
    r"sharp|corresponding|measurable|obvious|similar|sudden|apparent|meaningful|fully|really|"
    r"again|ever|actually|明显|显著|任何|再|进一步|继续)\s*){0,2}"
)
# What "no" and "never" turn when they stand before it, instead of denying that a thing exists.
_STOP = re.compile(r"[,;:，；：。]")
_PREDICATES = frozenset({WordKind.DIRECTION, WordKind.COURSE, WordKind.CAUSE, WordKind.ORDER})
_TURNING = frozenset({WordKind.ABSENCE, WordKind.NEGATION})
_BOUND = re.compile(
    r"\s+(?:below|above|under|over|beyond|past)\b|\s*(?:到|至)?\s*\d[^，。；]*以[上下]"
)


def find_words(text: str, taken: Iterable[Span] = ()) -> tuple[Word, ...]:
    """Return the words of a sentence that say something, in its order.

    A phrase with several meanings gives one `Word` for each, over the same characters. Words do
    not overlap otherwise, and none reaches into ``taken``.

    Args:
        text: A normalised sentence.
        taken: Spans that were read as names, quotes, numbers or times.
    """
    spans = list(taken)
    orders = [span for span in _orders(text) if _is_free(span, spans)]
    words = [_word(text, a, b, WordKind.ADVICE, "advice") for a, b in orders]
    for hit in LEXICON.find(text, [*spans, *orders]):
        words.extend(
            _word(text, hit.start, hit.end, sense.kind, sense.value) for sense in _senses(text, hit)
        )
    words.sort(key=lambda word: word.start)
    return _settled(text, words)


def _word(text: str, start: int, end: int, kind: WordKind, value: str) -> Word:
    return Word(start=start, end=end, text=text[start:end], kind=kind, value=value)


def _is_free(span: Span, taken: list[Span]) -> bool:
    return all(span[1] <= start or end <= span[0] for start, end in taken)


def _senses(text: str, hit: Hit[tuple[Sense, ...]]) -> Iterator[Sense]:
    around = Around(
        text[max(0, hit.start - REACH) : hit.start].lower(),
        text[hit.end : hit.end + REACH].lower(),
    )
    said: set[tuple[WordKind, str]] = set()
    for sense in hit.meaning:
        # read-only, built-in, non-zero: only what is measured keeps its meaning in a compound.
        fits = not hit.joined or sense.kind is WordKind.CONCEPT
        if fits and sense[:2] not in said and holds(sense, around):
            said.add(sense[:2])
            yield sense


def _orders(text: str) -> list[Span]:
    """Return the verbs of a sentence that begins with an order, 检查 … or ``Check …``."""
    match = _ORDER_ZH.match(text)
    if match:
        return [match.span(1)]
    match = _ORDER.match(text)
    if match is None or not _is_order(match) or _SUM.search(text, match.end()):
        return []
    more = (m for m in _FURTHER.finditer(text, match.end(1)) if _is_order(m))
    return [match.span(1), *(m.span(1) for m in more)]


def _is_order(match: re.Match[str]) -> bool:
    verb, behind = match.group(1).lower(), match.group(2).lower()
    if match.group(1).isupper():
        return False  # GET /products is a request
    if verb in WEAK_ORDERS:
        return behind in OBJECTS
    return verb.replace("’", "'") in ORDERS and behind not in NEVER_OBJECTS


def _settled(text: str, words: list[Word]) -> tuple[Word, ...]:
    """Read "no rise" as a negation of what follows, and "never fell below 5" as its bound alone.

    "No change shows up" denies the change, so its "shows up" is no word of its own.
    """
    following = _predicates_behind(words)
    settled: list[Word] = []
    bounded = absent = -1
    for word, behind in zip(words, following, strict=True):
        turned = behind if word.kind in _TURNING and _touches(text, word, behind) else None
        if word.kind is WordKind.ABSENCE:
            absent = word.end
        if turned is not None and _BOUND.match(text, turned.end):
            bounded = turned.start
        elif turned is not None:
            settled.append(replace(word, kind=WordKind.NEGATION, value="not"))
        elif word.start != bounded and not _is_denied(text, word, absent):
            settled.append(word)
    return tuple(settled)


def _predicates_behind(words: list[Word]) -> list[Word | None]:
    """Return for each word the first predicate that begins behind it."""
    found: list[Word | None] = []
    nearest: Word | None = None
    later: list[Word] = []  # predicates at the same place as the word in hand
    for word in reversed(words):
        if later and later[-1].start >= word.end:
            nearest, later = later[-1], []
        found.append(nearest)
        if word.kind in _PREDICATES:
            later.append(word)
    return found[::-1]


def _touches(text: str, word: Word, behind: Word | None) -> bool:
    return behind is not None and bool(_ADJECTIVES.fullmatch(text, word.end, behind.start))


def _is_denied(text: str, word: Word, absent: int) -> bool:
    if word.value != "appeared" or absent < 0:
        return False
    return not _STOP.search(text, absent, word.start)
