"""Who is said to be hit: classes that no evidence knows, and entities that are calm.

Users, customers, regions, revenue: a metric counts requests, not people. "Users saw 716 failed
requests" counts requests too, and is left to the numbers.
"""

import re
from collections.abc import Iterator
from itertools import chain

from superbizagent.analysis.claims.compare._findings import abnormal, is_examined, of_entities
from superbizagent.analysis.claims.compare._settled import settled
from superbizagent.analysis.claims.compare._speech import period_at
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Clause, Mention, Name, WordKind
from superbizagent.analysis.families import FAMILIES

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

_STRICKEN = re.compile(
    r"(?:'s (?:service|database|pods?))?(?: (?:service|database|pod|itself|also|too|likewise))?"
    r" (?:(?:was|were|is|are|got|became|had become|has been|went|turned)"
    r" (?:(?:also|too|now|then|completely|badly|heavily|itself|equally|just as|much|very) ){0,2}"
    r"(?:affected|impacted|hit|down|degraded|slow|failing|unhealthy|abnormal|broken|impaired|"
    r"unavailable|overloaded|unresponsive|dark)"
    r"|(?:also )?(?:slowed down|failed|degraded|collapsed|suffered|crashed|went down|broke down|"
    r"became slow|timed out))\b"
    r"|\s?(?:也|同时|随后|先|一度|均|都|已|就|开始|全面|大面积){0,3}"
    r"(?:变慢|瘫痪|受影响|受到影响|宕机|不可用|崩溃|出现异常|挂了|挂掉|中断)(?!的)"
)
"""What may stand right behind a name that is said to be hit."""
_SHOWN_BY: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (re.compile(r"slow|变慢"), frozenset({"lat"})),
    (re.compile(r"fail"), frozenset({"err"})),
    (
        re.compile(r"affect|impact|hit|degrad|abnormal|suffer|unhealthy|影响|异常"),
        frozenset(FAMILIES),
    ),
)
"""Families of findings that bear a word of harm out; for the others it depends."""
_OF_ANOTHER = re.compile(
    r"\b(?:to|from|of|at|on|in|through|via|for|by)(?: the)? $|[对向从的由被]\s?$"
)
"""Behind such a word the name is not what was hit: "calls to X failed"."""
_TURNED = (WordKind.NEGATION, WordKind.ABSENCE, WordKind.HEDGE)


def judge_reach(view: View) -> Iterator[Part]:
    """Yield a part for each class or entity that is said to be hit and that nothing shows hit."""
    yield from settled(view, chain(_people(view), _places(view), _entities(view)))


def _part(outcome: Outcome, text: str, reason: str) -> Part:
    return Part(PartKind.SCOPE, outcome, text, reason)


def _is_free(view: View, start: int) -> bool:
    """Tell whether a word is the writer's own: in no quote and no name."""
    taken: tuple[Mention, ...] = (*view.statement.quotes, *view.statement.names)
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


def _entities(view: View) -> Iterator[Part]:
    for name in view.statement.names:
        match = _STRICKEN.match(view.text, name.end)
        clause = view.clause_of(name)
        if match is None or len(name.entities) != 1 or _is_turned(view, clause):
            continue
        if _OF_ANOTHER.search(view.text, max(0, name.start - 12), name.start):
            continue
        if period_at(view, clause, name) == "baseline":
            continue
        yield from _stricken(view, name, view.text[name.start : match.end()])


def _is_turned(view: View, clause: Clause) -> bool:
    return any(view.statement.words_of(kind, clause) for kind in _TURNED)


def _stricken(view: View, name: Name, text: str) -> Iterator[Part]:
    path = name.entities[0]
    found = of_entities(abnormal(view.ground), (path,))
    if found:
        families = next((f for said, f in _SHOWN_BY if said.search(text)), frozenset[str]())
        shown = [f for f in found if f.family in families]
        if shown:
            yield Part(
                PartKind.SCOPE, Outcome.HOLDS, text, "", tuple(i for f in shown for i in f.fact_ids)
            )
    elif is_examined(view.ground, path):
        yield _part(Outcome.FAILS, text, f"calm:{name.text}")
    else:
        yield _part(Outcome.UNSHOWN, text, f"no_data:{name.text}")
