"""PromQL without a server: pure functions over text and recorded samples."""

from superbizagent.promql._grafana import dashboard_variables
from superbizagent.promql.evaluate import Server, evaluate_instant, evaluate_range
from superbizagent.promql.query import Query, parse_query
from superbizagent.promql.selectors import parse_selector

__all__ = [
    "Query",
    "Server",
    "dashboard_variables",
    "evaluate_instant",
    "evaluate_range",
    "parse_query",
    "parse_selector",
]
