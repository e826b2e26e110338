"""Names of services, hosts, pods and metrics in a sentence; a similar name is another name."""

import re
from collections.abc import Iterator, Sequence

from superbizagent.analysis.claims.mentions import Name
from superbizagent.analysis.claims.scan._name_shapes import (
    KIND_BEHIND,
    is_code_word,
    looks_like_metric,
    looks_like_name,
    plain_before_kind,
)
from superbizagent.analysis.claims.scan._name_table import TOKEN, NameTable
from superbizagent.analysis.claims.scan._spans import Span, Taken

__all__ = ["NameTable", "find_names"]

_LONGEST_NAME = 200
"""Characters; what is longer is no name."""
_MOST_UNKNOWN = 20
"""Unknown names of one sentence that are looked up among the known ones."""
_SUFFIX = re.compile(
    r"-(?:related|side|based|bound|specific|wide|facing|level|only|owned|managed|backed|induced"
    r"|driven|internal|caused|initiated|local|originated)$"
)
_CLUSTER_DNS = re.compile(r"(?:\.[a-z0-9-]{1,63})?\.svc(?:\.cluster\.local)?$")
_IN_TICKS = re.compile(r"[a-z]+(?:-[a-z0-9]+){0,8}")
_JOINTS = re.compile(r"[/:@.]|-to-")
_BEFORE_KIND = re.compile(
    r"\b[Tt]he ([A-Za-z][A-Za-z0-9]{2,40}) (?:" + KIND_BEHIND + r")\b"
    r"|(?<![A-Za-z0-9_.-])([A-Za-z][A-Za-z0-9]{2,40}) ?(?:服务|数据库|微服务)(?!器)"
)
_KIND = re.compile(r" ?(微?服务|数据库|services)$")
_KINDS = {"服务": "service", "微服务": "service", "数据库": "database", "services": "service"}


def find_names(text: str, table: NameTable, taken: Sequence[Span] = ()) -> tuple[Name, ...]:
    """Return the names of a sentence in text order.

    A known name is found as it is written, in another case or with other separators ("order
    service" for ``order-service``). A word that only looks like a name is returned without
    entities, with the known names that are near. Nothing is read in ``taken`` spans. A look-up
    takes a time that does not grow with the table.

    Args:
        text: A normalised sentence.
        table: What is known.
        taken: Spans that are read already.
    """
    names = [*_odd(text, table, Taken(taken))]
    own = Taken((*taken, *((n.start, n.end) for n in names)))
    tokens = [m for m in TOKEN.finditer(text) if own.free(*m.span())]
    at = 0
    unknown: list[re.Match[str]] = []
    while at < len(tokens):
        phrase = _phrase(text, tokens, at, table)
        if phrase:
            width, name = phrase
            names.append(name)
            at += width
            continue
        found = [*_single(text, tokens[at].start(), tokens[at][0], table)]
        names += found
        if not found:
            unknown.append(tokens[at])
        at += 1
    names += _unknown(text, unknown, Taken((n.start, n.end) for n in names), table)
    return tuple(sorted(names, key=lambda name: name.start))


def _odd(text: str, table: NameTable, taken: Taken) -> Iterator[Name]:
    """Find names that are no Latin word: Chinese aliases, names with brackets or other marks."""
    end = 0
    for start, first in table.places(text):
        if start < end:
            continue
        name = table.odd(first, text, start)
        if name and taken.free(start, start + len(name)):
            end = start + len(name)
            yield Name(start, end, text[start:end], table.entities(name))


def _phrase(
    text: str, tokens: list[re.Match[str]], at: int, table: NameTable
) -> tuple[int, Name] | None:
    """Find the longest known name that is written with blanks and begins at a token."""
    start, last = tokens[at].start(), at
    while (
        last + 1 < len(tokens)
        and last + 1 - at < table.most_words
        and tokens[last + 1].start() == tokens[last].end() + 1
        and text[tokens[last].end()] == " "
    ):
        last += 1
    for end_at in range(last, at, -1):
        end = tokens[end_at].end()
        paths = table.entities(text[start:end])
        if paths:
            return end_at - at + 1, Name(start, end, text[start:end], paths)
    return None


def _single(text: str, start: int, word: str, table: NameTable, depth: int = 0) -> Iterator[Name]:
    """Find the known names of one word: itself, or parts of ``a/b``, ``host:port``, ``a-to-b``."""
    end = start + len(word)
    if len(word) > _LONGEST_NAME or (word.isdigit() and not _in_ticks(text, start, end)):
        return
    paths = table.entities(word)
    if paths:
        yield Name(start, end, word, paths)
        return
    metric = table.metric(word)
    if metric and (not word.isalpha() or _in_ticks(text, start, end)):
        yield Name(start, end, word, metric=metric)
        return
    core = _SUFFIX.sub("", word) if word.islower() else word
    core = _CLUSTER_DNS.sub("", core)
    if core != word:
        yield from _single(text, start, core, table, depth)
    elif depth == 0 and _JOINTS.search(word) and not _in_address(text, start):
        yield from _joined(text, start, word, table)


def _joined(text: str, start: int, word: str, table: NameTable) -> Iterator[Name]:
    begin = 0
    for joint in (*_JOINTS.finditer(word), None):
        end = joint.start() if joint else len(word)
        part = word[begin:end]
        # A dotted whole is another host: orders-db.staging is not orders-db.
        dotted = (joint is not None and joint[0] == ".") or word[:begin].endswith(".")
        if part and not (dotted and not part[:1].isupper() and "/" not in word[:begin]):
            yield from _single(text, start + begin, part, table, 1)
        begin = joint.end() if joint else end


def _in_ticks(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] == "`" and text[end : end + 1] == "`"


def _in_address(text: str, start: int) -> bool:
    """Tell whether a word goes on with an address or a path: ``http://`` + word."""
    return text[max(0, start - 1) : start] == "/"


def _unknown(
    text: str, tokens: list[re.Match[str]], own: Taken, table: NameTable
) -> Iterator[Name]:
    """Yield words that look like names and stand for nothing that is known."""
    spans = [*_shaped(text, tokens)]
    shaped = Taken(spans)
    for match in _BEFORE_KIND.finditer(text):
        group = 1 if match[1] else 2
        word = match[group]
        free = own.free(*match.span(group)) and shaped.free(*match.span(group))
        if free and not plain_before_kind(word) and not (group == 2 and word.isupper()):
            spans.append((match.start(group), match.end()))
    for count, (start, end) in enumerate(sorted(spans)):
        if own.free(start, end):
            word = text[start:end]
            asked = _KIND.sub(lambda m: " " + _KINDS.get(m[1], m[1]), word)
            paths = table.entities(asked) if asked != word else ()
            near = (
                table.near(asked.replace(" ", "-")) if count < _MOST_UNKNOWN and not paths else ()
            )
            yield Name(start, end, word, paths, near)


def _shaped(text: str, tokens: list[re.Match[str]]) -> Iterator[Span]:
    for token in tokens:
        start, end, word = token.start(), token.end(), token[0]
        if len(word) > _LONGEST_NAME or "@" in word or _in_address(text, start):
            continue
        if looks_like_name(word) or looks_like_metric(word):
            yield start, end
        elif _in_ticks(text, start, end) and _IN_TICKS.fullmatch(word):
            if not is_code_word(word):
                yield start, end
        elif "/" in word or "." in word:
            yield from _shaped_parts(start, word)


def _shaped_parts(start: int, word: str) -> Iterator[Span]:
    if "/" in word:
        for part in re.finditer(r"[^/]+", word):
            if looks_like_name(part[0]):
                yield start + part.start(), start + part.end()
    elif looks_like_name(word.split(".", 1)[0]):
        yield start, start + len(word)
