"""Builders of small systems: seeded telemetry with or without a fault, at any sampling step."""

from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.analysis.calls import LogCall, MetricCall
from superbizagent.analysis.deviation import measure
from superbizagent.analysis.facts import facts_of_series
from superbizagent.analysis.findings import findings_from_series, number_findings
from superbizagent.analysis.log_evidence import findings_from_logs
from superbizagent.analysis.log_facts import facts_of_logs
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.analysis.ranking import Ranking, RankingInput, rank_causes
from superbizagent.domain.logs import SEVERITIES, LogChunk, LogDigest, LogFile
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.window import Window, Windows, from_ms

Floats = NDArray[np.float64]

START = 1_790_000_000_000
"""Milliseconds since the epoch of the first sample."""


def entity_of(labels: Labels) -> str | None:
    """Map the ``service`` label to an entity path."""
    name = labels.get("service", "")
    return f"//service/{name}" if name else None


@dataclass
class System:
    """A recording under construction: 45 minutes, the last five of which may hold a fault."""

    seed: int = 0
    step: float = 15.0
    minutes: float = 45.0
    fault_at: float = 40 * 60.0
    """Seconds after `START`."""
    rows: list[tuple[Labels, NDArray[np.int64], Floats]] = field(
        default_factory=list[tuple[Labels, NDArray[np.int64], Floats]]
    )
    logs: list[tuple[float, str, str, str]] = field(
        default_factory=list[tuple[float, str, str, str]]
    )
    edges: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        # Drawn each second and then thinned, so that another step shows the same system.
        self.seconds = np.arange(int(self.minutes * 60) + 1, dtype=np.float64)
        self.faulty = self.seconds >= self.fault_at

    def noise(self, level: float, spread: float, memory: float = 0.9) -> Floats:
        """Return an autocorrelated, never negative signal."""
        shocks = self.random.normal(0, spread * np.sqrt(1 - memory**2), len(self.seconds))
        value = np.empty(len(shocks))
        state = 0.0
        for k, shock in enumerate(shocks):
            state = memory * state + shock
            value[k] = state
        return np.maximum(0.0, level + value)

    def gauge(self, service: str, name: str, values: Floats, **labels: str) -> None:
        """Record a gauge."""
        keep = (self.seconds % self.step) == 0
        times = (START + self.seconds[keep] * 1000).astype(np.int64)
        self.rows.append(({"__name__": name, "service": service, **labels}, times, values[keep]))

    def counter(self, service: str, name: str, per_second: Floats, **labels: str) -> None:
        """Record a counter that rises by ``per_second``."""
        total = 1000.0 + np.cumsum(self.random.poisson(np.maximum(0, per_second)))
        self.gauge(service, name, total.astype(np.float64), **labels)

    def log(self, at: float, service: str, severity: str, body: str) -> None:
        """Record one log line ``at`` seconds after the start."""
        self.logs.append((at, service, severity, body))

    def service(self, name: str, rate: float = 20.0, latency: float = 0.05) -> None:
        """Record the usual signals of a healthy service, with its ordinary spikes."""
        spikes = (self.random.random(len(self.seconds)) < 0.002) * 0.4
        self.gauge(name, "process_cpu_usage_ratio", self.noise(0.2, 0.03) + spikes)
        self.gauge(name, "process_resident_memory_bytes", self.noise(2e8, 1e6, 0.99))
        self.counter(name, "http_server_requests_total", self.noise(rate, rate * 0.1))
        self.counter(name, "http_server_errors_total", self.noise(0.02, 0.02))
        self.gauge(name, "http_server_request_duration_seconds_p95", self.noise(latency, 0.004))
        self.counter(name, "node_network_receive_bytes_total", self.noise(5e4, 5e3))

    @property
    def series(self) -> SeriesSet:
        """Everything recorded, as one set."""
        return SeriesSet.of(self.rows)

    @property
    def windows(self) -> Windows:
        """The last five minutes and 45 seconds against what came two minutes before them."""
        end = self.minutes * 60
        begin = min(self.fault_at, end) - 45
        return windows(0, begin - 120, begin, end)

    def digest(self, chunk: int = 10_000) -> LogDigest:
        """Return the digest of the log lines."""
        miner = LogMiner(self.windows)
        for part in self.chunks(chunk):
            miner.add(part)
        return miner.digest()

    def chunks(self, size: int) -> list[LogChunk]:
        """Return the log lines in time order, ``size`` a chunk."""
        rows = sorted(self.logs, key=lambda row: row[0])
        return chunks_of(rows, size)

    def rank(self, **given: object) -> Ranking:
        """Run the whole core on the recording."""
        deviations = measure(self.series, self.windows, timedelta(seconds=self.step))
        facts = facts_of_series(1, self.series, deviations, entity_of, 200)
        findings = [findings_from_series(self.series, deviations, facts, entity_of)]
        calls: tuple[LogCall, ...] = ()
        if self.logs:
            digest = self.digest()
            said = facts_of_logs(2, digest, entity_of)
            findings.append(findings_from_logs(digest, said, entity_of))
            calls = (LogCall(2, digest, said),)
        return rank_causes(
            RankingInput(
                entity_of=entity_of,
                metrics=(MetricCall(1, self.series, deviations, facts),),
                logs=calls,
                findings=number_findings(*findings),
                topology=Topology(edges=tuple(Edge(caller=a, callee=b) for a, b in self.edges)),
                **given,  # pyright: ignore[reportArgumentType] - the test's own keywords
            )
        )


def windows(first: float, last: float, begin: float, end: float) -> Windows:
    """Return a baseline and an incident, in seconds after `START`."""

    def at(a: float, b: float) -> Window:
        return Window(start=from_ms(START + a * 1000), end=from_ms(START + b * 1000))

    return Windows(incident=at(begin, end), baselines=(at(first, last),))


def chunks_of(rows: list[tuple[float, str, str, str]], size: int) -> list[LogChunk]:
    """Return ``(seconds, service, severity, body)`` rows as chunks of one file."""
    file = LogFile(path="app.log", service="", size_bytes=0, digest="")
    frame = pl.DataFrame(
        {
            "time": [int(START + r[0] * 1000) for r in rows],
            "severity": [SEVERITIES.index(r[2]) for r in rows],
            "service": [r[1] for r in rows],
            "body": [r[3] for r in rows],
            "line": [f"{r[0]:.3f} {r[2].upper()} {r[3]}" for r in rows],
            "offset": [100 * k for k in range(len(rows))],
            "trace_id": [None for _ in rows],
        },
        schema={
            "time": pl.Int64,
            "severity": pl.Int8,
            "service": pl.String,
            "body": pl.String,
            "line": pl.String,
            "offset": pl.Int64,
            "trace_id": pl.String,
        },
    )
    return [LogChunk(file, frame[k : k + size]) for k in range(0, max(1, len(rows)), size)]


def healthy_system(seed: int = 0, step: float = 15.0) -> System:
    """Return three services and a database without a fault, with ordinary noise and a burst."""
    system = System(seed=seed, step=step)
    for name in ("web", "user-service", "order-service"):
        system.service(name)
    system.gauge("mysql", "mysql_global_status_threads_connected", system.noise(12, 1))
    system.gauge("mysql", "mysql_global_status_threads_running", system.noise(2, 0.5))
    system.counter("mysql", "mysql_global_status_queries_total", system.noise(200, 20))
    system.edges += [
        ("web", "user-service"),
        ("user-service", "order-service"),
        ("order-service", "mysql"),
    ]
    for k in range(900):
        at = float(system.random.uniform(0, 45 * 60))
        system.log(at, "order-service", "info", f"order created id={k} user={k % 37}")
        if k % 60 == 0:
            text = f"mail to customer {k} failed: mailbox full"
            system.log(at, "user-service", "error", text)
    return system


def pool_incident(
    seed: int = 0, step: float = 15.0, *, signals: bool = True, name: str = "order-service"
) -> System:
    """Return the same system with an exhausted connection pool in ``name`` for five minutes.

    ``signals`` off leaves the pool's own metrics and lines out.
    """
    system = healthy_system(seed, step)
    slow = system.faulty.astype(np.float64)
    system.rows = [
        r
        for r in system.rows
        if not (
            "duration" in r[0]["__name__"] and r[0]["service"] in {"order-service", "user-service"}
        )
    ]
    for service in ("order-service", "user-service"):
        latency = system.noise(0.05, 0.004) + 1.9 * slow
        system.gauge(service, "http_server_request_duration_seconds_p95", latency)
        failed = system.noise(0.02, 0.02) + 4 * slow
        labels = {"http_response_status_code": "503"}
        system.counter(service, "http_server_responses_total", failed, **labels)
    if signals:
        used = np.minimum(10, np.round(system.noise(2, 0.7)) + 9 * slow)
        waiting = np.round(system.noise(0.2, 0.2) + 15 * slow)
        system.gauge("order-service", "db_client_connection_count", used, state="used")
        system.gauge("order-service", "db_client_connection_pending_requests", waiting)
        system.gauge("order-service", "db_client_connection_max", np.full(len(used), 10.0))
        for k in range(120):
            at = system.fault_at + 2.4 * k
            system.log(at, "order-service", "error", POOL_LINE.format(1900 + k, 10 + k % 14))
    if name != "order-service":
        system.rows = [
            ({k: v.replace("order-service", name) for k, v in r[0].items()}, r[1], r[2])
            for r in system.rows
        ]
        system.logs = [(t, s.replace("order-service", name), v, b) for t, s, v, b in system.logs]
        system.edges = [
            (a.replace("order-service", name), b.replace("order-service", name))
            for a, b in system.edges
        ]
    return system


POOL_LINE = (
    "Connection is not available, request timed out after {}ms "
    "pool_active=50 pool_max=50 waiting_threads={}"
)
