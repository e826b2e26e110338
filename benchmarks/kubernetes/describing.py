"""The text that `kubectl describe` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.kubernetes.objects import Json, human, meta, moment
from benchmarks.kubernetes.tables import age, endpoint_list, ordered, seen, when

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def _pairs(values: Json | None, indent: int, sign: str = "=") -> str:
    if not values:
        return "<none>"
    gap = "\n" + " " * indent
    return gap.join(f"{key}{sign}{values[key]}" for key in sorted(values))


def _when(at: str) -> str:
    return moment(at).strftime("%a, %d %b %Y %H:%M:%S +0000")


def events(c: Cluster, item: Json) -> str:
    """Return the Events section of a description."""
    uid, name = meta(item)["uid"], meta(item)["name"]
    own = [
        e
        for e in c.events
        if e["involvedObject"]["kind"] == item["kind"]
        and (e["involvedObject"]["uid"] == uid or e["involvedObject"]["uid"] == name)
    ]
    if not own:
        return "Events:          <none>\n"
    rows = [
        ["Type", "Reason", "Age", "From", "Message"],
        ["----", "------", "----", "----", "-------"],
    ]
    for e in sorted(own, key=lambda e: moment(when(e)[1])):
        by = e["source"].get("component") or e["reportingComponent"]
        rows.append(
            [e["type"], e["reason"], seen(c, e), by, e["message"].replace("\n", "\n" + " " * 4)]
        )
    widths = [max(len(r[i]) for r in rows) + 2 for i in range(4)]
    lines = ["  " + "".join(f"{r[i]:<{widths[i]}}" for i in range(4)) + r[4] for r in rows]
    return "Events:\n" + "\n".join(lines) + "\n"


def _state(label: str, state: Json) -> list[str]:
    if "running" in state:
        at = _when(state["running"]["startedAt"])
        return [f"    {label}Running", f"      Started:      {at}"]
    if "waiting" in state:
        return [f"    {label}Waiting", f"      Reason:       {state['waiting']['reason']}"]
    if "terminated" in state:
        end = state["terminated"]
        lines = [f"    {label}Terminated", f"      Reason:       {end['reason']}"]
        if end.get("message"):
            lines.append(f"      Message:      {end['message']}")
        lines.append(f"      Exit Code:    {end['exitCode']}")
        lines.append(f"      Started:      {_when(end['startedAt'])}")
        return [*lines, f"      Finished:     {_when(end['finishedAt'])}"]
    return []


def _probe(probe: Json) -> str:
    if get := probe.get("httpGet"):
        what = f"http-get http://:{get['port']}{get['path']}"
    elif run := probe.get("exec"):
        what = f"exec [{' '.join(run['command'])}]"
    else:
        what = f"tcp-socket :{probe['tcpSocket']['port']}"
    delay = probe.get("initialDelaySeconds", 0)
    times = f"delay={delay}s timeout={probe['timeoutSeconds']}s period={probe['periodSeconds']}s"
    return f"{what} {times} #success=1 #failure={probe['failureThreshold']}"


def _environment(box: Json) -> list[str]:
    lines: list[str] = []
    for source in box.get("envFrom", []):
        key = "ConfigMap" if "configMapRef" in source else "Secret"
        ref = source.get("configMapRef") or source.get("secretRef")
        lines += ["    Environment Variables from:", f"      {ref['name']}  {key}  Optional: false"]
    if not box.get("env"):
        return [*lines, "    Environment:    <none>" if not lines else "    Environment:  <none>"]
    lines.append("    Environment:")
    for entry in box["env"]:
        value = entry.get("value", "")
        if ref := entry.get("valueFrom"):
            kind = next(iter(ref))
            where = "config map" if kind == "configMapKeyRef" else "secret"
            value = f"<set to the key '{ref[kind]['key']}' of {where} '{ref[kind]['name']}'>"
            value += "  Optional: false"
        lines.append(f"      {entry['name'] + ':':<16}  {value}")
    return lines


def _container(box: Json, row: Json | None) -> list[str]:
    ports = box.get("ports", [])
    shown = ", ".join(f"{p['containerPort']}/TCP" for p in ports) or "<none>"
    lines = [
        f"  {box['name']}:",
        f"    Container ID:   {(row or {}).get('containerID', '')}".rstrip(),
    ]
    lines += [f"    Image:          {box['image']}"]
    lines += [f"    Image ID:       {(row or {}).get('imageID', '')}".rstrip()]
    lines += [
        f"    Port:           {shown}",
        f"    Host Port:      {'0/TCP' if ports else '<none>'}",
    ]
    for key in ("command", "args"):
        if box.get(key):
            lines.append(f"    {key.title()}:")
            lines += [f"      {word}" for word in box[key]]
    if row:
        lines += _state("State:          ", row["state"])
        lines += _state("Last State:     ", row["lastState"])
        lines += [
            f"    Ready:          {row['ready']}",
            f"    Restart Count:  {row['restartCount']}",
        ]
    for key in ("limits", "requests"):
        if values := box["resources"].get(key):
            lines.append(f"    {key.title()}:")
            lines += [f"      {name + ':':<8}  {values[name]}" for name in sorted(values)]
    for key, label in (
        ("liveness", "Liveness:  "),
        ("readiness", "Readiness: "),
        ("startup", "Startup:   "),
    ):
        if probe := box.get(f"{key}Probe"):
            lines.append(f"    {label:<14}  {_probe(probe)}")
    lines += _environment(box)
    lines.append("    Mounts:" if box["volumeMounts"] else "    Mounts:       <none>")
    for mount in box["volumeMounts"]:
        mode = "ro" if mount.get("readOnly") else "rw"
        lines.append(f"      {mount['mountPath']} from {mount['name']} ({mode})")
    return lines


def _volume(item: Json) -> list[str]:
    lines = [f"  {item['name']}:"]
    if ref := item.get("configMap"):
        lines += ["    Type:      ConfigMap (a volume populated by a ConfigMap)"]
        return [*lines, f"    Name:      {ref['name']}", "    Optional:  false"]
    if ref := item.get("secret"):
        lines += ["    Type:        Secret (a volume populated by a Secret)"]
        return [*lines, f"    SecretName:  {ref['secretName']}", "    Optional:    false"]
    if ref := item.get("persistentVolumeClaim"):
        lines += [
            (
                "    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same"
                " namespace)"
            )
        ]
        return [*lines, f"    ClaimName:  {ref['claimName']}", "    ReadOnly:   false"]
    if ref := item.get("nfs"):
        lines += ["    Type:      NFS (an NFS mount that lasts the lifetime of a pod)"]
        return [*lines, f"    Server:    {ref['server']}", f"    Path:      {ref['path']}"]
    if ref := item.get("hostPath"):
        lines += ["    Type:          HostPath (bare host directory volume)"]
        return [*lines, f"    Path:          {ref['path']}", f"    HostPathType:  {ref['type']}"]
    if "emptyDir" in item:
        return [
            *lines,
            "    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)",
        ]
    lines += [
        (
            "    Type:                    Projected (a volume that contains injected data from multiple"
            " sources)"
        )
    ]
    lines.append("    TokenExpirationSeconds:  3607")
    return [
        *lines,
        "    ConfigMapName:           kube-root-ca.crt",
        "    DownwardAPI:             true",
    ]


def _tolerations(spec: Json) -> str:
    shown: list[str] = []
    for t in spec.get("tolerations", []):
        text = t.get("key", "") + (f"={t['value']}" if t.get("value") else "")
        text += f":{t['effect']}" if t.get("effect") else ""
        text += " op=Exists" if t.get("operator") == "Exists" else ""
        text += f" for {t['tolerationSeconds']}s" if "tolerationSeconds" in t else ""
        shown.append(text.strip())
    return ("\n" + " " * 29).join(shown) or "<none>"


def pod(c: Cluster, item: Json) -> str:
    """Return `kubectl describe pod`."""
    about, spec, status = meta(item), item["spec"], item["status"]
    node = f"{spec['nodeName']}/{status['hostIP']}" if spec.get("nodeName") else "<none>"
    owner = about.get("ownerReferences", [None])[0]
    lines = [
        f"Name:             {about['name']}", f"Namespace:        {about['namespace']}",
        "Priority:         0", f"Service Account:  {spec['serviceAccountName']}",
        f"Node:             {node}",
    ]  # fmt: skip
    if "startTime" in status:
        lines.append(f"Start Time:       {_when(status['startTime'])}")
    lines += [f"Labels:           {_pairs(about.get('labels'), 18)}", "Annotations:      <none>"]
    if "deletionTimestamp" in about:
        left = human(c.setting.captured_at - moment(about["deletionTimestamp"]))
        lines += [f"Status:           Terminating (lasts {left})"]
        lines += ["Termination Grace Period:  30s"]
    else:
        lines += [f"Status:           {status['phase']}"]
    for key in ("reason", "message"):
        if status.get(key):
            lines.append(f"{key.title() + ':':<16}  {status[key]}")
    ip = status.get("podIP", "")
    lines += [f"IP:               {ip}".rstrip()]
    lines += ["IPs:              <none>"] if not ip else ["IPs:", f"  IP:           {ip}"]
    if owner:
        lines.append(f"Controlled By:  {owner['kind']}/{owner['name']}")
    lines.append("Containers:")
    rows = {row["name"]: row for row in status.get("containerStatuses", [])}
    for box in spec["containers"]:
        lines += _container(box, rows.get(box["name"]))
    lines += _conditions(status.get("conditions", []))
    lines.append("Volumes:")
    for one in spec["volumes"]:
        lines += _volume(one)
    lines += [f"QoS Class:                   {status['qosClass']}"]
    lines += [f"Node-Selectors:              {_pairs(spec.get('nodeSelector'), 29)}"]
    lines += [f"Tolerations:                 {_tolerations(spec)}"]
    return "\n".join(lines) + "\n" + events(c, item)


def _conditions(rows: list[Json]) -> list[str]:
    wide = max((len(r["type"]) for r in rows), default=4) + 2
    lines = ["Conditions:", f"  {'Type':<{wide}}Status"]
    return lines + [f"  {r['type']:<{wide}}{r['status']} " for r in rows]


def node(c: Cluster, item: Json) -> str:
    """Return `kubectl describe node`."""
    about, status, spec = meta(item), item["status"], item["spec"]
    taints = [f"{t['key']}{'=' + t['value'] if t.get('value') else ''}:{t['effect']}"
              for t in spec.get("taints", [])]  # fmt: skip
    lines = [
        f"Name:               {about['name']}", "Roles:              <none>",
        f"Labels:             {_pairs(about['labels'], 20)}",
        f"Annotations:        {_pairs(about['annotations'], 20, ': ')}",
        f"CreationTimestamp:  {_when(about['creationTimestamp'])}",
        "Taints:             " + (("\n" + " " * 20).join(taints) or "<none>"),
        f"Unschedulable:      {str(bool(spec.get('unschedulable'))).lower()}", "Conditions:",
    ]  # fmt: skip
    rows = [["Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message"]]
    rows.append(["-" * n for n in (4, 6, 17, 18, 6, 7)])
    for r in status["conditions"]:
        times = [_when(r["lastHeartbeatTime"]), _when(r["lastTransitionTime"])]
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
    rows = [head.split("  ")]
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
        f"CreationTimestamp:      {_when(about['creationTimestamp'])}",
        f"Labels:                 {_pairs(about['labels'], 24)}",
        f"Annotations:            {_pairs(about['annotations'], 24, ': ')}",
        f"Selector:               {','.join(_pairs(spec['selector']['matchLabels'], 0).split())}",
        f"Replicas:               {counts}{status.get('unavailableReplicas', 0)} unavailable",
        f"StrategyType:           {spec['strategy']['type']}", "MinReadySeconds:        0",
        *_rolling(spec["strategy"].get("rollingUpdate")), "Pod Template:", f"  Labels:  {_pairs(spec['template']['metadata']['labels'], 11)}",
        "  Containers:",
    ]  # fmt: skip
    for box in spec["template"]["spec"]["containers"]:
        lines += [
            " " + line
            for line in _container(box, None)
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
        f"Labels:            {_pairs(about['labels'], 19)}", "Annotations:       <none>",
        f"Selector:          {','.join(_pairs(spec['selector'], 0).split())}",
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
        f"Selector:       {','.join(_pairs(spec['selector']['matchLabels'], 0).split())}",
        f"Labels:         {_pairs(about['labels'], 16)}",
        f"Annotations:    {_pairs(about['annotations'], 16, ': ')}",
        f"Controlled By:  Deployment/{about['ownerReferences'][0]['name']}",
        f"Replicas:       {item['status']['replicas']} current / {spec['replicas']} desired",
        "Pods Status:    0 Running / 0 Waiting / 0 Succeeded / 0 Failed", "Conditions:",
        "  Type             Status  Reason", "  ----             ------  ------",
    ]  # fmt: skip
    for row in item["status"].get("conditions", []):
        lines.append(f"  {row['type']:<17}{row['status']:<7} {row['reason']}")
    return "\n".join(lines) + "\n" + events(c, item)


def quota(c: Cluster, item: Json) -> str:
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
