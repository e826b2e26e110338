"""Verbatim text in a sentence: what a log, a statement or a message is said to contain."""

import re
from collections.abc import Iterator, Sequence

from superbizagent.analysis.claims.mentions import Quote
from superbizagent.analysis.claims.scan._spans import Span, Taken
from superbizagent.analysis.claims.scan.protected import COMMAND

__all__ = ["find_code_words", "find_quotes"]

_QUOTED = re.compile(
    r"“(?P<curly>[^“”]{1,1000})”|「(?P<corner>[^「」]{1,1000})」|『(?P<white>[^『』]{1,1000})』"
    r"|`{1,2}(?P<code>[^`]{1,1000})`{1,2}"
    r"|(?<![A-Za-z0-9])\"(?P<plain>[^\"]{1,1000})\"(?![A-Za-z0-9])"
    # An apostrophe is no quote: it stands between letters, or behind a plural.
    r"|(?<![A-Za-z0-9)\]])['‘](?P<single>(?! )(?:[^'‘’]"
    r"|(?<=[A-Za-z])['’](?=[A-Za-z])){1,300})(?<! )['’]"
    r"(?![A-Za-z0-9])"
)
# Where a quotation leaves something out, or has a place-holder: each side is verbatim, the gap not.
# A line of a log that ends the sentence, without quotation marks.
_LOG_LINE = re.compile(
    r"[:：] (?P<line>(?:\d{4}-\d\d-\d\d[T ]\S{5,30} )?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL"
    r"|\[Note\]) .{3,1000})$"
)
# Without a level: two fields of a record make it one.
_FIELDS = re.compile(
    r"[:：] (?P<line>[^:：]{3,300}?\b\w{2,30}=[^\s=]{1,60}"
    r"(?: \w{2,30}=[^\s=]{1,60}){1,30})\W*$"
)
_GAP = re.compile(
    r" ?(?:\.{3,}|\[\.{3}\]|\(\.{3}\)|<(?:\*|[a-z_]{1,20})>|\{[a-z_]{0,20}\}|<\.{3}>) ?"
)
_EDGE = " .,;:!?。、"
_WORD = re.compile(r"[^\W\d_]{2,}")
_LOG_MARK = re.compile(r"[=\[\]{}<>()/\\:_|]")
_HAN = re.compile("[\u3400-\u9fff]")
_SHORTEST = 3
"""Characters of a piece of a quotation; less says nothing."""
_CODE_WORD = re.compile(r"`([A-Za-z_$][\w$]*(?:[.:#-]{1,2}\w+){0,12}(?:\(\))?)`")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\.|_|::|#|\(\)")


def find_quotes(text: str) -> tuple[Quote, ...]:
    """Return the quotations of a normalised sentence in text order.

    Counted as verbatim are at least two words, or one with a mark that logs have and prose has
    not. A lone word in quotation marks is a manner of speaking or a name; an amount in back-ticks
    is an amount; a command is no evidence. Stops at the edges belong to the sentence, not to what
    it quotes, and are left out; where something is left out (``...``), each side is a quotation.
    """
    found = [quote for match in _QUOTED.finditer(text) for quote in _quotes(match)]
    line = _LOG_LINE.search(text) or _FIELDS.search(text)
    if line and (not found or found[-1].end <= line.start()) and _LOG_MARK.search(line["line"]):
        said = line["line"].rstrip(_EDGE)
        start = line.start("line")
        found.append(Quote(start, start + len(said), said, said))
    return tuple(found)


def _quotes(match: re.Match[str]) -> Iterator[Quote]:
    kind = match.lastgroup or ""
    content = match[kind]
    if not _verbatim(content, code=kind == "code") or COMMAND.match(match[0]):
        return
    begin = match.start(kind)
    pieces: list[Span] = []
    at = 0
    for gap in (*_GAP.finditer(content), None):
        end = gap.start() if gap else len(content)
        piece = content[at:end]
        lead = len(piece) - len(piece.lstrip(_EDGE))
        kept = piece.strip(_EDGE)
        if len(kept) >= _SHORTEST:
            pieces.append((begin + at + lead, begin + at + lead + len(kept)))
        at = gap.end() if gap else end
    if len(pieces) == 1:
        # The marks are part of the mention, so that nothing is read up to them.
        yield Quote(*match.span(), match[0], match.string[slice(*pieces[0])])
        return
    for start, end in pieces:
        said = match.string[start:end]
        yield Quote(start, end, said, said)


def _verbatim(content: str, *, code: bool) -> bool:
    words = _WORD.findall(content)
    if _HAN.search(content):
        # Ideographs have no blanks: a short one is a word in quotation marks.
        return len(_HAN.findall(content)) >= 6 or (
            len(words) > 1 and _LOG_MARK.search(content) is not None
        )
    if not words or content != content.strip():
        return False
    blanks = " " in content
    marks = _LOG_MARK.search(content) is not None
    if code:
        return (blanks and (len(words) > 1 or marks)) or (marks and "=" in content)
    return blanks and len(words) > 1


def find_code_words(text: str, taken: Sequence[Span] = ()) -> tuple[Quote, ...]:
    """Return the words in back-ticks that only code or a log would write.

    ``LockWaitTimeoutException``, ``orders.order_items``, ``max_connections``: asked for after the
    names, in what they left (``taken`` spans are not read).
    """
    own = Taken(taken)
    return tuple(
        Quote(match.start(), match.end(), match[0], match[1].removesuffix("()"))
        for match in _CODE_WORD.finditer(text)
        if own.free(*match.span(1)) and _CAMEL.search(match[1])
    )
