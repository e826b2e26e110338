"""Look up the phrase that stands right before or right behind a place of a text."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

__all__ = ["Adjacent"]

Meaning = TypeVar("Meaning")


def _spelt_out(phrases: str) -> Iterator[str]:
    """Yield each phrase of ``a|b了?`` in every spelling: a, b, b了."""
    for phrase in phrases.split("|"):
        yield phrase.removesuffix("了?")
        if phrase.endswith("了?"):
            yield phrase.removesuffix("?")


def _is_letter(c: str) -> bool:
    return c.isascii() and c.isalpha()


def _patterns(phrases: Iterable[str], boundary: str) -> dict[str, re.Pattern[str]]:
    """Compile phrases, longest first, one pattern for each first character."""
    by_first: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        by_first.setdefault(phrase[0], []).append(phrase)
    return {
        first: re.compile(
            "|".join(re.escape(p) + (boundary if _is_letter(p[-1]) else "") for p in those)
        )
        for first, those in by_first.items()
    }


class Adjacent(Generic[Meaning]):
    """A table of phrases, each with its meaning; the longest that fits is taken.

    A phrase that begins or ends in a letter of English must begin or end a word there. Phrases
    are matched from the place outwards (backwards on the reversed text), so that a look-up never
    searches: it takes a time that does not depend on the text.
    """

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        """Compile the table.

        Args:
            meanings: Meaning by phrases, lower case, joined by ``|``; a phrase that ends in
                ``了?`` is there with and without it.
        """
        self._meanings = {p: m for joined, m in meanings.items() for p in _spelt_out(joined)}
        # One character more, to see that a word begins.
        self._longest = max(map(len, self._meanings)) + 1
        self._behind = _patterns(self._meanings, "(?![a-z])")
        self._before = _patterns((p[::-1] for p in self._meanings), "(?![a-z0-9_-])")

    def before(self, text: str, end: int) -> tuple[int, Meaning] | None:
        """Find the phrase that ends at ``end``, one blank between allowed.

        Returns:
            Where it begins and what it means.
        """
        end -= end > 0 and text[end - 1] == " "
        pattern = self._before.get(text[end - 1].lower()) if end > 0 else None
        if pattern is None:
            return None
        found = pattern.match(text[max(0, end - self._longest) : end][::-1].lower())
        return None if found is None else (end - found.end(), self._meanings[found[0][::-1]])

    def behind(self, text: str, start: int) -> tuple[int, Meaning] | None:
        """Find the phrase that begins at ``start``, one blank between allowed.

        Returns:
            Where it ends and what it means.
        """
        start += text[start : start + 1] == " "
        pattern = self._behind.get(text[start : start + 1].lower())
        if pattern is None:
            return None
        found = pattern.match(text[start : start + self._longest].lower())
        return None if found is None else (start + found.end(), self._meanings[found[0]])
