"""Kubernetes as a source: saved output of ``kubectl``, dumps, and the live API. Reads only.

What speaks to a live cluster is in `live` and `kubeconfig`, which a command that reads files alone
does not import.
"""

from superbizagent.datasources.kubernetes.places import is_kubeconfig, namespaces_of
from superbizagent.datasources.kubernetes.source import KubernetesDump

__all__ = ["KubernetesDump", "is_kubeconfig", "namespaces_of"]
