"""Where a word with two meanings has which: patterns of the text right before and behind it."""

import re
from collections.abc import Callable
from typing import NamedTuple

from superbizagent.analysis.claims.scan.lexicon.rows import Sense

__all__ = ["REACH", "Around", "holds"]

REACH = 48
"""Characters looked at on each side: some eight English words, a Chinese clause."""


class Around(NamedTuple):
    """What stands around a phrase."""

    before: str
    """At most `REACH` characters that end where the phrase begins, lower case."""
    after: str
    """At most `REACH` characters from its end on, lower case."""


_ABOUT = (
    r"(?:about|around|roughly|nearly|almost|approximately|some|just|only|over|under|well over|"
    r"more than|less than|an average of|a mean of|a peak of|a maximum of|a total of|"
    r"大约|大概|超过|不到|接近|将近|逼近|约|近|仅|只有|只|平均|~|≈|<|>|≥|≤|\$)"
)
_NUMBER = (
    r"(?:\d|zero\b|nothing\b|none\b|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|"
    r"nine\b|ten\b|half\b|[零一二两三四五六七八九十百千半])"
)
_EVENTS = (
    r"(?:incident|fault|outage|failure|problem|issue|event|spike|onset|alert|anomaly|trouble|"
    r"disruption|degradation|deploy(?:ment)?|release|restart|rollout|change|rollback|start|"
    r"beginning|crash|jump|drop|rise|upgrade|slow[- ]?down|peak|surge|storm|regression)"
)
_BE = r"(?:is|are|was|were|be|been|being|looks?|looked|stay(?:s|ed)?|remain(?:s|ed|ing)?|kept|"
_CLAUSE_END = (
    r"\s*(?:$|[,.;:!?)|，。；：！？、）—–]|(?:(?:and|but|while|whereas|or|to|so)\b|"
    r"the (?:incident|fault|outage|problem|trouble|failure|onset|anomaly|event)\b|"
    r"it (?:began|started|broke|all)|"
    r"things|that\b|this\b))"
)
_PAST = _CLAUSE_END + r"|\s*(?:was|were|is|it was|had been|they|its?\b)"
_TIMES = r"\s*[0-9][0-9.,]*(?:\s?(?:×|x\b|times\b|%)|\s*(?:[:;)“]|$)(?!\d))"
_THAN = r"[^.,;]{0,40}\bthan"
_FORMER = (
    r"\s+(?:(?:the|its|their|in|at|it|they|on)\s+){0,2}"
    r"(?:usual|usually|normal|normally|before|baseline|earlier|"
    r"previously|ever|average|median|typical)"
)
_PATTERNS: dict[str, tuple[str, str]] = {
    # Key -> (what the text before must end with, what the text behind must begin with).
    "number_next": ("", rf"\s*{_ABOUT}?\s*{_ABOUT}?\s*{_NUMBER}"),
    # "5 ms before (from 12:41 on)", "803 times, before 0×": no time stands behind it.
    "period_next": ("", rf"{_PAST}|\s*\(|{_TIMES}"),
    # "31 ms earlier" is a period, "40 seconds earlier" an order.
    "period_alone": (
        r"^(?!.*\b(?:seconds?|minutes?|mins?|hours?|days?|secs?|s|h|m)\s+$).*$",
        _CLAUSE_END,
    ),
    "recovering": (
        "",
        r"\s*(?:$|[,.;)]|at\b|by\b|up\b|online|to (?:normal|baseline|life|service))",
    ),
    "than_other": ("", rf"{_THAN}\b(?!{_FORMER})(?!\s*{_ABOUT}?\s*{_NUMBER})"),
    "turning": ("", rf"(?!{_THAN}\b)|{_THAN}{_FORMER}"),
    "lengthening": (
        (
            r"\b(?:takes?|took|taken|taking|lasted|lasts?|got|gets|became|grew|wait(?:s|ed|"
            r"ing)?|ran|"
            r"runs?|much|far|even|is|are|was|were|fold|times|held|\d\s?[a-z%]{0,12})\s+$"
        ),
        rf"(?!{_THAN}\b)|{_THAN}{_FORMER}",
    ),
    "factor_next": (
        "",
        (
            rf"\s*(?:an?\s+(?:factor|order|further|mean|average|full|third|quarter|tenth|half)|"
            rf"{_ABOUT}?\s*{_NUMBER})"
        ),
    ),
    "han_event": (
        "",
        r"(?:上升|下降|出现|发生|开始|变|升|降|恢复|报错|失败|告警|飙|异常|增|涨|跌|超时|回落|触发|抬|攀)",
    ),
    # An alert that goes off causes nothing: X 触发时, 触发告警.
    "han_triggers": (
        r"^(?!.*(?:告警|报警|警报|规则|被|由[^，。；]{1,24}|早|晚|先|才|后)$).*$",
        r"了?(?!时|后|于|约|在|的|前|次|过|到|了|告警|报警|警报|\s*(?:$|[，。；,;、）)\d]))",
    ),
    # "made order-db slow", but "made 3 calls", "made progress".
    "making": (
        "",
        (
            r"\s+(?:[\w.'-]+\s+){1,3}(?:retry|retries|fail|wait|time|slow|slower|crash|"
            r"restart|queue|hang|"
            r"unavailable|unreachable|rise|grow|climb|fall|drop|worse|return|reject|refuse|"
            r"lose|stop|pile|"
            r"block|respond|run out|miss|stale|impossible|useless|late)\b"
        ),
    ),
    "object_next": (
        r"^(?!.*\b(?:is|are|was|were|be|been|being|gets?|got)\s+(?:[a-z]+\s+)?$).*$",
        (
            r"\s+(?:(?:the|its|their|all|every|this|that|those|these)\s+(?!(?:[a-z]+\s+){0,2}"
            r"(?:warning|error|"
            r"log|line|message|record|exception|entry|entries|first|last|whole time|window|"
            r"moment|same)\b)"
            r"|(?:it|them)\b|[\w.]+-[\w.-]+\b|[\w.-]+'s\b)"
        ),
    ),
    "recorded_next": (
        "",
        (
            r"\s+(?:(?:was|were|is|are|has been|have been|had been)\s+)?(?:recorded|found|"
            r"seen|made|"
            r"deployed|listed|logged|registered|reported|noted|on record|took place|"
            r"happened|preceded|shows? up|of any)\b"
        ),
    ),
    "han_object": (
        r"^(?!.*(?:被|由[^，。；]{1,24}|已|已经|全部?)$).*$",
        r"了\s*[^，。；,;、！\s\d]",
    ),
    "relying": (
        "",
        r"\s+(?:relies|rely|depends?|calls?|uses?|talks?|runs?|sits|reads?|is called)\b",
    ),
    "acting": ("", r"\s+(?!(?:the|we|an?|its?|they|i|you|was|is|were)\b)[a-z]"),
    "bounding": (
        "",
        (
            r"\s+(?:(?:is|was|were|be|been|being|takes?|took|lasted|saw|had|needed|used|held)\s+)?"
            r"(?:more than|less than|fewer than|higher than|"
            r"lower than|longer than|shorter than|"
            r"above|below|beyond|past|later than|exceed(?:s|ed|ing)?|under|over)\b"
        ),
    ),
    "ranking": (
        "",
        (
            r"[^.;]{0,40}\b(?:of (?:all|any|the|them|these|those|both)\b|"
            r"among|amongst|across|anywhere|"
            r"by far|in the (?:system|fleet|cluster|scope))"
        ),
    ),
    "han_ranking": (
        "",
        r"\s*的\s*(?:服务|实例|节点|是|数据库|主机|组件|接口|一个|那个|还是|当属|要数)",
    ),
    "gaining": ("", rf"\s+[a-z]+(?: [a-z]+)?\s+than{_FORMER}"),
    "since_time": (
        "",
        (
            r"\s*(?:$|[,.;]|then\b|that\b|this\b|last\b|yesterday\b|about\b|around\b|at least\b|\d|"
            rf"(?:the|its|their|our|a)\s+(?:[a-z]+[ -]){{0,2}}{_EVENTS}\b|it (?:began|started))"
        ),
    ),
    "from_number": ("", rf"\s*(?:a (?:mean|median|baseline|level) of\s+)?{_ABOUT}?\s*{_NUMBER}"),
    "raised_alert": (
        "",
        (
            r"\s*(?:an?|the|any|no|two|three|\d+)?\s*(?:[a-z]+\s)?(?:alert|alarm|"
            r"exception|error|ticket|concern|question|flag|hand)"
        ),
    ),
    "staying": (_BE + r"keeps|seems?|seemed|felt|perfectly|entirely|completely|quite|all)\s+$", ""),
    "seeming": ("", r"\s+(?:to|that|as if|as though|in the (?:report|table|list))\b"),
    "superlative": (r"\bthe\s+$", r"\s+(?!of\b)[a-z]"),
    "ongoing_next": (
        "",
        (
            r"\s+(?:is|are|was|were|be|being|has|have|had|going|ongoing|at\b|above|below|"
            r"over\b|under\b|in\b|on\b|no\b|not\b|up\b|down\b|high|low|elevated|rising|present|"
            r"open|active|there|running|firing|[a-z]+ing\b|unresolved|unhealthy|unavailable|"
            r"broken|degraded|slow|stuck|"
            r"full|exhausted|waiting|saturated|occurs?\b|persists?|remains?|shows?\b|fails?\b)"
        ),
    ),
    "cause_noun": (
        (
            r"\b(?:the|a|an|its|their|this|that|one|no|any|what|likely|possible|probable|main|"
            r"candidate|candidates|potential|suspected|leading|top|immediate|proximate|direct|two|"
            r"three|several|of|contributing|primary|real|actual|true|sole|only|underlying|"
            r"most likely|other|another|first|common)\s+$"
        ),
        "",
    ),
    "so_forward": (
        r"(?:^|[,;]\s*|\band\s+)$",
        (
            rf"\s+(?!far|that|much|many|called|(?:at least |at most |up to |{_ABOUT})?\s*{_NUMBER}|"
            r"[^.;]{0,60}\b(?:cleared|excluded|ruled? out|not the|can be|innocent)\b)"
        ),
    ),
    "than_ahead": ("", r"[^.,;]{0,40}\bthan\b"),
    "value_next": (
        "",
        (
            rf"\s*(?:[a-z]+\s+){{0,3}}(?:of|was|were|is|at|being|reached|came to|:)\s*"
            rf"{_ABOUT}?\s*{_NUMBER}"
            rf"|\s*(?:value|reading|point|sample|level|measured|recorded|observed)\b|\s*{_NUMBER}"
        ),
    ),
    "new_thing": (
        "",
        (
            r"\s+(?:deploy|release|version|build|revision|rollout|pods?\b|connections?\b|"
            r"replicas?\b|"
            r"sessions?\b|image|config|setting|instances?\b|nodes?\b|index|feature|hosts?\b|"
            r"requests?\b|certificate|customers?\b|code|query plan|limit|value|level|threads?\b|"
            r"york|relic)"
        ),
    ),
    "dated": (
        "",
        (
            r"\s*(?:at|on|around|about|shortly after|在)?\s*(?:\d|today|yesterday|"
            r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d)"
        ),
    ),
    "month": ("", r"\s+\d|\s*,"),
    "opening": (r"(?:^|[,;:，。；：]\s*|\b(?:and|but|only)\s+)[\s\"'*-]*$", ""),
    # Chinese
    "verb_ahead": (
        "",
        (
            r"(?:明显|显著|继续|再|进一步|同步|随之|大幅|立即|马上|及时|任何|真正|因此|跟着|一起|出现)?"
            r"(?:上升|升|下降|降|增|减|涨|跌|恢复|变|导致|造成|引发|引起|触发|影响|回落|飙|攀|抬|提高|"
            r"提升|缓解|结束|停|解决|好转|持续|超过|达到|高于|低于|重启|发布|部署|波及|传导|早于|晚于|先于|"
            r"改善|扩容|回滚|返回|释放|归还|处理|完成|响应|成功|使用|走|收到|被|受|因|跟上|抵达|触及|走高|走低)"
        ),
    ),
    "counted": ("", rf"\s*了?\s*{_ABOUT}?\s*{_NUMBER}"),
    "han_staying": (
        (
            r"(?:保持|仍|一切|均|都|表现|始终|全程|一直|维持|依然|仍然|基本|也|很|完全|状态|指标|看起来|"
            r"运行|属|是|比较|较为)$"
        ),
        r"(?!情况|水平|值|时|的|情形|运营|响应|处理|范围|工作日|负载)",
    ),
    "han_ongoing": (
        "",
        r"(?:在|为|是|未|处|有|高|保|维|持|没|不|无|比|超|低|然|达|居|停留|继续|存在|失败)",
    ),
    "between_events": (
        r"(?:在|于|比|发生|开始|上升|下降|恢复|发布|部署|重启|变更|出现|[a-z])[^，。；,;]{0,24}$",
        r"(?!的|为|是|那|这|一直|平均|仅|只|约|大约|\s*[,，：:]?\s*\d|每)",
    ),
    "han_from": ("", rf"\s*(?:基线的?|平时的?|之前的?|正常的?|原来的?)?\s*{_ABOUT}?\s*{_NUMBER}"),
    "han_to": (
        (
            r"(?:升|降|涨|跌|增|减|落|飙|窜|蹿|冲|攀|抬|提|掉|拉|长|加|多|少|变|恶化|改善|高|低|滑|缩|扩|"
            r"回|推|大|小|调|\d\s?[a-z%个次条秒]{0,4}|毫秒|秒)\s*$"
        ),
        rf"\s*了?\s*(?:最高|峰值|故障(?:期间|时)?的?|现在的?)?\s*{_ABOUT}?\s*{_NUMBER}",
    ),
    "compared": (
        r"(?:比|较|相比)[^，。；,;]{1,24}$",
        r"(?!于|达|峰|可用|期|时间|个|次|少|小|度|家)",
    ),
    "han_value": (
        "",
        (
            rf"\s*(?:值|点|时|达到|达|为|是|到|至|可达|的一[次个条]|响应|延迟|耗时|[^，。；,;]{{0,8}}?[为是达到])"
            rf"?\s*了?\s*{_ABOUT}?\s*{_NUMBER}"
        ),
    ),
    "passive": (
        r"(?:由|是|被|受)[^，。；,;的]{1,24}$",
        r"",
    ),
    "agent_ahead": (
        "",
        r"[^，。；,;]{1,24}?(?:导致|造成|引发|引起|触发|拖慢|拖垮|压垮|拖累|影响|驱动|致使|所致)",
    ),
}


def _compiled(before: str, after: str) -> Callable[[Around], bool]:
    head = re.compile(before if before.endswith("$") else f"{before}$") if before else None
    tail = re.compile(after) if after else None

    def is_there(around: Around) -> bool:
        if head is not None and not head.search(around.before):
            return False
        return tail is None or tail.match(around.after) is not None

    return is_there


# "up" and "down" move only behind a verb of motion or in front of an amount.
_MOVED = re.compile(
    r"\b(?:go|goes|went|gone|going|is|are|was|were|be|been|being|moves?|moved|moving|pushe?[sd]?|"
    r"driven|drove|drives?|come|came|comes|still|way|trended|trending|heading|headed|sharply|"
    r"[a-z]+ly|both|all|latency|errors?|rates?|usage|traffic|cpu|memory|requests?|waiting|time)\s+$"
)
_AMOUNT = re.compile(
    rf"\s*(?:by|from|until|since|to\s+{_ABOUT}?\s*{_NUMBER}|sharply|slightly|again|{_ABOUT}?\s*\d|"
    r"on\b|$|[,.;])"
)


def _is_moving(around: Around) -> bool:
    return bool(_MOVED.search(around.before)) or bool(_AMOUNT.match(around.after))


_RULES: dict[str, Callable[[Around], bool]] = {
    key: _compiled(before, after) for key, (before, after) in _PATTERNS.items()
}
_RULES["moving"] = _is_moving
# "had the highest p99" ranks those who have one, "its highest p99" takes the peak of one.
_HAS = re.compile(
    r"\b(?:had|has|have|shows?|showed|saw|sees|suffered|with|recorded|posted)\s+(?:by far\s+)?"
    r"the\s+$"
)
_AMONG = re.compile(r"(?:服务|实例|节点|所有|其中|三者|两者|之中|数据库|主机)[^，。；]{0,6}$")


def _either(key: str, before: re.Pattern[str]) -> Callable[[Around], bool]:
    there = _RULES[key]
    return lambda around: there(around) or before.search(around.before) is not None


_RULES["ranking"] = _either("ranking", _HAS)
_RULES["han_ranking"] = _either("han_ranking", _AMONG)
_RULES["extreme"] = lambda a: _RULES["value_next"](a) or not _RULES["ranking"](a)
_RULES["han_extreme"] = lambda a: _RULES["han_value"](a) or not _RULES["han_ranking"](a)


def holds(sense: Sense, around: Around) -> bool:
    """Tell whether a phrase has this meaning where it stands."""
    rule = sense.rule.removeprefix("!")
    return not rule or _RULES[rule](around) is not sense.rule.startswith("!")
