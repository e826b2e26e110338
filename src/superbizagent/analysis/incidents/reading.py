"""What grouping reads of one alert: who it is, where it is, what sort of trouble it tells of."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from superbizagent.analysis.alert_readings import CALLEES, CALLERS
from superbizagent.analysis.families import RESOURCES, meaning_of
from superbizagent.domain.alert import Alert
from superbizagent.domain.grouping import CoreKind, Place

__all__ = ["SEVERITIES", "GroupedAlert", "fingerprint_of", "read_alert", "severity_of"]

SEVERITIES = ("critical", "error", "warning", "")
"""What severities of all senders come down to, the gravest first; the last is any other."""

_SEVERITY_WORDS = {
    **dict.fromkeys(("critical", "page", "fatal", "emergency", "disaster", "p1", "sev1"), 0),
    **dict.fromkeys(("error", "high", "major", "p2", "sev2"), 1),
    **dict.fromkeys(("warning", "warn", "medium", "minor", "p3", "sev3"), 2),
}

_NODES = ("node", "nodename", "kubernetes_node", "k8s_node_name")
"""Labels of machines that programs of all sorts share."""
_HOSTS = ("host", "hostname", "host_name", "instance")
_WORKLOADS = ("deployment", "statefulset", "daemonset", "workload")
_OBSERVERS = re.compile(
    r"(?:.*[-_])?(?:node[-_]exporter|kube[-_]state[-_]metrics|cadvisor|blackbox(?:[-_]exporter)?)"
    r"|kubelet|apiserver|kubernetes[-_]\w+"
)
"""Values of `job` and `service` that name who looked, not what it looked at."""
_POD = re.compile(r"(.+?)(?:-[a-f0-9]{6,10})?-(?:[a-z0-9]{5}|\d{1,4})")

_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OWN = _words(
    "crash crashed looping crashloop oom killed evicted image rollout "
    "deployment deploy generation certificate certificates cert certs expiry expires expiring "
    "expired disk filesystem node kubelet pressure replication deadlock corruption"
)
"""Words of trouble that a program or machine has by itself: nothing that it calls explains it."""
_REACH = _words("network partition unreachable connectivity dns cni policy mesh")
"""Words of trouble that everything in one namespace has together."""

_SLACK = timedelta(minutes=5)
"""Senders run a little ahead of us without that being worth a note."""


@dataclass(frozen=True, slots=True)
class GroupedAlert:
    """One alert as grouping sees it."""

    fingerprint: str
    place: Place
    core_kind: CoreKind
    """What an incident that it opens would be about."""
    own: bool
    """Trouble of its own, which nothing that it calls explains."""
    spreads: bool
    """Trouble that everything in its namespace has."""
    shared_host: bool
    """Its host is a node that programs of all sorts share."""
    caller: str
    """Who complains of the place's service, where it tells of a call."""
    group_key: str
    """Empty where the sender's grouping says nothing."""
    severity: str
    """One of `SEVERITIES`."""
    started_at: datetime
    """Its start, no later than its receipt."""
    notes: tuple[str, ...]

    @property
    def core(self) -> str:
        """Name of the service, host or namespace that it is about."""
        return {
            CoreKind.SERVICE: self.place.service,
            CoreKind.HOST: self.place.host,
            CoreKind.NAMESPACE: self.place.namespace,
        }.get(self.core_kind, "")


def read_alert(alert: Alert, at: datetime, entity_labels: Sequence[str]) -> GroupedAlert:
    """Read one alert that was received at ``at``.

    Args:
        alert: as parsed.
        at: its receipt, UTC-aware.
        entity_labels: labels whose value names a service, first match wins.
    """
    labels = alert.labels
    service, caller = _ends(labels, _service(labels, entity_labels))
    host, shared = _host(labels, of_service=bool(service))
    place = Place(
        cluster=labels.get("cluster", ""),
        namespace=_namespace(labels, of_callee=bool(caller)),
        service=service,
        host=host,
    )
    own, spreads = _sort(alert.name)
    notes = () if labels else ("no_labels",)
    if alert.starts_at is not None and alert.starts_at > at + _SLACK:
        notes = (*notes, "starts_in_future")
    return GroupedAlert(
        fingerprint=alert.fingerprint or fingerprint_of(labels),
        place=place,
        core_kind=_core_kind(place),
        own=own and not caller,
        spreads=spreads,
        shared_host=shared,
        caller=caller,
        group_key=_group_key(alert.group_key),
        severity=severity_of(labels),
        started_at=min(alert.starts_at or at, at),
        notes=notes,
    )


def fingerprint_of(labels: Mapping[str, str]) -> str:
    """Return what stands for a label set whose sender gave it no fingerprint: 16 hex digits."""
    # Separated by what cannot be in valid text, so that no two label sets are written alike.
    written = "\xff".join(f"{k}\xfe{v}" for k, v in sorted(labels.items()))
    return hashlib.sha256(written.encode("utf-8", "replace")).hexdigest()[:16]


def severity_of(labels: Mapping[str, str]) -> str:
    """Return which of `SEVERITIES` an alert has."""
    word = (labels.get("severity") or labels.get("priority") or "").lower()
    return SEVERITIES[_SEVERITY_WORDS.get(word, 3)]


def _service(labels: Mapping[str, str], entity_labels: Sequence[str]) -> str:
    for label in entity_labels:
        value = labels.get(label, "")
        # `host` names a machine, which is looked at below.
        if value and label not in _HOSTS and not _is_observer(value):
            return value
    for label in _WORKLOADS:
        if value := labels.get(label, ""):
            return value
    found = _POD.fullmatch(labels.get("pod", ""))
    return found[1] if found else labels.get("pod", "")


@lru_cache(maxsize=4096)
def _is_observer(value: str) -> bool:
    return _OBSERVERS.fullmatch(value) is not None


def _ends(labels: Mapping[str, str], service: str) -> tuple[str, str]:
    """Return the service that is complained of, and who complains of it, if somebody else does."""
    callee = next((_short(labels[k]) for k in CALLEES if labels.get(k)), "")
    caller = next((_short(labels[k]) for k in CALLERS if labels.get(k)), "") or service
    if not callee or callee == caller:
        return service or caller, ""
    return callee, caller


def _namespace(labels: Mapping[str, str], *, of_callee: bool) -> str:
    if of_callee:
        return labels.get("destination_service_namespace", "")
    return labels.get("namespace", "") or labels.get("k8s_namespace_name", "")


def _short(name: str) -> str:
    """``orders`` of ``orders.shop.svc.cluster.local``."""
    return name.split(".", 1)[0] if ".svc" in name else name


def _host(labels: Mapping[str, str], *, of_service: bool) -> tuple[str, bool]:
    for label in _NODES:
        if value := labels.get(label, ""):
            return value, True
    in_pod = "pod" in labels
    for label in _HOSTS:
        if value := labels.get(label, ""):
            if label == "instance":
                # A pod's address says no more than its service; a port is no part of a machine.
                return ("", False) if in_pod and of_service else (value.rsplit(":", 1)[0], False)
            return value, in_pod
    return "", False


def _core_kind(place: Place) -> CoreKind:
    if place.service:
        return CoreKind.SERVICE
    if place.host:
        return CoreKind.HOST
    return CoreKind.NAMESPACE if place.namespace else CoreKind.NONE


@lru_cache(maxsize=4096)
def _sort(name: str) -> tuple[bool, bool]:
    """Whether a rule of this name tells of trouble of its own, and of trouble that spreads."""
    words = {word.lower() for word in _SPLIT.split(name) if word}
    family = meaning_of({"__name__": name}).family
    return bool(words & _OWN) or family in RESOURCES, bool(words & _REACH)


def _group_key(key: str) -> str:
    """Return the key of the sender's group, empty where it groups everything: ``{}:{}``."""
    return "" if key.endswith(":{}") or key in {"", "{}"} else key
