"""What the objects that make pods say: how many they want, and what keeps them from it."""

from collections.abc import Iterator

from superbizagent.datasources.kubernetes.fields import Raw, at, flag, number, rows, text
from superbizagent.domain.cluster import Reading

__all__ = ["read_job", "read_replicas"]

_ON = "True"


def read_replicas(raw: Raw) -> Iterator[Reading]:
    """Yield what a deployment, stateful set, daemon set or replica set says."""
    wanted, ready = _counts(raw)
    if wanted is not None and wanted > 0 and ready is not None and ready < wanted:
        yield Reading(name="replicas_wanted", value=wanted, quote=f"{wanted:g}")
        yield Reading(name="replicas_ready", value=ready, quote=f"{ready:g}")
    if wanted == 0 and text(raw, "kind") != "ReplicaSet":
        yield Reading(name="scaled_to_zero", value=0.0, quote="replicas: 0")
    if flag(raw, "spec", "paused"):
        yield Reading(name="paused", value="paused", quote="paused: true")
    generation = number(raw, "metadata", "generation")
    observed = number(raw, "status", "observedGeneration")
    if generation is not None and observed is not None and observed < generation:
        yield Reading(name="generation_behind", value=generation - observed)
    yield from _conditions(raw)


def _counts(raw: Raw) -> tuple[float | None, float | None]:
    """How many pods are wanted, and how many are ready; the server leaves out a zero."""
    if text(raw, "kind") == "DaemonSet":
        return (
            number(raw, "status", "desiredNumberScheduled"),
            number(raw, "status", "numberReady"),
        )
    wanted = number(raw, "spec", "replicas")
    has_status = isinstance(raw.get("status"), dict)
    ready = number(raw, "status", "readyReplicas") or 0.0
    return (1.0 if wanted is None else wanted), (ready if has_status else None)


def _conditions(raw: Raw) -> Iterator[Reading]:
    for condition in rows(raw, "status", "conditions"):
        kind, status = text(condition, "type"), text(condition, "status")
        since = at(condition, "lastTransitionTime")
        message = text(condition, "message") or text(condition, "reason")
        if kind == "ReplicaFailure" and status == _ON:
            yield Reading(name="replica_failure", value=message, at=since, quote=message)
        elif kind == "Progressing" and status == "False":
            yield Reading(name="rollout_stuck", value=message, at=since, quote=message)
        elif kind == "Available" and status == "False":
            yield Reading(name="unavailable", value=message, at=since, quote=message)


def _is_on(raw: Raw, kind: str) -> bool:
    return any(
        text(c, "type") == kind and text(c, "status") == _ON
        for c in rows(raw, "status", "conditions")
    )


def read_job(raw: Raw) -> Iterator[Reading]:
    """Yield what a job says of its end, or that not one pod of it was ever made."""
    for condition in rows(raw, "status", "conditions"):
        if text(condition, "type") == "Failed" and text(condition, "status") == _ON:
            reason = text(condition, "reason") or "Failed"
            quote = text(condition, "message") or reason
            since = at(condition, "lastTransitionTime")
            yield Reading(name="job_failed", value=reason, at=since, quote=quote)
    if not any(_is_on(raw, kind) for kind in ("Complete", "Failed", "Suspended")):
        counts = [number(raw, "status", key) or 0.0 for key in ("active", "succeeded", "failed")]
        if "status" in raw and not any(counts) and not flag(raw, "spec", "suspend"):
            since = at(raw, "status", "startTime") or at(raw, "metadata", "creationTimestamp")
            yield Reading(name="job_idle", value=0.0, at=since, quote="active: 0")
    failed = number(raw, "status", "failed") or 0.0
    if failed > 0:
        yield Reading(name="failed_pods", value=failed)
