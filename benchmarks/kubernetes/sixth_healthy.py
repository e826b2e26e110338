"""Sixth set: clusters in which nothing is wrong, and somebody worries."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import (
    faults,
    neighbours,
    pasted,
    printed,
    tables,
    workloads,
)
from benchmarks.kubernetes.fifth_parts import rough_start
from benchmarks.kubernetes.fourth_parts import node_upgrade, old_crashes, sandbox_trouble, waited
from benchmarks.kubernetes.objects import Json, http_probe, meta
from benchmarks.kubernetes.sixth_parts import IMAGES, STYLE, named
from benchmarks.kubernetes.third_parts import blind_scaler, leftovers, old_kills

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder

_FINE = ("healthy", "inconclusive")


def _trout(c: Cluster, case: Case) -> Saver:
    """A node was upgraded half an hour ago; everything is back."""
    ns = "seed-shop"
    works = neighbours.web(c, ns, "cart:3", "stock:3", "label-print:2", age="120d", pods_age="30d", **STYLE)  # fmt: skip
    neighbours.database(c, ns, "stock-db", "docker.io/library/postgres:17.2", age="120d", pods_age="30d", replicas=1)  # fmt: skip
    node_upgrade(c, c.setting.nodes[1], "39m", "27m")
    leftovers(c, works[0], "4d")
    neighbours.job_noise(c, ns, "sitemap", "19m")
    case.question = "patched worker 2 and it rebooted. lots of warnings and restart counters went up. am I good to continue with worker 3?"
    case.verdict = _FINE
    case.decoys = [
        "pods of the node: one restart each, when it was rebooted",
        "cart: a pod that was evicted four days ago was never deleted",
    ]

    def save(out: Folder) -> None:
        steps = [
            ("kubectl get nodes -o wide", tables.nodes(c)),
            (f"kubectl get pods -n {ns} -o wide", tables.pods(c, ns)),
            ("kubectl get events -A --sort-by=.lastTimestamp", tables.events(c)),
        ]
        out.text("after-patch.txt", pasted.session("admin@bastion:~$ ", *steps))

    return save


def _turbot(c: Cluster, case: Case) -> Saver:
    """A release of 20 minutes ago that is done, beside an autoscaler that never could count."""
    ns = "membership"
    works = neighbours.web(c, ns, "cards:2", "gate-sync:2", "renewals", **STYLE)
    work = workloads.deployment(
        c, ns, "members-api", f"{IMAGES}/members-api:11.0.2", replicas=3, age="200d", pods_age="20m", port=8080, requests="200m/256Mi", labels=named("members-api"),
        readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    rough_start(c, work, "20m", 4)
    blind_scaler(c, ns, works[0].pods[0])
    old_crashes(c, works[1].pods[1], 41, "3d")
    case.question = "members-api 11.0.2 发完了，events 里好多 Warning：Unhealthy、FailedGetResourceMetric，需要回滚吗？"
    case.verdict = _FINE
    case.decoys = [
        "members-api: its new pods failed their readiness probe while they started",
        "cards: an autoscaler that never could read its metric",
        "gate-sync: 41 restarts, the last one three days ago",
    ]

    def save(out: Folder) -> None:
        out.listed("membership.yaml", "Pod,Deployment", ns)
        out.text("events.txt", tables.events(c, ns))

    return save


def _zander(c: Cluster, case: Case) -> Saver:
    """Somebody counts restarts on a Monday."""
    ns = "city-library"
    works = neighbours.web(c, ns, "opac:2", "loans:2", "reminders", "e-lending:2", age="150d", pods_age="50d", **STYLE)  # fmt: skip
    old_kills(c, works[0].pods[0], "7d")
    old_crashes(c, works[3].pods[1], 55, "2d")
    for pod in works[1].pods:
        faults.restarted(c, pod, 143, "Error", "5d4h", restarts=2)
    waited(c, works[2].pods[0], "43m")
    sandbox_trouble(c, works[1].pods[0], "38m")
    case.question = "e-lending has 55 restarts and opac was OOMKilled 17 times. is there an ongoing incident right now?"
    case.verdict = _FINE
    case.decoys = [
        "e-lending: 55 restarts, the last one two days ago",
        "opac: 17 kills for memory, the last one seven days ago",
        "loans: a predecessor had no network for a minute 38 minutes ago",
    ]

    def save(out: Folder) -> None:
        used = {"opac": (40, 120), "e-lending": (35, 140)}
        lines = [
            ("4m", "mara", f"kubectl get pods -n {ns}\n{pasted.quoted(tables.pods(c, ns, wide=False))}"),
            ("3m", "mara", f"kubectl top pods\n{pasted.quoted(printed.used(c, ns, used))}"),
            ("2m", "igor", f"events:\n{pasted.quoted(pasted.kept(tables.events(c, ns), 'Warning'))}"),
            ("1m", "igor", f"describe {meta(works[3].pods[1])['name']} | tail:\n{pasted.quoted(printed.last_events(c, works[3].pods[1]))}"),
        ]  # fmt: skip
        out.text("chat.txt", pasted.chat(c, *lines))

    return save


BUILDERS: Json = {"trout": _trout, "turbot": _turbot, "zander": _zander}
