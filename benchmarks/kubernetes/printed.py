"""What kubectl and its like print beside the usual tables: single columns, parts, prefixed logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import described_parts, tables
from benchmarks.kubernetes.described_parts import date, events, pairs
from benchmarks.kubernetes.objects import Json, meta, moment
from benchmarks.kubernetes.tables import age, ordered, render, seen, when

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def _own(c: Cluster, namespace: str) -> list[Json]:
    rows = [e for e in c.events if namespace in {"", e["metadata"]["namespace"]}]
    return sorted(rows, key=lambda e: moment(when(e)[1]))


def recent(c: Cluster, namespace: str) -> str:
    """Return `kubectl events -n NAMESPACE`."""
    rows = [["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]]
    for event in _own(c, namespace):
        about = event["involvedObject"]
        where = f"{about['kind']}/{about['name']}"
        told = event["message"].replace("\n", " ")
        rows.append([seen(c, event), event["type"], event["reason"], where, told])
    return render(rows)


def wide_events(c: Cluster, namespace: str) -> str:
    """Return `kubectl get events -o wide -n NAMESPACE`."""
    head = "LAST SEEN,TYPE,REASON,OBJECT,SUBOBJECT,SOURCE,MESSAGE,FIRST SEEN,COUNT,NAME"
    rows = [[str(word) for word in head.split(",")]]
    for event in _own(c, namespace):
        about, (first, last, count) = event["involvedObject"], when(event)
        source = [event["source"].get("component") or event["reportingComponent"]]
        source += [event["source"]["host"]] if event["source"].get("host") else []
        rows.append(
            [
                age(c, last), event["type"], event["reason"],
                f"{about['kind'].lower()}/{about['name']}", about.get("fieldPath", ""),
                ", ".join(source), event["message"].replace("\n", " "), age(c, first),
                str(count), event["metadata"]["name"],
            ]
        )  # fmt: skip
    return render(rows)


def event_columns(c: Cluster, namespace: str) -> str:
    """Return events as `-o custom-columns`, with the times as the API writes them."""
    rows = [["LAST", "COUNT", "REASON", "OBJ", "MSG"]]
    for event in _own(c, namespace):
        last, count = event.get("lastTimestamp") or "<none>", event.get("count") or "<none>"
        name = event["involvedObject"]["name"]
        rows.append([last, str(count), event["reason"], name, event["message"].replace("\n", " ")])
    return render(rows)


def selectors(c: Cluster, namespace: str) -> str:
    """Return `kubectl get svc -o wide`."""
    rows = [["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE", "SELECTOR"]]
    for item in ordered(c.of("Service", namespace)):
        spec = item["spec"]
        ports = ",".join(f"{p['port']}/{p['protocol']}" for p in spec["ports"])
        chosen = ",".join(f"{k}={v}" for k, v in sorted(spec["selector"].items()))
        old = age(c, meta(item)["creationTimestamp"])
        name, kind = meta(item)["name"], spec["type"]
        rows.append([name, kind, spec["clusterIP"], "<none>", ports, old, chosen])
    return render(rows)


def wide_deployments(c: Cluster, namespace: str) -> str:
    """Return `kubectl get deploy -o wide`."""
    head = "NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR"
    rows = [[str(word) for word in head.split()]]
    for item in ordered(c.of("Deployment", namespace)):
        boxes = item["spec"]["template"]["spec"]["containers"]
        labels = item["spec"]["selector"]["matchLabels"]
        rows.append(
            [
                meta(item)["name"], *tables.CELLS["Deployment"][1](c, item),
                age(c, meta(item)["creationTimestamp"]), ",".join(b["name"] for b in boxes),
                ",".join(b["image"] for b in boxes),
                ",".join(f"{k}={v}" for k, v in sorted(labels.items())),
            ]
        )  # fmt: skip
    return render(rows)


def node_taints(c: Cluster) -> str:
    """Return `kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints`."""
    rows = [["NAME", "TAINTS"]]
    for node in ordered(c.of("Node")):
        found = [
            "map[" + " ".join(f"{k}:{t[k]}" for k in sorted(t)) + "]"
            for t in node["spec"].get("taints", [])
        ]
        rows.append([meta(node)["name"], f"[{' '.join(found)}]" if found else "<none>"])
    return render(rows)


def controller(c: Cluster, item: Json) -> str:
    """Return `kubectl describe` of a stateful set or a daemon set."""
    about, spec, status = meta(item), item["spec"], item["status"]
    lines = [
        f"Name:               {about['name']}", f"Namespace:          {about['namespace']}",
        f"CreationTimestamp:  {date(about['creationTimestamp'])}",
        f"Selector:           {','.join(pairs(spec['selector']['matchLabels'], 0).split())}",
        f"Labels:             {pairs(about['labels'], 20)}", "Annotations:        <none>",
    ]  # fmt: skip
    if item["kind"] == "StatefulSet":
        lines += [f"Replicas:           {spec['replicas']} desired | {status['replicas']} total"]
        lines += ["Update Strategy:    RollingUpdate", "  Partition:        0"]
    else:
        lines += [
            f"Desired Number of Nodes Scheduled: {status['desiredNumberScheduled']}",
            f"Current Number of Nodes Scheduled: {status['currentNumberScheduled']}",
            f"Number of Nodes Scheduled with Available Pods: {status['numberAvailable']}",
            "Number of Nodes Misscheduled: 0",
        ]
    box = spec["template"]["spec"]["containers"][0]
    lines += ["Pod Template:", f"  Labels:  {pairs(spec['template']['metadata']['labels'], 11)}"]
    lines += ["  Containers:", f"   {box['name']}:", f"    Image:      {box['image']}"]
    return "\n".join(lines) + "\n" + events(c, item)


def limits(item: Json) -> str:
    """Return `kubectl describe limitrange`."""
    rows = [["Type", "Resource", "Min", "Max", "Default Request", "Default Limit"]]
    rows[0].append("Max Limit/Request Ratio")
    rows.append(["-" * len(word) for word in rows[0]])
    keys = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")
    for row in item["spec"]["limits"]:
        for name in sorted(row["max"]):
            cells = [row.get(key, {}).get(name, "-") for key in keys]
            rows.append([row["type"], name, *cells])
    head = f"Name:       {meta(item)['name']}\nNamespace:  {meta(item)['namespace']}\n"
    return head + render(rows)


def last_events(c: Cluster, item: Json) -> str:
    """Return the end of a description, which is all that people often copy."""
    return described_parts.events(c, item)


def attachments(c: Cluster) -> str:
    """Return `kubectl get volumeattachment`."""
    rows = [["NAME", "ATTACHER", "PV", "NODE", "ATTACHED", "AGE"]]
    for item in tables.ordered(c.of("VolumeAttachment")):
        spec = item["spec"]
        held, on = spec["source"]["persistentVolumeName"], str(item["status"]["attached"]).lower()
        old = tables.age(c, meta(item)["creationTimestamp"])
        rows.append([meta(item)["name"], spec["attacher"], held, spec["nodeName"], on, old])
    return tables.render(rows)


def secret(namespace: str, name: str, **sizes: int) -> str:
    """Return `kubectl describe secret`: the keys with their sizes, never the values."""
    rows = [f"{key + ':':<{max(map(len, sizes)) + 3}}{sizes[key]} bytes" for key in sorted(sizes)]
    head = f"Name:         {name}\nNamespace:    {namespace}\nLabels:       <none>\n"
    return head + "Annotations:  <none>\n\nType:  Opaque\n\nData\n====\n" + "\n".join(rows) + "\n"


def journal(c: Cluster, host: str, unit: str, *rows: tuple[str, str]) -> str:
    """Return `journalctl -u UNIT`; rows are the age of a line and its text."""
    return "".join(f"{c.ago(ago):%b %d %H:%M:%S} {host} {unit}: {text}\n" for ago, text in rows)


def prefixed(pod: Json, box: str, text: str) -> str:
    """Return `kubectl logs --prefix`."""
    lead = f"[pod/{meta(pod)['name']}/{box}] "
    return "".join(f"{lead}{line}\n" for line in text.splitlines())


def stern(pod: Json, box: str, text: str) -> str:
    """Return the lines that stern prints: the pod, the container, the line."""
    return "".join(f"{meta(pod)['name']} {box} {line}\n" for line in text.splitlines())


def used(c: Cluster, namespace: str, known: dict[str, tuple[int, int]]) -> str:
    """Return `kubectl top pods`; `known` is what pods of a workload use, in m and Mi."""
    rows = [["NAME", "CPU(cores)", "MEMORY(bytes)"]]
    for pod in tables.ordered(c.of("Pod", namespace)):
        if pod["status"]["phase"] != "Running":
            continue
        name = meta(pod)["name"]
        cpu, memory = 4 + c.rng.randrange(90), 40 + c.rng.randrange(150)
        for stem, (much, more) in known.items():
            if name.startswith(stem):
                cpu, memory = much + c.rng.randrange(3), more + c.rng.randrange(9)
        rows.append([name, f"{cpu}m", f"{memory}Mi"])
    return tables.render(rows)
