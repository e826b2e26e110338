"""Prometheus and what speaks its API: live series, samples as they were stored, rules, alerts."""

from superbizagent.datasources.prometheus.alertmanager import firing_alerts
from superbizagent.datasources.prometheus.client import PrometheusClient
from superbizagent.datasources.prometheus.limits import Limits
from superbizagent.datasources.prometheus.reader import PrometheusReader
from superbizagent.datasources.prometheus.source import PrometheusSource

__all__ = ["Limits", "PrometheusClient", "PrometheusReader", "PrometheusSource", "firing_alerts"]
