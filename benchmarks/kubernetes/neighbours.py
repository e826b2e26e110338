"""The healthy rest of a cluster, and the harmless noise that every cluster has."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.kubernetes import faults, workloads
from benchmarks.kubernetes.objects import Json, exec_probe, http_probe, meta, moment, seconds

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def system(c: Cluster, *, network: str = "cilium", age: str = "70d") -> None:
    """Add the parts that run in kube-system."""
    ns = "kube-system"
    minor = c.setting.version
    workloads.deployment(
        c, ns, "coredns", "registry.k8s.io/coredns/coredns:v1.11.1", replicas=2, age=age, port=53,
        requests="100m/70Mi", limits="/170Mi", labels={"k8s-app": "kube-dns"},
        liveness=http_probe("/health", 8080, timeout=5, failures=5),
        readiness=http_probe("/ready", 8181),
    )  # fmt: skip
    proxy = f"registry.k8s.io/kube-proxy:{minor}"
    workloads.daemon_set(c, ns, "kube-proxy", proxy, age=age, host_network=True)
    image = {"cilium": "quay.io/cilium/cilium:v1.15.4", "calico-node": "docker.io/calico/node:v3.27.3",
             "kube-flannel-ds": "docker.io/flannel/flannel:v0.25.1", "aws-node": "registry.example.com/vpc-cni:v1.18.1"}  # fmt: skip
    workloads.daemon_set(
        c, ns, network, image[network], age=age, requests="100m/", host_network=True
    )
    workloads.service(c, ns, "kube-dns", {"k8s-app": "kube-dns"}, port=53, port_name="dns-tcp")


def web(c: Cluster, namespace: str, *names: str, **options: Any) -> list[workloads.Workload]:
    """Add plain healthy services `name:replicas`, each a deployment with a service over it."""
    found: list[workloads.Workload] = []
    for entry in names:
        name, _, count = entry.partition(":")
        port = options.get("port") or c.rng.choice((8080, 3000, 9000))
        tag = f"{c.rng.randrange(1, 5)}.{c.rng.randrange(20)}.{c.rng.randrange(10)}"
        image = f"{options.get('registry', 'registry.example.com/apps')}/{name}:{tag}"
        found.append(
            workloads.deployment(
                c, namespace, name, image, replicas=int(count or 1), port=port,
                requests=options.get("requests", "100m/128Mi"), limits=options.get("limits", "500m/256Mi"),
                age=options.get("age", f"{20 + c.rng.randrange(60)}d"),
                pods_age=options.get("pods_age", f"{2 + c.rng.randrange(9)}d{c.rng.randrange(20)}h"),
                readiness=http_probe(c.rng.choice(("/ready", "/healthz", "/")), port),
                labels={options.get("label", "app"): name},
            )
        )  # fmt: skip
        workloads.service(c, namespace, name, {options.get("label", "app"): name}, target=port)
    return found


def old_restart(c: Cluster, pod: Json, ago: str = "5d2h") -> None:
    """Give a healthy pod one restart long ago, within its life."""
    lived = int((c.setting.captured_at - moment(meta(pod)["creationTimestamp"])).total_seconds())
    if seconds(ago) + seconds("3h") >= lived:
        ago = f"{lived // 2}s"
    code, reason = c.rng.choice(((1, "Error"), (137, "Error"), (255, "Unknown"), (0, "Completed")))
    faults.restarted(c, pod, code, reason, ago, ran=f"{min(seconds('3h'), lived // 3)}s")


def stale_readiness(c: Cluster, pod: Json, ago: str = "52m") -> None:
    """Add a readiness failure of a neighbour that has long recovered."""
    ip = pod["status"]["podIP"]
    text = f'Get "http://{ip}:8080/ready": dial tcp {ip}:8080: connect: connection refused'
    first = f"{int(ago[:-1]) + 1}m"
    faults.probe_failure(c, pod, "Readiness", text, first=first, last=ago, count=2)


def autoscaler_noise(c: Cluster, namespace: str, name: str, ago: str = "37m") -> None:
    """Add an autoscaler that once could not read its metric."""
    item = c.add(
        "HorizontalPodAutoscaler", name, "30d", namespace=namespace,
        spec={"maxReplicas": 6, "minReplicas": 2},
    )  # fmt: skip
    text = (
        "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics"
        " from resource metrics API: the server is currently unable to handle the request"
        " (get pods.metrics.k8s.io)"
    )
    by = "horizontal-pod-autoscaler"
    c.event(
        item,
        "FailedGetResourceMetric",
        text,
        warning=True,
        by=by,
        first=f"{int(ago[:-1]) + 3}m",
        last=ago,
        count=3,
    )


def dns_noise(c: Cluster, pod: Json) -> None:
    """Add the kubelet's endless complaint about too many name servers."""
    text = (
        "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver"
        " line is: 10.0.0.2 10.0.0.3 10.0.0.4"
    )
    c.event(pod, "DNSConfigForming", text, warning=True, first="58m", last="4m10s", count=44)


def job_noise(c: Cluster, namespace: str, cron: str, ended: str = "18m") -> Json:
    """Add a completed job of a cron job with its events."""
    pod = workloads.finished_job(c, namespace, cron, ended)
    job = next(
        j for j in c.of("Job", namespace) if meta(j)["name"] == meta(pod)["labels"]["job-name"]
    )
    by = "job-controller"
    c.event(job, "SuccessfulCreate", f"Created pod: {meta(pod)['name']}", last=_plus(ended), by=by)
    c.event(job, "Completed", "Job completed", last=ended, by=by)
    return pod


def _plus(ended: str) -> str:
    number, unit = int(ended[:-1]), ended[-1]
    return f"{number * {'m': 60, 'h': 3600, 's': 1}[unit] + 47}s"


def database(
    c: Cluster, namespace: str, name: str, image: str, **options: Any
) -> workloads.Workload:
    """Add a healthy stateful database with a volume claim for each pod."""
    check = exec_probe("pg_isready", "-U", "app") if "postgres" in image else None
    work = workloads.stateful_set(
        c, namespace, name, image, requests="250m/512Mi", limits="1/1Gi", readiness=check,
        mounts={"data": "/var/lib/data"}, **{"claim": "20Gi", **options},
    )  # fmt: skip
    port = 5432 if "postgres" in image else 6379
    workloads.service(c, namespace, name, {"app": name}, port=port, port_name="tcp")
    return work
