"""Sentences of this package's own, in both languages: no narrator wrote them.

``{slot}`` is filled with a piece; a slot that ends in ``^`` is a word with opposites.
"""

from collections.abc import Mapping, Sequence

from superbizagent.domain.incident import Language
from superbizagent.evaluation.mutations.written import Mutation

__all__ = ["PHRASES", "WORDS"]

EN, ZH = Language.EN, Language.ZH

PHRASES: Mapping[Language, Mapping[str, Sequence[str]]] = {
    EN: {
        "moved": (
            "{who}'s {what} {went^} from {before} to {after} at {onset}.",
            "At {onset} the {what} of {who} {went^} from {before} to {after}.",
        ),
        "level": (
            "During the incident the {what} of {who} averaged {after}, against {before} before.",
            "{who} ran at a {what} of {after} on average; normally it is {before}.",
        ),
        "extreme": (
            "The {what} of {who} {peaked} at {extreme} at {when}.",
            "At {when} {who} saw its {extreme_word} {what}, {extreme}.",
        ),
        "multiple": ("The {what} of {who} grew {times}-fold, from {before} to {after}.",),
        "end": ("At the end of the window the {what} of {who} stood at {last}.",),
        "calm": (
            "{none^} of the {series} series of {who} left its usual range.",
            "Of {who} {series} series were looked at, and {none_lower^} of them was abnormal.",
        ),
        "some_abnormal": ("{abnormal^} of the {series} series of {who} left their usual range.",),
        "did_move": (
            "The {what} of {who} {did^} during the incident.",
            "{who}'s {what} {did^} once the incident had begun.",
        ),
        "logged": (
            "{who} {logged^} {count} lines like “{quote}” in the incident.",
            "In the incident window the log of {who} has {count} records such as “{quote}”.",
        ),
        "never_before": ("{who} had {never^} logged “{quote}” before the incident.",),
        "peak_order": ("The {what} of {who} peaked {before^} the {what2} of {who2} did.",),
        "peak_clock": ("The {what} of {who} peaked {before^} {clock}.",),
        "event_order": ("{event} {before^} {event2}.",),
        "compare": (
            "In the incident {what} was {higher^} at {who} ({after}) than at {who2} ({after2}).",
        ),
        "no_change": ("{no_change^} during the time looked at.",),
    },
    ZH: {
        "moved": (
            "{who} 的{what}在 {onset} 从 {before} {went^} {after}。",
            "{onset}，{who} 的{what}由 {before} {went^} {after}。",
        ),
        "level": (
            "故障期间 {who} 的{what}平均为 {after}，之前为 {before}。",
            "{who} 的{what}平时是 {before}，故障期间平均 {after}。",
        ),
        "extreme": (
            "{who} 的{what}在 {when} 达到{extreme_word} {extreme}。",
            "{when} 时 {who} 的{what}为{extreme_word}，即 {extreme}。",
        ),
        "multiple": ("{who} 的{what}从 {before} 升到 {after}，是原来的 {times} 倍。",),
        "end": ("窗口结束时 {who} 的{what}为 {last}。",),
        "calm": ("{who} 的 {series} 条序列{none^}。",),
        "some_abnormal": ("{who} 的 {series} 条序列中{abnormal^}。",),
        "did_move": ("故障期间 {who} 的{what}{did^}。", "故障开始后，{who} 的{what}{did^}。"),
        "logged": (
            "故障期间 {who} 的日志{logged^} {count} 条类似“{quote}”的记录。",
            "{who} 在故障期间记录了 {count} 条“{quote}”这样的日志。",
        ),
        "never_before": ("故障之前 {who} 的日志{never^}“{quote}”。",),
        "peak_order": ("{who} 的{what}达到峰值{before^} {who2} 的{what2}达到峰值。",),
        "peak_clock": ("{who} 的{what}在 {clock} {before^}达到峰值。",),
        "event_order": ("{event}{before^}{event2}。",),
        "compare": ("故障期间 {who} 的{what}（{after}）{higher^} {who2}（{after2}）。",),
        "no_change": ("在查看的时间内{no_change^}。",),
    },
}
"""Language -> what is said -> ways to say it."""

_DIRECTION, _ABSENCE = Mutation.DIRECTION_FLIPPED, Mutation.ABSENCE_INVERTED
_ORDER, _COMPARISON = Mutation.ORDER_FLIPPED, Mutation.COMPARISON_FLIPPED

Word = tuple[str, tuple[tuple[Mutation, str], ...]]

WORDS: Mapping[Language, Mapping[str, Sequence[Word]]] = {
    EN: {
        "went+": (
            ("rose", ((_DIRECTION, "fell"),)),
            ("climbed", ((_DIRECTION, "dropped"),)),
            ("increased", ((_DIRECTION, "decreased"),)),
            ("went up", ((_DIRECTION, "went down"),)),
        ),
        "went-": (
            ("fell", ((_DIRECTION, "rose"),)),
            ("dropped", ((_DIRECTION, "climbed"),)),
            ("declined", ((_DIRECTION, "increased"),)),
            ("went down", ((_DIRECTION, "went up"),)),
        ),
        "did+": (
            ("rose", ((_DIRECTION, "fell"), (_ABSENCE, "did not rise"))),
            ("went up", ((_DIRECTION, "went down"), (_ABSENCE, "did not go up"))),
            ("increased", ((_DIRECTION, "decreased"), (_ABSENCE, "never increased"))),
        ),
        "did-": (
            ("fell", ((_DIRECTION, "rose"), (_ABSENCE, "did not fall"))),
            ("went down", ((_DIRECTION, "went up"), (_ABSENCE, "did not go down"))),
            ("dropped", ((_DIRECTION, "climbed"), (_ABSENCE, "never dropped"))),
        ),
        "none": (("None", ((_ABSENCE, "Some"),)), ("Not one", ((_ABSENCE, "More than one"),))),
        "none_lower": (("none", ((_ABSENCE, "at least one"),)),),
        "logged": (("logged", ((_ABSENCE, "did not log any of the"),)),),
        "never": (("never", ((_ABSENCE, "already"),)),),
        "before": (("before", ((_ORDER, "after"),)),),
        "after": (("after", ((_ORDER, "before"),)),),
        "higher": (("higher", ((_COMPARISON, "lower"),)),),
        "no_change": (
            ("No change was recorded", ((_ABSENCE, "A change was recorded"),)),
            ("Nothing was deployed", ((_ABSENCE, "Something was deployed"),)),
        ),
    },
    ZH: {
        "went+": (
            ("升到", ((_DIRECTION, "降到"),)),
            ("上升到", ((_DIRECTION, "下降到"),)),
            ("增加到", ((_DIRECTION, "减少到"),)),
            ("涨到", ((_DIRECTION, "跌到"),)),
        ),
        "went-": (
            ("降到", ((_DIRECTION, "升到"),)),
            ("下降到", ((_DIRECTION, "上升到"),)),
            ("减少到", ((_DIRECTION, "增加到"),)),
            ("跌到", ((_DIRECTION, "涨到"),)),
        ),
        "did+": (
            ("上升了", ((_DIRECTION, "下降了"), (_ABSENCE, "没有上升"))),
            ("升高了", ((_DIRECTION, "降低了"), (_ABSENCE, "并未升高"))),
        ),
        "did-": (
            ("下降了", ((_DIRECTION, "上升了"), (_ABSENCE, "没有下降"))),
            ("降低了", ((_DIRECTION, "升高了"), (_ABSENCE, "并未降低"))),
        ),
        "none": (
            ("都没有偏离正常范围", ((_ABSENCE, "有的偏离了正常范围"),)),
            ("无一异常", ((_ABSENCE, "有的异常"),)),
        ),
        "logged": (("出现了", ((_ABSENCE, "没有出现那"),)),),
        "never": (("从未出现过", ((_ABSENCE, "就出现过"),)),),
        "before": (("早于", ((_ORDER, "晚于"),)), ("先于", ((_ORDER, "晚于"),))),
        "after": (("晚于", ((_ORDER, "早于"),)),),
        "before_clock": (("之前", ((_ORDER, "之后"),)),),
        "after_clock": (("之后", ((_ORDER, "之前"),)),),
        "higher": (("高于", ((_COMPARISON, "低于"),)),),
        "no_change": (
            ("没有任何变更", ((_ABSENCE, "有变更"),)),
            ("没有发布", ((_ABSENCE, "有过发布"),)),
        ),
    },
}
"""Language -> word slot -> words, each with what it turns into."""
