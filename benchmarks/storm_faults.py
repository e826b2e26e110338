"""The faults of a made storm, and which alerts each of them raises where.

What a fault raises is told by how such faults show, not by how alerts are grouped: some alerts name
the node, some do not, callers complain with the names that everybody uses, and where two faults
reach one service its alerts are of the nearer, which hurts it more; of equals of the first.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.storm_system import Pod, System

__all__ = ["SHAPES", "Fault", "Symptom", "draw_faults", "symptoms_of"]

SHAPES = {
    "mixed": ("node", "database", "deploy", "partition", "certificate"),
    "databases": ("database",) * 5,
    "deploys": ("deploy", "deploy", "deploy", "leak", "leak"),
    "machines": ("node", "node", "database", "deploy", "leak"),
    "edge": ("certificate", "partition", "deploy", "database", "leak"),
}
"""Which faults come together."""

_FELT_FROM = {0: 1.0, 1: 0.8, 2: 0.3, 3: 0.05}
"""Calls between the fault and a caller -> how likely the caller complains."""
_GIVES_UP = 0.15
"""How often a caller that waits fails its own checks of health for it."""
_ROUTES = ("/", "/list", "/item", "/submit", "/status", "/export", "/batch", "/admin")
_FELT = ("HighErrorRate", "HighLatency", "SLOBurnRate", "HTTP5xx")
_OWN = {
    "database": ("SlowQueries", "DatabaseConnectionsHigh", "DiskLatencyHigh", "ReplicationLag"),
    "deploy": ("KubePodCrashLooping", "KubeDeploymentReplicasMismatch", "KubePodNotReady"),
    "leak": ("ContainerMemoryHigh", "ContainerOOMKilled", "KubePodNotReady"),
    "certificate": ("CertificateExpired", "TLSHandshakeFailures", "ProbeFailed"),
    "partition": ("TargetDown", "ConnectTimeouts"),
    "node": ("KubePodNotReady", "TargetDown", "ContainerUnreachable"),
}
"""What shows at the pods of what is broken."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that broke."""

    name: str
    kind: str
    where: str
    """A service, node or namespace."""
    at: float
    """Seconds from the begin of the storm."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """One alert, as its labels tell it."""

    labels: dict[str, str] = field(hash=False)
    fired: float = 0.0


@dataclass(frozen=True, slots=True)
class _Reached:
    """A fault as a service feels it."""

    at: float
    fault: Fault
    hops: int
    """Calls between the service and what is broken."""
    callee: str
    """Which of its callees it complains of."""


def draw_faults(system: System, shape: str, rng: random.Random) -> tuple[Fault, ...]:
    """Draw the faults of a shape.

    Two services of which one calls the other over two calls or fewer are not both drawn: whether
    the caller is ill or only feels its callee no label could tell.
    """
    found: list[Fault] = []
    for k, kind in enumerate(SHAPES[shape]):
        if kind == "node":
            free = [n for n in system.nodes if all(n != fault.where for fault in found)]
        elif kind == "partition":
            free = sorted({ns for ns in system.namespaces.values() if ns not in {"edge", "data"}})
        elif kind == "certificate":
            free = [system.gateway]
        else:
            free = _free(system, kind, found)
        where = rng.choice(free)
        found.append(Fault(f"f{k}", kind, where, rng.uniform(0, 30)))
    return tuple(found)


def _free(system: System, kind: str, found: Sequence[Fault]) -> list[str]:
    def near(service: str, other: str) -> bool:
        return service == other or other in system.callers(service, 2) | system.callees(service, 2)

    taken = [fault.where for fault in found if fault.where in system.namespaces]
    parted = {fault.where for fault in found if fault.kind == "partition"}
    stores = kind == "database"
    free = [
        service
        for service in system.services
        if service != system.gateway
        and (stores or service not in system.stores)
        and system.namespaces[service] not in parted
        and not any(near(service, other) for other in taken if other != system.gateway)
    ]
    best = [service for service in free if service in system.stores] if stores else free
    return best or free or [s for s in system.services if s not in taken]


def symptoms_of(
    system: System, faults: Sequence[Fault], rng: random.Random, *, mesh: float
) -> Iterator[tuple[float, Symptom, str]]:
    """Yield seconds, alert and name of the fault of everything that the faults raise."""
    meshed = {service for service in system.services if rng.random() < mesh}
    for fault in faults:
        yield from _of_fault(system, fault, rng)
    for service, reached in _whose(system, faults, rng).items():
        at, fault, hops = reached.at, reached.fault, reached.hops
        pods = _hit(system, fault).get(service, system.pods[service][: 3 - hops])
        for labels in _felt(system, service, hops, pods, rng):
            yield _fired(at + rng.expovariate(1 / 6), labels, fault)
        if hops and service in meshed:
            labels = _of_call(system, service, reached.callee)
            yield _fired(at + rng.expovariate(1 / 6), labels, fault)
        if hops and rng.random() < _GIVES_UP:  # it waits for its callee until it is restarted
            labels = _of_pod(system, service, system.pods[service][0], "KubePodNotReady")
            yield _fired(at + rng.expovariate(1 / 10), labels, fault)


def _fired(at: float, labels: dict[str, str], fault: Fault) -> tuple[float, Symptom, str]:
    return at, Symptom(labels, at), fault.name


def _hit(system: System, fault: Fault) -> dict[str, tuple[Pod, ...]]:
    """Services that a fault breaks, with the pods that show it."""
    if fault.kind == "node":
        on_it = {s: tuple(p for p in ps if p.node == fault.where) for s, ps in system.pods.items()}
        return {service: pods for service, pods in on_it.items() if pods}
    if fault.kind == "partition":
        return {s: system.pods[s] for s, ns in system.namespaces.items() if ns == fault.where}
    return {fault.where: system.pods[fault.where]}


def _of_fault(
    system: System, fault: Fault, rng: random.Random
) -> Iterator[tuple[float, Symptom, str]]:
    """What shows at the fault itself: at the node or namespace, and at the pods."""
    at = fault.at + rng.expovariate(1 / 3)
    if fault.kind == "node":
        for name in ("KubeNodeNotReady", "KubeNodeUnreachable", "NodeExporterDown"):
            labels = {"alertname": name, "severity": "critical", "node": fault.where}
            yield _fired(at + rng.expovariate(1 / 2), _in_cluster(labels), fault)
    if fault.kind == "partition":
        labels = {"alertname": "NamespaceNetworkUnreachable", "severity": "critical"}
        yield _fired(at, _in_cluster({**labels, "namespace": fault.where}), fault)
    for service, pods in _hit(system, fault).items():
        for pod in pods:
            for name in _OWN[fault.kind]:
                labels = _of_pod(system, service, pod, name)
                if rng.random() < 0.6 or fault.kind == "node":  # where the kubelet tells it
                    labels["node"] = pod.node
                yield _fired(at + rng.expovariate(1 / 8), labels, fault)


def _whose(system: System, faults: Sequence[Fault], rng: random.Random) -> dict[str, "_Reached"]:
    """Service -> what made it complain: of the faults that it feels the nearest, then the first."""
    found: dict[str, _Reached] = {}
    for fault in faults:
        near: dict[str, tuple[int, str]] = {}
        for service in _hit(system, fault):
            near[service] = (0, service)
            for caller, hops in system.callers(service).items():
                if caller not in near or near[caller][0] > hops:
                    near[caller] = (hops, service)
        for service, (hops, broken) in near.items():
            if rng.random() < _FELT_FROM[hops]:
                at = fault.at + rng.expovariate(1 / (3 + 4 * hops))
                callee = _next_on_way(system, service, broken)
                this, known = _Reached(at, fault, hops, callee), found.get(service)
                if known is None or (hops, at) < (known.hops, known.at):
                    found[service] = this
    return found


def _next_on_way(system: System, service: str, broken: str) -> str:
    """Whom a service calls on the shortest way to what is broken."""
    if service == broken:
        return service
    steps = [callee for caller, callee in system.edges if caller == service]
    far = {broken: 0, **system.callers(broken, 5)}
    return min(steps, key=lambda callee: (far.get(callee, 9), callee))


def _felt(
    system: System, service: str, hops: int, pods: Sequence[Pod], rng: random.Random
) -> Iterator[dict[str, str]]:
    """Complaints of a service: as a whole, of its routes, of its pods; fewer the further away."""
    for name in rng.sample(_FELT, rng.randint(2, len(_FELT))):
        whole = _in_cluster(
            {
                "alertname": name,
                "severity": rng.choice(("critical", "warning", "warning")),
                "namespace": system.namespaces[service],
                "service": service,
            }
        )
        yield whole
        for route in rng.sample(_ROUTES, max(1, rng.randint(2, len(_ROUTES)) >> hops)):
            yield {**whole, "route": route}
            for pod in pods:
                yield {**whole, "route": route, "pod": pod.name, "instance": f"{pod.address}:8080"}


def _of_call(system: System, service: str, callee: str) -> dict[str, str]:
    return _in_cluster(
        {
            "alertname": "UpstreamErrors",
            "severity": "warning",
            "reporter": "source",
            "source_workload": service,
            "source_workload_namespace": system.namespaces[service],
            "destination_workload": callee,
            "destination_service_namespace": system.namespaces[callee],
        }
    )


def _of_pod(system: System, service: str, pod: Pod, name: str) -> dict[str, str]:
    return _in_cluster(
        {
            "alertname": name,
            "severity": "critical" if "Crash" in name or "Expired" in name else "warning",
            "namespace": system.namespaces[service],
            "service": service,
            "pod": pod.name,
            "instance": f"{pod.address}:9102",
        }
    )


def _in_cluster(labels: dict[str, str]) -> dict[str, str]:
    return {**labels, "cluster": "prod-1"}
