"""The words that say what happened at a time."""

import re

from superbizagent.analysis.claims.compare.events import Role

__all__ = ["happening_in", "is_trough", "roles_in"]

_ROLE_WORDS: tuple[tuple[Role, re.Pattern[str]], ...] = (
    (
        Role.ALERT,
        re.compile(
            r"\b(?:fir(?:es?|ed|ing)|alert\w*|alarm\w*|page[dr]?|pager|pending|trigger\w*)\b"
            r"|触发|告警|报警"
        ),
    ),
    (
        Role.CHANGE,
        re.compile(
            r"\b(?:deploy\w*|releas\w*|roll(?:ed)?[ -]?out|rollout|shipped|upgrad\w*|chang\w*"
            r"|configur\w*|version)\b|发布|上线|部署|变更|配置|升级|版本"
        ),
    ),
    (
        Role.EXTREME,
        re.compile(
            r"\b(?:peak\w*|highest|lowest|maxim\w*|minim\w*|max|min|topped|fiercest|worst|top|high"
            r"|low|slowest|busiest|bottom\w*|record|hit|reach\w*|touch\w*)\b"
            r"|峰值|最高|最低|最大|最小|见顶|最慢|最多|冲到|达到|顶"
        ),
    ),
    (Role.LAST, re.compile(r"\b(?:last|latest|final|finally)\b|最后|末")),
    (Role.FIRST, re.compile(r"\b(?:first|earliest)\b|首|第一|最早")),
    (
        Role.ONSET,
        re.compile(
            r"\b(?:start\w*|beg[aiu]n\w*|beginning|since|onward\w*|turn\w*|bec[ao]m\w*|onset"
            r"|went|goes|set in|sets in|appear\w*|emerg\w*|first|came up|broke out|abnormal)\b"
            r"|开始|起|以来|以后|之后|出现|进入|变|异常|拐点"
        ),
    ),
    (
        Role.LINE,
        re.compile(
            r"\b(?:log\w*|record\w*|noted|wrote|line|message|entry|reports?|reported)\b|日志|记录"
        ),
    ),
)


def roles_in(text: str) -> tuple[Role, ...]:
    """Return what a text in lower case says of a time, nothing when it says no more than when."""
    return tuple(role for role, words in _ROLE_WORDS if words.search(text))


_TROUGH = re.compile(
    r"\b(?:lowest|minim\w*|min|bottom\w*|trough\w*)\b|最低|最小|触底|见底|低谷|谷底"
)
_HAPPENINGS: tuple[tuple[Role, re.Pattern[str]], ...] = (
    (
        Role.EXTREME,
        re.compile(
            r"\b(?:peak\w*|crest\w*|topped|maxed|highest|lowest|maxim\w*|minim\w*|max|min|fiercest"
            r"|worst|slowest|busiest|bottom\w*|trough\w*)\b"
            r"|峰值|最高|最低|最大|最小|见顶|触顶|达峰|到顶|最慢|最多|触底|见底|低谷|顶峰|高峰"
        ),
    ),
    (
        Role.ALERT,
        re.compile(
            r"\b(?:fir(?:es?|ed|ing)|alert\w*|alarm\w*|page[dr]?|pager|pending|trigger\w*)\b"
            r"|触发|告警|报警"
        ),
    ),
    (
        Role.CHANGE,
        re.compile(
            r"\b(?:deploy\w*|releas\w*|roll(?:ed)?[ -]?out|rollout|shipped|upgrad\w*|chang\w*"
            r"|configur\w*|version)\b|发布|上线|部署|变更|配置|升级|版本"
        ),
    ),
    (
        Role.LAST,
        re.compile(
            r"\b(?:last|latest|final)(?! (?:\d|few|two|three|five|ten|hour|minute))\b|最后|末"
        ),
    ),
    (Role.FIRST, re.compile(r"\b(?:first|earliest)\b|首|第一|最早")),
    (
        Role.END,
        re.compile(
            r"\b(?:end(?:s|ed|ing)?|stop(?:s|ped|ping)?|ceas\w*|recover\w*|resolv\w*|clear(?:s|ed)"
            r"|subsid\w*|died (?:down|away)|went away|back to normal|was over)\b"
            r"|结束|停止|恢复|消失|平息|不再"
        ),
    ),
    (
        Role.ONSET,
        re.compile(
            r"\b(?:start(?:s|ed|ing)?|beg[aiu]n\w*|beginning|onset|set in|sets in|appear\w*"
            r"|emerg\w*|came up|broke out|slow(?:s|ed) down|degrad\w*|deteriorat\w*"
            r"|went (?:up|down|bad|abnormal)|turn(?:s|ed)|bec[ao]m\w*)\b"
            r"|开始|出现|变慢|变高|变差|异常|拐点|恶化|抬头"
        ),
    ),
)
"""The surest first: an alert that starts to fire is an alert, its first record a record."""


def happening_in(text: str) -> Role | None:
    """Return what a text in lower case says happened, None when it speaks of no instant."""
    return next((role for role, words in _HAPPENINGS if words.search(text)), None)


def is_trough(text: str) -> bool:
    """Tell whether an extreme is a lowest value."""
    return _TROUGH.search(text) is not None
