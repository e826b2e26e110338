"""Fixed phrases of two languages, found in one pass over a text, the longest first."""

import re
from collections.abc import Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

__all__ = ["Hit", "Phrases", "Span", "inflections", "listed", "spellings"]

Meaning = TypeVar("Meaning")
Span = tuple[int, int]
"""``(start, end)`` in characters of a text."""

# Apostrophes belong to a word (didn't); an underscore glues an identifier, which is no word.
_TOKEN = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9]+(?:['’][A-Za-z]+)?(?![A-Za-z0-9_])")
_HAN = re.compile(r"[㐀-鿿]")
# Words of a phrase stand one blank or hyphen apart: "out of memory", "out-of-memory".
_GAPS = frozenset({" ", "-"})
_HISSES = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


class Hit(NamedTuple, Generic[Meaning]):
    """A phrase found at ``text[start:end]``, with what was stored for it."""

    start: int
    end: int
    meaning: Meaning
    joined: bool
    """A hyphen ties it to another word: ``read-only`` holds ``only``."""


class Phrases(Generic[Meaning]):
    """A table of phrases: Latin ones match whole words in any case, Chinese ones anywhere.

    The time of `find` grows with the text and with the few phrases that share their first word,
    never with the size of the table.
    """

    def __init__(self, table: Mapping[str, Meaning]) -> None:
        """Index ``table``: phrase in lower case, its words one blank apart -> meaning."""
        self._latin: dict[str, list[tuple[tuple[str, ...], Meaning]]] = {}
        self._han: dict[str, list[tuple[str, Meaning]]] = {}
        # Longest first, so that the first that fits is the one.
        for phrase in sorted(table, key=lambda p: (-len(p), p)):
            if _HAN.match(phrase):
                self._han.setdefault(phrase[0], []).append((phrase, table[phrase]))
            else:
                words = tuple(phrase.split())
                self._latin.setdefault(words[0], []).append((words, table[phrase]))
        for entries in self._latin.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def find(self, text: str, taken: Iterable[Span] = ()) -> list[Hit[Meaning]]:
        """Return the phrases of ``text`` in its order, none of which overlap.

        Args:
            text: Any text.
            taken: Spans that no phrase may reach into.
        """
        free = bytearray(b"\x01") * len(text)
        for start, end in taken:
            free[max(0, start) : end] = bytes(max(0, min(end, len(text)) - max(0, start)))
        hits = [*self._find_latin(text, free), *self._find_han(text, free)]
        hits.sort(key=lambda hit: hit.start)
        return hits

    def _find_latin(self, text: str, free: bytearray) -> list[Hit[Meaning]]:
        spans = [m.span() for m in _TOKEN.finditer(text)]
        words = [text[a:b].lower().replace("’", "'") for a, b in spans]
        hits: list[Hit[Meaning]] = []
        k = 0
        while k < len(words):
            length, meaning = self._longest(text, words, spans, k, free)
            if length and meaning is not None:
                start, end = spans[k][0], spans[k + length - 1][1]
                joined = text[start - 1 : start] == "-" or text[end : end + 1] == "-"
                hits.append(Hit(start, end, meaning, joined))
            k += max(1, length)
        return hits

    def _longest(
        self, text: str, words: list[str], spans: list[Span], k: int, free: bytearray
    ) -> tuple[int, Meaning | None]:
        """Return how many words the longest phrase at word ``k`` has, and its meaning."""
        for phrase, meaning in self._latin.get(words[k], ()):
            last = k + len(phrase) - 1
            if tuple(words[k : last + 1]) != phrase:
                continue
            gaps = (text[spans[j][1] : spans[j + 1][0]] for j in range(k, last))
            if all(gap in _GAPS for gap in gaps) and _is_free(free, spans[k][0], spans[last][1]):
                return len(phrase), meaning
        return 0, None

    def _find_han(self, text: str, free: bytearray) -> list[Hit[Meaning]]:
        hits: list[Hit[Meaning]] = []
        end = 0
        for match in _HAN.finditer(text):
            start = match.start()
            if start < end:
                continue
            for phrase, meaning in self._han.get(match.group(), ()):
                if text.startswith(phrase, start) and _is_free(free, start, start + len(phrase)):
                    end = start + len(phrase)
                    hits.append(Hit(start, end, meaning, joined=False))
                    break
        return hits


def _is_free(free: bytearray, start: int, end: int) -> bool:
    return free.find(b"\x00", start, end) < 0


def listed(listing: str) -> list[tuple[str, str]]:
    """Return the headings of a listing, each with the lines indented below it, joined."""
    entries: list[tuple[str, list[str]]] = []
    for line in listing.splitlines():
        if line[:1] == " ":
            entries[-1][1].append(line)
        elif line:
            entries.append((line, []))
    return [(heading, " ".join(lines)) for heading, lines in entries]


def spellings(listing: str) -> list[str]:
    """Return the phrases of a listing: comma-separated, inflected where they are marked.

    A word marked ``climb*`` stands for climb, climbs, climbed, climbing; ``drop**`` doubles its
    last letter (dropped); ``request+`` stands for request, requests.
    """
    phrases: list[str] = []
    for item in (part.strip() for part in listing.replace("\n", " ").split(",")):
        marked = next((word for word in item.split() if word[-1] in "*+"), "")
        forms = inflections(marked) if marked else ("",)
        phrases.extend(item.replace(marked, form) if marked else item for form in forms)
    return [phrase for phrase in phrases if phrase]


def inflections(marked: str) -> tuple[str, ...]:
    """Return the forms of a regular English word marked as in `spellings`."""
    base = marked.rstrip("*+")
    soft = base.endswith("y") and base[-2:-1] not in _VOWELS
    root = base[:-1] + "i" if soft else base
    many = root + ("es" if soft or base.endswith(_HISSES) else "s")
    if marked.endswith("+"):
        return base, many
    stem = base + base[-1] if marked.endswith("**") else base
    past = (root if soft else stem) + ("d" if base.endswith("e") else "ed")
    cut = base.endswith("e") and not base.endswith("ee")
    return base, many, past, (base[:-1] if cut else stem) + "ing"
