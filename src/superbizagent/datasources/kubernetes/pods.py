"""What a pod says of itself: where it waits, what ended it, what it refers to."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import cast

from superbizagent.datasources.kubernetes.fields import (
    Raw,
    age,
    at,
    flag,
    mapping,
    number,
    quantity,
    rows,
    text,
)
from superbizagent.domain.cluster import Reading

__all__ = [
    "began",
    "claims_of",
    "configuration_of",
    "container_ports",
    "hosts_in",
    "is_ready",
    "placed_hosts_in",
    "read_pod",
    "read_template",
    "settings_of",
]

_HOST = re.compile(r"(?<![\w.-])([a-z][a-z0-9-]{0,62})(?=[.:]\w)|(?<=//)([a-z][a-z0-9-]{0,62})")
_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_PLACED = re.compile(
    r"(?<![\w./-])(?P<space>[a-z0-9-]+)/(?P<name>[a-z0-9-]+)(?![\w/-])"
    r"|(?<![\w.-])(?P<host>[a-z0-9-]+)\.(?P<of>[a-z0-9-]+)(?:\.svc|:\d)"
)
_STARTING = frozenset({"ContainerCreating", "PodInitializing"})
_SETTLES = timedelta(seconds=30)
"""A pod that became unready less than this before the look may just be starting."""
_DONE = frozenset({"Succeeded"})


def read_pod(raw: Raw, taken_at: datetime | None) -> Iterator[Reading]:
    """Yield what can be read of a pod, its containers in their order."""
    phase = text(raw, "status", "phase")
    if phase in _DONE:
        return
    since = began(raw, taken_at)
    if phase == "Pending":
        yield Reading(name="pending", value=phase, at=since, quote=_message(raw) or phase)
    if phase == "Unknown":
        yield Reading(name="phase_unknown", value=phase, quote=_message(raw) or phase)
    # A table tells of the end only that it came after the beginning.
    ended = _ended(raw) or _ago(raw, "age", taken_at)
    if text(raw, "status", "reason") == "Evicted":
        yield Reading(name="evicted", value="Evicted", at=ended, quote=_message(raw))
    elif phase == "Failed":
        reason = text(raw, "status", "reason") or phase
        yield Reading(name="failed", value=reason, at=ended, quote=_message(raw) or reason)
    if phase == "Failed":
        yield from _ends(raw, ended)
        return
    deleted = at(raw, "metadata", "deletionTimestamp") or _ago(raw, "deletedAgo", taken_at)
    if deleted is not None:
        yield Reading(name="terminating", value="Terminating", at=deleted, quote="Terminating")
    yield from _conditions(raw, taken_at)
    for status in _statuses(raw):
        yield from _container(status, taken_at, since)
    for container in rows(raw, "spec", "containers"):
        yield from _spec(container)


def began(raw: Raw, taken_at: datetime | None) -> datetime | None:
    """Return when a pod was made: it says so, or how old it is."""
    return at(raw, "metadata", "creationTimestamp") or _ago(raw, "age", taken_at)


def _ago(raw: Raw, key: str, taken_at: datetime | None) -> datetime | None:
    past = age(text(raw, "metadata", key))
    return taken_at - past if past is not None and taken_at is not None else None


def _ends(raw: Raw, about: datetime | None) -> Iterator[Reading]:
    """How the containers of a pod that is over ended: of such a pod nothing else is of now."""
    for status in _statuses(raw):
        yield from _termination(
            "terminated", mapping(status, "state", "terminated"), text(status, "name"), about
        )


def is_ready(raw: Raw) -> bool:
    """Tell whether a pod's Ready condition is true."""
    return any(
        text(c, "type") == "Ready" and text(c, "status") == "True"
        for c in rows(raw, "status", "conditions")
    )


def _message(raw: Raw) -> str:
    return text(raw, "status", "message") or text(raw, "status", "reason")


def _ended(raw: Raw) -> datetime | None:
    """When a pod that is over ended, as far as any part of it says so."""
    times = [at(c, "lastTransitionTime") for c in rows(raw, "status", "conditions")]
    times += [at(s, "state", "terminated", "finishedAt") for s in _statuses(raw)]
    known = [t for t in times if t is not None]
    return max(known, default=at(raw, "status", "startTime"))


def _conditions(raw: Raw, taken_at: datetime | None) -> Iterator[Reading]:
    for condition in rows(raw, "status", "conditions"):
        if text(condition, "status") == "True":
            continue
        since, kind = at(condition, "lastTransitionTime"), text(condition, "type")
        message = text(condition, "message") or text(condition, "reason")
        if kind == "PodScheduled" and text(condition, "reason") == "Unschedulable":
            yield Reading(name="unschedulable", value=message, at=since, quote=message)
        elif kind == "PodScheduled" and text(condition, "reason") == "SchedulingGated":
            yield Reading(name="gated", value=message, at=since, quote=message)
        elif kind == "Ready" and text(condition, "reason") != "PodCompleted":
            made = began(raw, taken_at) if since is None else since
            fresh = taken_at and made and taken_at - made < _SETTLES
            name = "starting" if fresh else "not_ready"
            reason = text(condition, "reason") or "NotReady"
            yield Reading(name=name, value=reason, at=since, quote=message or reason)


def _statuses(raw: Raw) -> Iterator[Raw]:
    yield from rows(raw, "status", "initContainerStatuses")
    yield from rows(raw, "status", "containerStatuses")


def _container(status: Raw, taken_at: datetime | None, since: datetime | None) -> Iterator[Reading]:
    part = text(status, "name")
    waiting = mapping(status, "state", "waiting")
    reason = text(waiting, "reason")
    if reason:
        name = "creating" if reason in _STARTING else "waiting"
        quote = text(waiting, "message") or reason
        yield Reading(name=name, value=reason, quote=quote, part=part)
    ago = age(text(status, "endedAgo"))
    when = taken_at - ago if ago is not None and taken_at is not None else None
    ended = mapping(status, "state", "terminated")
    yield from _termination("terminated", ended, part, when or since)
    last = mapping(status, "lastState", "terminated")
    yield from _termination("last_terminated", last, part, when)
    if when is not None and not last:
        yield Reading(name="last_terminated", value="Terminated", at=when, quote="Terminated")
    running = mapping(status, "state", "running")
    if running and not flag(status, "ready") and "ready" in status:
        since = at(running, "startedAt")
        yield Reading(
            name="running_unready", value="Running", at=since, quote="ready: false", part=part
        )
    restarts = number(status, "restartCount") or 0.0
    if restarts > 0:
        yield Reading(name="restarts", value=restarts, part=part)


def _termination(
    name: str, ended: Raw, part: str, about: datetime | None = None
) -> Iterator[Reading]:
    code = number(ended, "exitCode")
    reason = text(ended, "reason")
    if not ended or (code == 0 and reason in {"", "Completed"} and name == "terminated"):
        return
    when = at(ended, "finishedAt") or about
    said = reason or "Terminated"
    yield Reading(name=name, value=said, at=when, quote=text(ended, "message") or said, part=part)
    if code is not None:
        code_name = "exit_code" if name == "terminated" else "last_exit_code"
        yield Reading(name=code_name, value=code, at=when, part=part)


def read_template(raw: Raw) -> Iterator[Reading]:
    """Yield what the containers ask for of the pods that an object makes."""
    for container in rows(raw, "spec", "template", "spec", "containers"):
        yield from _spec(container)


def _spec(container: Raw) -> Iterator[Reading]:
    """What a container asks for and may use at most, and which image it runs."""
    part = text(container, "name")
    if image := text(container, "image"):
        yield Reading(name="image", value=image, quote=image, part=part)
    for word, side in (("request", "requests"), ("limit", "limits")):
        for resource, unit in (("cpu", "cores"), ("memory", "bytes")):
            written = text(container, "resources", side, resource)
            value = quantity(written) if written else None
            if value is not None:
                name = f"{word}_{resource}"
                yield Reading(name=name, value=value, unit=unit, quote=written, part=part)


# What it refers to -------------------------------------------------------------------------------


def claims_of(raw: Raw) -> list[str]:
    """Return the names of the volume claims a pod mounts."""
    names = [text(v, "persistentVolumeClaim", "claimName") for v in rows(raw, "spec", "volumes")]
    return [name for name in names if name]


def configuration_of(raw: Raw) -> Iterator[tuple[str, str]]:
    """Yield kind and name of each config map, secret and account a pod cannot start without."""
    for volume in rows(raw, "spec", "volumes"):
        yield from _reference("ConfigMap", mapping(volume, "configMap"), "name")
        yield from _reference("Secret", mapping(volume, "secret"), "secretName")
        for source in rows(volume, "projected", "sources"):
            yield from _reference("ConfigMap", mapping(source, "configMap"), "name")
            yield from _reference("Secret", mapping(source, "secret"), "name")
    for kind in ("initContainers", "containers"):
        for container in rows(raw, "spec", kind):
            for source in rows(container, "envFrom"):
                yield from _reference("ConfigMap", mapping(source, "configMapRef"), "name")
                yield from _reference("Secret", mapping(source, "secretRef"), "name")
            for variable in rows(container, "env"):
                own = mapping(variable, "valueFrom")
                yield from _reference("ConfigMap", mapping(own, "configMapKeyRef"), "name")
                yield from _reference("Secret", mapping(own, "secretKeyRef"), "name")
    account = text(raw, "spec", "serviceAccountName")
    if account:
        yield "ServiceAccount", account


_OF_CLUSTER = frozenset({"kube-root-ca.crt", "openshift-service-ca.crt"})
"""Config maps that the cluster itself puts into every namespace, and lists leave out."""


def hosts_in(written: str) -> Iterator[str]:
    """Yield what a text names as hosts: ``delivery`` of ``http://delivery.messages:80``; an IP."""
    for found in _HOST.finditer(written):
        yield found[1] or found[2]
    yield from _ADDRESS.findall(written)


def placed_hosts_in(written: str) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of what a text says with both: ``shop/cart``, ``cart.shop.svc``."""
    for found in _PLACED.finditer(written):
        yield (found["space"] or found["of"], found["name"] or found["host"])


def settings_of(raw: Raw) -> Iterator[str]:
    """Yield the plain values of a pod's variables and arguments; none of a secret's."""
    for container in rows(raw, "spec", "containers"):
        for variable in rows(container, "env"):
            yield text(variable, "value")
        for key in ("args", "command"):
            words = container.get(key)
            if isinstance(words, list):
                yield " ".join(str(word) for word in cast("list[object]", words))


def _reference(kind: str, source: Raw, key: str) -> Iterator[tuple[str, str]]:
    name = text(source, key)
    if name and name not in _OF_CLUSTER and not flag(source, "optional"):
        yield kind, name


def container_ports(raw: Raw) -> tuple[set[str], set[str]]:
    """Return names and numbers of the ports that a pod's containers declare."""
    names: set[str] = set()
    numbers: set[str] = set()
    for container in rows(raw, "spec", "containers"):
        for port in rows(container, "ports"):
            names.add(text(port, "name"))
            numbers.add(text(port, "containerPort"))
    return names - {""}, numbers - {""}
