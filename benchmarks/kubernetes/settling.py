"""What the controllers write once the pods are as they are: counts, conditions, endpoints."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from benchmarks.kubernetes.objects import Json, meta, moment, stamp
from benchmarks.kubernetes.reading import is_ready, older_first, started

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def settle(c: Cluster) -> None:
    """Fill in every controller's status and every service's endpoints."""
    for owned in c.of("ReplicaSet"):
        _replica_set(c, owned)
    for top in c.of("Deployment"):
        _deployment(c, top)
    for kind in ("StatefulSet", "DaemonSet"):
        for top in c.of(kind):
            _per_pod(c, top)
    for front in c.of("Service"):
        _endpoints(c, front)


def owned_by(c: Cluster, owner: Json, kind: str) -> list[Json]:
    """Return the objects that name `owner` as their controller."""
    uid = meta(owner)["uid"]
    return [
        item
        for item in c.of(kind)
        if any(ref["uid"] == uid for ref in meta(item).get("ownerReferences", []))
    ]


def _alive(pods: list[Json]) -> list[Json]:
    return [
        pod
        for pod in pods
        if pod["status"]["phase"] not in {"Failed", "Succeeded"}
        and "deletionTimestamp" not in meta(pod)
    ]


def _replica_set(c: Cluster, owned: Json) -> None:
    pods = _alive(owned_by(c, owned, "Pod"))
    ready = sum(map(is_ready, pods))
    kept = owned.get("status", {})
    status: Json = {"observedGeneration": 1, "replicas": len(pods)}
    if pods:
        status["fullyLabeledReplicas"] = len(pods)
    if ready:
        status |= {"availableReplicas": ready, "readyReplicas": ready}
    owned["status"] = {**status, **kept}


def _deployment(c: Cluster, top: Json) -> None:
    sets = older_first(owned_by(c, top, "ReplicaSet"))
    wanted: int = top["spec"]["replicas"]
    ready = sum(s["status"].get("readyReplicas", 0) for s in sets)
    total = sum(s["status"]["replicas"] for s in sets)
    status: Json = {"observedGeneration": meta(top)["generation"]}
    for key, count in (
        ("availableReplicas", ready),
        ("readyReplicas", ready),
        ("replicas", total),
        ("unavailableReplicas", max(0, max(wanted, total) - ready)),
        ("updatedReplicas", sets[-1]["status"]["replicas"]),
    ):
        if count:
            status[key] = count
    rolling = top["spec"]["strategy"].get("rollingUpdate", {})
    surge = str(rolling.get("maxUnavailable", "25%"))
    spare = wanted * int(surge[:-1]) // 100 if surge.endswith("%") else int(surge)
    enough = ready >= wanted - spare
    pods = [pod for s in sets for pod in owned_by(c, s, "Pod")]
    since = max((_changed(pod) for pod in pods), default=meta(top)["creationTimestamp"])
    about = meta(top)["creationTimestamp"]
    kept = top.get("status", {})
    progress = kept.pop("progressing", None) or _progress(c, top, sets[-1])
    available = {
        "lastTransitionTime": about if enough else since,
        "lastUpdateTime": about if enough else since,
        "message": f"Deployment {'has' if enough else 'does not have'} minimum availability.",
        "reason": "MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable",
        "status": "True" if enough else "False",
        "type": "Available",
    }
    status["conditions"] = [available, progress, *kept.pop("more", [])]
    top["status"] = {**status, **kept}


def _progress(c: Cluster, top: Json, newest: Json) -> Json:
    """Return the Progressing condition: done, under way, or out of time."""
    about, deadline = meta(newest), timedelta(seconds=top["spec"]["progressDeadlineSeconds"])
    age = c.setting.captured_at - moment(about["creationTimestamp"])
    short = newest["status"].get("readyReplicas", 0) < top["spec"]["replicas"]
    told, reason, status = "has successfully progressed", "NewReplicaSetAvailable", "True"
    changed = moment(meta(top)["creationTimestamp"])
    # A rollout older than this was complete once; what is not ready now failed later.
    if short and age < timedelta(hours=1):
        told, reason = "is progressing", "ReplicaSetUpdated"
        if age > deadline:
            told, reason, status = "has timed out progressing", "ProgressDeadlineExceeded", "False"
            changed = moment(about["creationTimestamp"]) + deadline
    updated = max(moment(about["creationTimestamp"]), changed)
    return {
        "lastTransitionTime": stamp(changed),
        "lastUpdateTime": stamp(updated),
        "message": f'ReplicaSet "{about["name"]}" {told}.',
        "reason": reason,
        "status": status,
        "type": "Progressing",
    }


def _changed(pod: Json) -> str:
    rows: list[Json] = pod["status"].get("conditions", [])
    return max((str(r["lastTransitionTime"]) for r in rows), default=started(pod))


def _per_pod(c: Cluster, top: Json) -> None:
    pods = _alive(owned_by(c, top, "Pod"))
    ready = sum(map(is_ready, pods))
    if top["kind"] == "DaemonSet":
        wanted = len(c.setting.nodes)
        top["status"] = {
            "currentNumberScheduled": len(pods), "desiredNumberScheduled": wanted,
            "numberAvailable": ready, "numberMisscheduled": 0, "numberReady": ready,
            "observedGeneration": 1, "updatedNumberScheduled": len(pods),
            **({"numberUnavailable": wanted - ready} if ready < wanted else {}),
        }  # fmt: skip
        return
    revision = f"{meta(top)['name']}-{c.suffix(10)}"
    top["status"] = {
        "availableReplicas": ready, "collisionCount": 0, "currentReplicas": len(pods),
        "currentRevision": revision, "observedGeneration": 1, "readyReplicas": ready,
        "replicas": len(pods), "updateRevision": revision, "updatedReplicas": len(pods),
    }  # fmt: skip


def _endpoints(c: Cluster, front: Json) -> None:
    about, wanted = meta(front), front["spec"]["selector"]
    pods = [
        pod
        for pod in c.of("Pod", about["namespace"])
        if wanted.items() <= meta(pod)["labels"].items() and "podIP" in pod["status"]
    ]
    port = front["spec"]["ports"][0]
    subset: Json = {}
    for key, state in (("addresses", True), ("notReadyAddresses", False)):
        rows = [_address(pod) for pod in _alive(pods) if is_ready(pod) is state]
        if rows:
            subset[key] = sorted(rows, key=lambda row: row["ip"])
    number = _number(port["targetPort"], pods)
    if subset and number:
        subset["ports"] = [{"name": port["name"], "port": number, "protocol": "TCP"}]
    found = c.add(
        "Endpoints", about["name"], "1d", namespace=about["namespace"], labels=about["labels"]
    )
    meta(found)["creationTimestamp"] = about["creationTimestamp"]
    if subset and number:
        found["subsets"] = [subset]


def _address(pod: Json) -> Json:
    about = meta(pod)
    ref = {
        "kind": "Pod",
        "name": about["name"],
        "namespace": about["namespace"],
        "uid": about["uid"],
    }
    return {"ip": pod["status"]["podIP"], "nodeName": pod["spec"]["nodeName"], "targetRef": ref}


def _number(target: int | str, pods: list[Json]) -> int | None:
    if isinstance(target, int):
        return target
    for pod in pods:
        for box in pod["spec"]["containers"]:
            for port in box.get("ports", []):
                if port.get("name") == target:
                    return int(port["containerPort"])
    return None
