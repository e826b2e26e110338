"""Clauses: which words of a sentence belong to which number and name."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from superbizagent.analysis.claims.mentions import Clause, Word, WordKind
from superbizagent.analysis.claims.scan.lexicon.verbs import FINITE, FINITE_ZH

__all__ = ["find_clauses"]

# A comma between digits groups them (3,690); a colon between digits is a time.
_JOINT = re.compile(
    r"(?P<hard>[;；]|\s[—–]\s|(?<!\d):\s|：)"
    r"|(?P<soft>(?<!\d),|,(?!\d)|[，、]|\s\((?=[a-z])"
    r"|\s(?:and(?!\sa\s(?:half|quarter|third|bit)\b)|while|(?<!nothing\s)but|whereas|although|though|yet|when)\s|"
    r"并且|但是|但|而且|而(?!不是|非|言)|同时|且|以及|，?其中)",
    re.IGNORECASE,
)
_VERB = re.compile(rf"\b(?:{'|'.join(sorted(FINITE))})\b", re.IGNORECASE)
_VERB_ZH = re.compile("|".join(sorted(FINITE_ZH, key=len, reverse=True)))
# Without those that also stand in a mere adverbial: 从 12:41 到结束.
_STRONG_ZH = re.compile("|".join(sorted(v for v in FINITE_ZH if len(v) > 1 or v in "是有报占剩")))
_HAN = re.compile(r"[㐀-鿿]")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|"
    r"million|half|third|quarter|none|no|zero)\b|[一二两三四五六七八九十百千万半零]+\s?(?:次|条|个|倍|秒|毫秒|"
    r"分钟|小时|成|台|笔|行|分之)",
    re.IGNORECASE,
)
# A head is something named in front of the number, as in "and order-service 717".
_HEAD = re.compile(r"[A-Za-z㐀-鿿]")
_NO_HEAD = re.compile(
    r"\W*(?:(?:and|but|while|whereas|about|around|roughly|nearly|almost|some|just|only|over|under|"
    r"of|or|to|at|in|on|from|by|for|with|than|per|another|more|less|as|many|much|which|"
    r"after|before|since|until|then|between|against|when|yet|though|up|down|a|an|the|versus|vs|"
    r"约|近|超过|不到|仅|只有|其中|即|或|和|与|到|至|并且|而|但|同时|且|以及|也就是|相当于|共)\W*)*",
    re.IGNORECASE,
)
# "803 failures on storefront, 717 on order-service": the name stands behind the number.
_PLACED = re.compile(
    r"\d[^,;，；]{0,40}?\s(?:on|at|in|for|by|from)\s+(?!(?:use|flight|average|total|all|most|the|a|an|each|every|least)\b)"
    r"[A-Za-z]",
    re.IGNORECASE,
)
_ADVERBIAL = re.compile(
    r"\W*(?:and\s+|but\s+|while\s+)?(?:at|since|from|during|in|after|by|on|between|before|until|within|"
    r"over|around|as of|for|under|with|throughout|according to|instead of|unlike|compared|against|"
    r"out of|among|besides|per|despite|relative to|on average|overall|today|yesterday|now)\b"
    r"|[\s，、]*(?:在|自|从|于|当|到|至|截至|据|根据|按|与|和|除|相比|对于|比|较|今天|昨天|随着|\d{1,2}[:点时])",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|both|either|from)\b[^,;]{0,40}$", re.IGNORECASE)
_PREDICATES = frozenset(
    {
        WordKind.DIRECTION,
        WordKind.COURSE,
        WordKind.ABSENCE,
        WordKind.NEGATION,
        WordKind.COMPARISON,
        WordKind.CAUSE,
        WordKind.NOVELTY,
    }
)
_PAIRED = frozenset({WordKind.PERIOD, WordKind.STATISTIC, WordKind.ORDER})
"""Kinds that tell numbers apart: "31 ms before and 2.6 s after"."""


class _Piece(NamedTuple):
    """The text between two joints."""

    start: int
    end: int
    hard: bool
    """It begins at a joint that always divides."""
    linked: bool
    """It begins with a conjunction."""


def find_clauses(text: str, words: Iterable[Word]) -> tuple[Clause, ...]:
    """Divide a sentence where both sides say something of their own.

    The clauses cover the whole text. A part that says nothing alone, such as "at 12:41," or
    ", 19.4 %", stays with the clause it belongs to. Words of cause and order stand at the start of
    the clause behind them: what they connect may lie in two clauses.

    Args:
        text: A normalised sentence.
        words: Its words, as `words.find_words` returns them.
    """
    said = list(words)
    pieces = _pieces(text)
    clauses: list[Clause] = []
    start = 0
    for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
        if after is None:
            clauses.append(Clause(start, len(text)))
        elif _divides(text, said, Clause(start, piece.end), after, pieces[-1].end):
            clauses.append(Clause(start, after.start))
            start = after.start
    return tuple(clauses)


def _pieces(text: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    start, hard, linked = 0, True, False
    for match in _JOINT.finditer(text):
        is_word = match.group().strip()[:1].isalpha()
        if match.end() >= len(text):
            continue
        if not text[start : match.start()].strip():
            linked = linked or is_word  # ", and": one joint
            continue
        pieces.append(_Piece(start, match.start(), hard, linked))
        # A conjunction belongs to what it opens; a comma to what it closes.
        start = match.start() if is_word else match.end()
        hard, linked = match.lastgroup == "hard", is_word
    pieces.append(_Piece(start, len(text), hard, linked))
    return pieces


def _divides(text: str, words: list[Word], left: Clause, right: _Piece, end: int) -> bool:
    here = Clause(right.start, right.end)
    if not _says(text, words, left):
        return False
    if (
        right.linked
        and _BETWEEN.search(text[left.start : left.end])
        and not _acts(text, words, here)
    ):
        return False
    if _says(text, words, here):
        return True
    # "…, and at 12:41, B fell" and "…; memory: 2 GB": the part opens what follows it.
    opens = right.linked or right.hard
    part = text[here.start : here.end]
    leads = bool(_ADVERBIAL.match(part)) or text[here.end : here.end + 1] in {":", "："}
    return opens and leads and right.end < end and _says(text, words, Clause(right.start, end))


def _says(text: str, words: list[Word], clause: Clause) -> bool:
    """Tell whether a part of a sentence can stand alone."""
    part = text[clause.start : clause.end]
    if _acts(text, words, clause):
        return not _is_adverbial(part, words, clause)
    if _PLACED.search(part):
        return True
    number = _NUMBER.search(part)
    if number is None or _ADVERBIAL.match(part):
        return False
    head = part[: number.start()]
    named = bool(_HEAD.search(head)) and not _NO_HEAD.fullmatch(head)
    return named or any(w.kind in _PAIRED and clause.holds(w) for w in words)


def _acts(text: str, words: list[Word], clause: Clause) -> bool:
    """Tell whether a part has a predicate."""
    if any(w.kind in _PREDICATES and clause.holds(w) for w in words):
        return True
    part = text[clause.start : clause.end]
    if _VERB.search(part):
        return True
    return bool(_HAN.search(part)) and bool(_VERB_ZH.search(part))


def _is_adverbial(part: str, words: list[Word], clause: Clause) -> bool:
    """Tell whether a part only says when, where or compared to what."""
    if not _ADVERBIAL.match(part):
        return False
    moves = any(w.kind in _PREDICATES and clause.holds(w) for w in words)
    return not moves and not _VERB.search(part) and not _STRONG_ZH.search(part)
