"""Whether a question says that something is wrong, or asks whether anything is."""

import re
import unicodedata

__all__ = ["reports_symptom"]

_SYMPTOMS = re.compile(
    r"\b(?:slow\w*|lag\w*|latenc\w*|delay\w*|tim(?:e|es|ed|ing)[ -]?outs?|errors?|err|exceptions?"
    r"|fail\w*|crash\w*|down|outage\w*|unavailable|unreachable|broken|breaks?|hangs?|hung|hanging"
    r"|stuck|stall\w*|pending|restart\w*|oom\w*|kill\w*|leak\w*|spik\w*|drop\w*|lost|los(?:es|ing)"
    r"|full|exhaust\w*|satur\w*|overload\w*|throttl\w*|deadlock\w*|refus\w*|reject\w*|degrad\w*"
    r"|high|[45](?:xx|\d\d))\b"
    r"|慢|卡|延迟|超时|报错|出错|错误|失败|挂|崩|宕|不可用|打不开|无法|不能|连不上|断|重启|泄漏|泄露|满"
    r"|耗尽|飙|激增|暴涨|过高|升高|下降|掉|丢|拒绝|故障|瘫",
    re.IGNORECASE,
)
"""Words for what users or machines suffer from; who writes one has seen something."""
_TROUBLE = re.compile(
    r"\b(?:wrong|problems?|issues?|abnormal\w*|anomal\w*|bad|trouble\w*|incident\w*|alert\w*)\b"
    r"|异常|问题|告警|报警|不对|不正常|事故",
    re.IGNORECASE,
)
"""Words that say no more than that something is wrong, or ask whether it is."""
_PRESUPPOSES = re.compile(
    r"\b(?:why|how come|what(?:'s| is| was| went| happened)? (?:wrong|happen\w*)|caus\w+|reason"
    r"|root)\b|为什么|为何|为啥|怎么回事|怎么了|什么原因|原因|根因|排查",
    re.IGNORECASE,
)
_ASKS_WHETHER = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|has|have|any|anything|check|whether)\b"
    r"|有没有|是否|有无|是不是|吗|么\W*$|正不正常",
    re.IGNORECASE,
)


def reports_symptom(question: str) -> bool:
    """Tell whether whoever asks has seen that something is wrong.

    "Is checkout all right?" has not; "checkout is slow", "why is checkout pending?" and
    "checkout 很慢" have. In doubt it has: then the system is not called healthy.
    """
    text = unicodedata.normalize("NFKC", question)
    if _SYMPTOMS.search(text) or _PRESUPPOSES.search(text):
        return True
    return bool(_TROUBLE.search(text)) and not _ASKS_WHETHER.search(text)
