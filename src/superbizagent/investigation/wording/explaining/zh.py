"""Chinese."""

# ruff: noqa: E501 - a sentence is one line, so that the tables can be read side by side

from collections.abc import Mapping

__all__ = ["TABLE"]

TABLE: Mapping[str, str] = {
    # Labels
    "label.why": "目的",
    "label.query": "查询",
    "label.started": "开始于",
    "label.came_back": "返回",
    "label.warning": "警告",
    "label.error": "错误",
    "label.again": "再次查看",
    "label.entity": "对象",
    "label.window": "时间段",
    "label.quote": "原文",
    "label.scored": "得分",
    "label.finding": "发现",
    "label.cause": "原因",
    "label.score": "总分",
    "label.margin": "领先",
    "label.apart": "独立",
    "label.check": "检验",
    "label.path": "路径",
    # A call
    "call.head": "<call>  <source> 的 <tool>：<status><cut>",
    "call.cut": "（已截断）",
    "call.started": "<at>，<seconds> 秒",
    "call.more": "  … 另有 <n> 个事实（superbiz trace show --json）",
    "call.spans_of": "<names> 的 span",
    "call.records_of": "<names> 的日志",
    "call.all_services": "所有服务",
    "call.window": "<selector>  <start> 至 <end>",
    "count.series": "<series> 条序列，<samples> 个采样点",
    "count.records": "读取 <read> 条记录，基线内 <before> 条，故障期间 <now> 条，<templates> 个模板",
    "count.spans": "<traces> 条链路的 <spans> 个 span",
    "count.spans_cut": "<traces> 条链路的 <spans> 个 span，略去 <left> 条链路",
    "count.nothing": "无",
    "count.facts": "<n> 个事实",
    # A fact
    "fact": "<id>  <name>  <statistic> = <value><unit><at>",
    "fact.at": "，<at>",
    "fact.of_call": "（查询本身）",
    "fact.window": "<start> 至 <end>",
    "samples": "<series>  （<n> 个采样点）",
    "finding": "<id> <entity> 的 <kind>：<subject>，证据 <score>",
    "cause": "<entity>（<fault>）：<term> <value>",
    "score": "<entity>：<score> = <terms>",
    "apart": "<entity>：不属于首位原因，也不能由它解释",
    "scored.unknown": "不可用：该会话没有报告，或由其他版本生成",
    "scored.cost": "不计分：它说明症状的代价，而不是症状的来源",
    "scored.learnt": "不计分：它来自正常日子的学习，说明此处什么是正常",
    "scored.normal": "没有结论依据该事实；它已查看，属于正常",
    # How a number came about
    "counted.elapsed": "从第一个到最后一个时刻：<value> <unit>",
    "counted.total": "<n> 条合计：<value>",
    "counted.no_sample": "  时间段内没有采样点",
    "counted.before": "  时间段之前的最后一个",
    "counted.born": "  第一个采样点：从零计起",
    "counted.difference": "  差值    <value>",
    "counted.fell": "  其间下降过（重启后从零计起）；逐步累计：<value>",
    "counted.mean": "  从第一个到最后一个共 <n> 个采样点的平均值：<value>",
}
