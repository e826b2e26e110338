"""The words the gates look for, Chinese and English, as tables; a language is one more row."""

import re
from enum import StrEnum

from superbizagent.domain.report import Section
from superbizagent.investigation.gate.normalise import compact

__all__ = [
    "EXPECTED_SECTIONS",
    "INCOMPLETE",
    "LOG_WORDS",
    "NOT_LOOKED",
    "PLACEHOLDERS",
    "RAW_ERROR",
    "REASON",
    "RESOURCE_WORDS",
    "SECTION_NAMES",
    "SECTION_OF_CLAIM",
    "ReportPart",
    "opens_gaps",
    "part_of",
]


class ReportPart(StrEnum):
    """Parts a reader expects of any report, whatever its author calls them."""

    CONCLUSION = "conclusion"
    EVIDENCE = "evidence"
    NEXT_STEPS = "next_steps"


EXPECTED_SECTIONS = (ReportPart.CONCLUSION, ReportPart.EVIDENCE, ReportPart.NEXT_STEPS)

SECTION_NAMES: dict[ReportPart, tuple[str, ...]] = {
    ReportPart.CONCLUSION: (
        "conclusion", "root cause", "diagnosis", "verdict", "summary", "what happened", "finding",
        "result", "结论", "根因", "根本原因", "诊断结果", "总结", "摘要", "概述", "发生了什么",
    ),
    ReportPart.EVIDENCE: (
        "evidence", "why", "observation", "finding", "analysis", "symptom", "timeline", "signal",
        "证据", "依据", "为什么", "原因", "观察", "现象", "分析", "发现", "时间线",
    ),
    ReportPart.NEXT_STEPS: (
        "next step", "recommend", "action", "mitigation", "do now", "check next", "remediation",
        "what to do", "fix", "advice", "建议", "措施", "处理", "下一步", "后续", "现在做", "缓解",
    ),
}  # fmt: skip
"""Part -> names of headings; a heading that contains one of them opens that part."""

SECTION_OF_CLAIM: dict[Section, ReportPart] = {
    Section.WHAT: ReportPart.CONCLUSION,
    Section.WHY: ReportPart.EVIDENCE,
    Section.FINDINGS: ReportPart.EVIDENCE,
    Section.DO_NOW: ReportPart.NEXT_STEPS,
    Section.CHECK_NEXT: ReportPart.NEXT_STEPS,
}
"""Slot of a structured report -> the part it fills."""

PLACEHOLDERS = frozenset(
    compact(word)
    for word in (
        "todo", "tbd", "n/a", "none", "null", "nil", "undefined", "nan", "placeholder", "pending",
        "empty", "report", "final report", "report goes here", "your report here", "lorem ipsum",
        "in progress", "generating", "loading", "no report", "not available", "coming soon",
        "待补充", "待定", "暂无", "无", "空", "占位", "生成中", "报告生成中", "报告", "略",
    )
)  # fmt: skip
"""A report that is nothing but one of these is no report."""

INCOMPLETE = re.compile(
    r"(?:could|can|was|were|am|is|are)(?: ?not|n't)(?: be)?(?: able to)? "
    r"(?:complete|finish|diagnose|determine|reach|carry)"
    r"|(?:cannot|unable to) (?:complete|finish|diagnose|determine|reach)"
    r"|(?:diagnosis|analysis) (?:is )?incomplete|inconclusive"
    r"|(?:无法|未能|不能)(?:完成|确定|给出|诊断|得出|判断)|诊断未完成|没有结论",
    re.IGNORECASE,
)
"""An honest "this could not be completed"."""

REASON = re.compile(
    r"because|due to|since |reason|fail|time[ds]?[ -]?out|denied|refused|unreachable|unavailable"
    r"|no (?:data|series|logs?|rows?|metrics?|samples?)|not (?:reach|respond|answer|found)"
    r"|missing|error|empty"
    r"|因为|由于|原因|失败|超时|拒绝|不可用|没有(?:数据|日志|指标)|缺少|无数据|为空|错误|异常",
    re.IGNORECASE,
)
"""What makes such a sentence a reasoned one."""

RAW_ERROR = re.compile(
    r"^\W*(?:traceback \(most recent|(?:[a-z_]\w*\.)*\w*(?:error|exception)\s*:"
    r"|http(?:/[\d.]+)?\s*[45]\d\d|panic:|fatal:|caused by:|exception in thread"
    r"|(?:[45]\d\d\s+)?(?:internal server error|bad gateway|service unavailable|gateway time-?out)"
    r"|(?:doctype\s+)?html\b[^>]{0,80}>|错误[:：]|异常[:：])",
    re.IGNORECASE,
)
"""How the text of a crash or of a failed request begins."""

RESOURCE_WORDS = re.compile(
    r"\b(?:cpu|memory|heap|oom|disk|i/?o wait|load average|network|bandwidth)\b"
    r"|内存|磁盘|带宽|负载|网络",
    re.IGNORECASE,
)
"""A statement about a resource, which only a series can show."""

LOG_WORDS = re.compile(
    r"\blogs?\b|\blogged\b|\bgc\b|\bgarbage collect|日志|垃圾回收",
    re.IGNORECASE,
)
"""A statement about logs or garbage collection, which only log evidence can show."""

NOT_LOOKED = re.compile(
    r"\b(?:no|not|never|nor)\b.{0,40}\b(?:read|looked at|checked|available|collected|known|found)\b"
    r"|(?:没有|未能?|无法)(?:读取|查看|查到|采集|获取|看到|找到)",
    re.IGNORECASE,
)
"""A statement that something was not looked at or not found; honesty needs no support."""

_GAPS = tuple(
    compact(name)
    for name in (
        "not seen", "not looked at", "not checked", "gaps", "limits", "limitation", "blind spot",
        "没看到", "未看到", "未查看", "未覆盖", "局限", "盲区",
    )
)  # fmt: skip

_COMPACT_NAMES = {
    part: tuple(compact(name) for name in names) for part, names in SECTION_NAMES.items()
}


def opens_gaps(heading: str) -> bool:
    """Tell whether a heading opens the list of what was not seen."""
    packed = compact(heading)
    return any(name in packed for name in _GAPS)


def part_of(heading: str) -> frozenset[ReportPart]:
    """Return the parts that a heading opens; "Findings" opens two."""
    packed = compact(heading)
    return frozenset(
        part for part, names in _COMPACT_NAMES.items() if any(name in packed for name in names)
    )
