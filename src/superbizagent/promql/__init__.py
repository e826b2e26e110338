"""PromQL without a server: pure functions over text and recorded samples."""

from superbizagent.promql._grafana import dashboard_variables
from superbizagent.promql.condition import Comparison, Condition, read_condition, unit_of
from superbizagent.promql.evaluate import Server, evaluate_instant, evaluate_range
from superbizagent.promql.query import Query, parse_query
from superbizagent.promql.selectors import parse_selector

__all__ = [
    "Comparison",
    "Condition",
    "Query",
    "Server",
    "dashboard_variables",
    "evaluate_instant",
    "evaluate_range",
    "parse_query",
    "parse_selector",
    "read_condition",
    "unit_of",
]
