"""PromQL without a server: pure functions over text and recorded samples."""

from superbizagent.promql.selectors import parse_selector

__all__ = ["parse_selector"]
