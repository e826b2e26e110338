"""Prometheus and what speaks its API: samples as they were stored, rules, alerts, version."""

from superbizagent.datasources.prometheus.alertmanager import firing_alerts
from superbizagent.datasources.prometheus.client import PrometheusClient
from superbizagent.datasources.prometheus.reader import PrometheusReader

__all__ = ["PrometheusClient", "PrometheusReader", "firing_alerts"]
