"""Third set: images, secrets, config maps and accounts that are not as a pod needs them."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import describing, faults, neighbours, pasted, printed, tables, workloads
from benchmarks.kubernetes.objects import Json, http_probe, meta, volume
from benchmarks.kubernetes.third_parts import (
    STYLE,
    blind_scaler,
    failed_job,
    flapped_node,
    leftovers,
    moved,
    named,
    old_kills,
    warn,
)

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _alder(c: Cluster, case: Case) -> Saver:
    """The image's name is not one that a registry could have."""
    ns = "seedbank"
    neighbours.web(c, ns, "accessions:2", "labels", **STYLE)
    image = "cr.example.com/SeedBank/catalogue-api:3.2.0"
    work = workloads.deployment(
        c, ns, "catalogue-api", image, replicas=2, age="71d", pods_age="19m", port=8080,
        requests="100m/128Mi", labels=named("catalogue-api"),
    )  # fmt: skip
    told = f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": invalid reference format: repository name (SeedBank/catalogue-api) must be lowercase'
    for pod in work.pods:
        faults.waiting(c, pod, "InvalidImageName", told, since="19m")
        faults.scheduled(c, pod)
        warn(c, pod, "InspectFailed", told, "19m", "7s", count=88, path="catalogue-api")
        warn(c, pod, "Failed", "Error: InvalidImageName", "19m", "7s", count=88, path="catalogue-api")  # fmt: skip
    case.question = "Catalogue search is dead since the pipeline was changed, any idea?"
    case.started = "19m"
    why = (
        "The image name of catalogue-api has capital letters (SeedBank), which no registry allows."
    )
    case.fault("image_pull", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.single("one-of-the-pods.yaml", work.pods[1])
        out.text("kubectl-events.txt", printed.recent(c, ns))

    return save


def _aspen(c: Cluster, case: Case) -> Saver:
    """A public registry refuses more pulls; two of three pods have the image already."""
    ns = "paperwork"
    others = neighbours.web(c, ns, "templates:2", "signatures:2", "inbox", **STYLE)
    image = "docker.io/gotenberg/gotenberg:8.4.0"
    work = workloads.deployment(
        c, ns, "pdf-render", image, replicas=3, age="64d", pods_age="12d", port=3000, requests="200m/512Mi",
        labels=named("pdf-render"), readiness=http_probe("/health", 3000),
    )  # fmt: skip
    pod = work.pods[2]
    moved(c, pod, "24m")
    error = (
        f'failed to pull and unpack image "{image}": failed to copy: httpReadSeeker: failed open: unexpected status code'
        f" https://registry-1.docker.io/v2/gotenberg/gotenberg/manifests/sha256:{c.rng.getrandbits(256):064x}: 429 Too Many"
        " Requests - Server message: toomanyrequests: You have reached your pull rate limit. You may increase the limit by"
        " authenticating and upgrading: https://www.docker.com/increase-rate-limit"
    )
    faults.image_failure(c, pod, error, "24m", count=8)
    leftovers(c, others[0], "4d", "4d2h", "6d")
    case.question = "为什么 pdf-render 一直有一个副本起不来？其他两个是好的"
    case.started = "24m"
    case.decoys = ["templates: three pods that were evicted days ago were never deleted"]
    why = "The public registry answers 429: the pull rate limit for anonymous pulls is used up."
    case.fault("image_pull", "dependency,config,deploy", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        note = pasted.fenced(
            ("# pdf-render 2/3\n\n现状：", tables.pods(c, ns)),
            (f"`kubectl describe po {meta(pod)['name']} -n {ns}`", describing.describe(c, pod)),
            ("deployment:", printed.wide_deployments(c, ns)),
        )
        out.text("ticket.md", note)

    return save


def _birch(c: Cluster, case: Case) -> Saver:
    """The registry's certificate has expired: nothing was deployed, a pod only moved."""
    ns = "ledgers"
    neighbours.web(c, ns, "statements:2", "fx", "reconcile:2", **STYLE)
    image = "images.example.com/ledgers/ledger-sync:7.7"
    work = workloads.deployment(
        c, ns, "ledger-sync", image, age="150d", pods_age="30d", requests="100m/256Mi", labels=named("ledger-sync"),
    )  # fmt: skip
    pod = work.pods[0]
    moved(c, pod, "33m", c.setting.nodes[1])
    flapped_node(c, c.setting.nodes[0])
    error = (
        "initializing source docker://images.example.com/ledgers/ledger-sync:7.7: pinging container registry images.example.com:"
        ' Get "https://images.example.com/v2/": tls: failed to verify certificate: x509: certificate has expired or is not yet'
        f" valid: current time {c.at('2m19s')} is after {c.ago('5h'):%Y-%m-%dT%H:00:00Z}"
    )
    faults.image_failure(c, pod, error, "33m", count=9)
    case.question = (
        "ledger-sync has not come back after its node had a hiccup. Is the node still bad?"
    )
    case.started = "33m"
    case.decoys = [f"{c.setting.nodes[0]}: was not ready for three minutes 55 minutes ago"]
    why = "The certificate of the registry images.example.com has expired, so the image cannot be pulled."
    case.fault("image_pull", "certificate,dependency,config", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        out.text("ev-wide.txt", printed.wide_events(c, ns))
        out.tables("nodes", "pods")

    return save


def _hazel(c: Cluster, case: Case) -> Saver:
    """The router in front complains; the application asks for a host that does not exist."""
    ns = "webshop"
    neighbours.web(c, ns, "catalog:3", "reviews:2", **STYLE)
    neighbours.database(
        c, ns, "carts-db", "docker.io/library/postgres:16.3", replicas=1, age="100d"
    )
    router = neighbours.web(c, "ingress-nginx", "ingress-nginx-controller:2", **STYLE)[0]
    work = workloads.deployment(
        c, ns, "cart", "cr.example.com/webshop/cart:14.0", replicas=2, age="99d", pods_age="38m", port=8080,
        requests="100m/256Mi", labels=named("cart"), readiness=http_probe("/readyz", 8080),
        env={"PGHOST": "cart-db.webshop.svc.cluster.local", "PGPORT": "5432"},
    )  # fmt: skip
    front = workloads.service(c, ns, "cart", named("cart"), target=8080, age="99d")
    for pod in work.pods:
        faults.unready(c, pod, "38m")
        text = "HTTP probe failed with statuscode: 503"
        faults.probe_failure(c, pod, "Readiness", text, first="38m", last="6s", count=231)
        lines = [
            f'{{"t":"{c.at(f"{n}s")}","lvl":"error","msg":"pool: getaddrinfo ENOTFOUND cart-db.webshop.svc.cluster.local"}}'
            for n in (64, 44, 24, 4)
        ]
        c.log(pod, "\n".join(lines))
    at = c.ago("9s").strftime("%m%d %H:%M:%S")
    for pod in router.pods:
        c.log(pod, f'W{at}.204817       7 controller.go:1216] Service "webshop/cart" does not have any active Endpoint.')  # fmt: skip
    case.question = "The nginx ingress answers 503 for /cart since the 14.0 release; we restarted the ingress controller twice, no change"
    case.started = "38m"
    case.decoys = ["ingress-nginx-controller: only says that cart has no endpoint"]
    why = "cart is never ready: its PGHOST names cart-db, and the database's service is carts-db."
    case.fault(
        "readiness_probe", "config,dependency,deploy", why, work.top, *work.pods, work.sets[0]
    )

    def save(out: Folder) -> None:
        out.text("all-pods.txt", tables.pods(c))
        out.text("svc.txt", tables.table(c, "Service", ns))
        out.describe("describe-cart.txt", front, work.pods[0])
        out.logs("{ns}_{pod}.log")

    return save


def _juniper(c: Cluster, case: Case) -> Saver:
    """The beginning of the description has scrolled away."""
    ns = "observability"
    others = neighbours.web(c, ns, "dashboards:2", "alert-router", **STYLE)
    place = volume("config", "configMap", "log-agent-config")
    place["configMap"]["items"] = [{"key": "agent.toml", "path": "agent.toml"}]
    work = workloads.daemon_set(
        c, ns, "log-agent", "docker.io/timberio/vector:0.38.0-alpine", age="14m", labels=named("log-agent"),
        mounts={"config": "/etc/vector"}, volumes=[place], requests="50m/64Mi",
    )  # fmt: skip
    settings = c.add("ConfigMap", "log-agent-config", "16m", namespace=ns)
    settings["data"] = {"agent.yaml": "sources:\n  pods:\n    type: kubernetes_logs\n"}
    told = 'MountVolume.SetUp failed for volume "config" : configmap references non-existent config key: agent.toml'
    for pod in work.pods:
        faults.stuck_creating(c, pod, "14m")
        faults.scheduled(c, pod)
        warn(c, pod, "FailedMount", told, "14m", "38s", count=14)
    blind_scaler(c, ns, others[0].pods[0])
    case.question = "No logs arrive from any node"
    case.started = "14m"
    case.decoys = ["HorizontalPodAutoscaler dashboards: has never read its metric"]
    why = "log-agent mounts the key agent.toml of the config map log-agent-config, which only has agent.yaml."
    case.fault("missing_configmap", "config,deploy", why, work.top, *work.pods, settings)

    def save(out: Folder) -> None:
        text = describing.describe(c, work.pods[0])
        steps = ((f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),)
        out.text("scrollback.txt", pasted.tail(text, 22) + pasted.session("# ", *steps))
        out.single("log-agent-config.yaml", settings)

    return save


def _katsura(c: Cluster, case: Case) -> Saver:
    """The secret with the registry's password is missing; the registry then refuses."""
    ns = "fittings"
    neighbours.web(c, ns, "stock:2", "prices:2", **STYLE)
    image = "private.example.com/fittings/configurator:2.0.1"
    work = workloads.deployment(
        c, ns, "configurator", image, replicas=2, age="22m", revision=1, port=8080, requests="100m/128Mi",
        labels=named("configurator"), imagePullSecrets=[{"name": "private-pull-2026"}],
    )  # fmt: skip
    error = (
        f'failed to pull and unpack image "{image}": failed to resolve reference "{image}": failed to authorize: failed to fetch'
        " anonymous token: unexpected status from GET request to https://private.example.com/service/token?scope="
        "repository%3Afittings%2Fconfigurator%3Apull&service=private: 401 Unauthorized"
    )
    for pod in work.pods:
        faults.image_failure(c, pod, error, "22m", count=8)
        text = "Unable to retrieve some image pull secrets (private-pull-2026); attempting to pull the image may not succeed."
        warn(c, pod, "FailedToRetrieveImagePullSecret", text, "22m", "8s", count=101)
    failed_job(c, ns, "price-import", "3d1h")
    case.question = "The new configurator can't be pulled, is the registry down?"
    case.started = "22m"
    case.decoys = ["job price-import: failed three days ago"]
    why = "The pull secret private-pull-2026 does not exist in fittings, so the registry refuses configurator's image."
    case.fault("missing_secret", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        out.text("pods.txt", tables.pods(c, ns))
        out.text("ev-columns.txt", printed.event_columns(c, ns))
        out.single("deploy.yaml", work.top)
        kind = "kubernetes.io/dockerconfigjson"
        rows = [["NAME", "TYPE", "DATA", "AGE"], ["private-pull-2025", kind, "1", "340d"]]
        rows.append(["stock-db", "Opaque", "2", "88d"])
        out.text("secrets.txt", tables.render(rows))

    return save


def _larch(c: Cluster, case: Case) -> Saver:
    """The account was deleted after the pod had been made: its token cannot be projected."""
    ns = "ci-runners"
    works = neighbours.web(c, ns, "cache:2", "artifacts", "web-ui:2", **STYLE)
    work = workloads.deployment(
        c, ns, "build-agent", "cr.example.com/ci/build-agent:9.2", replicas=2, age="17m", revision=1, account="build-agent",
        requests="500m/1Gi", labels=named("build-agent"),
    )  # fmt: skip
    for pod in work.pods:
        faults.stuck_creating(c, pod, "17m")
        faults.scheduled(c, pod)
        token = pod["spec"]["volumes"][-1]["name"]
        told = f'MountVolume.SetUp failed for volume "{token}" : failed to fetch token: serviceaccounts "build-agent" not found'
        warn(c, pod, "FailedMount", told, "17m", "57s", count=16)
        told = f"Unable to attach or mount volumes: unmounted volumes=[{token}], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition"
        warn(c, pod, "FailedMount", told, "15m", "1m30s", count=6)
    old_kills(c, works[1].pods[0], "14h")
    case.question = "构建任务全部在排队，build-agent 卡在 ContainerCreating"
    case.started = "17m"
    case.decoys = ["artifacts: 17 kills for memory, the last 14 hours ago"]
    why = "The service account build-agent does not exist any more, so the pods get no token."
    case.fault("missing_service_account", "config,deploy", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        rows = [["NAME", "SECRETS", "AGE"], ["default", "0", "412d"], ["cache", "0", "97d"]]
        steps = [
            (f"oc get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"oc get sa -n {ns}", tables.render(rows)),
            (f"oc get events -n {ns} --field-selector type=Warning", _warnings(c, ns)),
        ]
        out.text("oc.log", pasted.session("[core@bastion ~]$ ", *steps))

    return save


def _warnings(c: Cluster, namespace: str) -> str:
    lines = tables.events(c, namespace).splitlines()
    return "\n".join([lines[0], *(line for line in lines[1:] if " Warning " in line)]) + "\n"


BUILDERS: Json = {
    "alder": _alder, "aspen": _aspen, "birch": _birch, "hazel": _hazel, "juniper": _juniper,
    "katsura": _katsura, "larch": _larch,
}  # fmt: skip
