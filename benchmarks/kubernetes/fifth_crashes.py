"""Fifth set: containers that end, by themselves or by the kernel."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import (
    describing,
    faults,
    neighbours,
    pasted,
    printed,
    tables,
    workloads,
)
from benchmarks.kubernetes.fifth_parts import IMAGES, STYLE, idle_pending, named, rule, without
from benchmarks.kubernetes.fourth_parts import abandoned, forgotten_pod, old_crashes, unused_claim
from benchmarks.kubernetes.objects import Json, container, http_probe, key_ref, meta, tcp_probe
from benchmarks.kubernetes.third_parts import failed_job, rollout

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _accordion(c: Cluster, case: Case) -> Saver:
    """The password of the database was changed, the secret was not."""
    ns = "claims-prod"
    others = neighbours.web(c, ns, "claim-intake:2", "adjuster-ui:2", "fnol-bot", **STYLE)
    secret = {"PGPASSWORD": key_ref("secret", "policy-db", "password"), "PGHOST": "pg-claims.example.com"}  # fmt: skip
    work = workloads.deployment(
        c, ns, "policy-api", f"{IMAGES}/policy-api:4.18.0", replicas=2, age="410d", pods_age="52m", port=8000, requests="200m/256Mi",
        labels=named("policy-api"), env=secret, readiness=http_probe("/ready", 8000),
    )  # fmt: skip
    for pod, ended in zip(work.pods, ("1m31s", "3m4s"), strict=True):
        faults.crashing(c, pod, 1, restarts=13, ran="3s", since="52m", ended=ended)
        c.log(
            pod,
            f"[{c.ago(ended):%Y-%m-%d %H:%M:%S} +0000] [1] [INFO] Starting gunicorn 21.2.0\n"
            'Traceback (most recent call last):\n  File "/srv/policy/db.py", line 31, in connect\n    return psycopg2.connect(dsn)\n'
            'psycopg2.OperationalError: connection to server at "pg-claims.example.com" (10.31.7.20), port 5432 failed: FATAL:  password authentication failed for user "policy_rw"\n'
            f"[{c.ago(ended):%Y-%m-%d %H:%M:%S} +0000] [1] [ERROR] Worker failed to boot.",
            previous=True,
        )
    idle_pending(c, ns, "ocr-demo", "71d")
    old_crashes(c, others[0].pods[0], 31, "5d")
    case.question = "policy-api down in prod since ~50 min. nobody deployed anything, we only restarted it after the DBA team's 'maintenance'. adjuster-ui shows 502. What do I need to fix?"
    case.started = "52m"
    case.decoys = [
        "ocr-demo: has waited for a node with a label for 71 days",
        "claim-intake: 31 restarts, the last one five days ago",
    ]
    why = (
        "The database refuses the password that policy-api has in its secret, so it ends at start."
    )
    case.fault("crash_loop_config", "config,dependency", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        pod = meta(work.pods[0])["name"]
        steps = [
            (f"k get po -n {ns}", tables.pods(c, ns, wide=False)),
            (f"k logs -n {ns} {pod} -p", c.logs[ns, pod, "policy-api", True]),
            (f"k describe po -n {ns} {pod}", describing.describe(c, work.pods[0])),
        ]
        out.text("terminal.txt", pasted.session("➜  ~ ", *steps))

    return save


def _banjo(c: Cluster, case: Case) -> Saver:
    """The new image has no script at the place where the command looks for it."""
    ns = "mailmerge"
    neighbours.web(c, ns, "templates-api:2", "bounce-handler", **STYLE)
    command = ["/opt/app/docker-entrypoint.sh"]
    work = workloads.deployment(
        c, ns, "campaign-sender", f"{IMAGES}/campaign-sender:2024.11", replicas=1, age="160d", pods_age="19m", requests="100m/128Mi",
        labels=named("campaign-sender"), command=command, args=["--queue", "campaigns"],
    )  # fmt: skip
    pod = work.pods[0]
    told = 'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "/opt/app/docker-entrypoint.sh": stat /opt/app/docker-entrypoint.sh: no such file or directory'
    faults.crashing(c, pod, 128, "StartError", restarts=7, ran="1s", since="19m", ended="2m44s", message=told)  # fmt: skip
    faults.status_of(pod)["lastState"]["terminated"]["startedAt"] = "1970-01-01T00:00:00Z"
    without(c, pod, "Started")
    box: Json = {"path": "campaign-sender", "first": "19m", "last": "2m44s", "count": 8}
    c.event(pod, "Failed", f"Error: {told}: unknown", warning=True, **box)
    failed_job(c, ns, "list-hygiene", "2d3h")
    case.question = (
        "新版本 campaign-sender 起不来，kubectl logs 什么都没有，是不是镜像没推完整？附 pod 的 yaml"
    )
    case.started = "19m"
    case.decoys = ["job list-hygiene: failed two days ago"]
    why = "The command of campaign-sender, /opt/app/docker-entrypoint.sh, is not in its image."
    case.fault("crash_loop_error", "config,deploy,code_error", why, work.top, pod, work.sets[0])

    def save(out: Folder) -> None:
        out.single("campaign-sender.yaml", pod)
        out.text("pods.txt", tables.pods(c, ns, wide=False))

    return save


def _panic(c: Cluster, ended: str) -> str:
    """Return the end of a Go program that used a map it never made."""
    at = c.ago(ended)
    return (
        f'{{"level":"info","ts":"{at:%Y-%m-%dT%H:%M:%SZ}","msg":"odds-engine 9.0.0 starting","commit":"a81c77e"}}\n'
        f'{{"level":"info","ts":"{at:%Y-%m-%dT%H:%M:%SZ}","msg":"markets loaded","count":4182}}\n'
        "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\n"
        "example.com/odds/internal/margin.(*Book).Load(0xc000218000, {0xc0001b6000, 0x1056, 0x1400})\n\t/src/internal/margin/book.go:88 +0x1f4\n"
        "main.main()\n\t/src/cmd/odds-engine/main.go:61 +0x3a5\nexit status 2"
    )


def _bassoon(c: Cluster, case: Case) -> Saver:
    """A release with a mistake in its code; the old pods serve on."""
    ns = "sportsbook"
    others = neighbours.web(c, ns, "bet-slip:3", "settlement:2", "feeds", **STYLE)
    work = workloads.deployment(
        c, ns, "odds-engine", f"{IMAGES}/odds-engine:8.44.2", replicas=4, age="505d", pods_age="21d", port=7070, requests="500m/512Mi",
        limits="2/1Gi", labels=named("odds-engine"), revision=118, rolling={"maxSurge": 2, "maxUnavailable": 0},
    )  # fmt: skip
    fresh = rollout(c, work, f"{IMAGES}/odds-engine:9.0.0", 2, "26m")
    for pod, ended in zip(fresh.pods, ("48s", "4m10s"), strict=True):
        faults.crashing(c, pod, 2, restarts=9, ran="2s", since="26m", ended=ended)
        c.log(pod, _panic(c, ended), previous=True)
        name = meta(pod)["name"]
        labels = {"namespace": ns, "pod": name, "container": "odds-engine", "reason": "CrashLoopBackOff", "uid": meta(pod)["uid"]}  # fmt: skip
        told = f'Pod {ns}/{name} (odds-engine) is in waiting state (reason: "CrashLoopBackOff") on cluster prod.'
        rule(case, "KubePodCrashLooping", "9m", told, **labels)
    old_crashes(c, others[1].pods[0], 63, "30h")
    abandoned(c, ns, "cashout-poc", "102d")
    case.started = "26m"
    case.decoys = [
        "settlement: 63 restarts, the last one more than a day ago",
        "cashout-poc: its image has been gone for 102 days",
    ]
    why = "odds-engine 9.0.0 panics while it starts: it writes into a map that was never made."
    case.fault("crash_loop_error", "code_error,deploy", why, work.top, *fresh.pods, fresh.sets[0])

    def save(out: Folder) -> None:
        pod = fresh.pods[0]
        name = meta(pod)["name"]
        text = c.logs[ns, name, "odds-engine", True]
        out.text("pods.txt", tables.pods(c, ns))
        out.text("rollout.txt", 'Waiting for deployment "odds-engine" rollout to finish: 2 out of 4 new replicas have been updated...\nerror: timed out waiting for the condition\n')  # fmt: skip
        out.text(f"{name}-previous.log", text)
        out.text("events.txt", tables.events(c, ns))

    return save


def _bugle(c: Cluster, case: Case) -> Saver:
    """The web server's configuration names a service that was renamed."""
    ns = "kiosk"
    others = neighbours.web(c, ns, "menu-api-v2:2", "loyalty-points", "printer-bridge:2", **STYLE)
    work = workloads.deployment(
        c, ns, "kiosk-web", "docker.io/library/nginx:1.27.2-alpine", replicas=2, age="220d", pods_age="34m", port=80, requests="50m/64Mi",
        labels=named("kiosk-web"), readiness=http_probe("/", 80),
    )  # fmt: skip
    for pod, ended in zip(work.pods, ("2m9s", "1m2s"), strict=True):
        faults.crashing(c, pod, 1, restarts=10, ran="1s", since="34m", ended=ended)
        c.log(
            pod,
            "/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty, will attempt to perform configuration\n/docker-entrypoint.sh: Configuration complete; ready for start up\n"
            f'{c.ago(ended):%Y/%m/%d %H:%M:%S} [emerg] 1#1: host not found in upstream "menu-api.kiosk.svc.cluster.local" in /etc/nginx/conf.d/default.conf:14\n'
            'nginx: [emerg] host not found in upstream "menu-api.kiosk.svc.cluster.local" in /etc/nginx/conf.d/default.conf:14',
        )
    old_crashes(c, others[2].pods[0], 8, "11d")
    forgotten_pod(c, ns, "dns-test", "19d")
    case.question = "门店自助点餐页面全挂了，kiosk-web 一直 CrashLoopBackOff。同事说是 CoreDNS 的问题，重启过 coredns 没用"
    case.started = "34m"
    case.decoys = [
        "dns-test: somebody's pod, ended with an error 19 days ago",
        "printer-bridge: 8 restarts, the last one eleven days ago",
    ]
    why = "nginx of kiosk-web names the upstream menu-api, and only the service menu-api-v2 exists."
    case.fault(
        "crash_loop_config", "config,dependency,deploy", why, work.top, *work.pods, work.sets[0]
    )

    def save(out: Folder) -> None:
        pod = meta(work.pods[1])["name"]
        parts = [
            ("h3. 现象\n门店点餐页 502，kubectl get pod,svc -n kiosk:", tables.pods(c, ns, wide=False, prefix="pod/") + "\n" + tables.table(c, "Service", ns, prefix="service/")),
            (f"kubectl logs {pod} -n {ns}", c.logs[ns, pod, "kiosk-web", False]),
            ("事件", printed.last_events(c, work.pods[1])),
            ("h3. 影响\n全部门店", ""),
        ]  # fmt: skip
        out.text("OPS-4471.txt", pasted.ticket(*parts))

    return save


def _celesta(c: Cluster, case: Case) -> Saver:
    """A report that needs more memory than its container may have."""
    ns = "fundreports"
    others = neighbours.web(c, ns, "nav-calc:2", "statements", "gateway:2", **STYLE)
    work = workloads.deployment(
        c, ns, "pdf-export", f"{IMAGES}/pdf-export:1.9.3", replicas=2, age="77d", pods_age="6d", port=3000, requests="200m/256Mi",
        limits="1/512Mi", labels=named("pdf-export"), liveness=tcp_probe(3000),
    )  # fmt: skip
    faults.restarted(c, work.pods[0], 137, "OOMKilled", "2m20s", ran="5m41s", restarts=9)
    faults.restarted(c, work.pods[1], 137, "OOMKilled", "7m2s", ran="4m12s", restarts=7)
    for pod, ago, count in zip(work.pods, ("2m19s", "7m1s"), (10, 8), strict=True):
        how: Json = {"first": "55m", "last": ago, "count": count, "path": "pdf-export"}
        c.event(pod, "Created", faults.created(c, "pdf-export"), **how)
        c.event(pod, "Started", "Started container pdf-export", **how)
        image = f'Container image "{IMAGES}/pdf-export:1.9.3" already present on machine'
        c.event(pod, "Pulled", image, **how)
    failed_job(c, ns, "fx-rates", "9h")
    old_crashes(c, others[1].pods[0], 5, "3d")
    case.question = (
        "客户导出季度报表经常中断，pdf-export 的 pod 是 Running，但 RESTARTS 一直涨，代码没改过"
    )
    case.started = "55m"
    case.decoys = ["job fx-rates: failed nine hours ago"]
    why = "pdf-export is killed for memory at its limit of 512Mi again and again."
    case.fault("oom_killed", "memory,config,traffic", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        name = meta(work.pods[0])["name"]
        steps = [
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl top pods -n {ns}", printed.used(c, ns, {"pdf-export": (480, 471)})),
            (f"kubectl describe pod {name} -n {ns}", describing.describe(c, work.pods[0])),
        ]
        out.text("shell.log", pasted.session("[ops@jump01 ~]$ ", *steps))

    return save


def _cello(c: Cluster, case: Case) -> Saver:
    """A sidecar is killed for memory, and the program beside it is blamed."""
    ns = "trialdata"
    neighbours.web(c, ns, "subjects:2", "randomizer", "edc-ui:2", **STYLE)
    agent = container("otel-agent", "docker.io/otel/opentelemetry-collector-contrib:0.111.0", limits="200m/64Mi", requests="50m/64Mi", args=["--config=/conf/agent.yaml"])  # fmt: skip
    work = workloads.deployment(
        c, ns, "visits", f"{IMAGES}/visits:6.2.0", replicas=2, age="190d", pods_age="3d4h", port=8080, requests="250m/512Mi", limits="1/1Gi",
        labels=named("visits"), sidecars=[agent], readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    for pod, ended in zip(work.pods, ("1m44s", "3m29s"), strict=True):
        faults.crashing(c, pod, 137, "OOMKilled", restarts=22, ran="24s", since="1h52m", ended=ended, box="otel-agent")  # fmt: skip
        c.log(pod, f"{c.ago('9s'):%H:%M:%S.000} INFO  visits: GET /visits/today 200 14ms")
    unused_claim(c, ns, "export-tmp", "88d")
    case.question = "visits keeps crashing (1/2 CrashLoopBackOff) but the dev says their logs are clean. Who is right? do we need to roll back 6.2.0"
    case.started = "1h52m"
    case.decoys = ["export-tmp: a claim that waits for a first pod, as nobody uses it"]
    why = "The container otel-agent beside visits is killed for memory at its limit of 64Mi; visits itself runs."
    case.fault("oom_killed", "memory,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        pod = work.pods[0]
        log = c.logs[ns, meta(pod)["name"], "visits", False]
        lines = [
            ("6m", "nadia", f"k get po -n {ns}\n{pasted.quoted(tables.pods(c, ns, wide=False))}"),
            ("5m", "ben", f"app container is fine:\n{pasted.quoted(printed.stern(pod, 'visits', log))}"),
            ("4m", "nadia", f"describe:\n{pasted.quoted(describing.describe(c, pod))}"),
        ]  # fmt: skip
        out.text("thread.md", pasted.chat(c, *lines))

    return save


def _clarinet(c: Cluster, case: Case) -> Saver:
    """The chart runs the database as a user that may not write to its volume."""
    ns = "lims"
    others = neighbours.web(c, ns, "samples:2", "barcode", **STYLE)
    work = workloads.stateful_set(
        c, ns, "lims-postgresql", "docker.io/bitnami/postgresql:16.4.0-debian-12-r9", replicas=1, age="23m", claim="50Gi", requests="250m/256Mi",
        labels=named("lims-postgresql"), mounts={"data": "/bitnami/postgresql"}, port=5432,
    )  # fmt: skip
    pod = work.pods[0]
    faults.crashing(c, pod, 1, restarts=8, ran="1s", since="22m", ended="1m50s")
    at = c.ago("1m50s").strftime("%H:%M:%S.44")
    c.log(
        pod,
        f"postgresql {at} INFO  ==> ** Starting PostgreSQL setup **\npostgresql {at} INFO  ==> Validating settings in POSTGRESQL_* env vars..\n"
        f"postgresql {at} INFO  ==> Initializing PostgreSQL database...\nmkdir: cannot create directory ‘/bitnami/postgresql/data’: Permission denied",
    )
    old_crashes(c, others[0].pods[0], 12, "4d")
    case.question = "helm upgrade --install lims-db timed out. Is our StorageClass broken? PVC says Bound though"
    case.started = "22m"
    case.decoys = ["samples: 12 restarts, the last one four days ago"]
    why = "lims-postgresql may not write to its volume (permission denied), so it ends at start."
    claim = c.get("PersistentVolumeClaim", "data-lims-postgresql-0")
    case.fault("crash_loop_error", "config,disk,deploy", why, work.top, pod, claim)

    def save(out: Folder) -> None:
        both = tables.pods(c, ns, wide=False, prefix="pod/") + "\n" + tables.table(c, "PersistentVolumeClaim", ns, prefix="persistentvolumeclaim/")  # fmt: skip
        steps = [
            (f"helm upgrade --install lims-db bitnami/postgresql -n {ns} -f values.yaml --wait --timeout 10m", 'Release "lims-db" does not exist. Installing it now.\nError: context deadline exceeded\n'),
            (f"kubectl get pod,pvc -n {ns}", both),
            (f"kubectl logs lims-postgresql-0 -n {ns}", c.logs[ns, "lims-postgresql-0", "lims-postgresql", False]),
            (f"kubectl get events -n {ns} --sort-by=.lastTimestamp", tables.events(c, ns)),
        ]  # fmt: skip
        out.text("powershell.txt", pasted.session("PS C:\\work\\lims> ", *steps))

    return save


BUILDERS: Json = {
    "accordion": _accordion, "banjo": _banjo, "bassoon": _bassoon, "bugle": _bugle, "celesta": _celesta, "cello": _cello, "clarinet": _clarinet,
}  # fmt: skip
