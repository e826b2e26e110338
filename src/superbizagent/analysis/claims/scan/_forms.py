"""Words around a number that tell what it does: lasted, rose by, step, 持续, 增加了, 第."""

import re

from superbizagent.analysis.claims.mentions import Bound
from superbizagent.analysis.claims.scan._adjacent import Adjacent

__all__ = ["is_change", "is_growth", "is_label", "is_year", "lasting"]


def _table(phrases: str, bound: Bound = Bound.EXACT) -> dict[str, Bound]:
    return {phrase.strip(): bound for phrase in phrases.split("|")}


_LASTING_BEFORE = Adjacent(
    _table(
        "for|for the|lasted|lasting|lasts|lasted for|for a total of|last|past|previous|throughout"
        "|for the last|for the past|for the next|over the last|over the past|in the last|in the past"
        "|within the last|duration of|a duration of|duration|duration was|a period of|over a period of"
        "|went on for|continued for|persisted for|persisted|outage of|downtime of|for an additional"
        "|duration:|lasted:|lasting for|the last|the past|for another|lasted another|for only|lasted only"
        "|持续|持续了|持续时间|持续时间为|持续时长|持续时长为|持续时间:|持续时长:|历时|历时了|长达|已持续|已持续了|维持了"
        "|维持|延续|延续了|最近|过去|过去的|前后历时|共持续|共持续了|总时长|总时长为|耗时长达|持续达|时长|时长为|中断了"
        "|中断|宕机|宕机了|不可用|停机|停机了"
    )
    | _table("within|in under|in less than|for up to|for at most", Bound.AT_MOST)
)
_LASTING_BEHIND = Adjacent(
    _table("long|-long|in duration|outage|-outage|interruption|of downtime|of outage|之久")
    | _table("内|之内|以内", Bound.AT_MOST)
)


def lasting(text: str, start: int, end: int) -> Bound | None:
    """Tell whether a time at ``text[start:end]`` says how long something went on.

    Returns:
        Nothing when it does not; else `Bound.AT_MOST` for "within" and its like, or
        `Bound.EXACT`.
    """
    found = _LASTING_BEHIND.behind(text, end) or _LASTING_BEFORE.before(text, start)
    return None if found is None else found[1]


_UP = (
    "rose|risen|rises|rising|increased|increases|increase|increase of|an increase of|increasing"
    "|grew|grown|grows|growing|climbed|jumped|surged|spiked|gained|growth of|a rise of|rise of|jump of"
    "|went up|gone up|up|increased by|rose by|multiplied|jumped by|grew by"
    "|增加|增加了|上升|上升了|升高|升高了|增长|增长了|提高|提高了|上涨|上涨了|涨|涨了|涨幅|涨幅达|涨幅为|增幅|增幅达"
    "|增幅为|多了|多出|高出|高了|慢了|大了|升了|延长|延长了|变长了|增|激增|激增了|飙升|飙升了|攀升了|扩大了|扩大|提升"
    "|提升了|增加到原来的|高|慢|多|超出|上浮"
)
_DOWN = (
    "fell|fallen|falls|falling|dropped|drops|drop|drop of|a drop of|decreased|decreases|decrease"
    "|decrease of|a decrease of|decreasing|declined|decline of|reduced|reduction of|shrank|lost"
    "|went down|gone down|down|fell by|dropped by|slowed by|reduced by|a fall of|short by"
    "|下降|下降了|减少|减少了|降低|降低了|下跌|下跌了|跌|跌了|跌幅|跌幅达|降幅|降幅达|降幅为|少了|低了|快了|降了|缩短"
    "|缩短了|缩小了|回落了|下滑|下滑了|减|下调了|低|快|少"
)
_RISING = Adjacent(_table(_UP))
_CHANGING = Adjacent(
    _table(_UP) | _table(_DOWN) | _table("difference of|a difference of|相差|差了")
)
_BY = Adjacent(
    _table(
        "by|by a|by an|by another|by a further|a further|another|additional|an additional|an extra"
    )
)
# "by" alone may name who did it: "caused by 3 clients".
_VERBS = re.compile(
    r"\b(?:r[io]se|rising|increas|gr[eo]w|climb|jump|surg|fell|fall|drop|decreas|declin|reduc|shr[aiu]nk"
    r"|up\b|down\b|higher|lower|slower|faster|cut|exceed|chang|differ|improv|worsen|degrad|delay|extend"
    r"|short|off\b|spik|slow|went|missed|over\w*|scal)",
    re.IGNORECASE,
)
_CHANGING_BEHIND = Adjacent(
    _table(
        "more|fewer|less|higher|lower|slower|faster|longer|shorter|larger|smaller|greater|worse|better"
        "|increase|decrease|drop|rise|jump|growth|reduction|decline|fall|spike|additional|extra|surge"
        "|-increase|-drop|late|improvement|regression|above baseline|below baseline"
        "|above normal|below normal|above the|below the|above its|below its|over baseline"
        "|的增长|的增幅|的涨幅|的下降|的降幅|的提升|的降低|的上升|的增加|的减少|增长|增幅|涨幅|降幅"
    )
)


_LEVEL = frozenset("最较过很太缺更")


def is_growth(text: str, start: int) -> bool:
    """Tell whether the words before a number say that something grew (by) it."""
    by = _BY.before(text, start)
    return _RISING.before(text, start if by is None else by[0]) is not None


def is_change(text: str, start: int, end: int) -> bool:
    """Tell whether the number at ``text[start:end]`` is the difference itself."""
    if _CHANGING_BEHIND.behind(text, end):
        return True
    changing = _CHANGING.before(text, start)
    if changing is not None:
        # 最高 2.6 s is a level.
        return changing[0] == 0 or text[changing[0] - 1] not in _LEVEL
    by = _BY.before(text, start)
    if by is None:
        return False
    return _VERBS.search(text[max(0, by[0] - 48) : by[0]]) is not None


_LABELS = Adjacent(
    _table(
        "step|phase|stage|section|figure|fig.|table|case|option|attempt|line|lines|page|version|port"
        "|ports|pid|id|no.|number|nr.|exit code|exit status|error code|errno|code|level|tier|priority|sev"
        "|severity|shard|partition|offset|signal|layer|chapter|appendix|rule|item|hypothesis|round|cycle"
        "|iteration|revision|rev|build|release|ticket|issue|incident|pr|bug|task|question|point"
        "|evidence|theory|scenario|example|test|note|rank|ranked|replica|instance|node|pod|server|host"
        "|shard|broker|worker|thread|zone|region|rack|slot|channel|index|key|position|row|column"
        "|day|week|quarter|month|year|java|python|mysql|redis|postgres|kafka|nginx|node.js|ubuntu"
        "|step:|priority:|port:|pid:|id:|type|class|group|part|batch|epoch|term|generation|sprint"
        "|步骤|阶段|端口|端口号|版本|编号|序号|错误码|退出码|状态码|返回码|行号|图|表|方案|选项|假设|证据|第|附录|章节"
        "|优先级|级别|进程号|工单|线程号|分区|分片|偏移量|端口为|端口:|步骤:|排名|排名第|排第|位列第|位列|任务|场景|问题|编号为"
    )
)
_ORDINAL_END = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z0-9])")


def is_label(text: str, start: int, end: int) -> bool:
    """Tell whether the number only tells one thing from the others: step 3, 第三, #2, 21st."""
    if _ORDINAL_END.match(text, end):
        return True
    before = text[start - 1] if start else ""
    return before in {"#", "№"} or _LABELS.before(text, start) is not None


_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_YEAR_BEFORE = Adjacent(
    _table(
        "in|since|during|year|until|by|from|before|after|©|january|february|march|april|may|june|july"
        "|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
        "|late|early|mid|mid-|the|spring|summer|autumn|winter|fall|q1|q2|q3|q4|于|自|截至|在"
    )
)


def is_year(text: str, start: int, end: int, noun: str) -> bool:
    """Tell whether a number without unit is a year."""
    if end - start != 4 or _YEAR.fullmatch(text, start, end) is None:
        return False
    return text[end : end + 1] == "年" or not noun or _YEAR_BEFORE.before(text, start) is not None
