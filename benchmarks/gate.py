"""What judging a report costs: CPU time of the AIOps gate, the score and the summary on 200 rows.

``python -m benchmarks.gate`` prints it and ends with status 1 above the budget. CPU time, because
a gate runs beside everything else a diagnosis does; the budget has tenfold slack for slow machines.
"""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from superbizagent.analysis.trace_summary import ToolTraceSummaryService
from superbizagent.domain.alert import Alert
from superbizagent.domain.evaluation import InvocationRecord
from superbizagent.investigation.gate.aiops_gate import evaluate_aiops
from superbizagent.investigation.gate.focus import identifiers_of_alerts
from superbizagent.investigation.gate.judged import JudgedReport
from superbizagent.investigation.gate.rule_score import evaluate_rules

__all__ = ["BUDGET_SECONDS", "cpu_seconds", "wide_session"]

BUDGET_SECONDS = 0.5
"""Ten times the 50 ms that a gate over 200 rows may take."""

_ROWS = 200
_FACTS = 100
_RUNS = 5
_NOW = datetime(2026, 7, 6, tzinfo=UTC)
_LINE = "2026-07-06 10:00:01 ERROR [svc-{n}] Connection is not available, waited 30000ms pool={n}"


def wide_session(*, reuse: bool) -> JudgedReport:
    """Return a long report on 200 rows of 100 facts.

    Args:
        reuse: whether the report uses the evidence; if not, the search for it has to look at
            everything, which is the worst case.
    """
    lines = [f"- observation {n} says {n * 7919 % 997} of it" for n in range(300)]
    used = (
        ["SlowCheckout on checkout: svc-7 and svc-9 answered 51 % of calls, pool_7_7 = 49"]
        if reuse
        else []
    )
    text = "\n".join(
        ["## Conclusion", "It is slow.", "## Evidence", *used, *lines, "## Next steps"]
    )
    alert = Alert(labels={"alertname": "SlowCheckout", "service": "checkout"})
    rows = tuple(_row(n) for n in range(1, _ROWS + 1))
    return JudgedReport(text=text, invocations=rows, payload=identifiers_of_alerts((alert,)))


def _row(number: int) -> InvocationRecord:
    facts: list[dict[str, Any]] = [
        {
            "id": f"E{number}.{n}",
            "entity": f"//service/svc-{n}",
            "name": f"pool_{number}_{n}",
            "statistic": "max",
            "value": number * n + 0.25,
            "quote": _LINE.format(n=n),
            "place": f"series/{n}",
        }
        for n in range(_FACTS)
    ]
    return InvocationRecord(
        number=number, tool_name="query_metrics", status="ok", details={"facts": facts}
    )


def cpu_seconds(work: Callable[[], object], *, runs: int = _RUNS) -> float:
    """CPU seconds of ``work``, the least of several runs."""
    spent: list[float] = []
    for _ in range(runs):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


def _main() -> int:
    over = False
    print(f"{_ROWS} rows of {_FACTS} facts{'':<12}{'CPU ms':>8}{'budget':>8}")
    for name, judged in (("used", wide_session(reuse=True)), ("unused", wide_session(reuse=False))):
        for what, work in (
            ("gate", lambda judged=judged: evaluate_aiops(judged, _NOW)),
            ("score", lambda judged=judged: evaluate_rules(judged, _NOW)),
            ("summary", lambda judged=judged: ToolTraceSummaryService().summarise(judged.rows)),
        ):
            seconds = cpu_seconds(work)
            over |= seconds > BUDGET_SECONDS
            label = f"{what}, evidence {name}"
            print(f"{label:<34}{seconds * 1000:>8.1f}{BUDGET_SECONDS * 1000:>8.0f}")
    return int(over)


if __name__ == "__main__":
    sys.exit(_main())
