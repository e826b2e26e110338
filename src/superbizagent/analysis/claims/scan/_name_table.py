"""The names that evidence knows, found again in every spelling that differs by separators only."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from superbizagent.analysis.claims.scan._name_shapes import COMPONENTS

__all__ = ["TOKEN", "NameTable"]

_LETTERS = "A-Za-z0-9_\u00c0-\u1fff"
TOKEN = re.compile(f"[{_LETTERS}]+(?:[.:/@-][{_LETTERS}]+)*")
"""A word that may be a name: no blank in it, and no mark at its ends."""
_PLACE = re.compile(f"{TOKEN.pattern}|[^{_LETTERS}\\s]")
_LAST = re.compile(f"[{_LETTERS}][.:/@-]?[{_LETTERS}]")
_MARKS = re.compile(r"[.:/@]")
_TYPED = re.compile(
    r"(?P<short>[A-Za-z][\w-]{1,80}?)(?:@[^@\s]{1,200}?)?_[A-Za-z]{1,40}::[\w:]{1,80}"
)
_UNIT = re.compile(
    r"_(?:s|ms|us|m|Ki|Mi|Gi|pct|percent|seconds|milliseconds|bytes|[Oo]ps|total|count)$"
)
_IDENTIFIER = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]")
"""What only code writes: a metric so written may lack the unit that its name ends with."""
_SHARED = 8
"""Names that begin alike, from which on their first part says nothing."""
_SEPARATORS = re.compile(r"[-_ ]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DIGITS = re.compile(r"(?<=[^\W\d_])[-_]?(?=\d)|(?<=\d)[-_]?(?=[^\W\d_])|(?<=\d)[-_](?=\d)")
_SAME = {"db": "database", "database": "db", "svc": "service", "service": "svc"}
"""Short for the same word; "orders database" is `orders-db`, unless that is a name of its own."""
_MOST_WORDS = 6
"""Of a name that is written with blanks."""
_COMMON = 200
"""A part that more names share says nothing about which name is meant."""
_MOST_NEAR = 300
"""How many known names an unknown one is held against, letter by letter."""
_ALIKE = 0.6
"""Share of letters in common (difflib's ratio) from which a name is near."""


class NameTable:
    """Entities and metrics by the names that stand for them; built once, asked often."""

    def __init__(
        self, entities: Mapping[str, tuple[str, ...]], metrics: frozenset[str] = frozenset()
    ) -> None:
        """Index the names.

        Args:
            entities: Name or alias, as written -> paths of the entities it stands for.
            metrics: Names of metrics and fields.
        """
        self._entities = {name: paths for name, paths in entities.items() if name.strip()}
        self._metrics = metrics
        self._folded: dict[str, list[str]] = {}
        self._phrases: dict[str, list[str]] = {}
        self._spelled_out: dict[str, list[str]] = {}
        self._short: dict[str, list[str]] = {}
        self._joined: dict[str, list[str]] = {}
        self._odd: dict[str, set[int]] = {}
        """First token or character -> lengths of the names that are no token."""
        self._parts: dict[str, list[str]] = {}
        self.most_words = 1
        for name in self._entities:
            self._index(name)
        self._lengths = {first: sorted(each, reverse=True) for first, each in self._odd.items()}
        self._leave_out_prefix()
        self._stems: dict[str, list[str]] = {}
        self._metric_folds: dict[str, list[str]] = {}
        for metric in sorted(metrics):
            self._metric_folds.setdefault(metric.lower(), []).append(metric)
            self._stems.setdefault(_UNIT.sub("", metric), []).append(metric)
            self._note_parts(metric)

    def _index(self, name: str) -> None:
        low = name.lower()
        self._folded.setdefault(low, []).append(name)
        self._note_parts(name)
        typed = _TYPED.fullmatch(name)
        if typed:
            self._index_short(name, typed)
        if not TOKEN.fullmatch(name) and not TOKEN.fullmatch(_SEPARATORS.sub("-", name)):
            first = _PLACE.match(name)
            self._odd.setdefault(first[0].lower() if first else low[0], set()).add(len(name))
            return
        if _MARKS.search(name):
            return
        self._joined.setdefault(_joined(low), []).append(name)
        for phrase in (phrases := _phrases(name)):
            self._spell(phrase, name, self._phrases)
        for phrase in _spelled_out(phrases):
            self._spell(phrase, name, self._spelled_out)

    def _spell(self, phrase: str, name: str, among: dict[str, list[str]]) -> None:
        among.setdefault(phrase, []).append(name)
        self.most_words = max(self.most_words, min(_MOST_WORDS, phrase.count(" ") + 1))

    def _leave_out_prefix(self) -> None:
        """Let a first part that most names share be left out: "food service", `ts-food-service`."""
        names = [n for n in self._entities if TOKEN.fullmatch(n) and not _MARKS.search(n)]
        parts = [(n, _SEPARATORS.split(n.lower())) for n in names]
        shared = Counter(part[0] for _, part in parts if len(part) > 2)
        for first, count in shared.items():
            if count >= _SHARED and 2 * count >= len(names):
                for name, part in parts:
                    if part[0] == first and len(part) > 2:
                        self._spell(" ".join(part[1:]), name, self._spelled_out)

    def _index_short(self, name: str, match: re.Match[str]) -> None:
        """Index a name that carries its type (`cart_AWS::ECS`, `stock@host_Database::SQL`)."""
        short = match["short"]
        # A plain word alone may mean anything.
        if short.islower() and short.isalpha():
            for kind in ("service", "database"):
                self._spell(f"{short} {kind}", name, self._spelled_out)
        else:
            self._short.setdefault(short, []).append(name)

    def _note_parts(self, name: str) -> None:
        low = name.lower()
        for part in {*_SEPARATORS.split(low), "^" + low[:3]}:
            self._parts.setdefault(part, []).append(name)

    def entities(self, word: str) -> tuple[str, ...]:
        """Return the entities that a word, or words with single blanks, stands for."""
        exact = self._entities.get(word)
        if exact is not None:
            return exact
        low = word.lower()
        names = self._folded.get(low) or self._phrases.get(_SEPARATORS.sub(" ", low))
        if not names:
            # A hyphen makes another name of it: orders-database is not orders-db.
            names = self._spelled_out.get(low) if " " in word else self._joined.get(_joined(low))
        if not names:
            names = self._short.get(word)
        return self._all(names or ())

    def _all(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for name in names for path in self._entities[name]))

    def odd(self, start: str, text: str, at: int) -> str:
        """Return the longest name that is no single word and stands at ``at``, or nothing."""
        for length in self._lengths.get(start.lower(), ()):
            name = text[at : at + length]
            if name in self._entities and not _goes_on(text, at + length):
                return name
        return ""

    def places(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield where a name that is no single word may begin, and what it would begin with."""
        if not self._odd:
            return
        for match in _PLACE.finditer(text):
            if match[0].lower() in self._odd:
                yield match.start(), match[0]

    def metric(self, word: str) -> str:
        """Return the metric or field that a word names, or nothing."""
        if word in self._metrics:
            return word
        names = self._metric_folds.get(word.lower()) or ()
        if not names and _IDENTIFIER.search(word):
            names = self._stems.get(word, ())
        return names[0] if len(names) == 1 else ""

    def near(self, word: str) -> tuple[str, ...]:
        """Return up to three known names that are like an unknown one, the likest first."""
        low = word.lower()
        candidates: dict[str, None] = {}
        for part in (*_SEPARATORS.split(low), "^" + low[:3]):
            names = self._parts.get(part, ())
            if len(names) <= _COMMON:
                candidates.update(dict.fromkeys(names))
        chosen = {name.lower(): name for name in list(candidates)[:_MOST_NEAR]}
        alike = difflib.get_close_matches(low[:100], chosen, n=3, cutoff=_ALIKE)
        return tuple(chosen[each] for each in alike)


def _goes_on(text: str, end: int) -> bool:
    """Tell whether a Latin word that ends here is only the beginning of a longer one."""
    return _LAST.match(text, end - 1) is not None


def _joined(low: str) -> str:
    """Return a name without separators, but for those beside a digit: ``node-11``, ``node-1-1``."""
    return _DIGITS.sub("=", low).replace("-", "").replace("_", "").replace(" ", "")


def _phrases(name: str) -> set[str]:
    """Return the ways to write a name with blanks."""
    parts = [p for p in _SEPARATORS.split(_CAMEL.sub("-", name).lower()) if p]
    if len(parts) == 1:
        # checkoutservice may be written as "checkout service".
        ends = [c for c in COMPONENTS if parts[0].endswith(c) and len(parts[0]) > len(c) + 2]
        parts = [parts[0].removesuffix(max(ends, key=len)), max(ends, key=len)] if ends else parts
    return {" ".join(parts), _SEPARATORS.sub(" ", name.lower()).strip()}


def _spelled_out(phrases: Iterable[str]) -> set[str]:
    """Return phrases with the other word for what they name: "orders database", ``orders db``."""
    return {
        f"{before} {_SAME[last]}"
        for before, _, last in (phrase.rpartition(" ") for phrase in phrases)
        if before and last in _SAME
    }
