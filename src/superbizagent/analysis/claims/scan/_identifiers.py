"""Numbers that are no amounts: parts of names and versions, labels, years, list marks."""

import re

from superbizagent.analysis.claims.scan._adjacent import Adjacent

__all__ = [
    "begins_digits",
    "ends_here",
    "is_label",
    "is_list_mark",
    "is_status_plural",
    "is_year",
    "nth_at",
    "past_token",
]

_TOKEN = re.compile(r"[A-Za-z0-9_.:/@#%-]{1,400}")


def past_token(text: str, at: int) -> int:
    """Return the end of the identifier around ``at``, always behind it."""
    found = _TOKEN.match(text, at)
    return at + 1 if found is None else found.end()


# A number behind a name and a colon with the size of a port: mysql:3306.
_PORT = re.compile(r"[1-9][0-9]{3,4}(?![0-9.,kKM%])(?! ?(?:(?:ms|s|B|KB|MB)\b|[个条次]))")
# 12点41分, 第95百分位: Chinese characters that a number behind belongs to.
_CLOCK = frozenset("点月第")
# The CJK characters and what follows them; other letters make a word with a digit.
_FIRST_HAN = 0x2E80


def _behind_letter(text: str, at: int) -> bool:
    """Tell whether digits behind a letter or digit can be an amount."""
    before = text[at - 1]
    further = text[at - 2] if at > 1 else " "
    if before in "xX":
        return further in " (~"
    if before in _CLOCK and (further.isdigit() or before == "第"):
        return False
    return not before.isdigit() and ord(before) >= _FIRST_HAN


def _is_sign(text: str, at: int) -> bool:
    """Tell whether the hyphen at ``at`` is a sign: behind a word it makes an identifier."""
    before = text[at - 1] if at else " "
    return not (before.isalnum() or before in "_-.)]/\0")


def begins_digits(text: str, at: int) -> bool:
    """Tell whether digits at ``at`` can be an amount: no part of a name, a version, a path."""
    before = text[at - 1] if at else " "
    further = text[at - 2] if at > 1 else " "
    if before.isalnum():
        return _behind_letter(text, at)
    if before in ".-:":
        if before == "-":
            return _is_sign(text, at - 1)
        if before == "." or further.isdigit():
            return not further.isalnum()
        return not (further.isascii() and further.isalpha() and _PORT.match(text, at))
    return before not in "_/@\\^&?%#"


# 3-way, 2-phase, 3-tier: the number is a part of the word.
_WORD_BEHIND = re.compile(
    r"-(?:way|phase|phased|tier|factor|sided|bit|legged|letter|digit|dimensional|step|stage|level"
    r"|time|off|shot|eyed|liner|star|stop|hop|pass|party|size|on-one|by|percentile|fifths?|thirds?)",
    re.IGNORECASE,
)
_HYPHEN_NOUN = re.compile(r"-(?!to-)[A-Za-z]{3,}(?![A-Za-z0-9_]|\.[A-Za-z0-9])")
_DATE_BEHIND = re.compile(r"-[0-9]{1,2}-[0-9]")
_TIMES_SIGN = re.compile(r"[xX](?![A-Za-z0-9_])")


def _goes_on(text: str, end: int) -> bool:
    """Tell whether a letter, a hyphen, a slash or a point carries the number on."""
    behind, further = text[end : end + 1], text[end + 1 : end + 2]
    letter = further.isascii() and further.isalpha()
    match behind:
        case "." | ":":
            return further.isdigit()
        case "/":
            return letter
        case "-":
            joined = _HYPHEN_NOUN.match(text, end) and not _WORD_BEHIND.match(text, end)
            return (letter and not joined) or _DATE_BEHIND.match(text, end) is not None
        case "点":
            return further.isdigit() or further in "整半一二三四五"
        case _:
            if behind.isascii() and behind.isalnum():
                return _TIMES_SIGN.match(text, end) is None
            return behind in "_@\\月日号"


def ends_here(text: str, end: int) -> bool:
    """Tell whether an amount can end at ``end``: no identifier, version, date or time goes on."""
    return end >= len(text) or not _goes_on(text, end)


_LABELS = Adjacent(
    {
        "step|phase|stage|section|figure|fig.|table|case|option|attempt|line|lines|page|version": 1,
        "port|ports|pid|id|no.|number|nr.|exit code|exit status|error code|errno|code|level": 1,
        "tier|priority|sev|severity|shard|partition|offset|signal|layer|chapter|appendix|rule": 1,
        "item|hypothesis|round|cycle|iteration|revision|rev|build|release|ticket|issue": 1,
        "incident|pr|bug|task|question|point|evidence|theory|scenario|example|test|note|rank": 1,
        "ranked|replica|instance|node|pod|server|host|broker|worker|thread|zone|region|rack": 1,
        "slot|channel|index|position|row|column|day|week|quarter|month|year|type|class": 1,
        "batch|epoch|term|generation|sprint|java|python": 1,
        "node.js|ubuntu|step:|priority:|port:|pid:|id:": 1,
        "步骤|步骤:|阶段|端口|端口号|端口为|端口:|版本|编号|编号为|序号|错误码": 1,
        "退出码|状态码|返回码|行号|图": 1,
        "表|方案|选项|假设|证据|附录|章节|优先级|级别|进程号|工单|线程号": 1,
        "分区|分片|偏移量|排名|排第": 1,
        "位列|位列第|任务|场景|问题|节点|实例|副本|主机": 1,
    }
)


def is_label(text: str, start: int) -> bool:
    """Tell whether a number at ``start`` only tells one thing from others: step 3, port 3306."""
    return _LABELS.before(text, start) is not None


_NTH = re.compile(r"(?<![A-Za-z0-9_./-])[0-9]{1,6}(?:st|nd|rd|th)(?![A-Za-z0-9_])|(?<=#)[0-9]{1,9}")


def nth_at(text: str, at: int) -> int | None:
    """Return the end of the ordinal at ``at``, such as 21st or the 2 of #2."""
    found = _NTH.match(text, at)
    return None if found is None else found.end()


_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_YEAR_BEFORE = Adjacent(
    {
        "in|since|during|year|until|late|early|mid|mid-|spring": 1,
        "summer|autumn|winter|january|february|march|april|may|june|july|august|september": 1,
        "october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec": 1,
        "q1|q2|q3|q4|©": 1,
    }
)


def is_year(text: str, start: int, end: int, noun: str) -> bool:
    """Tell whether a number without unit is a year."""
    if end - start != 4 or _YEAR.fullmatch(text, start, end) is None:
        return False
    if text[end : end + 1] == "年":
        return True
    # "went from 2012 to 2876" is no span of years.
    return not noun and _YEAR_BEFORE.before(text, start) is not None


_MARK_BEHIND = re.compile(r"[.)、](?: |$)")
_INLINE_MARK = re.compile(r"\) ?[A-Za-z一-龥`*\"]")
_INLINE_BEFORE = re.compile(r"(?:^|[.;:,、。] ?|\b(?:and|or) )\($")


def is_list_mark(text: str, start: int, end: int) -> bool:
    """Tell whether a number counts the items of a list: ``1. ``, ``(2) the pool``."""
    if end - start > 2:
        return False
    if start < 8 and text[:start].strip(" \0") in {"", "("}:
        return _MARK_BEHIND.match(text, end) is not None
    if text[start - 1] != "(" or not _INLINE_MARK.match(text, end):
        return False
    return _INLINE_BEFORE.search(text[max(0, start - 6) : start]) is not None


# "504s" is many responses, but behind "took" it is a time; the 1990s are years.
_STATUSES = re.compile("(?:40[013489]|413|422|429|499|50[0-4])s|(?:19|20)[0-9]0s")
_TIMED = re.compile(
    r"(?:for|lasted|took|after|within|about|over|than|is|was|to|at|in|by|[=:~<>]) ?$", re.IGNORECASE
)


def is_status_plural(text: str, start: int, end: int) -> bool:
    """Tell whether what looks like seconds is the plural of a status code or a decade."""
    if _STATUSES.fullmatch(text, start, end) is None:
        return False
    return _TIMED.search(text[max(0, start - 10) : start]) is None
