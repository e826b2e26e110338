"""Status codes: three digits that name an answer, told from three digits that count."""

import re
from collections.abc import Iterator

from superbizagent.analysis.claims.mentions import Word, WordKind
from superbizagent.analysis.claims.scan._spans import Taken
from superbizagent.analysis.claims.scan._word_lists import words

__all__ = ["find_statuses"]

_CODE = re.compile(
    r"(?<![A-Za-z0-9_.,:/#+-])(?<![$€¥])([1-5](?:\d\d|xx|XX))(s)?(?![A-Za-z0-9_%-]|[.,:]\d| ?%)"
    r"|(?<=\d/)([1-5]\d\d)(?![A-Za-z0-9_%-]|[.,:/]\d)"
)
_KNOWN = words(
    "200 201 202 204 206 301 302 303 304 307 308 400 401 403 404 405 406 408 409 410 412 413 "
    "414 415 416 417 418 421 422 423 425 426 428 429 431 451 499 500 501 502 503 504 505 507 "
    "508 511 520 521 522 523 524 525 526 530"
)
"""Codes of HTTP (RFC 9110 and the IANA registry), of nginx (499) and of proxies (52x, 530)."""
_REACH = 32
"""Characters before and behind a code that tell what it is."""
_BEFORE = re.compile(
    r"(?:\bHTTPS?(?:/\d(?:\.\d)?)?|\b[Ss]tatus(?:es)?|状态码?|响应码|返回码)"
    r"(?: ?(?:status|codes?|errors?|responses?|answers?|of|was|is|为|是|:|=|错误|响应|状态码)){0,3}"
    r" ?[:=]? ?[\"'“`(]?$"
)
_ANSWERS = re.compile(
    r"(?:\b(?:answer|return|respond|repl|get|got|receiv|serv|throw|fail|emit|yield|send|sent|saw"
    r"|see)"
    r"[a-z]{0,5} (?:only |with |a |an |HTTP |many |more |mostly ){0,3}|\b(?:a|an|as|of|any|first"
    r"|with) "
    r"|(?:返回|响应|应答|报|收到|抛出|出现)(?:了|的|大量|是|为|HTTP){0,2} ?"
    r"|(?:其中|都|全部?|成|%|半|多数|大多|均)[^,。;]{0,4}[是为] ?)[\"'“`]?$"
)
_ALONE = re.compile(
    r"[\"'”`)]?(?:$| ?[,.;:)!?|、。]| (?:to|for|on|in|from|and|or|while|since|at|because|when|until"
    r"|with|but|after|before|instead|during|as|rather|is|are|was|were|rose|fell|item)\b"
    # Behind a count stands a measure word: 返回 503 条.
    r"| ?[\u4e00-\u9fff](?<![个条次秒毫微分小时天万亿千百倍行名台兆字份号人笔组多成核位种项]))"
)
_NOUN = re.compile(
    r" ?(?:(?:HTTP |server |client )?(?:errors?|responses?|repl(?:y|ies)|answers?|status(?:es)?"
    r"|codes?)\b"
    r"|错误|响应|报错|状态|应答|返回)"
)
_REASON = re.compile(
    r" ?[\"'(（“]?(?:Service Unavailable|Internal Server Error|Too Many Requests|Bad Gateway"
    r"|Gateway Time-?[Oo]ut|Not Found|Forbidden|Unauthorized|Bad Request|OK\b|Created\b|Conflict\b)"
)
_COUNTED = re.compile(
    r"(?:\b(?:about|around|over|under|than|only|some|least|most|nearly|almost|approximately|roughly"
    r"|exactly|to|by|total of|up to|logged|counted|had|were|are|was|is)|[~≈<>≤≥约共有近达]|超过"
    r"|不到|至少|最多|大约|左右|达到|记录) ?$"
)
_SPECIFIC = re.compile(
    r"(?:^|\b(?:the|of|with|for|more|many|no|any|these|such|its|their|and|or|HTTP|in|from|as|all"
    r"|\d{1,9})"
    r"|[的个条次现]|返回|出现|没有|大量) ?$"
)
_LINK = re.compile(r" ?(?:,|/|、|&|and|or|,? and|,? or|和|或|与|及|以及) ?")


def find_statuses(text: str, taken: Taken) -> Iterator[Word]:
    """Yield the status codes of a normalised sentence in text order, none in a taken span."""
    codes = [m for m in _CODE.finditer(text) if taken.free(*m.span())]
    if not codes:
        return
    sure = [_is_status(text, m) for m in codes]
    # "502, 503 and 504 errors": what says it of one says it of the list.
    order = [*range(1, len(codes)), *range(len(codes) - 2, -1, -1)]
    for at, beside in zip(
        order, [*range(len(codes) - 1), *range(len(codes) - 1, 0, -1)], strict=True
    ):
        if sure[beside] and not sure[at] and _known(codes[at]):
            first, second = sorted((codes[at], codes[beside]), key=lambda m: m.start())
            sure[at] = _LINK.fullmatch(text, first.end(), second.start()) is not None
    for match, status in zip(codes, sure, strict=True):
        if status:
            group = 1 if match[1] else 3
            start, end = match.start(), match.end()
            yield Word(start, end, text[start:end], WordKind.STATUS, match[group].lower())


def _known(match: re.Match[str]) -> bool:
    return (match[1] or match[3]) in _KNOWN


def _is_status(text: str, match: re.Match[str]) -> bool:
    code = match[1] or match[3]
    if code.lower().endswith("xx"):
        return True
    if code not in _KNOWN:
        return False
    before = text[max(0, match.start() - _REACH) : match.start()]
    behind = text[match.end() : match.end() + _REACH]
    if match[2] or _BEFORE.search(before) or _REASON.match(behind):
        return True
    if code < "400":
        return False
    if _NOUN.match(behind):
        counted = _COUNTED.search(before) is not None
        # 400 and 500 are round numbers as well.
        return not counted and (code not in {"400", "500"} or _SPECIFIC.search(before) is not None)
    return _ANSWERS.search(before) is not None and _ALONE.match(behind) is not None
