"""Builds evidence of made-up incidents: series and log lines in, scope and facts out.

The shop: ``storefront`` calls ``order-service``, which calls ``mysql``. Thirty quiet minutes, then
from `FAULT_AT` on whatever a test says; the alert fires two minutes later, the look ends four
minutes after the fault began.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from superbizagent.analysis.log_templates import LogMiner
from superbizagent.domain.alert import Alert
from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis
from superbizagent.domain.incident import Incident, Language
from superbizagent.domain.logs import SEVERITIES, LogChunk, LogFile
from superbizagent.domain.outputs import (
    AlertList,
    Change,
    ChangeList,
    Edge,
    ToolOutput,
    Topology,
    TopologyNode,
)
from superbizagent.domain.plan import Plan, PlannedCall, SkillChoice, ToolName
from superbizagent.domain.report import CheckedReport, Report
from superbizagent.domain.scope import Scope
from superbizagent.domain.series import Labels, SeriesSet
from superbizagent.domain.skill import Skill
from superbizagent.domain.source import EvidenceStatus, Signal, SourceDescription, Survey
from superbizagent.domain.window import Window, to_ms
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.facts.onset import is_lead
from superbizagent.investigation.facts.reader import FactReader
from superbizagent.investigation.report import write_report
from superbizagent.investigation.scope import scope_incident
from superbizagent.investigation.verify import verify_report
from superbizagent.promql import parse_selector
from superbizagent.skills import load_catalogue, load_roles, packaged_playbooks, packaged_roles

if TYPE_CHECKING:
    from numpy.typing import NDArray

FAULT_AT = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
ALERT_AT = FAULT_AT + timedelta(minutes=2)
END = FAULT_AT + timedelta(minutes=4)
START = FAULT_AT - timedelta(minutes=40)
ENTITY_LABELS = ("service", "job")
SERVICES = ("storefront", "order-service", "mysql")
ALERT = Alert(
    labels={
        "alertname": "OrderServiceConnectionPoolExhausted",
        "service": "order-service",
        "severity": "critical",
    },
    annotations={"runbook_url": "https://runbooks.example.com/pool"},
    starts_at=ALERT_AT,
    dashboard_url="https://grafana.example.com/d/order-service",
)

Shape = Callable[[float], float]
"""Value at a time, given in seconds from the fault; negative before it."""


def load_skills() -> tuple[Skill, ...]:
    """The playbook that the incidents below are about."""
    roles = load_roles([packaged_roles()], parse_selector)
    found = load_catalogue([packaged_playbooks()], roles, parse_selector).skills
    return tuple(s for s in found if s.name == "diagnose-mysql-connection-pool")


def step(before: float, after: float) -> Shape:
    return lambda t: before if t < 0 else after


def counter(before: float, after: float) -> Shape:
    """A counter by its rates per second."""
    origin = (FAULT_AT - START).total_seconds()
    return lambda t: before * (origin + min(t, 0.0)) + after * max(t, 0.0)


@dataclass
class Shop:
    """One incident under construction."""

    step_seconds: float = 15.0
    alert: Alert | None = ALERT
    question: str = ""
    language: Language = Language.EN
    timezone: str = "UTC"
    edges: tuple[Edge, ...] = (
        Edge(caller="storefront", callee="order-service"),
        Edge(caller="order-service", callee="mysql"),
    )
    since: datetime | None = None
    """Start of the incident, when the one who asks says so."""
    noise: float = 0.02
    names: dict[str, str] = field(default_factory=dict[str, str])
    """Other names for the services."""
    _series: list[tuple[Labels, Shape, bool]] = field(
        default_factory=list[tuple[Labels, Shape, bool]]
    )
    _lines: list[tuple[datetime, str, str, str]] = field(
        default_factory=list[tuple[datetime, str, str, str]]
    )
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    """What the source says was degraded."""
    truncated: frozenset[str] = frozenset()
    """Purposes of calls that were cut."""
    warnings: tuple[str, ...] = ()
    """Remarks of the log call."""
    log_zone: str = ""
    failed: dict[str, EvidenceStatus] = field(default_factory=dict[str, EvidenceStatus])
    """Purpose of a call -> how it failed."""

    def add(self, service: str, name: str, shape: Shape, **labels: str) -> "Shop":
        """Add a series of one service; gauges get noise, counters (``_total``, …) none."""
        exact = name.endswith(("_total", "_sum", "_count", "_max"))
        full = {"__name__": name, "job": self.name(service), **labels}
        self._series.append((full, shape, exact))
        return self

    def log(
        self, service: str, at: float, text: str, *, severity: str = "error", every: float = 0.0
    ) -> "Shop":
        """Add a line ``at`` seconds from the fault, repeated ``every`` so often to the end."""
        while at <= (END - FAULT_AT).total_seconds():
            self._lines.append((FAULT_AT + timedelta(seconds=at), service, severity, text))
            if not every:
                break
            at += every
        return self

    def drop(self, service: str) -> "Shop":
        """Take out everything of one service."""
        self._series = [s for s in self._series if s[0]["job"] != self.name(service)]
        self._lines = [line for line in self._lines if line[1] != service]
        return self

    def name(self, service: str) -> str:
        return self.names.get(service, service)

    def without(self, word: str) -> "Shop":
        """Take out every series and line that has a word."""
        self._series = [s for s in self._series if word not in s[0]["__name__"]]
        self._lines = [line for line in self._lines if word not in line[3].lower()]
        return self

    # What the stages get ------------------------------------------------------------------------

    def scope(self) -> Scope:
        return scope_incident(
            self.incident(),
            Survey(sources=(self._source(),), topology=self._topology()),
            ENTITY_LABELS,
        )

    def incident(self) -> Incident:
        alerts = () if self.alert is None else (self.alert,)
        return Incident(
            alerts=alerts,
            question=self.question,
            received_at=END,
            start=self.since,
            end=END if self.since else None,
            language=self.language,
            timezone=self.timezone,
        )

    def evidence(self, skills: Sequence[Skill]) -> Evidence:
        scope = self.scope()
        facts = FactReader(scope, ENTITY_LABELS, tuple(skills))
        outputs: list[tuple[ToolName, str, ToolOutput | None]] = [
            (ToolName.GET_TOPOLOGY, "context", self._topology())
        ]
        outputs += [
            (ToolName.QUERY_METRICS, f"sweep:{entity.path}", self._set_of(entity.name))
            for entity in scope.everything
        ]
        outputs.append((ToolName.SEARCH_LOGS, "sweep:logs", self._digest(scope)))
        if self.changes:
            changed = ChangeList(changes=self.changes)
            outputs.append((ToolName.LIST_CHANGES, "context", changed))
        if self.alert is not None:
            outputs.append((ToolName.LIST_ALERTS, "context", AlertList(alerts=(self.alert,))))
        rows: list[ToolInvocation] = []
        for number, (tool, purpose, output) in enumerate(outputs, 1):
            row = self._row(number, tool, purpose, output)
            rows.append(row.model_copy(update={"facts": _facts(row, facts, rows)}))
        return Evidence(invocations=tuple(rows))

    def plan(self, evidence: Evidence, skills: Sequence[Skill] = ()) -> Plan:
        choices = tuple(SkillChoice(name=s.name, score=5.0) for s in skills)
        return Plan(skills=choices, calls=tuple(r.call for r in evidence.invocations))

    def _source(self) -> SourceDescription:
        return SourceDescription(
            name="shop",
            kind="bundle",
            signals=(Signal.METRICS, Signal.LOGS, Signal.TOPOLOGY),
            entities=tuple(self._entity(s) for s in SERVICES),
            label_values={"job": tuple(self.name(s) for s in SERVICES)},
            extent=Window(start=START, end=END),
            scrape_interval=timedelta(seconds=self.step_seconds),
            notes=self.notes,
        )

    def _entity(self, service: str) -> Entity:
        kind = "database" if service == "mysql" else "service"
        return Entity(name=self.name(service), kind=kind)

    def _topology(self) -> Topology:
        nodes = (TopologyNode(name=self.name("order-service"), owner="team-orders"),)
        edges = tuple(
            Edge(caller=self.name(e.caller), callee=self.name(e.callee)) for e in self.edges
        )
        return Topology(nodes=nodes if edges else (), edges=edges)

    def _set_of(self, name: str) -> SeriesSet:
        stamps = range(to_ms(START), to_ms(END) + 1, round(self.step_seconds * 1000))
        times = np.array(stamps, np.int64)
        seconds = [(ms - to_ms(FAULT_AT)) / 1000 for ms in stamps]
        rows: list[tuple[Labels, NDArray[np.int64], NDArray[np.float64]]] = []
        for number, (labels, shape, exact) in enumerate(self._series):
            if labels["job"] != name:
                continue
            values = np.array([shape(t) for t in seconds], np.float64)
            if not exact:
                wobble = np.random.default_rng(number).normal(0, self.noise, len(values))
                values = values * (1 + wobble)
            rows.append((labels, times, values))
        return SeriesSet.of(rows)

    def _digest(self, scope: Scope) -> ToolOutput:
        miner = LogMiner(scope.windows)
        for service in SERVICES:
            name = self.name(service)
            lines = sorted(line for line in self._lines if line[1] == service)
            file = LogFile(
                path=f"{name}.log",
                service=name,
                size_bytes=1,
                digest="sha256:0",
                timezone=self.log_zone,
                timezone_reason="told" if self.log_zone else "",
                notes=("3 lines cut, they were too long",) if self.log_zone else (),
            )
            miner.add(LogChunk(file, _frame(name, lines)))
        return miner.digest()

    def _row(
        self,
        number: int,
        tool: ToolName,
        purpose: str,
        output: ToolOutput | None,
    ) -> ToolInvocation:
        status = self.failed.get(purpose, EvidenceStatus.OK)
        kept = output if status is EvidenceStatus.OK else None
        return ToolInvocation(
            id=f"row-{number}",
            session_id="session",
            call=PlannedCall(number=number, tool=tool, source="shop", purpose=purpose),
            status=status,
            error="" if status is EvidenceStatus.OK else "refused",
            truncated=purpose in self.truncated,
            warnings=self.warnings if tool is ToolName.SEARCH_LOGS else (),
            started_at=END,
            output=kept,
        )


def _facts(
    row: ToolInvocation, reader: FactReader, earlier: Sequence[ToolInvocation]
) -> tuple[Fact, ...]:
    """The sweeps of what hurts come before all that is read with their onset."""
    if row.output is None:
        return ()
    if is_lead(reader.scope, row.call):
        return reader.read_lead(row.number, row.output)
    return reader.read(row.number, row.output, reader.onset(earlier))


def _frame(name: str, lines: Iterable[tuple[datetime, str, str, str]]) -> pl.DataFrame:
    rows = list(lines)
    times = [to_ms(at) for at, _, _, _ in rows]
    texts = [text for _, _, _, text in rows]
    return pl.DataFrame(
        {
            "time": pl.Series(times, dtype=pl.Int64),
            "severity": pl.Series([SEVERITIES.index(s) for _, _, s, _ in rows], dtype=pl.Int8),
            "service": pl.Series([name] * len(rows), dtype=pl.String),
            "body": pl.Series(texts, dtype=pl.String),
            "line": pl.Series(
                [f"{at.isoformat()} {s.upper()} {text}" for at, _, s, text in rows],
                dtype=pl.String,
            ),
            "offset": pl.Series(range(len(rows)), dtype=pl.Int64),
            "trace_id": pl.Series([None] * len(rows), dtype=pl.String),
        }
    )


def quiet_shop(**more: Any) -> Shop:
    """Nothing happens; ``more`` are fields of `Shop`."""
    shop = Shop(**more)
    for service in ("storefront", "order-service"):
        _requests(shop, service, "200", rate=(8, 8), seconds=(0.05, 0.05))
        shop.add(service, "process_resident_memory_bytes", step(1e8, 1e8))
    _pool(shop, used=(2, 2), pending=(0, 0), use=((0.4, 8), (0.4, 8)), timeouts=(0, 0))
    _database(shop, connected=(12, 12))
    return shop


def pool_incident(**more: Any) -> Shop:
    """Slow transactions hold every connection of order-service's pool of ten."""
    shop = Shop(**more)
    for service in ("storefront", "order-service"):
        _requests(shop, service, "200", rate=(8, 3), seconds=(0.05, 2.5))
        _requests(shop, service, "503", rate=(0, 3), seconds=(2, 2))
        shop.add(service, "process_resident_memory_bytes", step(1e8, 1e8))
    _pool(shop, used=(2, 10), pending=(0, 14), use=((0.4, 8), (10, 3.3)), timeouts=(0, 3))
    _database(shop, connected=(12, 13))
    shop.log(
        "order-service",
        5,
        "Connection is not available, request timed out after 2000ms: QueuePool limit of size 10"
        " reached pool_active=10 pool_max=10 waiting_threads=14 status=503",
        every=2,
    )
    shop.log(
        "order-service",
        6,
        "Connection held for 3021ms by place_order pool_active=10 pool_max=10",
        severity="warn",
        every=3,
    )
    return shop.log("storefront", 6, "upstream order-service answered 503", every=2)


def _requests(
    shop: Shop,
    service: str,
    status: str,
    *,
    rate: tuple[float, float],
    seconds: tuple[float, float],
) -> None:
    """A histogram of requests of one status: how many a second, and how long each takes."""
    name, label = "http_server_request_duration_seconds", {"http_response_status_code": status}
    total = tuple(r * s for r, s in zip(rate, seconds, strict=True))
    shop.add(service, f"{name}_count", counter(*rate), **label)
    shop.add(service, f"{name}_sum", counter(*total), **label)


def _pool(
    shop: Shop,
    *,
    used: tuple[float, float],
    pending: tuple[float, float],
    use: tuple[tuple[float, float], tuple[float, float]],
    timeouts: tuple[float, float],
) -> None:
    pool = {"pool_name": "orders"}
    shop.noise, noise = 0.0, shop.noise
    add = shop.add
    add("order-service", "db_client_connection_count", step(*used), state="used", **pool)
    add("order-service", "db_client_connection_max", step(10, 10), **pool)
    add("order-service", "db_client_connection_pending_requests", step(*pending), **pool)
    add("order-service", "db_client_connection_timeouts_total", counter(*timeouts), **pool)
    total, count = zip(*use, strict=True)
    add("order-service", "db_client_connection_use_time_seconds_sum", counter(*total), **pool)
    add("order-service", "db_client_connection_use_time_seconds_count", counter(*count), **pool)
    shop.noise = noise


def _database(shop: Shop, *, connected: tuple[float, float]) -> None:
    shop.add("mysql", "mysql_global_status_threads_connected", step(*connected))
    shop.add("mysql", "mysql_global_variables_max_connections", step(40, 40))
    shop.add("mysql", "mysql_global_status_threads_running", step(2, 2))
    shop.add("mysql", "mysql_global_status_innodb_row_lock_current_waits", step(0, 0))
    shop.add(
        "mysql",
        "mysql_global_status_connection_errors_total",
        counter(0, 0),
        error="max_connections",
    )


@dataclass(frozen=True)
class Diagnosed:
    """A made-up incident, carried through to its report."""

    scope: Scope
    evidence: Evidence
    analysis: Analysis
    report: Report

    @classmethod
    def of(cls, shop: Shop, skills: Sequence[Skill]) -> "Diagnosed":
        scope, evidence = shop.scope(), shop.evidence(skills)
        analysis = analyse_evidence(scope, evidence, skills, ENTITY_LABELS)
        plans = (shop.plan(evidence, skills),)
        report = write_report(scope, plans, evidence, analysis, skills)
        return cls(scope, evidence, analysis, report)

    def verified(self, report: Report | None = None) -> CheckedReport:
        return verify_report(
            report or self.report, self.evidence, self.analysis, self.scope, ENTITY_LABELS
        )
