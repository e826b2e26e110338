"""Who is said to be hit: classes that no evidence knows, and entities that are calm.

Users, customers, regions, revenue: a metric counts requests, not people. "Users saw 716 failed
requests" counts requests too, and is left to the numbers.
"""

import re
from collections.abc import Iterator
from itertools import chain

from superbizagent.analysis.claims.compare._settled import settled
from superbizagent.analysis.claims.compare._stricken import judge_stricken
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import View

__all__ = ["judge_reach"]

_PEOPLE = re.compile(
    r"\b(?:users|customers|shoppers|visitors|tenants|subscribers|buyers|merchants|people|patients|"
    r"players|guests|accounts)\b|用户|客户|顾客|租户|商户|买家|消费者|玩家",
    re.IGNORECASE,
)
_PLACES: tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...] = (
    (
        "regions",
        re.compile(
            r"\bregions?\b|\bcountr(?:y|ies)\b|\bcontinents?\b|区域|地区|大区|华东|华南|华北|西南"
            r"|(?<!其他)国家",
            re.IGNORECASE,
        ),
        ("region",),
    ),
    (
        "data_centres",
        re.compile(
            r"\bdata ?cent(?:re|er)s?\b|\bavailability zones?\b|机房|数据中心|可用区", re.IGNORECASE
        ),
        ("datacenter", "dc", "zone", "availability_zone"),
    ),
    (
        "revenue",
        re.compile(
            r"\brevenue\b|\bturnover\b|\b(?:lost|missed) (?:sales|orders|business)\b"
            r"|\b(?:sales|orders) (?:were )?lost\b|营收|收入损失|销售额|订单流失|流失.{0,4}订单",
            re.IGNORECASE,
        ),
        ("revenue",),
    ),
    (
        "platform",
        re.compile(
            r"\b(?:the )?(?:whole|entire) (?:platform|site|company|business|system|cluster|fleet)\b"
            r"|\b(?:site|platform|company|fleet)-?wide\b|全站|整个(?:平台|系统|网站|集群)|全平台|全线",
            re.IGNORECASE,
        ),
        (),
    ),
    (
        "teams",
        re.compile(r"\bteams\b|\bdepartments?\b|\bwarehouses?\b|团队都|部门|仓库"),
        ("team",),
    ),
)
_HARM = re.compile(
    r"\baffect|\bimpact|\bhit\b|\bsuffer|\bunable\b|\bcould not\b|\bcouldn't\b|\bcannot\b|\bcan't\b"
    r"|\blost\b|\bsaw\b|\bexperienc|\bretr(?:y|ied)\b|\bfail|\bdown\b|\bdegrad|\bstopped\b|\bunavail"
    r"|\bcomplain|\bbroke|\bslow|影响|无法|不能|打不开|流失|投诉|受损|失败|瘫痪|不可用|中断|重试|损失",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:requests?|responses?|checkouts?|orders?|calls?|bookings?|errors?|failures?)\b"
    r"|请求|响应|调用|次|订单",
    re.IGNORECASE,
)
"""Nouns that metrics count: a sentence that counts these speaks of users as a figure of speech."""


def judge_reach(view: View) -> Iterator[Part]:
    """Yield a part for each class or entity that is said to be hit and that nothing shows hit."""
    yield from settled(view, chain(_people(view), _places(view), judge_stricken(view)))


def _part(outcome: Outcome, text: str, reason: str) -> Part:
    return Part(PartKind.SCOPE, outcome, text, reason)


def _is_free(view: View, start: int) -> bool:
    """Tell whether a word is the writer's own: in no quote and no name."""
    taken = (*view.statement.quotes, *view.statement.names)
    return not any(m.start <= start < m.end for m in taken)


def _has_label(view: View, names: tuple[str, ...]) -> bool:
    """Tell whether series have such a label, and the sentence speaks of one of its values."""
    text = view.text.lower()
    values = {
        labels[name].lower()
        for labels in view.ground.stored.labels
        for name in names
        if labels.get(name)
    }
    return any(value in text for value in values)


def _people(view: View) -> Iterator[Part]:
    match = _PEOPLE.search(view.text)
    if match is None or not _is_free(view, match.start()):
        return
    word = match[0].lower()
    if _has_label(view, (word, word.rstrip("s"))):
        return
    counted = [q for q in view.statement.quantities if q.end <= match.start() <= q.end + 24]
    between = (view.text[q.end : match.start()] for q in counted)
    if any(not _COUNTED.search(text) for text in between):
        yield _part(Outcome.UNSHOWN, match[0], f"no_such_class:{word}")
        return
    figure = view.statement.quantities and _COUNTED.search(view.text)
    if _HARM.search(view.text) and not figure:
        yield _part(Outcome.UNSHOWN, match[0], f"no_such_class:{word}")


def _places(view: View) -> Iterator[Part]:
    for name, said, labels in _PLACES:
        match = said.search(view.text)
        if match is None or not _is_free(view, match.start()):
            continue
        if _HARM.search(view.text) and not _has_label(view, labels):
            yield _part(Outcome.UNSHOWN, match[0], f"no_such_class:{name}")
