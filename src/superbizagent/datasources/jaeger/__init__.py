"""Jaeger's query API, which others speak as well, as a data source."""

from superbizagent.datasources.jaeger.source import JaegerLimits, JaegerSource

__all__ = ["JaegerLimits", "JaegerSource"]
