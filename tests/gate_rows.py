"""Stored rows, payloads and reports of one incident, for the tests of gates and summaries."""

from datetime import UTC, datetime
from typing import Any

from superbizagent.domain.alert import Alert
from superbizagent.domain.evaluation import AiopsCheck, AiopsRuleEvaluation, InvocationRecord
from superbizagent.investigation.gate.aiops_gate import evaluate_aiops
from superbizagent.investigation.gate.focus import PayloadIdentifier, identifiers_of_alerts
from superbizagent.investigation.gate.judged import JudgedReport

NOW = datetime(2026, 7, 6, 12, 0, tzinfo=UTC)
ENTITY = "prod/shop/service/order-service"
LOG_LINE = (
    "2026-07-06 10:00:01.120 ERROR [order-service] HikariPool-1 - Connection is not available, "
    "request timed out after 30000ms pool_active=50 pool_max=50 waiting_threads=23"
)
SERIES = 'hikaricp_connections_active{service="order-service"}'

ALERT = Alert(
    labels={
        "alertname": "MySQLConnectionPoolExhausted",
        "service": "order-service",
        "severity": "critical",
        "instance": "10.0.0.7:8080",
    }
)
PAYLOAD = identifiers_of_alerts((ALERT,))

REPORT = """# MySQLConnectionPoolExhausted on order-service

## Conclusion
The connection pool of order-service is exhausted: all 50 connections are in use [E2.2].

## Evidence
- `hikaricp_connections_active` of order-service reached 50, from 11.7 before [E2.1] [E2.2].
- 812 lines "Connection is not available, request timed out" came in the window [E1.1].

## Next steps
- Find the slow transactions that hold connections, then raise `max_connections` with care.
"""

REPORT_ZH = """# order-service 连接池告警 MySQLConnectionPoolExhausted

## 结论
order-service 的连接池已耗尽，50 个连接全部被占用 [E2.2]。

## 证据
- hikaricp_connections_active 由 11.7 升至 50 [E2.1] [E2.2]。

## 建议
- 先找出长时间占用连接的慢事务，再考虑调整连接数上限。
"""


def fact(fact_id: str, name: str, value: float | str | None, **more: Any) -> dict[str, Any]:
    """One of our own facts as ``details.facts`` holds it."""
    return {"id": fact_id, "entity": ENTITY, "name": name, "value": value, **more}


def row(number: int, tool: str, status: str = "ok", **more: Any) -> InvocationRecord:
    return InvocationRecord(
        id=f"id-{number}",
        session_id="s-1",
        number=number,
        tool_name=tool,
        status=status,
        **more,
    )


def log_row(number: int = 1, **more: Any) -> InvocationRecord:
    """A log call that found the pool's error lines."""
    place = {"place": "template/0"}
    facts = [
        fact(f"E{number}.1", "log:t1", 812.0, statistic="count", quote=LOG_LINE, **place),
        fact(f"E{number}.2", "log:t1", "error", statistic="severity", quote=LOG_LINE, **place),
        fact(f"E{number}.3", "field:pool_active", 50.0, statistic="max", **place),
    ]
    return row(
        number,
        "search_logs",
        input={"services": ["order-service"]},
        output_preview="812 records in 3 templates",
        details={"facts": facts},
        **more,
    )


def metric_row(number: int = 2, **more: Any) -> InvocationRecord:
    """A metrics call that found the pool full."""
    facts = [
        fact(f"E{number}.1", SERIES, 11.7, statistic="median"),
        fact(f"E{number}.2", SERIES, 50.0, statistic="max"),
    ]
    selector: dict[str, Any] = {"name": "hikaricp_connections_active", "matchers": []}
    return row(
        number,
        "query_metrics",
        input={"selector": selector},
        output_preview=f"{SERIES} 50",
        details={"facts": facts},
        **more,
    )


def alert_row(number: int = 3, name: str = "MySQLConnectionPoolExhausted") -> InvocationRecord:
    """An alert list as ``list_alerts`` stores it."""
    about = {"name": f"alert:{name}", "place": "alert/0"}
    facts = [
        fact(f"E{number}.1", about["name"], "firing", statistic="status", place="alert/0"),
        fact(f"E{number}.2", about["name"], "critical", statistic="severity", place="alert/0"),
        fact(f"E{number}.3", about["name"], "pool is full", statistic="summary", place="alert/0"),
    ]
    return row(number, "list_alerts", details={"facts": facts})


ROWS = (log_row(), metric_row())


def judged(
    text: str | None = REPORT,
    rows: tuple[InvocationRecord, ...] = ROWS,
    payload: tuple[PayloadIdentifier, ...] = PAYLOAD,
    **more: Any,
) -> JudgedReport:
    return JudgedReport(text=text, invocations=rows, payload=payload, **more)


def gate(
    text: str | None = REPORT,
    rows: tuple[InvocationRecord, ...] = ROWS,
    payload: tuple[PayloadIdentifier, ...] = PAYLOAD,
    *,
    fail_off_target: bool = False,
    **more: Any,
) -> AiopsRuleEvaluation:
    """Run the AIOps gate on a report that passes unless something is changed."""
    given = judged(text, rows, payload, **more)
    return evaluate_aiops(given, NOW, fail_off_target=fail_off_target)


def check(result: AiopsRuleEvaluation, check_id: str) -> AiopsCheck:
    """One check of a result."""
    return next(c for c in result.checks if c.id == check_id)
