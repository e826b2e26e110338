"""Chinese."""

from collections.abc import Mapping

__all__ = ["TABLE"]

TABLE: Mapping[str, str] = {
    # Marks
    "mark.supported": "有据",
    "mark.contradicted": "相悖",
    "mark.unsupported": "无据",
    "mark.hypothesis": "假设",
    "mark.not_checkable": "无可核对",
    # Counts
    "count.sentence": "1 句：",
    "count.sentences": "<n> 句：",
    "count.supported": "<n> 句有据",
    "count.contradicted": "<n> 句与证据相悖",
    "count.unsupported": "<n> 句无据",
    "count.hypothesis": "<n> 句为假设",
    "count.hypotheses": "<n> 句为假设",
    "count.not_checkable": "<n> 句无可核对（<share> %）",
    "count.separator": "，",
    "count.none": "没有句子",
    # Shapes of a line
    "part": "<text>：<reason>",
    "reasons": "；",
    # Why a part of a statement does not stand
    "reason.too_long": "超过 <arg> 个字符，未读",
    "reason.other_value": "证据中是 <value>",
    "reason.no_such_value": "没有证据显示这一点",
    "reason.unknown_fact": "没有 <arg>",
    "reason.unknown_name": "没有名为 <first> 的对象",
    "reason.unknown_name_near": "没有名为 <first> 的对象；相近的有：<rest>",
    "reason.look_cut": "查看的内容被截断 [<arg>]，可能还有更多",
    "reason.hypothesis": "没有检验过",
    "reason.hypothesis_check": "尚未证实；可由这项检查判定：<check>",
}
