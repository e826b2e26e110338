"""From a sentence to everything in it that evidence can bear out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo

from superbizagent.analysis.claims.mentions import Clause, Mention, Place, Sentence, Statement
from superbizagent.analysis.claims.scan._spans import Taken
from superbizagent.analysis.claims.scan.clauses import find_clauses
from superbizagent.analysis.claims.scan.moments import find_moments
from superbizagent.analysis.claims.scan.names import NameTable, find_names
from superbizagent.analysis.claims.scan.protected import find_protected
from superbizagent.analysis.claims.scan.quantities import find_quantities
from superbizagent.analysis.claims.scan.quotes import find_code_words, find_quotes
from superbizagent.analysis.claims.scan.words import find_words

__all__ = ["Setting", "scan"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a sentence is read against."""

    now: datetime
    """Aware; what "8 min ago" counts from and what a time without a date is nearest to."""
    zone: tzinfo = UTC
    """Of times that are written without one."""
    names: NameTable = field(default_factory=lambda: NameTable({}))


def scan(sentence: Sentence, setting: Setting) -> Statement:
    """Return what a sentence says.

    What is read first is not read again: a number in a quotation is the quotation's, a digit in a
    name the name's. Code and a sentence that was cut hold nothing.
    """
    text = sentence.text
    if sentence.place is Place.CODE or sentence.too_long:
        return Statement(sentence, (Clause(0, len(text)),))
    taken = Taken()
    quotes = find_quotes(text)
    taken.add(_spans(quotes))
    names = find_names(text, setting.names, taken.spans)
    taken.add(_spans(names))
    code_words = find_code_words(text, taken.spans)
    taken.add(_spans(code_words))
    protected = find_protected(text, taken.spans)
    taken.add(protected.spans)
    moments = find_moments(text, taken.spans, setting.now, setting.zone)
    taken.add(_spans(moments))
    quantities = find_quantities(text, taken.spans)
    taken.add(_spans(quantities))
    words = (*protected.words, *find_words(text, taken.spans))
    return Statement(
        sentence,
        find_clauses(text, words),
        names,
        quantities,
        moments,
        tuple(sorted((*quotes, *code_words), key=_start)),
        tuple(sorted(words, key=_start)),
        tuple(_unread(text, taken)),
    )


_ALONE = re.compile(
    r"(?<![^\s(（\[=:：,，、~≈<>])[0-9]+(?:[.,][0-9]+)*(?= ?[a-zA-Z%/]|[\s,;。，；)）]|$)"
)


def _unread(text: str, taken: Taken) -> Iterator[Mention]:
    """Yield numbers that stand alone and were read as nothing: an unknown unit, say."""
    for match in _ALONE.finditer(text):
        if taken.free(*match.span()) and not _is_date_part(text, match.start()):
            yield Mention(match.start(), match.end(), match[0])


def _is_date_part(text: str, start: int) -> bool:
    """A year is no amount that evidence could hold."""
    return re.match(r"(?:19|20)[0-9]{2}(?![0-9.])", text[start : start + 5]) is not None


def _spans(mentions: Iterable[Mention]) -> list[tuple[int, int]]:
    return [(mention.start, mention.end) for mention in mentions]


def _start(mention: Mention) -> int:
    return mention.start
