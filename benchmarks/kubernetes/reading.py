"""What a reader of API objects wants to know of them."""

from __future__ import annotations

from benchmarks.kubernetes.objects import Json, meta, moment


def is_ready(pod: Json) -> bool:
    """Say whether the pod's Ready condition is true."""
    rows: list[Json] = pod["status"].get("conditions", [])
    return any(row["type"] == "Ready" and row["status"] == "True" for row in rows)


def started(pod: Json) -> str:
    """Return when the pod's first container last started, or else when it was created."""
    for box in pod["status"].get("containerStatuses", []):
        if "running" in box["state"]:
            return str(box["state"]["running"]["startedAt"])
    return str(meta(pod)["creationTimestamp"])


def older_first(items: list[Json]) -> list[Json]:
    """Sort objects by creation."""
    return sorted(items, key=lambda item: moment(meta(item)["creationTimestamp"]))
