"""Templates out of masked messages: columns of words that vary become wildcards.

Messages are partitioned by their number of words and their delimiters. In a partition the column
with the fewest values splits it, until all columns that still vary are variable ones. The identity
of a template is its text, so branches that end alike merge by themselves. Rows are distinct
messages, a few thousand: Python is fast enough here.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from superbizagent.analysis._masks import GLUE, WILD

__all__ = ["SHOWN", "templates_of"]

SHOWN = "<*>"
"""How a variable part reads in a template."""

_DELIMITERS = re.compile(r"(\s*[=:,;()\[\]{}\"'<>|，。：；（）【】、！？\x01]\s*|\s+)")
_SPACES = re.compile(r"\s+")
_WILD_WORD = re.compile(r"[^\s=:,;()\[\]{}\"'<>|\x01]*\x00[^\s=:,;()\[\]{}\"'<>|\x01]*")
_WILD_RUN = re.compile(r"\x00(?:[\s\x01]*\x00)+")
_MANY = 8  # distinct plain words from which a column may be variable
_MANY_AFTER_KEY = 2  # the same behind a `=` or a word that names a thing
_SURELY = 20
_LEAST_CONSTANT = 0.34  # below that share of constant columns the rest must not collapse
_SPLITTABLE = 50
_LEARN_AT_MOST = 20_000  # messages at once
_NAMING_WORDS = (
    "user host server domain device node pod container service file path dir class package key "
    "name id tag account topic queue table index db schema for from"
)
_NAMING = frozenset(_NAMING_WORDS.split())

Words = tuple[str, ...]


class _Row(NamedTuple):
    """One masked message, cut into words and what stands between them."""

    message: str
    words: Words
    delimiters: Words


class _Pattern(NamedTuple):
    """Which columns of a partition are constant in a template, and their words."""

    columns: tuple[int, ...]
    words: Words


def templates_of(messages: Sequence[str]) -> list[str]:
    """Return the template text of every masked message.

    Of very many distinct messages a part is learnt from, drawn by their checksums; what matches a
    template of it takes that, and the rest is learnt from in turn.
    """
    text: dict[str, str] = {}
    todo = [_cut(m) for m in sorted(set(messages), key=_draw)]
    while todo:
        known = _learn(todo[:_LEARN_AT_MOST], text)
        rest = [row for row in todo if row.message not in text]
        todo = [row for row in rest if not _match(row, known, text)]
        if len(todo) == len(rest):
            # Nothing is like anything: each is its own template.
            text |= {row.message: _shown(row.message) for row in todo}
            break
    return [text[m] for m in messages]


def _draw(message: str) -> tuple[int, str]:
    """Return an order that is the same every time and has nothing to do with the text."""
    return zlib.crc32(message.encode("utf-8", "surrogatepass")), message


def _cut(message: str) -> _Row:
    pieces = _DELIMITERS.split(message)
    return _Row(message, tuple(pieces[::2]), tuple(map(_squeezed, pieces[1::2])))


@lru_cache(maxsize=1024)
def _squeezed(delimiter: str) -> str:
    return _SPACES.sub(" ", delimiter)


def _learn(
    rows: list[_Row], text: dict[str, str]
) -> dict[Words, dict[tuple[int, ...], dict[Words, frozenset[int]]]]:
    """Set the template of every row; return the patterns by partition, columns and words."""
    parts: dict[Words, list[_Row]] = defaultdict(list)
    for row in rows:
        parts[row.delimiters].append(row)
    known: dict[Words, dict[tuple[int, ...], dict[Words, frozenset[int]]]] = {}
    for delimiters, members in parts.items():
        for group, wild in _leaves(members):
            for row in group:
                text[row.message] = _text(row, wild)
            if wild:
                pattern = _pattern(group[0], wild)
                by_columns = known.setdefault(delimiters, {}).setdefault(pattern.columns, {})
                by_columns[pattern.words] = wild
    return known


def _pattern(row: _Row, wild: frozenset[int]) -> _Pattern:
    columns = tuple(k for k in range(len(row.words)) if k not in wild)
    return _Pattern(columns, tuple(row.words[k] for k in columns))


def _match(
    row: _Row,
    known: dict[Words, dict[tuple[int, ...], dict[Words, frozenset[int]]]],
    text: dict[str, str],
) -> bool:
    """Set the template of a row that has all constant words of a known one; tell whether."""
    for columns, by_words in known.get(row.delimiters, {}).items():
        wild = by_words.get(tuple(row.words[k] for k in columns))
        if wild is not None:
            text[row.message] = _text(row, wild)
            return True
    return False


def _text(row: _Row, wild: frozenset[int]) -> str:
    cells = [WILD if k in wild else w for k, w in enumerate(row.words)]
    return _shown(_join(cells, row.delimiters))


def _leaves(rows: list[_Row]) -> Iterator[tuple[list[_Row], frozenset[int]]]:
    """Yield groups of messages of one template, with its variable columns."""
    stack = [rows]
    while stack:
        group = stack.pop()
        column, wild = _decide(group)
        if column is None:
            yield group, wild
            continue
        branches: dict[str, list[_Row]] = defaultdict(list)
        for row in group:
            branches[row.words[column]].append(row)
        stack.extend(branches.values())


def _decide(group: list[_Row]) -> tuple[int | None, frozenset[int]]:
    """Return the column to split on, or None and the columns that are variable."""
    if len(group) == 1:
        return None, frozenset()
    width = len(group[0].words)
    varying: list[tuple[int, int, bool]] = []
    fixed: list[tuple[int, int]] = []
    for k in range(width):
        values = {row.words[k] for row in group}
        if len(values) == 1:
            continue
        plain = sum(1 for v in values if v and WILD not in v)
        wild = plain < len(values)
        varying.append((plain + wild, k, wild))
        if not (wild or _is_variable(group, k, plain)):
            fixed.append((plain, k))
    if fixed:
        return min(fixed)[1], frozenset()
    if not varying:
        return None, frozenset()
    constant = width - len(varying)
    fewest = min(varying)
    if constant < _LEAST_CONSTANT * width and 1 < fewest[0] <= _SPLITTABLE:
        return fewest[1], frozenset()
    return None, frozenset(k for _, k, _ in varying)


def _is_variable(group: list[_Row], column: int, plain: int) -> bool:
    _, words, delimiters = group[0]
    before = delimiters[column - 1] if column else ""
    named = before.strip().endswith("=")
    if not named and column and not before.strip():
        naming = {row.words[column - 1] for row in group}
        named = len(naming) == 1 and words[column - 1].lower() in _NAMING
    if plain < (_MANY_AFTER_KEY if named else _MANY):
        return False
    return named or plain > len(group) / 2 or plain >= _SURELY


def _join(words: Sequence[str], delimiters: Sequence[str]) -> str:
    pieces = [words[0]]
    for delimiter, word in zip(delimiters, words[1:], strict=True):
        pieces += [delimiter, word]
    return "".join(pieces)


def _shown(text: str) -> str:
    if WILD in text:
        text = _WILD_RUN.sub(WILD, _WILD_WORD.sub(WILD, text)).replace(WILD, SHOWN)
    return text.replace(GLUE, "")
