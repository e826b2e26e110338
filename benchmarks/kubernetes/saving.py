"""The forms in which people save a cluster: lists, tables, dumps, must-gather folders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from benchmarks.kubernetes import describing, tables
from benchmarks.kubernetes.objects import Json, meta
from benchmarks.kubernetes.tables import ordered

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.kubernetes.cluster import Cluster


class Folder:
    """Writes the files of one case's `kubernetes/` folder."""

    def __init__(self, path: Path, cluster: Cluster) -> None:
        self.path = path
        self.c = cluster

    def text(self, name: str, text: str) -> None:
        """Write a file, with its folders."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def pick(self, kinds: str, namespace: str = "") -> list[Json]:
        """Return the objects of `kinds` (comma-separated; Event too), as the API lists them."""
        found: list[Json] = []
        for kind in kinds.split(","):
            if kind == "Event":
                rows = [e for e in self.c.events if namespace in {"", e["metadata"]["namespace"]}]
                found += ordered(rows)
            else:
                found += ordered(self.c.of(kind, namespace or None))
        return found

    def listed(self, name: str, kinds: str, namespace: str = "") -> None:
        """Write `kubectl get KINDS -o json` or `-o yaml`, by the file's ending."""
        items = self.pick(kinds, namespace)
        body = {
            "apiVersion": "v1",
            "items": items,
            "kind": "List",
            "metadata": {"resourceVersion": ""},
        }
        self.text(name, _yaml(body) if name.endswith(("yaml", "yml")) else _json(body))

    def single(self, name: str, item: Json) -> None:
        """Write `kubectl get KIND NAME -o json` or `-o yaml`, by the file's ending."""
        self.text(name, _yaml(item) if name.endswith(("yaml", "yml")) else _json(item))

    def raw(self, name: str, kind: str, namespace: str = "", *, indent: int | None = None) -> None:
        """Write the API's own list (`kubectl get --raw`): items carry no kind of their own."""
        items = [_bare(item) for item in self.pick(kind, namespace)]
        version = "v1" if kind == "Event" else (items and self._api(kind)) or "v1"
        body: Json = {"kind": f"{kind}List", "apiVersion": version}
        body |= {"metadata": {"resourceVersion": "81234567"}, "items": items}
        self.text(name, json.dumps(body, indent=indent, ensure_ascii=False) + "\n")

    def _api(self, kind: str) -> str:
        return str(self.c.of(kind)[0]["apiVersion"])

    def tables(self, *names: str, namespace: str = "", ending: str = "txt") -> None:
        """Write `kubectl get` tables, one file a kind: pods, nodes, events, or a kind's name."""
        for name in names:
            self.text(f"{name}.{ending}", self.table(name, namespace))

    def table(self, name: str, namespace: str = "") -> str:
        """Return one table by its plural name."""
        if name == "pods":
            return tables.pods(self.c, namespace)
        if name == "nodes":
            return tables.nodes(self.c)
        if name == "events":
            return tables.events(self.c, namespace)
        return tables.table(self.c, _KINDS[name], namespace)

    def describe(self, name: str, *items: Json) -> None:
        """Write `kubectl describe` of these objects into one file."""
        self.text(name, describing.describe(self.c, *items))

    def transcript(self, name: str, *steps: tuple[str, str]) -> None:
        """Write a terminal's session: each command after a prompt, then what it printed."""
        self.text(name, "\n".join(f"$ {command}\n{text}" for command, text in steps))

    def everything(self, namespace: str) -> str:
        """Return `kubectl get all -n NAMESPACE`."""
        parts = [tables.pods(self.c, namespace, wide=False, prefix="pod/")]
        for kind, prefix in _ALL.items():
            if self.c.of(kind, namespace):
                parts.append(tables.table(self.c, kind, namespace, prefix=prefix))
        return "\n".join(parts)

    def logs(self, pattern: str = "logs/{pod}.{box}{previous}.log") -> None:
        """Write every kept log; the pattern may use ns, pod, box and previous."""
        for (namespace, pod, box, before), text in self.c.logs.items():
            mark = "-previous" if before else ""
            self.text(pattern.format(ns=namespace, pod=pod, box=box, previous=mark), text)

    def dump(self, *namespaces: str) -> None:
        """Write what `kubectl cluster-info dump --output-directory` writes."""
        self.raw("nodes.json", "Node", indent=4)
        for namespace in namespaces or self.c.namespaces():
            for kind, stem in _DUMPED.items():
                self.raw(f"{namespace}/{stem}.json", kind, namespace, indent=4)
            for pod in self.pick("Pod", namespace):
                self.text(f"{namespace}/{meta(pod)['name']}/logs.txt", self._log(pod))

    def _log(self, pod: Json) -> str:
        about = meta(pod)
        where = f"{about['namespace']}/{about['name']}"
        found: list[str] = []
        for name in (box["name"] for box in pod["spec"]["containers"]):
            text = self.c.logs.get((about["namespace"], about["name"], name, False), "")
            head = f"==== START logs for container {name} of pod {where} ===="
            tail = head.replace("START", "END")
            found.append(f"{head}\n{text}{tail}\n")
        return "".join(found)

    def must_gather(self, *namespaces: str, root: str = "") -> None:
        """Write the folder layout of a must-gather: one YAML list a kind and a log a container."""
        base = f"{root}/" if root else ""
        for node in self.pick("Node"):
            path = f"{base}cluster-scoped-resources/core/nodes/{meta(node)['name']}.yaml"
            self.text(path, "---\n" + _yaml(node))
        for namespace in namespaces or self.c.namespaces():
            for kind, stem in _GATHERED.items():
                items = self.pick(kind, namespace)
                version = items[0]["apiVersion"] if items else "v1"
                body = {"apiVersion": version, "items": items, "kind": f"{kind}List"}
                path = f"{base}namespaces/{namespace}/{stem}.yaml"
                self.text(path, "---\n" + _yaml(body))
        for (namespace, pod, box, before), text in self.c.logs.items():
            run = "previous" if before else "current"
            path = f"{base}namespaces/{namespace}/pods/{pod}/{box}/{box}/logs/{run}.log"
            self.text(path, text)


_KINDS = {
    "deployments": "Deployment", "replicasets": "ReplicaSet", "statefulsets": "StatefulSet",
    "daemonsets": "DaemonSet", "services": "Service", "endpoints": "Endpoints", "jobs": "Job",
    "pvc": "PersistentVolumeClaim", "quota": "ResourceQuota",
}  # fmt: skip
_ALL = {
    "Service": "service/", "DaemonSet": "daemonset.apps/", "Deployment": "deployment.apps/",
    "ReplicaSet": "replicaset.apps/", "StatefulSet": "statefulset.apps/", "Job": "job.batch/",
}  # fmt: skip
_DUMPED = {
    "Pod": "pods", "Event": "events", "Service": "services", "Deployment": "deployments",
    "ReplicaSet": "replicasets", "DaemonSet": "daemonsets",
}  # fmt: skip
_GATHERED = {
    "Pod": "core/pods", "Event": "core/events", "Service": "core/services",
    "Endpoints": "core/endpoints", "PersistentVolumeClaim": "core/persistentvolumeclaims",
    "ResourceQuota": "core/resourcequotas", "Deployment": "apps/deployments",
    "ReplicaSet": "apps/replicasets", "StatefulSet": "apps/statefulsets",
}  # fmt: skip


def _bare(item: Json) -> Json:
    return {k: v for k, v in item.items() if k not in {"apiVersion", "kind"}}


def _json(body: Any) -> str:
    return json.dumps(body, indent=4, sort_keys=True, ensure_ascii=False) + "\n"


class _Dumper(yaml.SafeDumper):
    """Writes repeated values out, as kubectl does, in place of anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Never use an anchor."""
        return data is not None or True


def _yaml(body: Any, *, sort: bool = True, width: int = 1000) -> str:
    dumped: str = yaml.dump(  # pyright: ignore[reportUnknownMemberType] - its overloads lack types
        body, Dumper=_Dumper, sort_keys=sort, allow_unicode=True, width=width
    )
    return dumped


def write_truth(path: Path, truth: Json) -> None:
    """Write a case's truth."""
    path.write_text(_yaml(truth, sort=False, width=100), encoding="utf-8")
