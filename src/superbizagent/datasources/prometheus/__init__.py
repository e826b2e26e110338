"""Prometheus and what speaks its API: live series, samples as they were stored, rules, alerts."""

from superbizagent.datasources._http import HttpAccess
from superbizagent.datasources.prometheus.alertmanager import AlertmanagerSource, firing_alerts
from superbizagent.datasources.prometheus.alerts import is_suppressed
from superbizagent.datasources.prometheus.client import PrometheusClient
from superbizagent.datasources.prometheus.limits import Limits
from superbizagent.datasources.prometheus.reader import PrometheusReader
from superbizagent.datasources.prometheus.source import PrometheusSource

__all__ = [
    "AlertmanagerSource",
    "HttpAccess",
    "Limits",
    "PrometheusClient",
    "PrometheusReader",
    "PrometheusSource",
    "firing_alerts",
    "is_suppressed",
]
