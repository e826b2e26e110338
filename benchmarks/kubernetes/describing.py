"""The text that `kubectl describe` prints, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.kubernetes.described_nodes import node
from benchmarks.kubernetes.described_parts import date, events, pairs
from benchmarks.kubernetes.described_pods import container, pod
from benchmarks.kubernetes.objects import Json, meta
from benchmarks.kubernetes.tables import endpoint_list

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def _rolling(rolling: Json | None) -> list[str]:
    if not rolling:
        return []
    pair = f"{rolling['maxUnavailable']} max unavailable, {rolling['maxSurge']} max surge"
    return [f"RollingUpdateStrategy:  {pair}"]


def deployment(c: Cluster, item: Json) -> str:
    """Return `kubectl describe deployment`."""
    about, spec, status = meta(item), item["spec"], item["status"]
    counts = f"{spec['replicas']} desired | {status.get('updatedReplicas', 0)} updated | "
    counts += (
        f"{status.get('replicas', 0)} total | {status.get('availableReplicas', 0)} available | "
    )
    lines = [
        f"Name:                   {about['name']}", f"Namespace:              {about['namespace']}",
        f"CreationTimestamp:      {date(about['creationTimestamp'])}",
        f"Labels:                 {pairs(about['labels'], 24)}",
        f"Annotations:            {pairs(about['annotations'], 24, ': ')}",
        f"Selector:               {','.join(pairs(spec['selector']['matchLabels'], 0).split())}",
        f"Replicas:               {counts}{status.get('unavailableReplicas', 0)} unavailable",
        f"StrategyType:           {spec['strategy']['type']}", "MinReadySeconds:        0",
        *_rolling(spec["strategy"].get("rollingUpdate")), "Pod Template:",
        f"  Labels:  {pairs(spec['template']['metadata']['labels'], 11)}",
        "  Containers:",
    ]  # fmt: skip
    for box in spec["template"]["spec"]["containers"]:
        lines += [
            " " + line
            for line in container(box, None)
            if "ontainer ID" not in line and "Image ID" not in line
        ]
    wide = max(len(r["type"]) for r in status["conditions"]) + 2
    lines += [
        "Conditions:",
        f"  {'Type':<{wide}}Status  Reason",
        f"  {'----':<{wide}}------  ------",
    ]
    lines += [f"  {r['type']:<{wide}}{r['status']:<7} {r['reason']}" for r in status["conditions"]]
    sets = [s for s in c.of("ReplicaSet") if meta(s)["ownerReferences"][0]["uid"] == about["uid"]]
    sets.sort(key=lambda s: meta(s)["creationTimestamp"])
    told = [
        f"{meta(s)['name']} ({s['status']['replicas']}/{s['spec']['replicas']} replicas created)"
        for s in sets
    ]
    lines += [
        f"OldReplicaSets:  {', '.join(told[:-1]) or '<none>'}",
        f"NewReplicaSet:   {told[-1]}",
    ]
    return "\n".join(lines) + "\n" + events(c, item)


def service(c: Cluster, item: Json) -> str:
    """Return `kubectl describe service`."""
    about, spec = meta(item), item["spec"]
    port = spec["ports"][0]
    found = [e for e in c.of("Endpoints", about["namespace"]) if meta(e)["name"] == about["name"]]
    ready = ",".join(endpoint_list(found[0])) if found else ""
    lines = [
        f"Name:              {about['name']}", f"Namespace:         {about['namespace']}",
        f"Labels:            {pairs(about['labels'], 19)}", "Annotations:       <none>",
        f"Selector:          {','.join(pairs(spec['selector'], 0).split())}",
        f"Type:              {spec['type']}", "IP Family Policy:  SingleStack",
        "IP Families:       IPv4", f"IP:                {spec['clusterIP']}",
        f"IPs:               {spec['clusterIP']}",
        f"Port:              {port['name']}  {port['port']}/TCP",
        f"TargetPort:        {port['targetPort']}/TCP",
        f"Endpoints:         {ready if c.minor >= 31 else ready or '<none>'}".rstrip(),
        "Session Affinity:  None",
    ]  # fmt: skip
    return "\n".join(lines) + "\n" + events(c, item)


def claim(c: Cluster, item: Json) -> str:
    """Return `kubectl describe pvc`."""
    about, spec, status = meta(item), item["spec"], item["status"]
    users = [
        meta(p)["name"] for p in c.of("Pod", about["namespace"])
        for v in p["spec"]["volumes"]
        if v.get("persistentVolumeClaim", {}).get("claimName") == about["name"]
    ]  # fmt: skip
    lines = [
        f"Name:          {about['name']}", f"Namespace:     {about['namespace']}",
        f"StorageClass:  {spec['storageClassName']}", f"Status:        {status['phase']}",
        f"Volume:        {spec.get('volumeName', '')}".rstrip(), "Labels:        <none>",
        "Annotations:   <none>", "Finalizers:    [kubernetes.io/pvc-protection]",
        f"Capacity:      {status.get('capacity', {}).get('storage', '')}".rstrip(),
        f"Access Modes:  {'RWO' if status.get('accessModes') else ''}".rstrip(),
        "VolumeMode:    Filesystem", f"Used By:       {', '.join(users) or '<none>'}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n" + events(c, item)


def replica_set(c: Cluster, item: Json) -> str:
    """Return `kubectl describe replicaset`."""
    about, spec = meta(item), item["spec"]
    lines = [
        f"Name:           {about['name']}", f"Namespace:      {about['namespace']}",
        f"Selector:       {','.join(pairs(spec['selector']['matchLabels'], 0).split())}",
        f"Labels:         {pairs(about['labels'], 16)}",
        f"Annotations:    {pairs(about['annotations'], 16, ': ')}",
        f"Controlled By:  Deployment/{about['ownerReferences'][0]['name']}",
        f"Replicas:       {item['status']['replicas']} current / {spec['replicas']} desired",
        "Pods Status:    0 Running / 0 Waiting / 0 Succeeded / 0 Failed", "Conditions:",
        "  Type             Status  Reason", "  ----             ------  ------",
    ]  # fmt: skip
    rows: list[Json] = item["status"].get("conditions", [])
    lines += [f"  {row['type']:<17}{row['status']:<7} {row['reason']}" for row in rows]
    return "\n".join(lines) + "\n" + events(c, item)


def quota(_c: Cluster, item: Json) -> str:
    """Return `kubectl describe quota`."""
    hard, used = item["status"]["hard"], item["status"]["used"]
    rows = [["Resource", "Used", "Hard"], ["--------", "----", "----"]]
    rows += [[key, used[key], hard[key]] for key in sorted(hard)]
    widths = [max(len(r[i]) for r in rows) + 2 for i in range(2)]
    body = "\n".join(f"{r[0]:<{widths[0]}}{r[1]:<{widths[1]}}{r[2]}" for r in rows)
    about = meta(item)
    return f"Name:{' ' * 12}{about['name']}\nNamespace:{' ' * 7}{about['namespace']}\n{body}\n"


WRITERS: dict[str, Any] = {
    "Pod": pod, "Node": node, "Deployment": deployment, "Service": service,
    "PersistentVolumeClaim": claim, "ReplicaSet": replica_set, "ResourceQuota": quota,
}  # fmt: skip


def describe(c: Cluster, *items: Json) -> str:
    """Return what `kubectl describe` prints for these objects."""
    return "\n\n".join(WRITERS[item["kind"]](c, item) for item in items)
