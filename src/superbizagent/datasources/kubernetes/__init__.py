"""Kubernetes as a source: saved output of ``kubectl``, dumps, and the live API. Reads only."""

from superbizagent.datasources.kubernetes.source import KubernetesDump

__all__ = ["KubernetesDump"]
