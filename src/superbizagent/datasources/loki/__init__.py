"""Loki and what speaks its API: log lines by stream, their labels and metadata."""

from superbizagent.datasources._http import HttpAccess
from superbizagent.datasources.loki.limits import LokiLimits
from superbizagent.datasources.loki.source import LokiSource

__all__ = ["HttpAccess", "LokiLimits", "LokiSource"]
