"""Workloads of the invented cluster: controllers with their pods, and services over them."""

from __future__ import annotations

import copy
import re
from datetime import timedelta
from typing import Any

from benchmarks.kubernetes import volumes
from benchmarks.kubernetes.cluster import Cluster, Workload
from benchmarks.kubernetes.objects import Json, condition, container, meta, seconds, stamp

_TOLERATIONS = [
    {
        "effect": "NoExecute",
        "key": f"node.kubernetes.io/{state}",
        "operator": "Exists",
        "tolerationSeconds": 300,
    }
    for state in ("not-ready", "unreachable")
]


def _template(name: str, image: str, options: Json) -> Json:
    """Return the pod spec that a workload's options describe."""
    boxes = [container(options.get("box", name), image, **options)]
    boxes += options.get("sidecars", [])
    spec: Json = {
        "containers": boxes,
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "serviceAccount": options.get("account", "default"),
        "serviceAccountName": options.get("account", "default"),
        "terminationGracePeriodSeconds": 30,
    }
    for key in ("volumes", "nodeSelector", "affinity", "priorityClassName", "imagePullSecrets"):
        if options.get(key):
            spec[key] = options[key]
    if options.get("tolerations"):
        spec["tolerations"] = options["tolerations"]
    return spec


def _conditions(c: Cluster, began: str, up: str) -> list[Json]:
    # Since 1.29 a pod says as well whether its sandbox and network stand.
    sandbox = [condition("PodReadyToStartContainers", "True", up)] if c.minor >= 29 else []
    return [
        *sandbox,
        condition("Initialized", "True", began),
        condition("Ready", "True", up),
        condition("ContainersReady", "True", up),
        condition("PodScheduled", "True", began),
    ]


def add_pod(c: Cluster, owner: Json | None, name: str, spec: Json, **options: Any) -> Json:
    """Add a running pod; `namespace`, `labels`, `age`, `node`, `generate`."""
    age: str = options["age"]
    node: str = options.get("node") or c.rng.choice(c.setting.nodes)
    spec = copy.deepcopy(spec)
    token = f"kube-api-access-{c.suffix()}"
    for box in spec["containers"]:
        place = "/var/run/secrets/kubernetes.io/serviceaccount"
        box["volumeMounts"].append({"mountPath": place, "name": token, "readOnly": True})
    spec["volumes"] = [
        *spec.get("volumes", []),
        {"name": token, "projected": {"defaultMode": 420, "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}],
                           "name": "kube-root-ca.crt"}},
        ]}},
    ]  # fmt: skip
    spec["nodeName"] = node
    spec["tolerations"] = [*spec.get("tolerations", []), *_TOLERATIONS]
    began = c.ago(age)
    up = stamp(min(began + timedelta(seconds=2 + c.rng.randrange(9)), c.setting.captured_at))
    ip = c.pod_ip(node)
    return c.add(
        "Pod",
        name,
        age,
        namespace=options["namespace"],
        labels=options["labels"],
        generateName=options.get("generate"),
        owner=owner,
        spec=spec,
        status={
            "conditions": _conditions(c, stamp(began), up),
            "containerStatuses": [_running(c, box, up) for box in spec["containers"]],
            "hostIP": c.node_ip(node),
            "phase": "Running",
            "podIP": ip,
            "podIPs": [{"ip": ip}],
            "qosClass": _quality(spec),
            "startTime": stamp(began),
        },
    )


def pod_of(c: Cluster, owned: Json, age: str, node: str, **options: Any) -> Json:
    """Add one more pod of a replica set, as its template has it."""
    about = meta(owned)
    return add_pod(
        c, owned, f"{about['name']}-{c.suffix()}", owned["spec"]["template"]["spec"],
        namespace=about["namespace"], labels=owned["spec"]["selector"]["matchLabels"], age=age,
        node=node, **options,
    )  # fmt: skip


def _running(c: Cluster, box: Json, up: str) -> Json:
    image: str = box["image"]
    digest = f"{c.rng.getrandbits(256):064x}"
    return {
        "containerID": f"{c.setting.runtime.split(':')[0]}://{c.rng.getrandbits(256):064x}",
        "image": image,
        "imageID": f"{image.rsplit(':', 1)[0]}@sha256:{digest}",
        "lastState": {},
        "name": box["name"],
        "ready": True,
        "restartCount": 0,
        "started": True,
        "state": {"running": {"startedAt": up}},
    }


def _quality(spec: Json) -> str:
    every = [box["resources"] for box in spec["containers"]]
    if all(r.get("limits") and r.get("limits") == r.get("requests") for r in every):
        return "Guaranteed"
    return "Burstable" if any(every) else "BestEffort"


def deployment(c: Cluster, namespace: str, name: str, image: str, **options: Any) -> Workload:
    """Add a deployment, its current replica set and its pods.

    Options beside those of `container`: `replicas`, `age`, `pods_age`, `revision`, `labels`,
    `volumes`, `account`, `sidecars`, `tolerations`, `nodeSelector`, `affinity`, `max_unavailable`.
    """
    labels: Json = options.get("labels") or {"app": name}
    count: int = options.get("replicas", 1)
    age: str = options.get("age", "41d")
    spec = _template(name, image, options)
    revision = str(options.get("revision", 1 + c.rng.randrange(14)))
    template = {"metadata": {"labels": labels}, "spec": spec}
    top = c.add(
        "Deployment",
        name,
        age,
        namespace=namespace,
        labels=labels,
        generation=int(revision),
        annotations={"deployment.kubernetes.io/revision": revision},
        spec={
            "progressDeadlineSeconds": options.get("deadline", 600),
            "replicas": count,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": labels},
            "strategy": {"type": "Recreate"}
            if _replaces_all(age, options)
            else {
                "rollingUpdate": options.get(
                    "rolling", {"maxSurge": "25%", "maxUnavailable": "25%"}
                ),
                "type": "RollingUpdate",
            },
            "template": template,
        },
    )
    work = Workload(top, [])
    if int(revision) > 1 and (_replaces_all(age, options) or c.rng.random() < 0.25):
        _former_set(c, work, options)
    options["pods_age"] = options.get("pods_age", age)
    replica_set(c, work, count, options["pods_age"], spec)
    return work


def _former_set(c: Cluster, work: Workload, options: Json) -> None:
    """Add the empty replica set of an earlier revision, as rollouts leave them behind."""
    spec = copy.deepcopy(work.top["spec"]["template"]["spec"])
    box = spec["containers"][0]
    stem, last = re.fullmatch(r"(.*?)(\d*)", box["image"]).groups()  # type: ignore[union-attr]
    box["image"] = f"{stem}{max(0, int(last) - 1)}" if last else box["image"]
    age: str = options.get("age", "41d")
    former = replica_set(c, work, 0, age, spec)
    work.sets.remove(former)
    if _replaces_all(age, options):
        count = options.get("replicas", 1)
        told = f"Scaled down replica set {meta(former)['name']}"
        told += f" from {count} to 0" if c.minor >= 28 else f" to 0 from {count}"
        by = "deployment-controller"
        c.event(work.top, "ScalingReplicaSet", told, last=options["pods_age"], by=by)
    about = meta(former)["annotations"]
    about["deployment.kubernetes.io/revision"] = str(
        int(about["deployment.kubernetes.io/revision"]) - 1
    )


def _replaces_all(age: str, options: Json) -> bool:
    """Say whether all pods are new in an old deployment: a rolling update would keep old ones."""
    new = seconds(options.get("pods_age", age)) < seconds("1h")
    return new and seconds(age) > seconds("1d") and "rolling" not in options


def replica_set(c: Cluster, work: Workload, count: int, age: str, spec: Json) -> Json:
    """Add a replica set of a deployment with that many running pods."""
    top, about = work.top, meta(work.top)
    code = c.suffix(10 if c.rng.random() < 0.7 else 9)
    labels: Json = {**top["spec"]["selector"]["matchLabels"], "pod-template-hash": code}
    owned = c.add(
        "ReplicaSet",
        f"{about['name']}-{code}",
        age,
        namespace=about["namespace"],
        labels=labels,
        generation=1,
        annotations={
            "deployment.kubernetes.io/desired-replicas": str(top["spec"]["replicas"]),
            "deployment.kubernetes.io/revision": about["annotations"][
                "deployment.kubernetes.io/revision"
            ],
        },
        owner=top,
        spec={
            "replicas": count,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": copy.deepcopy(spec)},
        },
    )
    work.sets.append(owned)
    nodes = c.rng.sample(c.setting.nodes, len(c.setting.nodes))
    prefix = f"{about['name']}-{code}-"
    for index in range(count):
        pod = add_pod(
            c, owned, prefix + c.suffix(), spec, namespace=about["namespace"], labels=labels,
            age=c.younger(age), node=nodes[index % len(nodes)], generate=prefix,
        )  # fmt: skip
        work.pods.append(pod)
        told = f"Created pod: {meta(pod)['name']}"
        c.event(owned, "SuccessfulCreate", told, last=age, by="replicaset-controller")
    told = f"Scaled up replica set {meta(owned)['name']}"
    told += f" from 0 to {count}" if c.minor >= 28 else f" to {count}"
    c.event(top, "ScalingReplicaSet", told, last=age, by="deployment-controller")
    return owned


def stateful_set(c: Cluster, namespace: str, name: str, image: str, **options: Any) -> Workload:
    """Add a stateful set; `claim` is the size of each pod's volume claim."""
    labels: Json = options.get("labels") or {"app": name}
    count: int = options.get("replicas", 1)
    age: str = options.get("age", "63d")
    spec = _template(name, image, options)
    top = c.add(
        "StatefulSet",
        name,
        age,
        namespace=namespace,
        labels=labels,
        generation=1,
        spec={
            "podManagementPolicy": "OrderedReady",
            "replicas": count,
            "selector": {"matchLabels": labels},
            "serviceName": name,
            "template": {"metadata": {"labels": labels}, "spec": spec},
            "updateStrategy": {"type": "RollingUpdate"},
        },
    )
    work = Workload(top, [])
    for index in range(count):
        own = copy.deepcopy(spec)
        if options.get("claim"):
            claim = f"data-{name}-{index}"
            own.setdefault("volumes", []).insert(
                0, {"name": "data", "persistentVolumeClaim": {"claimName": claim}}
            )
            volumes.bound_claim(c, namespace, claim, size=options["claim"], age=age)
        work.pods.append(
            add_pod(
                c, top, f"{name}-{index}", own, namespace=namespace, generate=f"{name}-",
                labels={**labels, "statefulset.kubernetes.io/pod-name": f"{name}-{index}"},
                age=options.get("pods_age", age),
                node=c.setting.nodes[index % len(c.setting.nodes)],
            )
        )  # fmt: skip
    return work


def daemon_set(c: Cluster, namespace: str, name: str, image: str, **options: Any) -> Workload:
    """Add a daemon set with a pod on every node."""
    labels: Json = options.get("labels") or {"k8s-app": name}
    age: str = options.get("age", "70d")
    every = [{"operator": "Exists"}]
    spec = _template(name, image, {"tolerations": every, **options})
    top = c.add(
        "DaemonSet",
        name,
        age,
        namespace=namespace,
        labels=labels,
        generation=1,
        spec={
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
            "updateStrategy": {"rollingUpdate": {"maxUnavailable": 1}, "type": "RollingUpdate"},
        },
    )
    work = Workload(top, [])
    for node in c.setting.nodes:
        pod = add_pod(
            c, top, f"{name}-{c.suffix()}", spec, namespace=namespace,
            age=c.younger(age), node=node,
            labels={**labels, "controller-revision-hash": c.suffix(10)}, generate=f"{name}-",
        )  # fmt: skip
        if options.get("host_network"):
            pod["spec"]["hostNetwork"] = True
            pod["status"] |= {"podIP": c.node_ip(node), "podIPs": [{"ip": c.node_ip(node)}]}
        work.pods.append(pod)
    return work


def finished_job(c: Cluster, namespace: str, cron: str, ended: str) -> Json:
    """Add a job of a cron job that has completed; returns its pod."""
    began = f"{seconds(ended) + 47}s"
    code = int(c.ago(began).timestamp()) // 60
    labels = {"job-name": f"{cron}-{code}"}
    done = c.at(ended)
    job = c.add(
        "Job", f"{cron}-{code}", began, namespace=namespace, labels=labels, generation=1,
        spec={"backoffLimit": 6, "completions": 1, "parallelism": 1, "suspend": False,
              "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}},
        status={"completionTime": done, "startTime": c.at(began), "succeeded": 1, "ready": 0,
                "conditions": [condition("Complete", "True", done)]},
    )  # fmt: skip
    spec = _template(cron, f"registry.example.com/jobs/{cron}:1.4", {})
    spec["restartPolicy"] = "OnFailure"
    pod = add_pod(
        c, job, f"{cron}-{code}-{c.suffix()}", spec, namespace=namespace, labels=labels, age=began
    )
    status = pod["status"]
    status["phase"] = "Succeeded"
    for row in status["conditions"]:
        if row["type"] in {"Ready", "ContainersReady"}:
            row |= {"status": "False", "reason": "PodCompleted", "lastTransitionTime": done}
    for box in status["containerStatuses"]:
        ran = {"exitCode": 0, "reason": "Completed", "startedAt": c.at(began), "finishedAt": done}
        box |= {"ready": False, "started": False, "state": {"terminated": ran}}
        box["state"]["terminated"]["containerID"] = box["containerID"]
    return pod


def service(c: Cluster, namespace: str, name: str, selector: Json, **options: Any) -> Json:
    """Add a service; `port`, `target`, `port_name`, `age`, `kind`."""
    port: int = options.get("port", 80)
    entry: Json = {
        "port": port, "protocol": "TCP", "targetPort": options.get("target", port),
        "name": options.get("port_name", "http"),
    }  # fmt: skip
    third, fourth = c.rng.randrange(1, 250), c.rng.randrange(2, 250)
    address = f"10.96.{third}.{fourth}"
    return c.add(
        "Service", name, options.get("age", "41d"), namespace=namespace,
        labels=dict(options.get("labels") or {"app": name}),
        spec={
            "clusterIP": address, "clusterIPs": [address], "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "ports": [entry],
            "selector": dict(selector), "sessionAffinity": "None",
            "type": options.get("kind", "ClusterIP"),
        },
        status={"loadBalancer": {}},
    )  # fmt: skip
