"""Sixth set: containers that end again and again."""

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
from benchmarks.kubernetes.fifth_parts import rule
from benchmarks.kubernetes.fourth_parts import old_crashes
from benchmarks.kubernetes.objects import Json, container, http_probe, meta
from benchmarks.kubernetes.sixth_parts import IMAGES, STYLE, forgotten_trial, named
from benchmarks.kubernetes.third_parts import failed_job, leftovers, old_kills, rollout

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _anchovy(c: Cluster, case: Case) -> Saver:
    """A migration that has run already was changed afterwards."""
    ns = "ferry-booking"
    others = neighbours.web(c, ns, "timetable:2", "seat-map:2", "ticket-pdf", **STYLE)
    work = workloads.deployment(
        c, ns, "fares-api", f"{IMAGES}/fares-api:3.7.1", replicas=2, age="310d", pods_age="23m", port=8080, requests="250m/768Mi", limits="1/1Gi",
        labels=named("fares-api"), readiness=http_probe("/actuator/health/readiness", 8080),
    )  # fmt: skip
    for pod, ended in zip(work.pods, ("1m31s", "52s"), strict=True):
        faults.crashing(c, pod, 1, restarts=8, ran="17s", since="23m", ended=ended)
        at = c.ago(ended).strftime("%Y-%m-%dT%H:%M:%S")
        c.log(
            pod,
            f"{at}.102Z  INFO 1 --- [fares-api] [           main] com.example.fares.FaresApplication       : Starting FaresApplication v3.7.1 using Java 21.0.5 with PID 1\n"
            f"{at}.655Z  INFO 1 --- [fares-api] [           main] com.zaxxer.hikari.HikariDataSource       : HikariPool-1 - Start completed.\n"
            f"{at}.811Z ERROR 1 --- [fares-api] [           main] o.s.boot.SpringApplication               : Application run failed\n\n"
            "org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'flywayInitializer' defined in class path resource [org/springframework/boot/autoconfigure/flyway/FlywayAutoConfiguration$FlywayConfiguration.class]: Validate failed: Migrations have failed validation\n"
            "Migration checksum mismatch for migration version 42\n-> Applied to database : 1746183818\n-> Resolved locally    : 604648173\n"
            "Either revert the changes to the migration, or run repair to update the schema history.",
            previous=True,
        )
    old_kills(c, others[2].pods[0], "4d")
    case.question = "fares-api won't start anymore, help pls"
    case.started = "23m"
    case.decoys = ["ticket-pdf: 17 kills for memory, the last one four days ago"]
    why = "Flyway in fares-api refuses migration 42, whose file differs from what ran on the database."
    case.fault("crash_loop_error", "deploy,code_error,config,dependency", why, work.top, *work.pods, work.sets[0])  # fmt: skip

    def save(out: Folder) -> None:
        pod = meta(work.pods[1])["name"]
        steps = [
            (f"kubectl get pods -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl logs {pod} -n {ns} --previous", c.logs[ns, pod, "fares-api", True]),
        ]
        out.text("out.txt", pasted.session("dev@ferry-bastion:~$ ", *steps))

    return save


def _barbel(c: Cluster, case: Case) -> Saver:
    """The image was built without the compiled program."""
    ns = "coupon"
    others = neighbours.web(c, ns, "coupon-web:2", "wallet:2", "push-worker", **STYLE)
    work = workloads.deployment(
        c, ns, "coupon-api", f"{IMAGES}/coupon-api:1.12.0", replicas=3, age="150d", pods_age="9d", port=3000, requests="100m/256Mi", labels=named("coupon-api"),
        revision=31, rolling={"maxSurge": 1, "maxUnavailable": 0},
    )  # fmt: skip
    fresh = rollout(c, work, f"{IMAGES}/coupon-api:1.13.0", 1, "14m")
    pod = fresh.pods[0]
    faults.crashing(c, pod, 1, restarts=7, ran="1s", since="14m", ended="2m38s")
    c.log(
        pod,
        "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/app/dist/main.js'\n"
        "    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)\n    at Module._load (node:internal/modules/cjs/loader:1051:27)\n"
        "    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:174:12)\n    at node:internal/main/run_main_module:28:49 {\n"
        "  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.18.0",
    )
    old_crashes(c, others[1].pods[0], 21, "6d")
    failed_job(c, ns, "settle-daily", "31h")
    case.question = (
        "coupon-api 发版 1.13.0 一直卡住，新 pod CrashLoopBackOff，是不是节点 Node 版本太旧？"
    )
    case.started = "14m"
    case.decoys = [
        "wallet: 21 restarts, the last one six days ago",
        "job settle-daily: failed more than a day ago",
    ]
    why = "The image coupon-api:1.13.0 does not hold /app/dist/main.js, so node ends at once."
    case.fault("crash_loop_error", "deploy,code_error,config", why, work.top, pod, fresh.sets[0])

    def save(out: Folder) -> None:
        name = meta(pod)["name"]
        parts = [
            ("【问题】coupon-api 发布失败\n\nkubectl get po -n coupon", tables.pods(c, ns, wide=False)),
            (f"kubectl logs {name} -n coupon", c.logs[ns, name, "coupon-api", False]),
            ("describe 的 Events：", printed.last_events(c, pod)),
        ]  # fmt: skip
        out.text("工单-33817.md", pasted.fenced(*parts))

    return save


def _bream(c: Cluster, case: Case) -> Saver:
    """A setting that the new settings class demands is nowhere."""
    ns = "donations"
    others = neighbours.web(c, ns, "campaign-pages:2", "receipts", **STYLE)
    work = workloads.deployment(
        c, ns, "pledge-worker", f"{IMAGES}/pledge-worker:0.48.0", replicas=2, age="95d", pods_age="41m", requests="100m/192Mi",
        labels=named("pledge-worker"), env={"DATABASE_URL": "postgresql://pledges@pg.donations.svc:5432/pledges", "LOG_LEVEL": "info"},
    )  # fmt: skip
    for pod, ended in zip(work.pods, ("4m2s", "1m20s"), strict=True):
        faults.crashing(c, pod, 1, restarts=12, ran="3s", since="41m", ended=ended)
        c.log(
            pod,
            'Traceback (most recent call last):\n  File "/srv/pledge/__main__.py", line 9, in <module>\n    settings = Settings()\n               ^^^^^^^^^^\n'
            '  File "/usr/local/lib/python3.12/site-packages/pydantic_settings/main.py", line 171, in __init__\n    super().__init__(\n'
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings\nSTRIPE_WEBHOOK_SECRET\n"
            "  Field required [type=missing, input_value={'DATABASE_URL': 'postgres...', 'LOG_LEVEL': 'info'}, input_type=dict]\n"
            "    For further information visit https://errors.pydantic.dev/2.9/v/missing",
            previous=True,
        )
        name = meta(pod)["name"]
        told = f'Pod {ns}/{name} (pledge-worker) is in waiting state (reason: "CrashLoopBackOff") on cluster prod.'
        rule(case, "KubePodCrashLooping", "24m", told, namespace=ns, pod=name, container="pledge-worker", reason="CrashLoopBackOff", uid=meta(pod)["uid"])  # fmt: skip
    leftovers(c, others[1], "5d")
    forgotten_trial(c, ns, "sms-pledge", "49d")
    case.started = "41m"
    case.decoys = [
        "receipts: a pod that was evicted five days ago was never deleted",
        "sms-pledge: has waited for a secret for 49 days",
    ]
    why = "pledge-worker 0.48.0 demands STRIPE_WEBHOOK_SECRET, which its environment does not hold."
    case.fault("crash_loop_config", "config,deploy,code_error", why, work.top, *work.pods, work.sets[0])  # fmt: skip

    def save(out: Folder) -> None:
        name = meta(work.pods[0])["name"]
        out.text("pods.txt", tables.pods(c, ns))
        out.describe("describe-pod.txt", work.pods[0])
        out.text(f"{name}.previous.log", c.logs[ns, name, "pledge-worker", True])

    return save


def _cod(c: Cluster, case: Case) -> Saver:
    """Prometheus needs more memory to read its journal than it may have."""
    ns = "monitoring"
    others = neighbours.web(c, ns, "grafana", "kube-state-metrics", "alert-relay:2", **STYLE)
    agent = container("config-reloader", "quay.io/prometheus-operator/prometheus-config-reloader:v0.77.1", requests="10m/50Mi", limits="/50Mi")  # fmt: skip
    work = workloads.stateful_set(
        c, ns, "prometheus-main", "quay.io/prometheus/prometheus:v2.54.1", box="prometheus", replicas=1, age="410d", claim="100Gi", requests="500m/2Gi", limits="2/4Gi",
        labels={"app.kubernetes.io/name": "prometheus"}, mounts={"data": "/prometheus"}, port=9090, sidecars=[agent],
    )  # fmt: skip
    pod = work.pods[0]
    faults.crashing(c, pod, 137, "OOMKilled", restarts=12, ran="1m12s", since="55m", ended="2m55s")
    at = c.ago("3m40s").strftime("%Y-%m-%dT%H:%M:")
    c.log(
        pod,
        f'ts={at}04.118Z caller=main.go:641 level=info msg="Starting Prometheus Server" mode=server version="(version=2.54.1, branch=HEAD, revision=e6cfa720fbe6280153fab13090a483dbd40bece3)"\n'
        f'ts={at}05.730Z caller=head.go:721 level=info component=tsdb msg="Replaying WAL, this may take a while"\n'
        f'ts={at}22.902Z caller=head.go:793 level=info component=tsdb msg="WAL segment loaded" segment=20481 maxSegment=20777\n'
        f'ts={at}48.016Z caller=head.go:793 level=info component=tsdb msg="WAL segment loaded" segment=20594 maxSegment=20777',
        previous=True,
    )
    old_crashes(c, others[0].pods[0], 23, "14d")
    case.question = "grafana 所有面板 No data，重启了 grafana 没用，是 grafana 数据源配置丢了吗？"
    case.started = "55m"
    case.decoys = ["grafana: 23 restarts, the last one 14 days ago"]
    why = "prometheus is killed for memory at its limit of 4Gi while it replays its journal."
    case.fault("oom_killed", "memory,config", why, work.top, pod)

    def save(out: Folder) -> None:
        log = c.logs[ns, "prometheus-main-0", "prometheus", True]
        lines = [
            ("9m", "阿宽", "grafana 没数据了，谁动过？"),
            ("7m", "小舟", f"kubectl get po -n monitoring\n{pasted.quoted(tables.pods(c, ns, wide=False))}"),
            ("5m", "小舟", f"kubectl describe po prometheus-main-0 -n monitoring\n{pasted.quoted(describing.describe(c, pod))}"),
            ("4m", "阿宽", f"-p 的日志最后几行\n{pasted.quoted(log)}"),
        ]  # fmt: skip
        out.text("群聊.txt", pasted.chat(c, *lines))

    return save


def _dace(c: Cluster, case: Case) -> Saver:
    """The broker's disk is full, and whoever sends to it complains."""
    ns = "parcel-events"
    work = workloads.stateful_set(
        c, ns, "kafka", "docker.io/apache/kafka:3.8.0", replicas=1, age="200d", claim="50Gi", requests="500m/2Gi", limits="2/4Gi",
        labels=named("kafka"), mounts={"data": "/var/lib/kafka/data"}, port=9092,
    )  # fmt: skip
    workloads.service(c, ns, "kafka", named("kafka"), port=9092, port_name="tcp", age="200d")
    others = neighbours.web(c, ns, "scan-gateway:3", "tracking-page:2", "eta-model", **STYLE)
    pod = work.pods[0]
    faults.crashing(c, pod, 1, restarts=11, ran="9s", since="38m", ended="1m7s")
    at = c.ago("1m8s").strftime("%Y-%m-%d %H:%M:%S")
    c.log(
        pod,
        f"[{at},201] INFO Loading logs from log dirs ArrayBuffer(/var/lib/kafka/data) (kafka.log.LogManager)\n"
        f"[{at},774] ERROR Error while writing to checkpoint file /var/lib/kafka/data/recovery-point-offset-checkpoint (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\n"
        "java.io.IOException: No space left on device\n\tat java.base/sun.nio.ch.FileDispatcherImpl.write0(Native Method)\n"
        "\tat java.base/sun.nio.ch.FileChannelImpl.write(FileChannelImpl.java:280)\n"
        f"[{at},902] ERROR Shutdown broker because all log dirs in /var/lib/kafka/data have failed (kafka.log.LogManager)",
        previous=True,
    )
    front = others[0].pods[1]
    c.log(front, "\n".join(f"{c.ago(ago):%H:%M:%S} WARN  [Producer clientId=scan-gateway-1] Connection to node 1 (kafka.{ns}.svc.cluster.local/10.96.71.20:9092) could not be established. Node may not be available." for ago in ("5m", "3m", "41s")))  # fmt: skip
    old_crashes(c, others[2].pods[0], 14, "8d")
    case.question = "scan-gateway drops parcel scans ('Node may not be available' in its log). Is scan-gateway's network broken? It is Running and we have not touched it"
    case.started = "38m"
    case.decoys = [
        "eta-model: 14 restarts, the last one eight days ago",
        "scan-gateway: only cannot reach kafka",
    ]
    why = "The volume of kafka-0 is full (no space left on device), so the broker ends at start."
    claim = c.get("PersistentVolumeClaim", "data-kafka-0")
    case.fault("crash_loop_error", "disk", why, work.top, pod, claim)

    def save(out: Folder) -> None:
        name = meta(front)["name"]
        steps = [
            (f"k -n {ns} logs {name} --tail=3", c.logs[ns, name, "scan-gateway", False]),
            (f"k -n {ns} get po", tables.pods(c, ns, wide=False)),
            (f"k -n {ns} logs kafka-0 -p --tail=7", c.logs[ns, "kafka-0", "kafka", True]),
            (f"k -n {ns} get pvc", tables.table(c, "PersistentVolumeClaim", ns)),
        ]
        out.text("terminal.log", pasted.session("sam@ops ~> ", *steps))

    return save


BUILDERS: Json = {
    "anchovy": _anchovy, "barbel": _barbel, "bream": _bream, "cod": _cod, "dace": _dace,
}  # fmt: skip
