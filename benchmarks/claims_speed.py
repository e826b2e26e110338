"""What checking a text costs: CPU time of a report of 100 sentences against 5,000 facts.

``python -m benchmarks.claims_speed`` prints it and ends with status 1 above the budget. The facts
are made up: 50 services with 20 series of five statistics each. CPU time, because a check runs
beside everything else a diagnosis does; indexing the facts is measured apart, once a session.
"""

import sys
from datetime import UTC, datetime, timedelta

from benchmarks.gate import cpu_seconds
from superbizagent.analysis.claims.checker import Checked, Checker
from superbizagent.analysis.claims.compare.judgement import Mark
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.entity import Catalogue, Entity
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis
from superbizagent.domain.incident import Channel, Incident
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.report import Frame
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import EvidenceStatus
from superbizagent.domain.window import Window, Windows

__all__ = ["BUDGET_SECONDS", "FACTS", "SENTENCES", "ground_of", "report_text"]

BUDGET_SECONDS = 0.3
FACTS = 5000
SENTENCES = 100

_SERVICES = 50
_SERIES = 20
_END = datetime(2026, 7, 6, 10, 0, tzinfo=UTC)
_INCIDENT = Window(start=_END - timedelta(minutes=10), end=_END)
_BASELINE = Window(start=_END - timedelta(minutes=42), end=_END - timedelta(minutes=12))
_STATISTICS = (
    ("median", _BASELINE),
    ("mean", _INCIDENT),
    ("max", _INCIDENT),
    ("last", _INCIDENT),
    ("min", _INCIDENT),
)
_METRICS = ("request_latency_seconds", "cpu_usage", "queue_length", "errors_total", "threads")
_UNITS = {"request_latency_seconds": "s"}


def ground_of() -> Ground:
    """Return the evidence: one call a service, `FACTS` facts in all."""
    entities = tuple(Entity(name=_name(n)) for n in range(_SERVICES))
    windows = Windows(incident=_INCIDENT, baselines=(_BASELINE,))
    rows = tuple(_row(n, entity) for n, entity in enumerate(entities, 1))
    incident = Incident(channel=Channel.AIOPS, received_at=_END)
    scope = Scope(
        incident=incident,
        windows=windows,
        entities=entities[:1],
        neighbours=entities[1:],
        catalogue=Catalogue(entities=entities),
    )
    frame = Frame(windows=windows, now=_END)
    return Ground.of(Evidence(invocations=rows), Analysis(), scope, frame, ("service",))


def _name(number: int) -> str:
    return f"shop-{number:02d}-service"


def _row(number: int, entity: Entity) -> ToolInvocation:
    facts: list[Fact] = []
    for series in range(_SERIES):
        metric = _METRICS[series % len(_METRICS)]
        name = f'{metric}{{service="{entity.name}",route="/r{series}"}}'
        for statistic, window in _STATISTICS:
            facts.append(
                Fact(
                    id=f"E{number}.{len(facts) + 1}",
                    entity=entity.path,
                    name=name,
                    statistic=statistic,
                    value=_value(number, series, statistic),
                    unit=_UNITS.get(metric, ""),
                    window=window,
                    place=f"series/{series}",
                )
            )
    return ToolInvocation(
        id=f"row-{number}",
        session_id="speed",
        call=PlannedCall(
            number=number,
            tool=ToolName.QUERY_METRICS,
            source="made-up",
            purpose=f"sweep:{entity.path}",
        ),
        status=EvidenceStatus.OK,
        started_at=_END,
        facts=tuple(facts),
    )


def _value(number: int, series: int, statistic: str) -> float:
    return round((number * 7919 + series * 104729 + len(statistic) * 31) % 9973 / 7.0, 3)


def report_text() -> str:
    """Return `SENTENCES` sentences, half of them with citations, every fourth in Chinese."""
    return "\n".join(f"- {_sentence(n)}" for n in range(SENTENCES))


def _sentence(number: int) -> str:
    service, series = number % _SERVICES + 1, number % 5
    name, metric = _name(service - 1), _METRICS[series]
    before = _value(service, series, "median")
    after = _value(service, series, "mean")
    unit = " s" if metric in _UNITS else ""
    first = series * len(_STATISTICS) + 1
    marks = f" [E{service}.{first}][E{service}.{first + 1}]" if number % 2 else ""
    if number % 4 == 3:
        unit = " 秒" if unit else ""
        return f"{name} 的 {metric} 从 {before}{unit} 变为 {after}{unit}，之后一直没有恢复。{marks}"
    tail = " and no other service was hit before 09:50" if number % 3 == 0 else ""
    return f"The {metric} of {name} went from {before}{unit} to {after}{unit}{tail}.{marks}"


def _main() -> int:
    ground = ground_of()
    checker = Checker.of(ground, UTC)
    text = report_text()
    checked: tuple[Checked, ...] = checker.text(text)
    supported = sum(item.judgement.mark is Mark.SUPPORTED for item in checked)
    spent = cpu_seconds(lambda: checker.text(text))
    # A ground remembers what it was asked; a session's first text pays for that.
    first = cpu_seconds(lambda: Checker.of(ground_of(), UTC).text(text), runs=3)
    indexing = cpu_seconds(lambda: Checker.of(ground_of(), UTC), runs=3)
    print(f"{len(checked)} sentences, {len(ground)} rows, {supported} supported")
    print(f"check             {spent * 1000:>8.0f} ms of {BUDGET_SECONDS * 1000:.0f} ms CPU")
    print(f"first check       {(first - indexing) * 1000:>8.0f} ms")
    print(f"making and index  {indexing * 1000:>8.0f} ms")
    return int(first - indexing > BUDGET_SECONDS)


if __name__ == "__main__":
    sys.exit(_main())
