"""Fourth set: containers that end again and again."""

# Messages stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import faults, neighbours, pasted, printed, tables, workloads
from benchmarks.kubernetes.fourth_parts import (
    STYLE,
    abandoned,
    forgotten_pod,
    named,
    old_crashes,
    unused_claim,
    waited,
)
from benchmarks.kubernetes.objects import Json, exec_probe, http_probe, meta
from benchmarks.kubernetes.third_parts import failed_job, rollout

if TYPE_CHECKING:
    from benchmarks.kubernetes.cases import Case, Saver
    from benchmarks.kubernetes.cluster import Cluster
    from benchmarks.kubernetes.saving import Folder


def _agate(c: Cluster, case: Case) -> Saver:
    """A variable that the new release reads was never set."""
    ns = "payroll"
    others = neighbours.web(c, ns, "timesheets:2", "employee-portal:2", "tax-tables", **STYLE)
    work = workloads.deployment(
        c, ns, "payslip-api", "reg.example.com/prod/payslip-api:2.31.0", replicas=2, age="203d", pods_age="27m", port=8080,
        requests="250m/512Mi", limits="1/1Gi", labels=named("payslip-api"), readiness=http_probe("/actuator/health/readiness", 8080, delay=20),
        env={"SPRING_PROFILES_ACTIVE": "prod", "SPRING_DATASOURCE_URL": "jdbc:postgresql://pg-hr.example.com:5432/payroll"},
    )  # fmt: skip
    for pod, ended in zip(work.pods, ("2m41s", "3m8s"), strict=True):
        faults.crashing(c, pod, 1, restarts=8, ran="16s", since="27m", ended=ended)
        at = c.ago(ended).strftime("%Y-%m-%dT%H:%M:%S.118Z")
        c.log(
            pod,
            f"{at}  INFO 1 --- [           main] c.e.payroll.PayslipApplication           : Starting PayslipApplication v2.31.0 using Java 17.0.10\n"
            f"{at}  WARN 1 --- [           main] ConfigServletWebServerApplicationContext : Exception encountered during context initialization - cancelling refresh attempt\n"
            f"{at} ERROR 1 --- [           main] o.s.boot.SpringApplication               : Application run failed\n\n"
            "org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'ledgerClient': Injection of autowired dependencies failed\n"
            "\tat org.springframework.boot.SpringApplication.run(SpringApplication.java:1354) ~[spring-boot-3.2.4.jar!/:3.2.4]\n"
            "Caused by: java.lang.IllegalArgumentException: Could not resolve placeholder 'LEDGER_BASE_URL' in value \"${LEDGER_BASE_URL}\"\n"
            "\tat org.springframework.util.PropertyPlaceholderHelper.parseStringValue(PropertyPlaceholderHelper.java:180)",
        )
    old_crashes(c, others[1].pods[0], 43, "6d")
    case.question = (
        "payslip-api won't start after today's release (2.31.0), payslips are due at noon. Help?"
    )
    case.started = "27m"
    case.decoys = ["employee-portal: 43 restarts, the last one six days ago"]
    why = "payslip-api 2.31.0 reads LEDGER_BASE_URL, which is not set, so it ends at every start."
    case.fault(
        "crash_loop_config", "config,deploy,code_error", why, work.top, *work.pods, work.sets[0]
    )

    def save(out: Folder) -> None:
        pod = work.pods[0]
        log = c.logs[ns, meta(pod)["name"], "payslip-api", False]
        parts = [
            ("Hi,\n\nthe release of this morning does not come up. These are the pods in our namespace payroll:", tables.pods(c, ns, wide=False)),
            ("this is the last part of kubectl describe pod of the first one", printed.last_events(c, pod)),
            ("and this is what kubectl logs gives me:", log),
            ("We have not changed anything else.", "Thanks"),
        ]  # fmt: skip
        out.text("mail.txt", pasted.mailed(*parts))

    return save


def _basalt(c: Cluster, case: Case) -> Saver:
    """A module was left out of the new image; the old pods serve on."""
    ns = "dispatch"
    neighbours.web(c, ns, "drivers:2", "eta-push", "zones:2", **STYLE)
    work = workloads.deployment(
        c, ns, "route-planner", "reg.example.com/prod/route-planner:5.8.1", replicas=3, age="160d", pods_age="9d", port=8000,
        requests="500m/512Mi", limits="2/1Gi", labels=named("route-planner"), revision=31,
    )  # fmt: skip
    fresh = rollout(c, work, "reg.example.com/prod/route-planner:5.9.0", 1, "22m")
    pod = fresh.pods[0]
    faults.crashing(c, pod, 1, restarts=8, ran="2s", since="22m", ended="1m3s")
    text = (
        'Traceback (most recent call last):\n  File "/app/main.py", line 7, in <module>\n    from planner import solver\n'
        '  File "/app/planner/solver.py", line 3, in <module>\n    from planner.timewindows import windows\n'
        "ModuleNotFoundError: No module named 'planner.timewindows'"
    )
    for previous in (False, True):
        c.log(pod, text, previous=previous)
    abandoned(c, ns, "poc-heatmap", "68d")
    case.started = "22m"
    case.decoys = ["poc-heatmap: its image has been gone for 68 days, nobody uses it"]
    name = meta(pod)["name"]
    told = f'Pod {ns}/{name} (route-planner) is in waiting state (reason: "CrashLoopBackOff") on cluster prod.'
    labels = {"namespace": ns, "pod": name, "container": "route-planner", "reason": "CrashLoopBackOff", "uid": meta(pod)["uid"]}  # fmt: skip
    case.alert("KubePodCrashLooping", "6m", told, job="kube-state-metrics", prometheus="monitoring/k8s", **labels)  # fmt: skip
    why = (
        "route-planner 5.9.0 ends at its start: the module planner.timewindows is not in the image."
    )
    case.fault("crash_loop_error", "code_error,deploy", why, work.top, pod, fresh.sets[0])

    def save(out: Folder) -> None:
        out.text("pods.txt", tables.pods(c, ns))
        out.text("previous.log", c.logs[ns, name, "route-planner", True])
        out.text("events.txt", tables.events(c, ns))

    return save


def _beryl(c: Cluster, case: Case) -> Saver:
    """The broker outside the cluster refuses connections; the mailer has nothing to send."""
    ns = "bookings"
    others = neighbours.web(c, ns, "mailer:2", "availability:3", "rooms:2", **STYLE)
    work = workloads.deployment(
        c, ns, "booking-worker", "reg.example.com/prod/booking-worker:1.77.2", replicas=2, age="310d", pods_age="12d",
        requests="100m/128Mi", limits="500m/256Mi", labels=named("booking-worker"), env={"AMQP_URL": "amqp://mq-2.example.com:5672/bookings"},
    )  # fmt: skip
    for pod, ended in zip(work.pods, ("1m12s", "4m20s"), strict=True):
        faults.crashing(c, pod, 1, restarts=11, ran="4s", since="41m", ended=ended)
        at = c.ago(ended).strftime("%H:%M:%S")
        c.log(
            pod,
            f"[{at}] info: booking-worker 1.77.2, node v20.11.1\n[{at}] info: connecting to amqp://mq-2.example.com:5672/bookings\n"
            "node:internal/process/promises:288\n            triggerUncaughtException(err, true /* fromPromise */);\n            ^\n\n"
            "Error: connect ECONNREFUSED 10.60.4.22:5672\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16) {\n"
            "  errno: -111,\n  code: 'ECONNREFUSED',\n  syscall: 'connect',\n  address: '10.60.4.22',\n  port: 5672\n}",
        )
    for pod in others[0].pods:
        c.log(
            pod,
            f"{c.ago('30s'):%H:%M:%S} INFO  outbox empty, nothing to send (last message 42 min ago)",
        )
    failed_job(c, ns, "rates-import", "1d7h")
    waited(c, others[1].pods[2], "49m")
    case.question = (
        "客人收不到订房确认邮件，是不是 mailer 挂了？重启过 mailer 两次都没用，大概四十分钟前开始的"
    )
    case.started = "41m"
    case.decoys = [
        "job rates-import: failed a day ago",
        "availability: a pod of an earlier revision waited for a node 49 minutes ago",
        "mailer: has nothing to send, because nobody gives it work",
    ]
    why = "booking-worker cannot reach the broker mq-2.example.com:5672, which refuses the connection."
    case.fault("crash_loop_error", "dependency,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        mail, pod = meta(others[0].pods[0])["name"], meta(work.pods[0])["name"]
        steps = [
            (f"kubectl get po -n {ns}", tables.pods(c, ns, wide=False)),
            (f"kubectl logs -n {ns} {mail} --tail=5", c.logs[ns, mail, "mailer", False]),
            (f"kubectl get ev -n {ns} | tail -n 25", pasted.tail(tables.events(c, ns), 25)),
            (f"kubectl logs -n {ns} {pod}", c.logs[ns, pod, "booking-worker", False]),
        ]
        out.text("排查记录.txt", pasted.taken(c, steps, "root@k8s-jump:~"))

    return save


def _recovery(c: Cluster) -> str:
    """Return the log of a PostgreSQL server that has no room to recover."""
    at = c.ago("2m52s").strftime("%Y-%m-%d %H:%M:%S")
    return (
        f"{at}.201 UTC [1] LOG:  starting PostgreSQL 15.7 (Debian 15.7-1.pgdg120+1) on x86_64-pc-linux-gnu\n"
        f"{at}.214 UTC [29] LOG:  database system was not properly shut down; automatic recovery in progress\n"
        f"{at}.219 UTC [29] LOG:  redo starts at 4A/9C000028\n{at}.871 UTC [29] LOG:  redo done at 4A/9FFFFF38\n"
        f'{at}.874 UTC [29] FATAL:  could not write to file "pg_wal/xlogtemp.29": No space left on device\n'
        f"{at}.891 UTC [1] LOG:  startup process (PID 29) exited with exit code 1\n{at}.891 UTC [1] LOG:  shutting down due to startup process failure\n"
        f"{at}.893 UTC [1] LOG:  database system is shut down"
    )


def _cobalt(c: Cluster, case: Case) -> Saver:
    """The disk of the database is full; what uses the database is not ready."""
    ns = "loans"
    neighbours.web(c, ns, "credit-check:2", "documents:2", **STYLE)
    work = neighbours.database(
        c,
        ns,
        "loans-db",
        "docker.io/library/postgres:15.7",
        age="421d",
        pods_age="30d",
        claim="50Gi",
        replicas=1,
    )
    api = workloads.deployment(
        c, ns, "loans-api", "reg.example.com/prod/loans-api:9.2", replicas=2, age="390d", pods_age="17d", port=8080,
        requests="200m/256Mi", labels=named("loans-api"), readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    pod, claim = work.pods[0], c.get("PersistentVolumeClaim", "data-loans-db-0")
    faults.crashing(c, pod, 1, restarts=13, ran="3s", since="48m", ended="2m50s")
    c.log(pod, _recovery(c))
    for one in api.pods:
        faults.unready(c, one, "48m")
        told = "HTTP probe failed with statuscode: 503"
        faults.probe_failure(c, one, "Readiness", told, first="48m", last="5s", count=289)
    unused_claim(c, ns, "export-scratch", "31d")
    case.started = "50m"
    told = f"The PersistentVolume claimed by data-loans-db-0 in Namespace {ns} is only 0% free."
    where = {"namespace": ns, "persistentvolumeclaim": "data-loans-db-0", "severity": "critical"}
    case.alert("KubePersistentVolumeFillingUp", "49m", told, job="kubelet", metrics_path="/metrics", instance="10.20.7.12:10250", **where)  # fmt: skip
    case.decoys = ["export-scratch: a claim that waits for a first pod, as nobody uses it"]
    why = "The volume of loans-db-0 is full, so PostgreSQL cannot finish its recovery and ends."
    case.fault("crash_loop_error", "disk", why, work.top, pod, claim)

    def save(out: Folder) -> None:
        steps = [
            (f"kubectl -n {ns} get pods,pvc", tables.pods(c, ns, wide=False, prefix="pod/") + "\n" + tables.table(c, "PersistentVolumeClaim", ns, prefix="persistentvolumeclaim/")),
            (f"kubectl -n {ns} logs loans-db-0", c.logs[ns, "loans-db-0", "loans-db", False]),
            (f"kubectl -n {ns} get events | grep -v Normal", pasted.kept(tables.events(c, ns), without=("Normal",))),
        ]  # fmt: skip
        out.text("incident-notes.txt", pasted.session("$ ", *steps))

    return save


def _coral(c: Cluster, case: Case) -> Saver:
    """A heap as large as the limit of the container."""
    ns = "adtech"
    others = neighbours.web(c, ns, "bidder:3", "pixel:2", **STYLE)
    work = workloads.deployment(
        c, ns, "audience-cache", "reg.example.com/prod/audience-cache:3.3.0", replicas=2, age="95d", pods_age="2d6h", port=8080,
        requests="500m/1Gi", limits="2/1Gi", labels=named("audience-cache"), env={"JAVA_OPTS": "-Xms1g -Xmx1g -XX:+UseG1GC"},
        liveness=http_probe("/health", 8080, delay=60),
    )  # fmt: skip
    faults.crashing(c, work.pods[0], 137, "OOMKilled", restarts=26, ran="2m40s", since="58m", ended="3m37s")  # fmt: skip
    faults.restarted(c, work.pods[1], 137, "OOMKilled", "1m16s", ran="7m", restarts=24)
    forgotten_pod(c, ns, "curl-debug", "58d")
    old_crashes(c, others[0].pods[0], 9, "3d")
    case.question = "audience-cache 一直重启，退出码 137，日志里什么错误都没有，求助"
    case.started = "58m"
    case.decoys = ["curl-debug: somebody's pod, ended with an error 58 days ago"]
    why = "audience-cache is killed at its memory limit of 1Gi: its heap alone (-Xmx1g) may be that large."
    case.fault("oom_killed", "memory,config", why, work.top, *work.pods, work.sets[0])

    def save(out: Folder) -> None:
        name = meta(work.pods[0])["name"]
        out.text("pods.txt", "$ kubectl get pods -n adtech\n" + tables.pods(c, ns, wide=False))
        out.describe(f"describe-{name}.txt", work.pods[0])

    return save


def _flint(c: Cluster, case: Case) -> Saver:
    """One shard is killed for memory; and a service sends to a port that nobody opened."""
    ns = "fleet"
    neighbours.web(c, ns, "vehicles:2", "maintenance", port=8080, **STYLE)
    work = workloads.stateful_set(
        c, ns, "track-ingest", "reg.example.com/prod/track-ingest:0.41", replicas=3, age="140d", pods_age="8d", claim="20Gi",
        requests="500m/768Mi", limits="1/768Mi", labels=named("track-ingest"), mounts={"data": "/data"}, readiness=exec_probe("/bin/ready"),
    )  # fmt: skip
    pod = work.pods[2]
    faults.crashing(c, pod, 137, "OOMKilled", restarts=17, ran="1m50s", since="57m", ended="4m6s")
    fence = workloads.deployment(
        c, ns, "geofence", "reg.example.com/prod/geofence:2.0.0", age="88d", pods_age="3d2h", port=8080,
        requests="100m/128Mi", limits="500m/256Mi", labels=named("geofence"), readiness=http_probe("/ready", 8080),
    )  # fmt: skip
    front = workloads.service(c, ns, "geofence", named("geofence"), target=8081, age="88d")
    failed_job(c, ns, "mileage-report", "2d4h")
    case.question = f"Is {pod['spec']['nodeName']} broken? track-ingest-2 on it dies every few minutes, the other two shards are fine"
    case.started = "57m"
    case.decoys = ["job mileage-report: failed two days ago"]
    why = "track-ingest-2 is killed at its memory limit of 768Mi."
    case.fault("oom_killed", "memory,config", why, pod, work.top)
    why = "The service geofence sends to port 8081, and its pods listen on 8080."
    case.fault("wrong_port", "config", why, front, fence.top)

    def save(out: Folder) -> None:
        out.listed("all.yaml", "Pod,Service,Deployment,ReplicaSet,StatefulSet,Job", ns)
        out.tables("nodes")
        out.text("warnings.txt", pasted.kept(tables.events(c, ns), "Warning", head=True))

    return save


BUILDERS: Json = {
    "agate": _agate, "basalt": _basalt, "beryl": _beryl, "cobalt": _cobalt, "coral": _coral, "flint": _flint,
}  # fmt: skip
