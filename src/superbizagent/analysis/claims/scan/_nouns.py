"""What a number counts: the words behind it."""

import re
from typing import Final

__all__ = ["MEASURES", "MEASURE_AT", "NOUN_CHARS", "noun_at"]

MEASURES: Final = "个条次台项件行份张路批轮组套名位人笔封页块片根只家颗座副跳篇例起"
"""Chinese measure words that a count stands before. 种, 类, 级, 层, 方, 点 and their like are
left out: 三级 and 二类 number a thing and do not count it."""

# Things that are counted without measure word, or named behind one.
_THINGS = (
    "慢查询|错误请求|失败请求|错误|请求|连接数|连接|线程|异常|实例|节点|副本|订单|用户|日志|消息|任务|查询|进程|容器"
    "|服务|数据库|主机|告警|事件|事务|会话|文件|分区|接口|机器|机房|集群|调用|线程池|线程|等待者|等待|队列|样本"
    "|数据点|Pod|pod|重启|超时|失败|重试|版本|指标|记录|行|键|客户端|下游|上游|依赖|候选|检查|步骤|证据|部署|变更"
)
MEASURE_AT: Final = re.compile(
    rf" ?(?:个次|人次|[{MEASURES}](?![别案件]因|体))(?![以别])| ?(?=(?:{_THINGS}))"
)
"""A measure word behind a number, or a counted thing without one (then it matches nothing)."""
_HAN_NOUN = re.compile(
    rf" ?(人次|[{MEASURES}])? ?((?:(?:数据库|慢|失败的?|错误的?|异常的?|新|活跃|等待|HTTP|MySQL|Redis|SQL) ?)?(?:{_THINGS}))?"
)

NOUN_CHARS: Final = 64
"""How far behind a number its noun is looked for: three long words."""

_WORD = re.compile(r"[ -]([A-Za-z][A-Za-z0-9_-]{0,30})(?![A-Za-z0-9_.])")
_OF = re.compile(r" of (?:(?:the|all|its|their|our|these|those|any) ){0,2}")
_TIMES = re.compile(r"[ -]times?(?![A-Za-z-])", re.IGNORECASE)
_MORE = re.compile(
    r" (?:more|fewer|additional|extra|other|less|new|different|of the|such)(?= [A-Za-z])"
)
_STOPS = frozenset(
    [
        "in",
        "on",
        "at",
        "of",
        "for",
        "to",
        "by",
        "and",
        "or",
        "but",
        "nor",
        "per",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "has",
        "had",
        "have",
        "having",
        "with",
        "from",
        "than",
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "which",
        "who",
        "while",
        "when",
        "where",
        "as",
        "after",
        "before",
        "since",
        "until",
        "during",
        "then",
        "now",
        "not",
        "no",
        "did",
        "does",
        "do",
        "will",
        "would",
        "can",
        "could",
        "should",
        "may",
        "might",
        "must",
        "over",
        "under",
        "up",
        "down",
        "between",
        "within",
        "it",
        "its",
        "they",
        "them",
        "he",
        "she",
        "we",
        "you",
        "there",
        "here",
        "also",
        "only",
        "just",
        "still",
        "already",
        "again",
        "yet",
        "so",
        "because",
        "due",
        "if",
        "although",
        "though",
        "whereas",
        "versus",
        "vs",
        "via",
        "through",
        "across",
        "above",
        "below",
        "about",
        "around",
        "into",
        "onto",
        "out",
        "off",
        "against",
        "without",
        "more",
        "fewer",
        "less",
        "most",
        "least",
        "much",
        "many",
        "i.e",
        "e.g",
        "both",
        "either",
        "each",
        "every",
        "all",
        "any",
        "later",
        "ago",
        "earlier",
        "yesterday",
        "today",
        "tomorrow",
        "respectively",
        "instead",
        "rather",
        "too",
        "very",
        "even",
        "however",
        "therefore",
        "thus",
        "hence",
        "apart",
        "long",
        "high",
        "higher",
        "lower",
        "longer",
        "shorter",
        "slower",
        "faster",
        "times",
        "time",
        "x",
        "and/or",
        "became",
        "rose",
        "fell",
        "grew",
        "dropped",
    ]
)
# A past tense behind the first noun says what became of it; in front it is a part of the noun.
_PLURAL = re.compile(r"[a-z]{2,}[^s'u]s$|[a-z]+(?:ies|sses|xes)$")


def _english_noun(text: str, at: int) -> str:
    words: list[str] = []
    while len(words) < 3 and (found := _WORD.match(text, at)):
        word = found[1].lower()
        if word in _STOPS:
            break
        words.append(word)
        at = found.end()
        if _PLURAL.fullmatch(word):
            break
    # "5 pod restarted": without a plural only the first word surely belongs to the number,
    # and what it is when the plural comes third is told by its end.
    if words and not _PLURAL.fullmatch(words[-1]):
        return words[0]
    return " ".join(words)


def noun_at(text: str, at: int, unit: str) -> str:
    """Read what the number that ends at ``at`` counts.

    Args:
        text: A normalised sentence; characters that were read already are ``\\0``.
        at: The end of the number with its unit.
        unit: Its unit. Of seconds and bytes only "of <noun>" is read: "8 min yesterday".

    Returns:
        The noun, lower case, empty when there is none.
    """
    window = text[at : at + NOUN_CHARS].replace("\0", "")
    place = 0
    if unit and (found := _OF.match(window)):
        return _english_noun(window, found.end() - 1)
    if unit.partition("/")[0] not in {"", "ratio"}:
        return ""
    if not unit:
        found = _HAN_NOUN.match(window)
        if found is not None and (found[1] or found[2]):
            return f"{found[1] or ''}{(found[2] or '').lower().replace(' ', '')}"
    if _TIMES.match(window):
        return "times"
    if found := _MORE.match(window):
        place = found.end()
    return _english_noun(window.replace("  ", " "), place)
