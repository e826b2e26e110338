"""How the word lists are written down: what it says, its phrases, and where they say so."""

from collections.abc import Iterator
from typing import NamedTuple

from superbizagent.analysis.claims.mentions import WordKind
from superbizagent.analysis.claims.phrases import listed, spellings

__all__ = ["Sense", "senses_of"]


class Sense(NamedTuple):
    """One meaning of a phrase."""

    kind: WordKind
    value: str
    rule: str = ""
    """Key of `rules.holds`: the phrase means this only there; ``!key``: only elsewhere."""


def senses_of(listing: str) -> Iterator[tuple[str, Sense | None]]:
    """Yield the phrases of a listing with what each means.

    A heading is ``kind value``, such as ``direction up``, with ``if rule`` or ``unless rule``
    behind it where the phrases have another meaning elsewhere. Phrases below ``nothing`` mean
    nothing and hide the words in them.
    """
    for heading, phrases in listed(listing):
        sense = _sense(heading.split())
        for phrase in spellings(phrases):
            yield phrase, sense


def _sense(words: list[str]) -> Sense | None:
    match words:
        case ["nothing"]:
            return None
        case [kind, value]:
            return Sense(WordKind(kind), value)
        case [kind, value, "if", rule]:
            return Sense(WordKind(kind), value, rule)
        case [kind, value, "unless", rule]:
            return Sense(WordKind(kind), value, f"!{rule}")
        case _:
            raise ValueError(f"not a heading of a word list: {' '.join(words)}")
