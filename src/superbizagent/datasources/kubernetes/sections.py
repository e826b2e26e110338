"""Cuts text into stretches of one sort: a table, a description, objects as YAML or JSON, words.

One command may print several, notes and transcripts hold all of them, and a beginning may be lost.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from superbizagent.datasources.kubernetes.counters import is_scrape
from superbizagent.datasources.kubernetes.outline import is_event_row
from superbizagent.datasources.kubernetes.pieces import is_piece
from superbizagent.datasources.kubernetes.tables import is_bare_row, is_table

__all__ = ["Section", "Sort", "sections_of"]

_LONGEST = 16 * 1024 * 1024
"""Characters of a text that is cut by lines; a larger one is a dump of one sort."""
_NAMED = re.compile(r"Name:\s{2,}\S|Name:\t\S|Name: \S+$")
_KEY = re.compile(r"[A-Z][\w ()./-]*:(?:\s|$)|Type {2,}|Resource {2,}")
_YAML = re.compile(r"(?:- )?(?:apiVersion|kind|items|metadata): ?")
_YAML_LINE = re.compile(r"[\s#]|-(?:\s|--|$)|[\w\"'./-]+:(?:\s|$)|[\]}]")
_OBJECT = re.compile(r'\s*\{?\s*"(?:kind|apiVersion|items|metadata)"')
_EVENTS = re.compile(r"\s*(?:Type\s+Reason\s+Age\s+From|FirstSeen\s+LastSeen\s+Count)\s")
_INSIDE = re.compile(
    r"\s*(?:(?:State|Last State):\s+[A-Z]\w+|(?:Init )?Containers:|Conditions:|Limits:|Events:)\s*$"
)
_DEEPER = re.compile(r"\s+(?:[\w-][\w -]*:(?:\s|$)|Type\s+(?:Status|Reason))")
_STAT = re.compile(r"(?:usage_usec|nr_periods) \d+$")


class Sort(Enum):
    """What a stretch of text is."""

    TABLE = "table"
    ROWS = "rows"
    """Rows of a table whose heading is not there."""
    DESCRIPTION = "description"
    FRAGMENT = "fragment"
    """The end of a description."""
    YAML = "yaml"
    JSON = "json"
    SCRAPE = "scrape"
    PIECE = "piece"
    """YAML or JSON of a part of an object."""
    STAT = "stat"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Section:
    """Lines of one sort."""

    sort: Sort
    text: str


def sections_of(body: str) -> Iterator[Section]:
    """Yield the stretches of a text in their order."""
    head = body[:4096].lstrip()
    if head[:1] in "{[" and _OBJECT.search(head):
        yield Section(Sort.JSON, body)
        return
    if is_scrape(head):
        yield Section(Sort.SCRAPE, body)
        return
    if len(body) > _LONGEST:
        yield Section(Sort.YAML if _YAML.match(head) else Sort.WORDS, body)
        return
    yield from _cut(body.split("\n"))


def _cut(lines: list[str]) -> Iterator[Section]:
    sort, kept = Sort.WORDS, list[str]()
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        opened = _opens(line, following, sort)
        if opened is Sort.FRAGMENT:
            # What stands above the events is of the same description; its beginning is lost.
            blank = max((n for n, x in enumerate(kept) if not x.strip()), default=-1)
            if any(x.strip() for x in kept[: blank + 1]):
                yield Section(sort, "\n".join(kept[: blank + 1]))
            sort, kept = Sort.FRAGMENT, kept[blank + 1 :]
        elif opened is not None or (_ends(sort, kept, line) and sort is not Sort.WORDS):
            if any(x.strip() for x in kept):
                yield _section(sort, kept)
            sort, kept = opened or Sort.WORDS, []
        kept.append(line)
    if any(x.strip() for x in kept):
        yield _section(sort, kept)


def _section(sort: Sort, lines: list[str]) -> Section:
    body = "\n".join(lines)
    return Section(sort, textwrap.dedent(body) if sort is Sort.FRAGMENT else body)


def _opens(line: str, following: str, sort: Sort) -> Sort | None:  # noqa: PLR0911 - one a sort
    """Return the sort of the stretch that begins with a line, None when none does."""
    if sort is Sort.JSON:
        return None
    if _NAMED.match(line) and _KEY.match(following):
        return Sort.DESCRIPTION
    described = sort in {Sort.DESCRIPTION, Sort.FRAGMENT}
    if is_table(line) and not (described and line[:1] in {" ", "\t"}):
        return Sort.TABLE
    if sort is Sort.WORDS and (_EVENTS.match(line) or _is_torn(line, following)):
        return Sort.FRAGMENT
    if line[:1] in {"{", "["} and (_OBJECT.match(line[1:]) or _OBJECT.match(following)):
        return Sort.JSON
    if described:
        is_object = _YAML.match(line) and _YAML_LINE.match(following)
        return Sort.YAML if is_object and line[:1].islower() else None
    if sort is not Sort.YAML and (_YAML.match(line) or line == "---"):
        return Sort.YAML if _YAML.match(line) or _YAML.match(following) else None
    if _STAT.match(line) and sort is not Sort.STAT:
        return Sort.STAT
    return _opens_among_words(line, following) if sort is Sort.WORDS else None


def _opens_among_words(line: str, following: str) -> Sort | None:
    if is_piece(line, following):
        return Sort.PIECE
    if is_event_row(line):
        return Sort.FRAGMENT
    return Sort.ROWS if is_bare_row(line) else None


def _is_torn(line: str, following: str) -> bool:
    """Tell whether a line and the one below it are from the middle of a description."""
    return _INSIDE.match(line) is not None and _DEEPER.match(following) is not None


def _ends(sort: Sort, kept: list[str], line: str) -> bool:
    """Tell whether a line is no longer of the stretch above it."""
    match sort:
        case Sort.TABLE:
            return not line.strip()
        case Sort.ROWS:
            return not is_bare_row(line)
        case Sort.YAML | Sort.PIECE:
            return bool(line.strip()) and not _YAML_LINE.match(line)
        case Sort.JSON:
            return bool(kept) and kept[-1] in {"}", "]"}
        case Sort.STAT:
            return not re.match(r"\w+ \d+$", line)
        case _:
            return False
