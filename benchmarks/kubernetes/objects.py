"""Kubernetes API objects as dictionaries, in the shape in which the API server returns them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

# Up to so many seconds: the unit and its seconds, then the smaller unit and its seconds.
_PRECISION = (
    (120, "s", 1, "", 0),
    (600, "m", 60, "s", 1),
    (10_800, "m", 60, "", 0),
    (28_800, "h", 3600, "m", 60),
    (172_800, "h", 3600, "", 0),
    (691_200, "d", 86_400, "h", 3600),
    (63_072_000, "d", 86_400, "", 0),
)
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def seconds(age: str) -> int:
    """Return the seconds of an age in kubectl's writing, such as `3d4h` or `5m20s`."""
    parts = re.findall(r"(\d+)([dhms])", age)
    if not parts or "".join(n + u for n, u in parts) != age:
        raise ValueError(f"{age!r} is no age such as 3d4h")
    return sum(int(number) * _UNITS[unit] for number, unit in parts)


def human(delta: timedelta) -> str:
    """Write a duration with the precision that kubectl gives it."""
    total = max(0, int(delta.total_seconds()))
    for below, unit, size, rest, least in _PRECISION:
        if total < below:
            whole, left = total // size, total % size // least if least else 0
            return f"{whole}{unit}" + (f"{left}{rest}" if left else "")
    return f"{total // 86400 // 365}y{total // 86400 % 365}d"


def stamp(at: datetime) -> str:
    """Return a time as the API writes it: RFC 3339, UTC, whole seconds."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro(at: datetime) -> str:
    """Return a time as the API writes a MicroTime."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(text: str) -> datetime:
    """Read a time that `stamp` or `micro` wrote."""
    return datetime.fromisoformat(text)


def http_probe(path: str, port: int | str, **timing: int) -> Json:
    """Return an HTTP probe with the API's defaults filled in."""
    return {
        "failureThreshold": timing.get("failures", 3),
        "httpGet": {"path": path, "port": port, "scheme": "HTTP"},
        **({"initialDelaySeconds": timing["delay"]} if "delay" in timing else {}),
        "periodSeconds": timing.get("period", 10),
        "successThreshold": 1,
        "timeoutSeconds": timing.get("timeout", 1),
    }


def exec_probe(*command: str, **timing: int) -> Json:
    """Return a probe that runs a command in the container."""
    probe = http_probe("/", 0, **timing)
    del probe["httpGet"]
    return {"exec": {"command": list(command)}, **probe}


def tcp_probe(port: int | str, **timing: int) -> Json:
    """Return a probe that opens a connection."""
    probe = http_probe("/", 0, **timing)
    del probe["httpGet"]
    return {"tcpSocket": {"port": port}, **probe}


def container(name: str, image: str, **options: Any) -> Json:
    """Return a container of a pod's spec.

    Options: `port`, `port_name`, `requests` and `limits` ("100m/128Mi"), `env` (name to value or
    to a `valueFrom`), `env_from`, `readiness`, `liveness`, `startup`, `mounts` (volume to path),
    `command`, `args`, `pull`.
    """
    spec: Json = {}
    for key in ("args", "command"):
        if options.get(key):
            spec[key] = options[key]
    if options.get("env"):
        spec["env"] = [
            {"name": key, ("valueFrom" if isinstance(value, dict) else "value"): value}
            for key, value in options["env"].items()
        ]
    if options.get("env_from"):
        spec["envFrom"] = options["env_from"]
    spec["image"] = image
    spec["imagePullPolicy"] = options.get("pull", "IfNotPresent")
    for key in ("liveness", "readiness", "startup"):
        if options.get(key):
            spec[f"{key}Probe"] = options[key]
    spec["name"] = name
    if options.get("port"):
        port: Json = {"containerPort": options["port"], "protocol": "TCP"}
        if options.get("port_name"):
            port["name"] = options["port_name"]
        spec["ports"] = [port]
    spec["resources"] = {
        key: _quantities(options[key]) for key in ("limits", "requests") if options.get(key)
    }
    spec["terminationMessagePath"] = "/dev/termination-log"
    spec["terminationMessagePolicy"] = "File"
    spec["volumeMounts"] = [
        {"mountPath": path, "name": volume} for volume, path in options.get("mounts", {}).items()
    ]
    return spec


def _quantities(pair: str) -> Json:
    cpu, _, memory = pair.partition("/")
    return {key: value for key, value in (("cpu", cpu), ("memory", memory)) if value}


def key_ref(kind: str, name: str, key: str) -> Json:
    """Return a `valueFrom` that reads one key; `kind` is `configMap` or `secret`."""
    return {f"{kind}KeyRef": {"key": key, "name": name}}


def volume(name: str, kind: str, source: str) -> Json:
    """Return a volume of a pod's spec; `kind` is configMap, secret, pvc or emptyDir."""
    body: Json = {
        "configMap": {"configMap": {"defaultMode": 420, "name": source}},
        "secret": {"secret": {"defaultMode": 420, "secretName": source}},
        "pvc": {"persistentVolumeClaim": {"claimName": source}},
        "emptyDir": {"emptyDir": dict[str, str]()},
    }[kind]
    return {"name": name, **body}


def meta(item: Json) -> Json:
    """Return the metadata of an object."""
    found: Json = item["metadata"]
    return found


def condition(kind: str, status: str, at: str, reason: str = "", message: str = "") -> Json:
    """Return a condition without heartbeat fields, as pods carry them."""
    found: Json = {"lastProbeTime": None, "lastTransitionTime": at, "status": status, "type": kind}
    if reason:
        found["reason"] = reason
    if message:
        found["message"] = message
    return found
