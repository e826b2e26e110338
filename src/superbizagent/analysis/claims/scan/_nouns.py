"""What a number counts: the words behind it."""

import re
from typing import Final

__all__ = ["MEASURES", "MEASURE_AT", "noun_at"]

MEASURES: Final = "个条次台项件行份张路批轮组套名位人笔封页块片根只家颗座副跳篇例起"
"""Chinese measure words that a count stands before. 种, 类, 级, 层, 方, 点 and their like are
left out: 三级 and 二类 number a thing and do not count it."""

# Things that are counted without measure word, or named behind one.
_HAN_THINGS = (
    "慢查询|错误请求|失败请求|错误|请求|连接数|连接|线程池|线程|异常|实例|节点|副本|订单|用户|日志|消息|任务"
    "|查询|进程|容器|服务|数据库|主机|告警|事件|事务|会话|文件|分区|接口|机器|机房|集群|调用|等待者|等待"
    "|队列|样本|数据点|重启|超时|失败|重试|版本|指标|记录|行|键|客户端|下游|上游|依赖|候选|检查|步骤|证据"
    "|部署|变更|命令|缓存|索引|锁|死锁"
)
_KINDS = "数据库|慢|失败的?|错误的?|异常的?|新|活跃|等待|HTTP|MySQL|Redis|SQL"
MEASURE_AT: Final = re.compile(rf" ?(?:人次|(?!次性|副本)[{MEASURES}])| ?(?=(?:{_HAN_THINGS}))")
"""A measure word behind a number, or a counted thing without one (then it matches nothing)."""
_HAN_NOUN = re.compile(
    rf" ?(人次|(?!副本)[{MEASURES}])? ?((?:(?:{_KINDS}) ?)?(?:{_HAN_THINGS}|[Pp]ods?\b))?"
)

# How far behind a number its noun is looked for: three long words.
_WINDOW = 64
_WORD = re.compile(r"[ -]([A-Za-z][A-Za-z0-9_-]{0,30})(?![A-Za-z0-9_]|\.[A-Za-z0-9])")
_OF = re.compile(r" of (?:(?:the|all|its|their|our|these|those|any) ){0,2}")
_OF_HAN = re.compile(rf" ?的 ?({_HAN_THINGS})")
_THE = re.compile(r" (?:the|all|its|their|our) ")
_TIMES = re.compile(r"[ -]times?(?![A-Za-z-])", re.IGNORECASE)
_MORE = re.compile(r" (?:more|fewer|additional|extra|other|less|new|different|such)(?= [A-Za-z])")
_STOPPING = """
    in on at of for to by and or but nor per is are was were be been being has had have having with
    from than the a an this that these those which who while when where as after before since
    until during then now not no did does do will would can could should may might must over under
    up down between within it its they them he she we you there here also only just still already
    again yet so because due if although though whereas versus vs via through across above below
    about around into onto out off against without more fewer less most least much many i.e e.g
    both either each every all any later ago earlier yesterday today tomorrow respectively instead
    rather too very even however therefore thus hence apart long high higher lower longer shorter
    slower faster times time x and/or increase decrease drop rise jump growth reduction decline
    fall spike surge improvement regression became rose fell grew dropped full
    throughout overall afterwards altogether once twice alone total
"""
_STOPS = frozenset(_STOPPING.split())
_PLURAL = re.compile(r"[a-z]{2,}[^s'u]s|[a-z]+(?:ies|sses|xes)")


def _english_noun(text: str, at: int) -> str:
    """Read up to three words; they end with a plural."""
    words: list[str] = []
    while len(words) < 3 and (found := _WORD.match(text, at)):
        word = found[1].lower()
        if word in _STOPS:
            break
        words.append(word)
        at = found.end()
        if _PLURAL.fullmatch(word):
            return " ".join(words)
    # Without a plural only the first word surely belongs to the number: "5 pod restarted".
    return words[0] if words else ""


def _han_noun(window: str, unit: str) -> str:
    """Read a measure word with the thing behind it, or a thing alone."""
    if unit == "ratio":
        found = _OF_HAN.match(window)
        return "" if found is None else found[1]
    found = _HAN_NOUN.match(window)
    measure, thing = ("", "") if found is None else (found[1] or "", found[2] or "")
    # "3 pods" is for English to read.
    if not measure and thing.isascii():
        return ""
    return f"{measure}{thing.lower().replace(' ', '')}"


def noun_at(text: str, at: int, unit: str) -> str:
    r"""Read what the number that ends at ``at`` counts.

    Args:
        text: A normalised sentence; characters that were read already are ``\0``.
        at: The end of the number with its unit.
        unit: Its unit. Of seconds and bytes only "of <noun>" is read: "8 min yesterday".

    Returns:
        The noun, lower case, empty when there is none.
    """
    window = text[at : at + _WINDOW].replace("\0", "")
    found = _OF.match(window) if unit else None
    if found is None and unit == "ratio":
        found = _THE.match(window)
    if found is not None:
        return _english_noun(window, found.end() - 1)
    if unit not in {"", "/s", "ratio"}:
        return ""
    if _TIMES.match(window):
        return "times"
    more = _MORE.match(window)
    place = 0 if more is None else more.end()
    # A name that was read already leaves two blanks.
    return _han_noun(window, unit) or _english_noun(window.replace("  ", " "), place)
