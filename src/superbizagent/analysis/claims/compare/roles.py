"""The words that say what happened at a time."""

import re

from superbizagent.analysis.claims.compare.events import Role

__all__ = ["roles_in"]

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
