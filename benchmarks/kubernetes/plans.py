"""Which cases there are, and in which cluster at which moment each was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import dev_nodes, dev_pods, dev_services
from benchmarks.kubernetes.cases import Plan

if TYPE_CHECKING:
    from benchmarks.kubernetes.objects import Json

_EKS = ("ip-10-20-4-17.eu-west-1.compute.internal", "ip-10-20-5-201.eu-west-1.compute.internal",
        "ip-10-20-6-88.eu-west-1.compute.internal")  # fmt: skip
_GKE = tuple(f"gke-prod-pool-1-4f2a9c1d-{tail}" for tail in ("7kq2", "b9xz", "m4vt", "w0pd"))
_AKS = tuple(f"aks-general-31870455-vmss00000{tail}" for tail in "014")
_K3S = ("k3s-server-1", "k3s-agent-1", "k3s-agent-2")
_CRIO: Json = {
    "runtime": "cri-o://1.28.4",
    "os_image": "Red Hat Enterprise Linux CoreOS 415.92",
    "pod_net": "10.128",
}

_DEV: dict[str, tuple[str, Json]] = {
    "bakery": ("2026-03-04T09:41:12Z", {"version": "v1.29.4"}),
    "harbour": ("2026-03-09T14:02:40Z", {"version": "v1.27.11", "nodes": _EKS}),
    "lantern": ("2026-05-30T18:20:05Z", {"version": "v1.26.15", "nodes": _GKE}),
    "quarry": ("2026-04-21T02:33:51Z", {"version": "v1.28.9", "nodes": _GKE}),
    "orchard": ("2026-09-12T05:15:30Z", {"version": "v1.30.2"}),
    "cellar": ("2026-01-19T11:59:02Z", {"version": "v1.25.16", "nodes": _K3S}),
    "printworks": ("2026-02-11T16:07:44Z", {"version": "v1.28.7", "nodes": _K3S}),
    "foundry": ("2026-06-02T23:48:19Z", {"version": "v1.31.1", "nodes": _AKS}),
    "observatory": ("2026-08-14T10:25:00Z", {"version": "v1.29.6"}),
    "aviary": ("2026-04-03T07:12:33Z", {"version": "v1.28.8", **_CRIO}),
    "tannery": ("2026-07-08T03:30:09Z", {"version": "v1.27.13"}),
    "glasshouse": ("2026-05-17T12:44:27Z", {"version": "v1.24.17"}),
    "millpond": ("2026-10-01T08:08:08Z", {"version": "v1.32.1", "nodes": _EKS}),
    "apothecary": ("2026-03-23T01:17:55Z", {"version": "v1.30.5"}),
    "cooperage": ("2026-02-25T15:36:21Z", {"version": "v1.26.9"}),
    "ferryboat": ("2026-08-29T19:50:46Z", {"version": "v1.31.4"}),
    "telegraph": ("2026-06-16T13:21:13Z", {"version": "v1.29.1", "nodes": _AKS}),
    "lighthouse": ("2026-11-05T04:55:38Z", {"version": "v1.28.12", "nodes": _EKS}),
    "granary": ("2026-07-27T21:03:59Z", {"version": "v1.30.3"}),
    "almanac": ("2026-09-24T06:40:17Z", {"version": "v1.29.9", "nodes": _GKE}),
    "stables": ("2026-01-30T17:28:36Z", {"version": "v1.27.6"}),
    "drydock": ("2026-05-06T20:11:24Z", {"version": "v1.26.12", "nodes": _AKS}),
    "weavers": ("2026-10-19T09:09:50Z", {"version": "v1.31.6"}),
    "clockmaker": ("2026-12-02T00:34:42Z", {"version": "v1.32.3"}),
    "meadow": ("2026-04-15T11:06:28Z", {"version": "v1.28.5"}),
    "brickyard": ("2026-02-18T03:52:07Z", {"version": "v1.27.14", **_CRIO}),
    "vineyard": ("2026-09-03T22:19:31Z", {"version": "v1.33.0"}),
    "cartography": ("2026-06-24T14:47:54Z", {"version": "v1.30.8", "nodes": _K3S}),
    "saltworks": ("2026-08-06T16:58:16Z", {"version": "v1.29.10"}),
}  # fmt: skip

_DEV_BUILDERS: Json = {**dev_pods.BUILDERS, **dev_nodes.BUILDERS, **dev_services.BUILDERS}

DEV = [Plan(name, at, _DEV_BUILDERS[name], setting) for name, (at, setting) in sorted(_DEV.items())]
HELD_OUT: list[Plan] = []
