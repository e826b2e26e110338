"""Which cases there are, and in which cluster at which moment each was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import (
    dev_nodes,
    dev_pods,
    dev_services,
    fifth_crashes,
    fifth_healthy,
    fifth_images,
    fifth_nodes,
    fifth_placing,
    fifth_services,
    fourth_crashes,
    fourth_healthy,
    fourth_images,
    fourth_nodes,
    fourth_placing,
    fourth_probes,
    held_nodes,
    held_pods,
    held_services,
    held_volumes,
    sixth_crashes,
    sixth_healthy,
    sixth_images,
    sixth_nodes,
    sixth_placing,
    sixth_services,
    third_config,
    third_nodes,
    third_pods,
    third_services,
    third_volumes,
)
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

_BARE = tuple(f"node{n:02d}.dc2.example.com" for n in (3, 4, 7, 9))
_RKE = ("rke2-cp-01", "rke2-w-01", "rke2-w-02", "rke2-w-03")
_CNTD2: Json = {
    "runtime": "containerd://2.0.5",
    "os_image": "Ubuntu 24.04.2 LTS",
    "kernel": "6.8.0-60-generic",
}
_BOTTLE: Json = {
    "os_image": "Bottlerocket OS 1.19.5",
    "kernel": "6.1.79",
    "runtime": "containerd://1.6.31",
}

_HELD: dict[str, tuple[str, Json]] = {
    "ropewalk": ("2026-02-07T13:05:51Z", {"version": "v1.31.3", "nodes": _BARE}),
    "kelp": ("2026-05-11T08:21:40Z", {"version": "v1.29.5", **_CRIO}),
    "puffin": ("2026-10-23T17:42:06Z", {"version": "v1.33.1", **_CNTD2}),
    "gannet": ("2026-03-18T19:00:33Z", {"version": "v1.28.15", "nodes": _BARE}),
    "heron": ("2026-01-27T05:59:12Z", {"version": "v1.26.7", "nodes": _RKE[1:]}),
    "curlew": ("2026-12-09T21:15:48Z", {"version": "v1.33.2", **_CNTD2}),
    "plover": ("2026-06-29T10:36:02Z", {"version": "v1.25.9", **_BOTTLE}),
    "dunlin": ("2026-08-03T02:27:19Z", {"version": "v1.27.9"}),
    "avocet": ("2026-07-14T15:48:57Z", {"version": "v1.30.9", "nodes": _AKS}),
    "petrel": ("2026-11-16T12:12:12Z", {"version": "v1.29.12", "nodes": _RKE[1:]}),
    "osprey": ("2026-04-09T09:33:26Z", {"version": "v1.24.13", "nodes": _RKE}),
    "merlin": ("2026-09-19T18:54:45Z", {"version": "v1.27.10", **_BOTTLE}),
    "kestrel": ("2026-02-22T06:16:38Z", {"version": "v1.32.4", **_CNTD2}),
    "buzzard": ("2026-05-25T11:40:21Z", {"version": "v1.26.3", "nodes": _BARE}),
    "harrier": ("2026-10-12T14:29:03Z", {"version": "v1.31.7"}),
    "sparrowhawk": ("2026-03-30T20:08:59Z", {"version": "v1.25.4", "nodes": _RKE[1:]}),
    "egret": ("2026-08-21T07:45:14Z", {"version": "v1.30.1", "nodes": _BARE}),
    "bittern": ("2026-06-08T23:31:37Z", {"version": "v1.28.2"}),
    "shearwater": ("2026-12-31T22:50:05Z", {"version": "v1.29.8", "nodes": _GKE}),
    "fulmar": ("2026-07-02T04:24:50Z", {"version": "v1.31.9", "nodes": _EKS, **_BOTTLE}),
    "razorbill": ("2026-11-28T16:03:28Z", {"version": "v1.27.15", "nodes": _EKS}),
    "wren": ("2026-01-14T12:37:44Z", {"version": "v1.32.6", **_CNTD2}),
    "dipper": ("2026-09-09T01:55:30Z", {"version": "v1.28.11", **_CRIO}),
    "siskin": ("2026-04-28T13:18:09Z", {"version": "v1.30.6", "nodes": _RKE[1:]}),
    "linnet": ("2026-02-14T09:02:55Z", {"version": "v1.26.14"}),
    "robin": ("2026-10-30T08:44:16Z", {"version": "v1.33.3", **_CNTD2}),
    "starling": ("2026-05-03T15:26:31Z", {"version": "v1.25.13", "nodes": _EKS}),
    "magpie": ("2026-08-11T19:39:47Z", {"version": "v1.29.3", "nodes": _BARE}),
    "jackdaw": ("2026-03-13T10:51:22Z", {"version": "v1.24.9"}),
    "crossbill": ("2026-07-20T17:07:04Z", {"version": "v1.28.4", "nodes": _RKE[1:]}),
}  # fmt: skip

_HELD_BUILDERS: Json = {
    **held_pods.BUILDERS,
    **held_nodes.BUILDERS,
    **held_volumes.BUILDERS,
    **held_services.BUILDERS,
}

HELD_OUT = [
    Plan(name, at, _HELD_BUILDERS[name], setting) for name, (at, setting) in sorted(_HELD.items())
]

_OKE = tuple(f"10-0-{n}-pool-x86.example.com" for n in (12, 14, 31))
_TALOS = ("talos-7fk-q2x", "talos-9bd-m4c", "talos-h2z-v8w", "talos-k5n-r3t")
_OCP = tuple(f"ocp4-w{n}.lab.example.com" for n in (1, 2, 3))
_ACK = tuple(f"ack-pool-a-{n:03d}" for n in (17, 18, 22, 40))
_FLAT: Json = {
    "os_image": "Flatcar Container Linux by Kinvolk 3815.2.5",
    "kernel": "6.1.96-flatcar",
    "runtime": "containerd://1.7.17",
    "pod_net": "10.42",
}

_THIRD: dict[str, tuple[str, Json]] = {
    "acacia": ("2026-04-22T15:58:20Z", {"version": "v1.31.5", "nodes": _OKE}),
    "alder": ("2026-02-03T10:11:45Z", {"version": "v1.30.4", "nodes": _OKE}),
    "aspen": ("2026-05-19T07:33:09Z", {"version": "v1.28.13", "nodes": _ACK}),
    "birch": ("2026-11-02T05:40:51Z", {"version": "v1.31.8", "nodes": _OCP, **_CRIO}),
    "bracken": ("2026-06-11T20:05:36Z", {"version": "v1.33.4", **_CNTD2}),
    "cedar": ("2026-01-23T13:27:14Z", {"version": "v1.27.16", **_FLAT}),
    "clover": ("2026-10-08T03:16:02Z", {"version": "v1.29.14"}),
    "damson": ("2026-09-28T06:52:40Z", {"version": "v1.30.10", "nodes": _OKE}),
    "elder": ("2026-03-06T22:47:31Z", {"version": "v1.29.7", "nodes": _TALOS}),
    "fir": ("2026-12-14T00:41:18Z", {"version": "v1.28.6", "nodes": _ACK}),
    "gorse": ("2026-07-05T11:20:57Z", {"version": "v1.31.2", "nodes": _ACK}),
    "hazel": ("2026-08-18T14:39:26Z", {"version": "v1.30.7", **_FLAT}),
    "ivy": ("2026-02-26T09:56:10Z", {"version": "v1.26.11", "nodes": _OKE}),
    "juniper": ("2026-04-30T17:02:49Z", {"version": "v1.32.7", "nodes": _TALOS, **_CNTD2}),
    "katsura": ("2026-11-20T08:14:33Z", {"version": "v1.33.5", **_CNTD2}),
    "larch": ("2026-05-08T12:31:05Z", {"version": "v1.27.8", "nodes": _OCP, **_CRIO}),
    "maple": ("2026-10-25T10:08:47Z", {"version": "v1.32.2", "nodes": _TALOS}),
    "nutmeg": ("2026-06-19T21:24:12Z", {"version": "v1.29.11", **_FLAT}),
    "olive": ("2026-09-15T16:43:58Z", {"version": "v1.28.10", "nodes": _TALOS}),
    "pine": ("2026-03-27T04:17:20Z", {"version": "v1.30.12", "nodes": _ACK}),
    "quince": ("2026-08-26T18:09:39Z", {"version": "v1.31.10"}),
    "rowan": ("2026-07-23T13:54:03Z", {"version": "v1.29.13", "nodes": _OKE}),
    "sorrel": ("2026-12-05T02:28:44Z", {"version": "v1.34.1", **_CNTD2}),
    "teasel": ("2026-01-12T19:35:27Z", {"version": "v1.26.8", "nodes": _TALOS}),
    "thistle": ("2026-11-09T15:12:54Z", {"version": "v1.34.2", "nodes": _OKE, **_CNTD2}),
    "ulex": ("2026-04-06T02:51:30Z", {"version": "v1.25.10"}),
    "viburnum": ("2026-10-16T06:26:08Z", {"version": "v1.30.3", "nodes": _ACK}),
    "willow": ("2026-06-27T23:10:41Z", {"version": "v1.32.5", "nodes": _TALOS}),
    "yarrow": ("2026-02-12T08:45:16Z", {"version": "v1.28.3", "nodes": _OCP}),
    "zinnia": ("2026-09-05T01:37:22Z", {"version": "v1.33.6", "nodes": _OKE, **_CNTD2}),
}  # fmt: skip

_THIRD_BUILDERS: Json = {
    **third_pods.BUILDERS,
    **third_config.BUILDERS,
    **third_nodes.BUILDERS,
    **third_volumes.BUILDERS,
    **third_services.BUILDERS,
}

THIRD = [
    Plan(name, at, _THIRD_BUILDERS[name], setting) for name, (at, setting) in sorted(_THIRD.items())
]

_EC2 = tuple(f"ip-172-31-{n}.ec2.internal" for n in ("18-204", "35-77", "61-9"))
_KUBEADM = ("k8s-master01", "k8s-worker01", "k8s-worker02", "k8s-worker03")
_GPU = (*_KUBEADM[1:], "k8s-gpu01")
_VMSS = tuple(f"aks-nodepool1-26314578-vmss00000{tail}" for tail in "238")
_TKE = tuple(f"10.8.12.{n}" for n in (21, 22, 37))
_CNTD21: Json = {
    "runtime": "containerd://2.1.4",
    "os_image": "Debian GNU/Linux 12 (bookworm)",
    "kernel": "6.1.0-37-amd64",
}
_AL2: Json = {
    "runtime": "containerd://1.7.11",
    "os_image": "Amazon Linux 2",
    "kernel": "5.10.216-204.855.amzn2.x86_64",
}

_FOURTH: dict[str, tuple[str, Json]] = {
    "agate": ("2026-09-30T09:14:27Z", {"version": "v1.29.15", "nodes": _EC2, **_AL2}),
    "basalt": ("2026-03-19T11:42:08Z", {"version": "v1.30.11", "nodes": _VMSS}),
    "beryl": ("2026-06-25T06:57:33Z", {"version": "v1.26.5", "nodes": _KUBEADM[1:]}),
    "chalk": ("2026-11-12T07:30:19Z", {"version": "v1.28.14", "nodes": _KUBEADM}),
    "cobalt": ("2026-08-02T22:09:51Z", {"version": "v1.31.12", "nodes": _VMSS}),
    "coral": ("2026-04-16T13:48:40Z", {"version": "v1.27.3", "nodes": _TKE}),
    "flint": ("2026-10-21T17:26:05Z", {"version": "v1.32.8", "nodes": _EC2, **_CNTD21}),
    "garnet": ("2026-01-31T10:03:56Z", {"version": "v1.28.1", "nodes": _EC2, **_AL2}),
    "gneiss": ("2026-07-09T15:35:12Z", {"version": "v1.33.2", **_CNTD21}),
    "granite": ("2026-02-24T01:20:48Z", {"version": "v1.25.16", "nodes": _KUBEADM[1:]}),
    "gypsum": ("2026-05-28T08:51:30Z", {"version": "v1.31.6", "nodes": _VMSS}),
    "jasper": ("2026-12-11T12:06:14Z", {"version": "v1.30.2", "nodes": _TKE}),
    "jet": ("2026-06-03T19:17:22Z", {"version": "v1.29.2", "nodes": _EC2, **_AL2}),
    "lapis": ("2026-08-27T14:22:37Z", {"version": "v1.28.9", "nodes": _OCP, **_CRIO}),
    "marble": ("2026-11-27T16:44:09Z", {"version": "v1.24.17", "nodes": _EC2, **_AL2}),
    "mica": ("2026-03-11T09:38:55Z", {"version": "v1.28.6", "nodes": _KUBEADM}),
    "obsidian": ("2026-07-18T03:12:44Z", {"version": "v1.27.7", "nodes": _TKE}),
    "onyx": ("2026-10-14T02:55:26Z", {"version": "v1.26.10", "nodes": _GPU}),
    "opal": ("2026-04-27T20:40:03Z", {"version": "v1.31.1", **_CNTD2}),
    "pumice": ("2026-09-08T13:01:38Z", {"version": "v1.34.0", "nodes": _VMSS, **_CNTD21}),
    "pyrite": ("2026-05-15T04:33:17Z", {"version": "v1.29.6", "nodes": _KUBEADM[1:]}),
    "quartz": ("2026-12-20T08:27:50Z", {"version": "v1.30.13", "nodes": _TKE}),
    "ruby": ("2026-01-16T15:59:41Z", {"version": "v1.31.4", "nodes": _EC2}),
    "schist": ("2026-02-05T11:24:06Z", {"version": "v1.25.6", "nodes": _KUBEADM[1:]}),
    "shale": ("2026-06-14T07:08:29Z", {"version": "v1.27.12", "nodes": _EC2, **_AL2}),
    "slate": ("2026-08-10T10:50:58Z", {"version": "v1.32.3", "nodes": _VMSS}),
    "talc": ("2026-10-02T18:15:31Z", {"version": "v1.33.5", **_CNTD21}),
    "topaz": ("2026-03-02T21:36:24Z", {"version": "v1.30.7", "nodes": _EC2}),
}  # fmt: skip

_FOURTH_BUILDERS: Json = {
    **fourth_crashes.BUILDERS,
    **fourth_images.BUILDERS,
    **fourth_probes.BUILDERS,
    **fourth_placing.BUILDERS,
    **fourth_nodes.BUILDERS,
    **fourth_healthy.BUILDERS,
}

FOURTH = [
    Plan(name, at, _FOURTH_BUILDERS[name], setting)
    for name, (at, setting) in sorted(_FOURTH.items())
]

_ALIYUN = tuple(f"cn-shanghai.172.20.4.{n}" for n in (61, 62, 79))
_ONPREM = ("kw-a01", "kw-a02", "kw-b01")
_RANCHER = ("rke-node-1", "rke-node-2", "rke-node-3")
_ROSA = ("ocp-worker-0", "ocp-worker-1", "ocp-worker-2")
_FRANKFURT = tuple(
    f"ip-10-88-{n}.eu-central-1.compute.internal" for n in ("3-141", "17-9", "40-222")
)
_GPOOL = tuple(f"gke-live-e2-std4-77b1f0aa-{tail}" for tail in ("2jxn", "f8d1", "q6wc", "zt04"))
_AL2023: Json = {
    "runtime": "containerd://1.7.27",
    "os_image": "Amazon Linux 2023.6.20250115",
    "kernel": "6.1.119-129.201.amzn2023.x86_64",
}

_FIFTH: dict[str, tuple[str, Json]] = {
    "accordion": ("2026-02-18T07:22:41Z", {"version": "v1.30.9", "nodes": _FRANKFURT, **_AL2023}),
    "banjo": ("2026-06-11T03:05:18Z", {"version": "v1.32.5", "nodes": _ALIYUN}),
    "bassoon": ("2026-05-23T18:47:02Z", {"version": "v1.31.8", "nodes": _GPOOL}),
    "bugle": ("2026-07-30T04:36:29Z", {"version": "v1.28.15", "nodes": _ALIYUN}),
    "celesta": ("2026-04-01T02:14:53Z", {"version": "v1.26.15", "nodes": _ONPREM}),
    "cello": ("2026-10-08T12:51:37Z", {"version": "v1.31.3", "nodes": _FRANKFURT, **_AL2023}),
    "clarinet": ("2026-11-17T14:09:25Z", {"version": "v1.29.10", "nodes": _RANCHER}),
    "cornet": ("2026-09-05T19:33:11Z", {"version": "v1.33.4", "nodes": _GPOOL, **_CNTD21}),
    "cymbal": ("2026-03-27T08:18:44Z", {"version": "v1.29.13", "nodes": _ONPREM}),
    "dulcimer": ("2026-08-19T21:40:06Z", {"version": "v1.27.16", "nodes": _K3S}),
    "fife": ("2026-01-28T10:57:35Z", {"version": "v1.31.5", "nodes": _RANCHER}),
    "harp": ("2026-11-24T17:12:08Z", {"version": "v1.30.6", "nodes": _K3S}),
    "kazoo": ("2026-05-06T06:26:50Z", {"version": "v1.28.12", "nodes": _GPOOL}),
    "lute": ("2026-10-29T11:45:14Z", {"version": "v1.27.9", "nodes": _ALIYUN}),
    "lyre": ("2026-02-09T05:31:57Z", {"version": "v1.29.8", "nodes": _FRANKFURT, **_AL2023}),
    "mandolin": ("2026-09-22T06:48:20Z", {"version": "v1.25.13", "nodes": _RANCHER}),
    "marimba": ("2026-08-04T23:58:32Z", {"version": "v1.32.2", "nodes": _ONPREM}),
    "oboe": ("2026-04-14T16:03:47Z", {"version": "v1.33.1", "nodes": _GPOOL, **_CNTD21}),
    "ocarina": ("2026-06-27T09:20:13Z", {"version": "v1.24.15", "nodes": _ONPREM}),
    "piccolo": ("2026-07-15T13:37:59Z", {"version": "v1.26.13", "nodes": _ROSA, **_CRIO}),
    "sitar": ("2026-12-03T06:41:22Z", {"version": "v1.31.11", "nodes": _GPOOL}),
    "spinet": ("2026-03-16T15:08:40Z", {"version": "v1.30.4", "nodes": _FRANKFURT, **_AL2023}),
    "theremin": ("2026-10-15T20:54:16Z", {"version": "v1.34.1", **_CNTD21}),
    "timpani": ("2026-01-12T22:29:03Z", {"version": "v1.29.3", "nodes": _RANCHER}),
    "tuba": ("2026-05-13T01:52:38Z", {"version": "v1.28.10", "nodes": _ALIYUN}),
    "ukulele": ("2026-08-12T07:15:26Z", {"version": "v1.27.14", "nodes": _FRANKFURT, **_AL2}),
    "viola": ("2026-12-09T13:44:55Z", {"version": "v1.32.9", "nodes": _RANCHER}),
    "zither": ("2026-06-05T10:16:31Z", {"version": "v1.30.8", "nodes": _GPOOL}),
}  # fmt: skip

_FIFTH_BUILDERS: Json = {
    **fifth_crashes.BUILDERS,
    **fifth_images.BUILDERS,
    **fifth_placing.BUILDERS,
    **fifth_services.BUILDERS,
    **fifth_nodes.BUILDERS,
    **fifth_healthy.BUILDERS,
}

FIFTH = [
    Plan(name, at, _FIFTH_BUILDERS[name], setting) for name, (at, setting) in sorted(_FIFTH.items())
]

_HETZNER = ("fsn1-worker-1", "fsn1-worker-2", "fsn1-worker-3")
_IDC = tuple(f"idc-k8s-{n}" for n in ("07", "08", "11"))
_IRELAND = tuple(f"ip-10-4-{n}.eu-west-1.compute.internal" for n in ("21-7", "38-190", "52-66"))
_AUTOPILOT = tuple(f"gke-shop-n2d-9c41e7d2-{tail}" for tail in ("1fzs", "k0mw", "xq7b"))

_SIXTH: dict[str, tuple[str, Json]] = {
    "anchovy": ("2026-03-05T08:41:19Z", {"version": "v1.31.6", "nodes": _HETZNER}),
    "barbel": ("2026-07-21T03:12:44Z", {"version": "v1.28.11", "nodes": _IDC}),
    "bream": ("2026-10-02T15:27:08Z", {"version": "v1.32.4", "nodes": _AUTOPILOT}),
    "cod": ("2026-05-18T02:08:51Z", {"version": "v1.29.11", "nodes": _IDC}),
    "dace": ("2026-11-26T17:55:30Z", {"version": "v1.30.9", "nodes": _IRELAND, **_AL2023}),
    "eel": ("2026-06-09T11:33:02Z", {"version": "v1.26.14", "nodes": _IDC}),
    "flounder": ("2026-09-14T13:20:47Z", {"version": "v1.33.3", "nodes": _HETZNER, **_CNTD21}),
    "gurnard": ("2026-04-20T09:02:36Z", {"version": "v1.27.10", "nodes": _IDC}),
    "haddock": ("2026-08-06T07:46:15Z", {"version": "v1.31.10", "nodes": _IRELAND, **_AL2023}),
    "herring": ("2026-02-11T19:14:58Z", {"version": "v1.30.5", "nodes": _IRELAND, **_AL2023}),
    "ling": ("2026-12-01T10:37:22Z", {"version": "v1.29.6", "nodes": _HETZNER}),
    "mackerel": ("2026-01-22T06:50:13Z", {"version": "v1.24.12", "nodes": _IDC}),
    "mullet": ("2026-10-19T12:05:41Z", {"version": "v1.32.9", "nodes": _AUTOPILOT}),
    "perch": ("2026-04-07T16:18:05Z", {"version": "v1.31.2", "nodes": _AUTOPILOT}),
    "pike": ("2026-07-03T01:29:37Z", {"version": "v1.25.11", "nodes": _IDC}),
    "pollock": ("2026-11-05T20:42:54Z", {"version": "v1.34.2", "nodes": _HETZNER, **_CNTD21}),
    "roach": ("2026-05-29T18:09:26Z", {"version": "v1.30.11", "nodes": _IRELAND, **_AL2023}),
    "sardine": ("2026-11-14T05:23:10Z", {"version": "v1.28.13", "nodes": _HETZNER}),
    "sole": ("2026-08-25T14:51:33Z", {"version": "v1.33.1", "nodes": _AUTOPILOT, **_CNTD21}),
    "tench": ("2026-03-30T00:16:49Z", {"version": "v1.26.9", "nodes": _IDC}),
    "trout": ("2026-09-27T09:58:04Z", {"version": "v1.32.7", "nodes": _HETZNER}),
    "turbot": ("2026-06-16T10:44:27Z", {"version": "v1.29.14", "nodes": _IDC}),
    "zander": ("2026-02-23T08:03:55Z", {"version": "v1.31.4", "nodes": _HETZNER}),
}  # fmt: skip

_SIXTH_BUILDERS: Json = {
    **sixth_crashes.BUILDERS,
    **sixth_images.BUILDERS,
    **sixth_placing.BUILDERS,
    **sixth_services.BUILDERS,
    **sixth_nodes.BUILDERS,
    **sixth_healthy.BUILDERS,
}

SIXTH = [
    Plan(name, at, _SIXTH_BUILDERS[name], setting) for name, (at, setting) in sorted(_SIXTH.items())
]

SETS = {
    "dev": DEV,
    "held_out": HELD_OUT,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
    "sixth": SIXTH,
}
