"""Text in one form, so that a report is not warned about for how it writes a name.

Case, full-width characters and separators do not matter: ``Order Service``, ``ORDER_SERVICE``,
``orderservice`` and ``ｏｒｄｅｒ－ｓｅｒｖｉｃｅ`` all name ``order-service``. Whole names only:
``order`` is not named by ``order-service``, which is another entity.
"""

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["PlainText", "compact", "plain", "statements"]

_SEPARATORS = frozenset(" \t\r\n-_./·‐‑–—")
_DROP = dict.fromkeys(map(ord, _SEPARATORS))
_WORD = re.compile(r"[a-z0-9]")
_POD_SUFFIX = re.compile(r"-(?:[a-z0-9]{6,10}-[a-z0-9]{5}|\d{1,4})(?![a-z0-9-])")
"""What a Deployment or a StatefulSet appends to its name: the pod still names its workload."""
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)[\s#]*$")
_BOLD_HEADING = re.compile(r"^\s*(?:\*\*|__)([^*_]{1,60}?)[:：]?(?:\*\*|__)\s*[:：]?\s*(.*)$")
_LABEL = re.compile(
    r"^\s*(?:[-*]\s+)?([A-Za-z][A-Za-z ]{1,30}|[\u4e00-\u9fff]{2,10})\s*[:：]\s*(.*)$"
)
_RULE = re.compile(r"^[\s\-=*_#>|`:：.]*$")


def plain(text: str) -> str:
    """Return text in compatibility form, case folded (full width becomes ASCII)."""
    return unicodedata.normalize("NFKC", text).casefold()


def compact(text: str) -> str:
    """Return ``plain`` text without separators."""
    return plain(text).translate(_DROP)


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text prepared for looking up many names: its compact form and where each letter stood."""

    source: str
    packed: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "PlainText":
        """Prepare a text; linear in its length."""
        source = plain(text)
        kept = [(i, c) for i, c in enumerate(source) if c not in _SEPARATORS]
        return cls(source, "".join(c for _, c in kept), tuple(i for i, _ in kept))

    def names(self, name: str) -> bool:
        """Tell whether ``name`` stands in the text as a whole name."""
        wanted = compact(name)
        if not wanted:
            return False
        at = self.packed.find(wanted)
        while at >= 0:
            start, end = self.places[at], self.places[at + len(wanted) - 1] + 1
            if self._bounded(start, end):
                return True
            at = self.packed.find(wanted, at + 1)
        return False

    def _bounded(self, start: int, end: int) -> bool:
        before = self.source[max(0, start - 2) : start]
        if _joined(before[-1:], before[:-1]):
            return False
        after = self.source[end : end + 2]
        return bool(_POD_SUFFIX.match(self.source, end)) or not _joined(after[:1], after[1:])


def _joined(near: str, far: str) -> bool:
    """Tell whether the neighbour of a match carries the name on."""
    if near in {"-", "_"}:
        return bool(_WORD.match(far))
    return bool(_WORD.match(near))


def statements(text: str) -> tuple[tuple[str, str], ...]:
    """Split a report into (heading, line) pairs; a heading without text gives an empty line.

    Headings are Markdown headings, bold lines and ``Label: text`` lines; rules and table
    borders are dropped.
    """
    pairs: list[tuple[str, str]] = []
    heading = ""
    for raw in text.splitlines():
        found = _HEADING.match(raw)
        if found:
            heading = found.group(1).strip(" *_")
            pairs.append((heading, ""))
            continue
        labelled = _BOLD_HEADING.match(raw) or _LABEL.match(raw)
        if labelled:
            pairs.append((labelled.group(1).strip(), labelled.group(2).strip()))
            if not labelled.group(2).strip():
                heading = labelled.group(1).strip()
            continue
        if not _RULE.match(raw):
            pairs.append((heading, raw.strip()))
    return tuple(pairs)
