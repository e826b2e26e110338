"""What `kubectl describe node` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes.described_parts import date, events, pairs
from benchmarks.kubernetes.objects import Json, meta
from benchmarks.kubernetes.tables import age, ordered

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def node(c: Cluster, item: Json) -> str:
    """Return `kubectl describe node`."""
    about, status, spec = meta(item), item["status"], item["spec"]
    taints = [f"{t['key']}{'=' + t['value'] if t.get('value') else ''}:{t['effect']}"
              for t in spec.get("taints", [])]  # fmt: skip
    lines = [
        f"Name:               {about['name']}", "Roles:              <none>",
        f"Labels:             {pairs(about['labels'], 20)}",
        f"Annotations:        {pairs(about['annotations'], 20, ': ')}",
        f"CreationTimestamp:  {date(about['creationTimestamp'])}",
        "Taints:             " + (("\n" + " " * 20).join(taints) or "<none>"),
        f"Unschedulable:      {str(bool(spec.get('unschedulable'))).lower()}", "Conditions:",
    ]  # fmt: skip
    rows = [["Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message"]]
    rows.append(["-" * n for n in (4, 6, 17, 18, 6, 7)])
    for r in status["conditions"]:
        times = [date(r["lastHeartbeatTime"]), date(r["lastTransitionTime"])]
        rows.append([r["type"], r["status"], *times, r["reason"], r["message"]])
    widths = [max(len(r[i]) for r in rows) + 2 for i in range(5)]
    lines += ["  " + "".join(f"{r[i]:<{widths[i]}}" for i in range(5)) + r[5] for r in rows]
    lines.append("Addresses:")
    lines += [f"  {a['type']}:  {a['address']}" for a in status["addresses"]]
    for key in ("capacity", "allocatable"):
        lines.append(f"{key.title()}:")
        lines += [f"  {name + ':':<19}{value}" for name, value in status[key].items()]
    info = status["nodeInfo"]
    lines += ["System Info:", f"  Kernel Version:             {info['kernelVersion']}"]
    lines += [f"  OS Image:                   {info['osImage']}"]
    lines += [f"  Container Runtime Version:  {info['containerRuntimeVersion']}"]
    lines += [
        f"  Kubelet Version:            {info['kubeletVersion']}",
        f"PodCIDR:  {spec['podCIDR']}",
    ]
    return "\n".join([*lines, *_placed(c, item)]) + "\n" + events(c, item)


def milli(text: str) -> int:
    """Return a processor quantity in thousandths."""
    return int(text[:-1]) if text.endswith("m") else int(float(text) * 1000)


def mebi(text: str) -> int:
    """Return a memory quantity in mebibytes."""
    for unit, factor in (("Ki", 1 / 1024), ("Mi", 1.0), ("Gi", 1024.0)):
        if text.endswith(unit):
            return int(int(text[:-2]) * factor)
    return int(text) >> 20


def _placed(c: Cluster, item: Json) -> list[str]:
    name, free = meta(item)["name"], item["status"]["allocatable"]
    own = [
        p for p in ordered(c.of("Pod"))
        if p["spec"].get("nodeName") == name and p["status"]["phase"] in {"Running", "Pending"}
    ]  # fmt: skip
    cpu, memory = milli(free["cpu"]), mebi(free["memory"])
    head = "Namespace  Name  CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age"
    rows = [[str(word) for word in head.split("  ")]]
    rows.append(["-" * len(word) for word in rows[0]])
    total = [0, 0, 0, 0]
    for one in own:
        used = _sums(one)
        total = [a + b for a, b in zip(total, used, strict=True)]
        cells = [_share(f"{used[i]}m", used[i], cpu) for i in (0, 1)]
        cells += [_share(f"{used[i]}Mi", used[i], memory) for i in (2, 3)]
        old = age(c, meta(one)["creationTimestamp"])
        rows.append([meta(one)["namespace"], meta(one)["name"], *cells, old])
    widths = [max(len(r[i]) for r in rows) + 2 for i in range(6)]
    lines = [f"Non-terminated Pods:          ({len(own)} in total)"]
    lines += ["  " + "".join(f"{r[i]:<{widths[i]}}" for i in range(6)) + r[6] for r in rows]
    lines += [
        "Allocated resources:",
        "  (Total limits may be over 100 percent, i.e., overcommitted.)",
    ]
    lines += [
        "  Resource           Requests       Limits",
        "  --------           --------       ------",
    ]
    for label, low, high, unit, whole in (
        ("cpu", total[0], total[1], "m", cpu), ("memory", total[2], total[3], "Mi", memory),
    ):  # fmt: skip
        first = _share(f"{low}{unit}", low, whole)
        lines.append(f"  {label:<17}  {first:<13}  {_share(f'{high}{unit}', high, whole)}")
    return lines


def _share(text: str, part: int, whole: int) -> str:
    return f"{text if part else 0} ({100 * part // whole}%)"


def _sums(one: Json) -> list[int]:
    boxes = [box["resources"] for box in one["spec"]["containers"]]
    return [
        sum(measure(b.get(kind, {}).get(name, "0")) for b in boxes)
        for name, measure in (("cpu", milli), ("memory", mebi))
        for kind in ("requests", "limits")
    ]
