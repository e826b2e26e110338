"""Chinese phrases of the messages that people get, around the report's own sentences."""

__all__ = ["TABLE"]

TABLE: dict[str, str] = {
    "notice.severity": "[<severity>] ",
    "notice.title": "<title>（<verdict>）",
    "notice.resolved": "已恢复：<text>",
    "notice.incident": "事件：<title>",
    "notice.alerts": "<text>，<n> 条告警",
    "notice.since": "<text>，始于 <at>",
    "notice.until": "<text>，恢复于 <at>",
    "notice.line": "<label>：<text>",
    "notice.cut": "<text> …（已截断，完整内容见报告）",
    "notice.report": "报告：<place>",
    "notice.news_first": "<title>",
    "notice.news_new_verdict": "新的结论：<title>",
    "notice.news_first_cause": "找到了原因：<title>",
    "notice.news_resolved": "<title>",
    "notice.test": "superbizagent 测试消息",
    "notice.test_line": "事件消息将发送到这里；这条消息与任何事件无关。",
}
