"""What `kubectl describe pod` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes.described_parts import date, events, pairs
from benchmarks.kubernetes.objects import Json, human, meta, moment

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def _state(label: str, state: Json) -> list[str]:
    if "running" in state:
        at = date(state["running"]["startedAt"])
        return [f"    {label}Running", f"      Started:      {at}"]
    if "waiting" in state:
        return [f"    {label}Waiting", f"      Reason:       {state['waiting']['reason']}"]
    if "terminated" in state:
        end = state["terminated"]
        lines = [f"    {label}Terminated", f"      Reason:       {end['reason']}"]
        if end.get("message"):
            lines.append(f"      Message:      {end['message']}")
        lines.append(f"      Exit Code:    {end['exitCode']}")
        lines.append(f"      Started:      {date(end['startedAt'])}")
        return [*lines, f"      Finished:     {date(end['finishedAt'])}"]
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


def container(box: Json, row: Json | None) -> list[str]:
    """Describe a container, with its status where it has one."""
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
    for key, told in _VOLUMES.items():
        if key in item:
            lines.append(f"    {'Type:':<12} {told}")
            shown = _SHOWN[key]
            lines += [f"    {label + ':':<12} {item[key][field]}" for label, field in shown.items()]
            lines += ["    Optional:    false"] if key in {"configMap", "secret"} else []
    if "projected" in item:
        lines += [
            "    Type:                    " + _PROJECTED,
            "    TokenExpirationSeconds:  3607",
            "    ConfigMapName:           kube-root-ca.crt",
            "    ConfigMapOptional:       <nil>",
            "    DownwardAPI:             true",
        ]
    return lines


_PROJECTED = "Projected (a volume that contains injected data from multiple sources)"
_VOLUMES = {
    "configMap": "ConfigMap (a volume populated by a ConfigMap)",
    "secret": "Secret (a volume populated by a Secret)",
    "persistentVolumeClaim": "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the"
    " same namespace)",
    "nfs": "NFS (an NFS mount that lasts the lifetime of a pod)",
    "emptyDir": "EmptyDir (a temporary directory that shares a pod's lifetime)",
}
_SHOWN: dict[str, dict[str, str]] = {
    "configMap": {"Name": "name"},
    "secret": {"SecretName": "secretName"},
    "persistentVolumeClaim": {"ClaimName": "claimName"},
    "nfs": {"Server": "server", "Path": "path"},
    "emptyDir": {},
}


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
        lines.append(f"Start Time:       {date(status['startTime'])}")
    lines += [f"Labels:           {pairs(about.get('labels'), 18)}", "Annotations:      <none>"]
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
    for title, key in (("Init Containers:", "initContainer"), ("Containers:", "container")):
        rows = {row["name"]: row for row in status.get(f"{key}Statuses", [])}
        if boxes := spec.get(f"{key}s"):
            lines.append(title)
            for box in boxes:
                lines += container(box, rows.get(box["name"]))
    lines += _conditions(status.get("conditions", []))
    lines.append("Volumes:")
    for one in spec["volumes"]:
        lines += _volume(one)
    lines += [f"QoS Class:                   {status['qosClass']}"]
    lines += [f"Node-Selectors:              {pairs(spec.get('nodeSelector'), 29)}"]
    lines += [f"Tolerations:                 {_tolerations(spec)}"]
    return "\n".join(lines) + "\n" + events(c, item)


def _conditions(rows: list[Json]) -> list[str]:
    wide = max((len(r["type"]) for r in rows), default=4) + 2
    lines = ["Conditions:", f"  {'Type':<{wide}}Status"]
    return lines + [f"  {r['type']:<{wide}}{r['status']} " for r in rows]
