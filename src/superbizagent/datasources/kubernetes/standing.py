"""What nodes, claims, quotas and services say: what workloads stand on and are reached through."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from superbizagent.datasources.kubernetes.fields import (
    Raw,
    at,
    flag,
    labels,
    mapping,
    quantity,
    rows,
    text,
)
from superbizagent.datasources.kubernetes.pods import container_ports
from superbizagent.domain.cluster import Reading

__all__ = [
    "Reach",
    "read_claim",
    "read_node",
    "read_quota",
    "read_service",
    "ready_addresses",
    "selected",
]

_PRESSURES = frozenset({"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"})


def read_node(raw: Raw) -> Iterator[Reading]:
    """Yield the conditions of a node that are not as they should be, and what keeps pods away."""
    for condition in rows(raw, "status", "conditions"):
        kind, status = text(condition, "type"), text(condition, "status")
        since = at(condition, "lastTransitionTime")
        quote = text(condition, "message") or text(condition, "reason") or status
        if kind == "Ready" and status != "True":
            yield Reading(name="node_not_ready", value=status, at=since, quote=quote)
        elif kind in _PRESSURES and status == "True":
            yield Reading(name="pressure", value=kind, at=since, quote=quote, part=kind)
    if flag(raw, "spec", "unschedulable"):
        yield Reading(name="cordoned", value="SchedulingDisabled", quote="unschedulable: true")
    for taint in rows(raw, "spec", "taints"):
        key, effect = text(taint, "key"), text(taint, "effect")
        value = text(taint, "value")
        written = f"{key}={value}:{effect}" if value else f"{key}:{effect}"
        yield Reading(name="taint", value=written, at=at(taint, "timeAdded"), quote=key, part=key)
    for resource, unit in (("cpu", "cores"), ("memory", "bytes")):
        written = text(raw, "status", "allocatable", resource)
        amount = quantity(written) if written else None
        if amount is not None:
            yield Reading(
                name=f"allocatable_{resource}",
                value=amount,
                unit=unit,
                quote=written,
                part=resource,
            )


def read_claim(raw: Raw, classes: dict[str, Raw] | None) -> Iterator[Reading]:
    """Yield what a volume claim waits for.

    Args:
        raw: the claim.
        classes: storage classes by name; None when they were not looked at.
    """
    phase = text(raw, "status", "phase")
    if phase not in {"Pending", "Lost"}:
        return
    since = at(raw, "metadata", "creationTimestamp")
    wanted = text(raw, "spec", "storageClassName")
    known = (classes or {}).get(wanted)
    waits = known is not None and text(known, "volumeBindingMode") == "WaitForFirstConsumer"
    name = "claim_waits" if waits else "claim_lost" if phase == "Lost" else "claim_pending"
    yield Reading(name=name, value=phase, at=since, quote=phase)
    if wanted and classes is not None and known is None:
        yield Reading(name="missing", value=wanted, quote=wanted, part="storageclass")


def read_quota(raw: Raw) -> Iterator[Reading]:
    """Yield the resources of which nothing is left."""
    used = labels(raw, "status", "used")
    for resource, hard in sorted(labels(raw, "status", "hard").items()):
        have, most = quantity(used.get(resource, "")), quantity(hard)
        if have is not None and most is not None and have >= most:
            value = f"{used[resource]} of {hard}"
            yield Reading(name="quota_full", value=value, quote=hard, part=resource)


# Services ----------------------------------------------------------------------------------------


def selected(service: Raw, pods: Sequence[Raw]) -> list[Raw]:
    """Return the pods of the service's namespace that its selector matches."""
    wanted = labels(service, "spec", "selector")
    if not wanted:
        return []
    space = text(service, "metadata", "namespace")
    return [
        pod
        for pod in pods
        if text(pod, "metadata", "namespace") == space
        and wanted.items() <= labels(pod, "metadata", "labels").items()
    ]


@dataclass(frozen=True, slots=True)
class Reach:
    """What is known of the pods behind a service."""

    chosen: Sequence[Raw]
    """Pods that it selects, else the templates of pods that it would select."""
    is_certain: bool
    """Whether it is known that it selects none of all."""
    others: Sequence[dict[str, str]]
    """Labels of the pods that its namespace has or would have, as far as they are known."""
    ready: int | None
    """How many addresses its endpoints hold; None when they were not looked at."""
    ports: Sequence[str] = ()
    """That its endpoints send to."""


def read_service(raw: Raw, reach: Reach) -> Iterator[Reading]:
    """Yield why a service reaches nobody.

    Args:
        raw: the service.
        reach: what is known of its pods.
    """
    wanted = labels(raw, "spec", "selector")
    if text(raw, "spec", "type") == "ExternalName":
        return
    written = ",".join(f"{k}={v}" for k, v in sorted(wanted.items()))
    if not wanted:
        if "selector" not in mapping(raw, "spec") and reach.ready == 0:
            yield Reading(name="no_endpoints", value=0.0, quote=text(raw, "metadata", "name"))
        return
    if reach.is_certain:
        yield Reading(name="selects_nothing", value=written, quote=written)
        near = _nearest(wanted, reach.others)
        if near:
            yield Reading(name="selector_near", value=near, quote=near)
    if reach.ready == 0:
        yield Reading(name="no_endpoints", value=0.0, quote=written)
    if reach.chosen:
        yield from _ports(raw, reach)


def _nearest(wanted: dict[str, str], templates: Sequence[dict[str, str]]) -> str:
    """The labels, of the selector's keys, of the pods that agree with it most."""
    scored = [
        (sum(own.get(k) == v for k, v in wanted.items()), sum(k in own for k in wanted), own)
        for own in templates
    ]
    if not scored:
        return ""
    _, keys, best = max(scored, key=lambda item: item[:2])
    shared = {k: best[k] for k in sorted(wanted) if k in best}
    return ",".join(f"{k}={v}" for k, v in shared.items()) if keys else ""


def _ports(raw: Raw, reach: Reach) -> Iterator[Reading]:
    names: set[str] = set()
    numbers: set[str] = set()
    for pod in reach.chosen:
        own = container_ports(pod)
        names |= own[0]
        numbers |= own[1]
    targets = [text(p, "targetPort") or text(p, "port") for p in rows(raw, "spec", "ports")]
    for target in dict.fromkeys(targets or reach.ports):
        if not target or not (names or numbers):
            continue
        known = numbers if target.isdigit() else names
        if target not in known:
            listed = ",".join(sorted(numbers | names))
            yield Reading(name="port_unmatched", value=target, quote=target, part="port")
            yield Reading(name="ports_declared", value=listed, quote=listed, part="port")


def ready_addresses(endpoints: Raw | None, slices: Sequence[Raw]) -> int | None:
    """Count the ready addresses of a service; None when neither form was seen."""
    if endpoints is None and not slices:
        return None
    found = {
        text(address, "ip")
        for subset in rows(endpoints or {}, "subsets")
        for address in rows(subset, "addresses")
    }
    for item in slices:
        for endpoint in rows(item, "endpoints"):
            conditions = mapping(endpoint, "conditions")
            if text(conditions, "ready") != "false":
                found |= {str(a) for a in endpoint.get("addresses") or ()}
    return len(found)
