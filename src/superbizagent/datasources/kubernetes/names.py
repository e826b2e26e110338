"""What the name of an object says of what made it: controllers build names in fixed ways.

The letters that a controller draws have no vowels and no 0, 1 and 3, so that no word comes out.
"""

import re
from collections.abc import Collection

__all__ = ["cron_job_of", "guessed_kind", "is_drawn", "maker_of"]

_DRAWN = "[bcdfghjklmnpqrstvwxz2456789]"
_OF_SET = re.compile(rf"(.+)-[a-z0-9]{{8,10}}-{_DRAWN}{{5}}")
_OF_SHORT_SET = re.compile(rf"(.+)-{_DRAWN}{{6,10}}-{_DRAWN}{{5}}")
_ANY_SET = re.compile(r"(.+)-[a-z0-9]{8,10}-[a-z0-9]{5}")
_OF_CRON = re.compile(rf"(.+)-\d{{8,10}}(?:-\d+)?-{_DRAWN}{{5}}")
_CRON_JOB = re.compile(r"(.+)-\d{8,10}")
_OF_DAEMON = re.compile(rf"(.+)-{_DRAWN}{{5}}")
_OF_STATEFUL = re.compile(r"(.+)-\d{1,3}")
_SET = re.compile(rf"(.+)-{_DRAWN}{{6,10}}")
_BY_REASON = {
    "ScalingReplicaSet": "Deployment", "ProgressDeadlineExceeded": "Deployment",
    "NodeNotReady": "Node", "NodeReady": "Node", "SystemOOM": "Node", "Rebooted": "Node",
    "NodeHasDiskPressure": "Node", "NodeHasInsufficientMemory": "Node",
    "EvictionThresholdMet": "Node", "FreeDiskSpaceFailed": "Node", "ImageGCFailed": "Node",
    "BackoffLimitExceeded": "Job", "SawCompletedJob": "CronJob", "FailedBinding":
    "PersistentVolumeClaim", "ProvisioningFailed": "PersistentVolumeClaim",
    "FailedGetResourceMetric": "HorizontalPodAutoscaler",
    "FailedComputeMetricsReplicas": "HorizontalPodAutoscaler",
    "WaitForFirstConsumer": "PersistentVolumeClaim", "ExternalProvisioning":
    "PersistentVolumeClaim",
}  # fmt: skip
"""Reasons of events that are of one kind of object."""


def maker_of(pod: str, siblings: Collection[str] = (), *, ran_to_its_end: bool = False) -> str:
    """Return kind and name, with a stroke between, of what made a pod; empty: nothing is told.

    Args:
        pod: its name.
        siblings: names of the other pods of its namespace.
        ran_to_its_end: whether it is over, as pods of jobs are some day.
    """
    if found := _OF_CRON.fullmatch(pod):
        return f"CronJob/{found[1]}"
    if found := (_OF_SET.fullmatch(pod) or _OF_SHORT_SET.fullmatch(pod) or _ANY_SET.fullmatch(pod)):
        return f"Deployment/{found[1]}"
    if found := _OF_DAEMON.fullmatch(pod):
        if ran_to_its_end:
            return f"Job/{found[1]}"
        same = [s for s in siblings if (m := _OF_DAEMON.fullmatch(s)) and m[1] == found[1]]
        return f"DaemonSet/{found[1]}" if [s for s in same if s != pod] else ""
    found = _OF_STATEFUL.fullmatch(pod)
    return f"StatefulSet/{found[1]}" if found else ""


def is_drawn(written: str) -> bool:
    """Tell whether the last word of a name is the hash that names a revision of a deployment."""
    return re.fullmatch(rf"{_DRAWN}{{8,10}}", written) is not None


def cron_job_of(job: str) -> str:
    """Return the name of the cron job that made a job, empty when its name tells none."""
    found = _CRON_JOB.fullmatch(job)
    return found[1] if found else ""


def guessed_kind(name: str, reason: str, known: Collection[str]) -> str:
    """Return the kind of the object that an event is about, of which only the name is told.

    Args:
        name: of the object.
        reason: of the event.
        known: kinds of the objects that have this name.
    """
    by_reason = _BY_REASON.get(reason, "")
    if by_reason and (not known or by_reason in known):
        return by_reason
    if len(known) == 1:
        return next(iter(known))
    if reason in {"FailedCreate", "SuccessfulCreate", "SuccessfulDelete"}:
        makers = [k for k in ("ReplicaSet", "StatefulSet", "DaemonSet", "Job") if k in known]
        return makers[0] if makers else "ReplicaSet" if _SET.fullmatch(name) else "StatefulSet"
    for kind in ("Pod", "Deployment", "StatefulSet", "DaemonSet", "Job"):
        if kind in known:
            return kind
    return by_reason or "Pod"
