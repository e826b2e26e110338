"""Which way the numbers of a sentence go by themselves: the words between must not deny it."""

import re

from superbizagent.analysis.claims.compare.binding import period_of
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Form, Quantity, Word, WordKind

__all__ = ["COMPARATIVES", "is_after_peak", "is_even", "multiple_denied", "pair_of_word"]

COMPARATIVES = frozenset(
    (
        *("longer", "shorter", "more", "less", "fewer", "lower", "higher"),
        *("slower", "faster", "larger", "smaller", "greater"),
    )
)
"""Two things compared, or one that is called so: no movement, unless numbers say from where."""
_SAME = 0.15
"""Two levels that differ by less are called even: three times the band of 5 % in which a flat
series is quiet."""
_LATER = re.compile(r"\b(?:later|afterwards?|then)\b|之后|以后|后|随后")
_EARLIER = re.compile(r"\b(?:earlier|before|previously)\b|之前|前")
_THAN = re.compile(r"\bthan\b|\bagainst\b|\bcompared\b|\bas opposed to\b|\bversus\b")
_PEAK = re.compile(r"\b(?:peak\w*|highest|lowest|maxim\w*|topped|worst)\b|峰值|最高|最低|见顶|最大")
_SINCE = re.compile(
    r"\b(?:after that|afterwards?|from then on|since then|then on)\b|此后|之后|随后"
)

Pair = tuple[Quantity, Quantity]
"""What it was, and what it became."""


def is_even(one: float, other: float) -> bool:
    """Tell whether two levels are called the same."""
    return abs(one - other) <= _SAME * max(abs(one), abs(other))


def pair_of_word(view: View, word: Word) -> Pair | None:
    """Return the two numbers that a word of direction lies between.

    "From a to b" and "a before, b now" of its clause, else of a sentence that goes one way only;
    "it was a, and rose to b later"; "slower (a) than (b)", where b is the first.
    """
    clause = view.clause_of(word)
    values = [q for q in view.statement.quantities if q.form is Form.VALUE]
    own = [q for q in values if clause.holds(q)]
    if word.text.lower() in COMPARATIVES:
        compared = _compared(view, word, values)
        if compared is not None:
            return compared
    words = view.statement.words_of(WordKind.DIRECTION)
    alone = all(w.value == word.value for w in words)
    for numbers in (own, values if alone else []):
        found = _old_and_new(view, numbers)
        if found is not None:
            return found
    return _in_sequence(view, word, values)


def _old_and_new(view: View, numbers: list[Quantity]) -> Pair | None:
    sides: dict[str, list[Quantity]] = {"baseline": [], "incident": [], "": []}
    for number in numbers:
        sides[period_of(view, number)].append(number)
    old, new = sides["baseline"], sides["incident"] or sides[""]
    new = [q for q in new if old and q.unit == old[0].unit]
    if len(old) == 1 and len(new) == 1:
        return old[0], new[0]
    return _from_and_to(view, numbers)


def _from_and_to(view: View, numbers: list[Quantity]) -> Pair | None:
    """Return "from a median of 5 to a peak of 11": the first number behind each word."""
    words = view.statement.words_of(WordKind.PERIOD)
    ends = [[w for w in words if w.value == value] for value in ("from", "to")]
    if not numbers or any(len(each) != 1 for each in ends):
        return None
    old, new = ([q for q in numbers if q.start >= each[0].end][:1] for each in ends)
    if not old or not new or old[0] is new[0] or old[0].unit != new[0].unit:
        return None
    return old[0], new[0]


def _in_sequence(view: View, word: Word, values: list[Quantity]) -> Pair | None:
    """Return the neighbours of a word whose text says which came later."""
    behind = [q for q in values if q.start >= word.end]
    if not behind:
        return None
    new = behind[0]
    old = [q for q in values if q.end <= word.start and q.unit == new.unit]
    if old and _LATER.search(view.text, old[-1].end, new.start):
        return old[-1], new
    later = [q for q in behind[1:] if q.unit == new.unit]
    if later and _EARLIER.search(view.text, new.end, later[0].start):
        return later[0], new
    return None


def _compared(view: View, word: Word, values: list[Quantity]) -> Pair | None:
    than = _THAN.search(view.text, word.end)
    if than is None:
        return None
    left = [q for q in values if q.end <= than.start()]
    right = [q for q in values if q.start >= than.end()]
    if len(left) != 1 or len(right) != 1 or left[0].unit != right[0].unit:
        return None
    return right[0], left[0]


def multiple_denied(view: View, quantity: Quantity) -> bool:
    """Tell whether "doubled" or "halved" stands with two numbers that go the other way."""
    clause = view.clause_of(quantity)
    values = [q for q in view.statement.quantities if q.form is Form.VALUE]
    own = [q for q in values if clause.holds(q)]
    pair = _old_and_new(view, own) or _old_and_new(view, values)
    words = view.statement.words_of(WordKind.DIRECTION)
    # "A threefold drop": the word has said which way.
    if pair is None or any(w.value == "down" for w in words) or quantity.value == 1:
        return False
    old, new = pair
    return old.value != new.value and (quantity.value > 1) != (new.value > old.value)


def is_after_peak(view: View, word: Word) -> bool:
    """Tell whether a word speaks of what came after a peak: "and fell with every sample since"."""
    clause = view.clause_of(word)
    return bool(
        _PEAK.search(view.text.lower(), 0, word.start)
        and _SINCE.search(view.text.lower(), clause.start, clause.end)
    )
