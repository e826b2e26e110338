"""One case: a cluster with a known fault, the question or alert about it, and the truth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.kubernetes import noise
from benchmarks.kubernetes.cluster import Cluster, Setting, at_time
from benchmarks.kubernetes.objects import Json, meta, stamp
from benchmarks.kubernetes.saving import Folder, write_truth
from benchmarks.kubernetes.settling import settle

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Case:
    """What the builder of a case hands back beside the cluster."""

    folder: str
    cluster: Cluster
    faults: list[Json] = field(default_factory=list[Json])
    question: str = ""
    alerts: list[Json] = field(default_factory=list[Json])
    verdict: tuple[str, ...] = ("root_cause_found", "likely")
    started: str = ""
    decoys: list[str] = field(default_factory=list[str])

    def fault(self, fault: str, kinds: str, why: str, *items: Json) -> None:
        """Record a fault: its kinds (nearest first, comma-separated), and the objects it is in.

        The first object is the nearest answer, the others are accepted as well.
        """
        named = [entity(item) for item in items]
        found = {"fault": fault, "fault_kind": kinds.split(","), "entity": named, "why": why}
        self.faults.append(found)

    def alert(self, name: str, since: str, summary: str, **labels: str) -> None:
        """Add a firing alert that started `since` ago."""
        body = {"alertname": name, "severity": "warning", "cluster": "prod", **labels}
        self.alerts.append(
            {
                "status": "firing",
                "labels": body,
                "annotations": {"summary": summary, "description": summary},
                "startsAt": self.cluster.at(since).replace("Z", ".000Z"),
                "endsAt": "0001-01-01T00:00:00Z",
                "generatorURL": "http://prometheus.example.com:9090/graph?g0.tab=1",
                "fingerprint": hashlib.sha256(json.dumps(body).encode()).hexdigest()[:16],
            }
        )


def entity(item: Json) -> Json:
    """Return the truth's words for an object."""
    about = meta(item)
    where = {"namespace": about["namespace"]} if "namespace" in about else {}
    return {"kind": item["kind"].lower(), **where, "name": about["name"]}


Saver = Callable[[Folder], None]
Builder = Callable[[Cluster, Case], Saver]


@dataclass(frozen=True)
class Plan:
    """A case to build: its folder, its cluster's setting, and its builder."""

    folder: str
    captured_at: str
    build: Builder
    setting: Json = field(default_factory=dict[str, Any])


def write(plan: Plan, root: Path) -> None:
    """Build one case and write its folder under `root`."""
    seed = int(hashlib.sha256(plan.folder.encode()).hexdigest()[:8], 16)
    setting = Setting(seed=seed, captured_at=at_time(plan.captured_at), **plan.setting)
    cluster = Cluster(setting)
    case = Case(plan.folder, cluster)
    save = plan.build(cluster, case)
    named = {row["name"] for fault in case.faults for row in fault["entity"]}
    noise.sprinkle(cluster, root.name, named)
    settle(cluster)
    path = root / plan.folder
    (path / "kubernetes").mkdir(parents=True)
    save(Folder(path / "kubernetes", cluster))
    if case.question:
        (path / "question.txt").write_text(case.question + "\n", encoding="utf-8")
    if case.alerts:
        (path / "alert.json").write_text(_webhook(case.alerts), encoding="utf-8")
    write_truth(path / "truth.yaml", _truth(case))


def _truth(case: Case) -> Json:
    truth: Json = {"verdict": list(case.verdict)}
    if case.faults:
        truth["faults"] = case.faults
    else:
        truth["healthy"] = True
        truth["cause"] = "Nothing is wrong: what looks bad is old, finished or harmless."
    truth["captured_at"] = stamp(case.cluster.setting.captured_at)
    truth["alerts"] = sorted({row["labels"]["alertname"] for row in case.alerts})
    if case.started:
        truth["started_at"] = case.cluster.at(case.started)
    if case.decoys:
        truth["decoys"] = case.decoys
    return truth


def _webhook(alerts: list[Json]) -> str:
    shared: Json = dict(alerts[0]["labels"])
    for row in alerts[1:]:
        shared = {k: v for k, v in shared.items() if row["labels"].get(k) == v}
    group = {"alertname": shared["alertname"]} if "alertname" in shared else {}
    key = "{}:{" + ", ".join(f'{k}="{v}"' for k, v in group.items()) + "}"
    body = {
        "version": "4", "groupKey": key, "truncatedAlerts": 0, "status": "firing",
        "receiver": "on-call", "groupLabels": group, "commonLabels": shared,
        "commonAnnotations": alerts[0]["annotations"] if len(alerts) == 1 else {},
        "externalURL": "http://alertmanager.example.com:9093", "alerts": alerts,
    }  # fmt: skip
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
