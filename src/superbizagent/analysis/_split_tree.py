"""Templates out of masked messages: columns of words that vary become wildcards.

Messages are partitioned by their number of words and their delimiters. In a partition the column
with the fewest values splits it, until all columns that still vary are variable ones. The identity
of a template is its text, so branches that end alike merge by themselves. Rows are distinct
messages, a few thousand: Python is fast enough here.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from superbizagent.analysis._masks import GLUE, WILD

__all__ = ["SHOWN", "templates_of"]

SHOWN = "<*>"
"""How a variable part reads in a template."""

_DELIMITERS = re.compile(r"(\s*[=:,;()\[\]{}\"'<>|，。：；（）【】、！？\x01]\s*|\s+)")
_SPACES = re.compile(r"\s+")
_MANY = 8  # distinct plain words from which a column may be variable
_MANY_AFTER_KEY = 2  # the same behind a `=` or a word that names a thing
_SURELY = 20
_LEAST_CONSTANT = 0.34  # below that share of constant columns the rest must not collapse
_SPLITTABLE = 50
_LEARN_AT_MOST = 20_000  # messages; beyond it the masked text is the template
_NAMING_WORDS = (
    "user host server domain device node pod container service file path dir class package key "
    "name id tag account topic queue table index db schema for from"
)
_NAMING = frozenset(_NAMING_WORDS.split())

Row = tuple[str, ...]


def templates_of(messages: Sequence[str]) -> list[str]:
    """Return the template text of every masked message."""
    result = list(messages)
    distinct = sorted(set(messages))
    if len(distinct) > _LEARN_AT_MOST:
        return [_shown(m) for m in messages]
    parts: dict[Row, list[tuple[str, Row, Row]]] = defaultdict(list)
    for message in distinct:
        pieces = _DELIMITERS.split(message)
        words = tuple(pieces[::2])
        delimiters = tuple(_SPACES.sub(" ", d) for d in pieces[1::2])
        parts[delimiters].append((message, words, delimiters))
    text: dict[str, str] = {}
    for rows in parts.values():
        for group, wild in _leaves(rows):
            for message, words, delimiters in group:
                cells = [WILD if k in wild else w for k, w in enumerate(words)]
                text[message] = _shown(_join(cells, delimiters))
    return [text[m] for m in result]


def _leaves(
    rows: list[tuple[str, Row, Row]],
) -> Iterator[tuple[list[tuple[str, Row, Row]], frozenset[int]]]:
    """Yield groups of messages of one template, with its variable columns."""
    stack = [rows]
    while stack:
        group = stack.pop()
        column, wild = _decide(group)
        if column is None:
            yield group, wild
            continue
        branches: dict[str, list[tuple[str, Row, Row]]] = defaultdict(list)
        for row in group:
            branches[row[1][column]].append(row)
        stack.extend(branches.values())


def _decide(group: list[tuple[str, Row, Row]]) -> tuple[int | None, frozenset[int]]:
    """Return the column to split on, or None and the columns that are variable."""
    if len(group) == 1:
        return None, frozenset()
    width = len(group[0][1])
    varying: list[tuple[int, int, bool]] = []
    fixed: list[tuple[int, int]] = []
    for k in range(width):
        values = {row[1][k] for row in group}
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


def _is_variable(group: list[tuple[str, Row, Row]], column: int, plain: int) -> bool:
    _, words, delimiters = group[0]
    before = delimiters[column - 1] if column else ""
    named = before.strip().endswith("=")
    if not named and column and not before.strip():
        naming = {row[1][column - 1] for row in group}
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
    text = re.sub(r"[^\s=:,;()\[\]{}\"'<>|\x01]*\x00[^\s=:,;()\[\]{}\"'<>|\x01]*", WILD, text)
    text = re.sub(r"\x00(?:[\s\x01]*\x00)+", WILD, text)
    return text.replace(GLUE, "").replace(WILD, SHOWN)
