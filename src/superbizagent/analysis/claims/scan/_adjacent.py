"""Look up the phrase that stands right before or right behind a place of a text."""

import re
from collections.abc import Mapping
from typing import Generic, TypeVar

__all__ = ["Adjacent"]

Meaning = TypeVar("Meaning")


def _ends_in_letter(phrase: str) -> bool:
    return phrase[-1].isascii() and phrase[-1].isalpha()


class Adjacent(Generic[Meaning]):
    """A table of phrases, lower case, each with its meaning; the longest that fits is taken.

    A phrase that begins or ends in a letter of English must begin or end a word there. Phrases
    are matched from the place outwards (backwards on the reversed text), so that a look-up never
    searches: it takes a time that does not depend on the text.
    """

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        """Compile the table."""
        self._meanings = dict(meanings)
        self._longest = max(len(p) for p in meanings) + 2
        ordered = sorted(meanings, key=len, reverse=True)
        behind = "|".join(
            re.escape(p) + (r"(?![a-z])" if _ends_in_letter(p) else "") for p in ordered
        )
        backward = "|".join(
            re.escape(p[::-1]) + (r"(?![a-z0-9_-])" if _ends_in_letter(p[::-1]) else "")
            for p in ordered
        )
        self._behind = re.compile(f" ?({behind})")
        self._backward = re.compile(f" ?({backward})")

    def before(self, text: str, end: int) -> tuple[int, Meaning] | None:
        """Find the phrase that ends at ``end``, one space between allowed.

        Returns:
            Where it begins and what it means.
        """
        window = text[max(0, end - self._longest) : end][::-1].lower()
        found = self._backward.match(window)
        if found is None:
            return None
        return end - found.end(), self._meanings[found[1][::-1]]

    def behind(self, text: str, start: int) -> tuple[int, Meaning] | None:
        """Find the phrase that begins at ``start``, one space between allowed.

        Returns:
            Where it ends and what it means.
        """
        found = self._behind.match(text[start : start + self._longest].lower())
        if found is None:
            return None
        return start + found.end(), self._meanings[found[1]]
