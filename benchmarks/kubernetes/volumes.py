"""Volume claims of the invented cluster, with the volumes they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.kubernetes.objects import Json, meta

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def bound_claim(c: Cluster, namespace: str, name: str, **options: Any) -> Json:
    """Add a bound volume claim of a `size`, `age` and storage class, with its volume."""
    size, age = options["size"], options["age"]
    kind = options.get("kind", "standard")
    claim = c.add(
        "PersistentVolumeClaim",
        name,
        age,
        namespace=namespace,
        annotations={"pv.kubernetes.io/bind-completed": "yes"},
        spec={
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
            "storageClassName": kind,
            "volumeMode": "Filesystem",
        },
        status={"accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}, "phase": "Bound"},
    )
    held = f"pvc-{meta(claim)['uid']}"
    claim["spec"]["volumeName"] = held
    c.add(
        "PersistentVolume",
        held,
        age,
        spec={
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": size},
            "claimRef": {"kind": "PersistentVolumeClaim", "name": name, "namespace": namespace},
            "csi": {
                "driver": "csi.example.com",
                "volumeHandle": f"vol-{c.rng.getrandbits(68):017x}",
            },
            "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": kind,
        },
        status={"phase": "Bound"},
    )
    return claim
