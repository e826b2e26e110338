"""Words that deny that something was there: which of them begin an absence."""

import re
from collections.abc import Iterator

from superbizagent.analysis.claims.compare._bands import counts_strayed
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Word, WordKind

__all__ = ["denials", "denies_changes", "is_absence"]

_VERB = re.compile(
    r"\s*(?:\w+ )?(?:log|record|report|show|see|find|contain|return|raise|throw|emit|write|produce)"
    r"(?:s|ged|ed)?\b|\s*(?:even )?(?:a |one )?single\b|\s*fail(?:ed)? (?:any|a single)\b"
    r"|\s*(?:再|任何|进行|做)*(?:(?:发布|部署|变更|上线|改动)(?:记录|过|操作|[。，,；;、)]|任何|$)|触发|记录|出现|发现|看到|报|打印|抛|产生|返回)"
)
"""A negated verb of finding: "did not log an error" is an absence."""
_NO_CHANGE = re.compile(r"no (?:\w+ )?changes?", re.IGNORECASE)
_RECORDED = re.compile(
    r" (?:of any kind )?(?:(?:was|were|is|are|has been|have been|had been) )?"
    r"(?:recorded|made|found|logged|known|deployed|rolled out|listed|reported)\b"
)
_NOTHING_ODD = re.compile(r"(?:并?未|没有?|无)(?:发现|出现|见到?|看到)(?:任何|明显)?(?:的)?异常")
_EMPTY = re.compile(r"(?:变更|发布)(?:列表|记录)为空|list of changes is empty", re.IGNORECASE)


def denials(view: View) -> Iterator[Word]:
    """Yield the words that say of a thing that it was not there, one a clause."""
    statement = view.statement
    found: list[Word] = list(statement.words_of(WordKind.ABSENCE))
    found += [w for w in statement.words_of(WordKind.SCOPE) if w.value == "none"]
    found += [w for w in statement.words_of(WordKind.DIRECTION) if _no_change(view, w)]
    found += [w for w in statement.words_of(WordKind.DIRECTION) if _NOTHING_ODD.fullmatch(w.text)]
    for word in statement.words_of(WordKind.NEGATION):
        if _VERB.match(view.text, word.end):
            found.append(word)
    empty = _EMPTY.search(view.text)
    if empty:
        found.append(Word(*empty.span(), empty[0], WordKind.ABSENCE, "none"))
    # "did not log a single error": one denial, though two words say it.
    seen: set[tuple[int, int]] = set()
    for word in sorted(found, key=lambda w: w.start):
        clause = view.clause_of(word)
        if (clause.start, clause.end) not in seen:
            seen.add((clause.start, clause.end))
            yield word


def is_absence(view: View, word: Word) -> bool:
    """Tell whether a word of direction says none: nothing odd, or the range that none left."""
    strayed = word.value == "flat" and counts_strayed(view, view.clause_of(word))
    return strayed or _NOTHING_ODD.fullmatch(word.text) is not None


def denies_changes(view: View, word: Word) -> bool:
    """Tell whether a word says that no change was made, not that a value stayed as it was."""
    return bool(_EMPTY.fullmatch(word.text)) or _no_change(view, word)


def _no_change(view: View, word: Word) -> bool:
    return bool(_NO_CHANGE.match(word.text) and _RECORDED.match(view.text, word.end))
