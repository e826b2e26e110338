"""The words around a point in time: since, until, before, about."""

import re

__all__ = ["is_about", "is_range", "places_a_clock", "preposition"]

_REACH = 24
"""Characters to either side that are looked at."""
_ABOUT = (
    r"(?:about|around|approximately|approx\.?|roughly|circa|ca\.|some|shortly|nearly|almost|just"
    r"|soon|~|≈"
    r"|约|大约|大概|将近|接近|近)"
)
_ABOUT_BEFORE = re.compile(_ABOUT + r" ?(?:at |the |before |after |since |on )?$", re.IGNORECASE)
_ABOUT_BEHIND = re.compile(r"(?: or so|-ish|ish\b| ?左右| ?前后| ?许)")
_LEAD = re.compile(r"(?:[\s(（\[\"'“]|" + _ABOUT + r"|\bthe\b|\bat\b)$", re.IGNORECASE)
_SINCE = (
    r"\b(?:since|from|between|starting(?: at| from| on)?|beginning(?: at)?|as of)|自从?|从|自打"
)
# "prior to" comes before "to".
_BEFORE = tuple(
    (word, re.compile(f"(?:{pattern})$", re.IGNORECASE))
    for word, pattern in (
        ("since", _SINCE),
        ("before", r"\b(?:before|by|prior to|ahead of|earlier than|preceding)|早于|先于"),
        ("until", r"\b(?:until|till?|to|through|thru|up to)|直?到|至|截[至止]到?"),
        ("after", r"\b(?:after|following|past|later than)|晚于"),
    )
)
_BEHIND = (
    ("since", re.compile(r" ?(?:onwards?\b|on(?=[,.;]|$)|起|开始|以来|(?:之?后|以后)?一?直)")),
    ("before", re.compile(r" ?(?:之前|以前|前(?!后))")),
    ("after", re.compile(r" ?(?:之后|以后|过后|后(?!续|端|台))")),
    ("until", re.compile(r" ?(?:为止)")),
)
_RANGE = re.compile(
    r"[\"'”)]? ?(?:-|–|—|~|→|->|,? ?\b(?:to|until|till|through)\b|到|至|直到|and|和|与) ?"
    r"(?:about |around |约 ?|at |[\"'“(])?"
)
_AND = re.compile(r"\b(?:and)\b|[和与]")
_BETWEEN = re.compile(r"\bbetween\b|在", re.IGNORECASE)
_PLACED_BEFORE = re.compile(r"(?:[在于从自到至约]|截至|\bat|\bsince|\bfrom|\bby) ?$", re.IGNORECASE)
_PLACED_BEHIND = re.compile(r" ?(?:左右|前后|之前|之后|以后|以前|后|前|起|开始|许|多)")


def preposition(text: str, before: int, start: int, end: int) -> str:
    """Return how a point in time at ``[start, end)`` is meant: at, since, until, before, after.

    Args:
        text: The sentence.
        before: Where the point in time before it ends; nothing is read beyond.
        start: Its first character.
        end: Behind its last character.
    """
    lead = text[max(before, start - _REACH) : start]
    for _ in range(6):  # "since about the": at most a few words stand between
        shorter = _LEAD.sub("", lead)
        if shorter == lead:
            break
        lead = shorter
    for word, pattern in _BEHIND:
        if word != "since" and pattern.match(text, end, end + _REACH):
            return word
    for word, pattern in _BEFORE:
        if pattern.search(lead):
            return word
    return "since" if _BEHIND[0][1].match(text, end, end + _REACH) else "at"


def is_about(text: str, start: int, end: int) -> bool:
    """Tell whether a point in time is given roughly."""
    return (
        _ABOUT_BEFORE.search(text[max(0, start - _REACH) : start]) is not None
        or _ABOUT_BEHIND.match(text, end, end + _REACH) is not None
    )


def is_range(text: str, end: int, start: int) -> bool:
    """Tell whether two points in time are the ends of a range.

    Args:
        text: The sentence.
        end: Where the first ends.
        start: Where the second begins.
    """
    if start - end > _REACH or not _RANGE.fullmatch(text, end, start):
        return False
    if not _AND.search(text, end, start):
        return True
    # "between 12:41 and 12:47": the word stands before the first.
    return _BETWEEN.search(text[max(0, end - 2 * _REACH) : end]) is not None


def places_a_clock(text: str, start: int, end: int) -> bool:
    """Tell whether the words around a bare ``12 点`` make a time of it: 在 12 点左右."""
    before = _PLACED_BEFORE.search(text[max(0, start - _REACH) : start])
    return before is not None and _PLACED_BEHIND.match(text, end) is not None
