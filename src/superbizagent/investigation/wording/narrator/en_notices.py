"""English phrases of the messages that people get, around the report's own sentences."""

__all__ = ["TABLE"]

TABLE: dict[str, str] = {
    "notice.severity": "[<severity>] ",
    "notice.title": "<title> (<verdict>)",
    "notice.resolved": "Resolved: <text>",
    "notice.incident": "Incident: <title>",
    "notice.alerts": "<text>, <n> alerts",
    "notice.since": "<text>, since <at>",
    "notice.until": "<text>, resolved <at>",
    "notice.line": "<label>: <text>",
    "notice.cut": "<text> … (cut, whole in the report)",
    "notice.report": "Report: <place>",
    "notice.news_first": "<title>",
    "notice.news_new_verdict": "New result: <title>",
    "notice.news_first_cause": "A cause was found: <title>",
    "notice.news_resolved": "<title>",
    "notice.test": "Test message of superbizagent",
    "notice.test_line": "Messages about incidents will arrive here; this one is about none.",
}
