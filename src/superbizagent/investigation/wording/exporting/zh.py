"""Chinese."""

# ruff: noqa: E501 - a sentence is one line, so that the tables can be read side by side
from collections.abc import Mapping

__all__ = ["TABLE"]

TABLE: Mapping[str, str] = {
    "head.window": "查看的时段",
    "head.session": "会话",
    "section.charts": "所引序列的曲线",
    "section.evidence": "证据",
    "section.integrity": "核验本文档",
    "evidence.intro": "每一行是上文所引的一个存储值，列在读出它的调用之下。",
    "column.fact": "编号",
    "column.what": "内容",
    "column.value": "值",
    "column.time": "时间",
    "column.quote": "原文",
    "call.source": "来源 <source>",
    "call.asked": "查询 <asked>",
    "call.span": "从 <start> 到 <end>",
    "call.truncated": "到上限被截断",
    "call.error": "错误：<error>",
    "rows.cut": "为使本文件不超过 <limit>，省略了 <n> 行证据；可用 superbiz explain <session> E… 查看",
    "sections.cut": "为使本文能放进工单，省略了：<sections>。全文：superbiz trace export <session> --format html",
    "charts.cut": "另有 <n> 条被引用的序列没有绘制。",
    "chart.band": "基线：中位数 <center>，范围 <low> 到 <high>",
    "chart.no_band": "没有基线",
    "chart.counts": "每 <span> 的记录数",
    "chart.incident": "事件时段 <start> 到 <end>",
    "chart.onset": "起点 <at>",
    "chart.mode_rate": "每秒速率",
    "chart.mode_mean": "每个请求的均值",
    "chart.open": "曲线",
    "integrity.head": "会话存储时日志链头部的哈希：",
    "integrity.verify": "此命令核对会话的每一个存储值，并打印同一哈希：",
    "integrity.explain": "此命令显示某个引用背后存储的日志行或样本：",
    "integrity.none": "会话没有头部哈希：它尚未结束。",
    "table.time_span": "<start> 到 <end>",
}
