"""The live symptom of the summary, reproduced offline: facts that were stored went unseen.

In the observed run the rows held the pool's error line, but what was handed on was the head of the
output, so existing facts were called ``no_evidence``. With the extraction switched off the same
symptom comes back, and this suite turns red.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text, update

from gate_rows import REPORT, gate, log_row, metric_row, row
from stored_session import add_row, open_storage, running
from superbizagent.analysis import trace_summary
from superbizagent.analysis.trace_summary import ToolTraceSummaryService
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.evaluation import InvocationRecord, ToolTraceSummary
from superbizagent.domain.plan import ToolName
from superbizagent.storage.tables import tool_invocation

STORED_FACTS = ("order-service", "ERROR", "pool_active=50", "pool_max=50", "waiting_threads=23")

NOISE: list[dict[str, Any]] = [
    {"service": "gateway", "level": "INFO", "message": f"GET /health 200 {n}"} for n in range(60)
]
OBSERVED = {
    "logs": [
        *NOISE,
        {
            "service": "order-service",
            "level": "ERROR",
            "message": "Connection is not available",
            "metrics": {"pool_active": 50, "pool_max": 50, "waiting_threads": 23},
        },
    ]
}


def observed_row() -> InvocationRecord:
    """The row of the live run: the telling line stands far behind the head of the preview."""
    text_ = canonical_bytes(OBSERVED).decode()
    return row(1, "query_logs", source="MCP", details=OBSERVED, output_preview=text_[:2000])


def no_evidence(summary: ToolTraceSummary) -> list[str]:
    """Facts of the observed row that a verifier which reads only the summary cannot find."""
    seen = " ".join(entry.output_summary for entry in summary.entries)
    return [token for token in STORED_FACTS if token not in seen]


def test_b23_stored_facts_are_found_in_the_summary() -> None:
    assert no_evidence(ToolTraceSummaryService().summarise((observed_row(),))) == []


def test_b23_the_symptom_comes_back_without_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: InvocationRecord) -> tuple[()]:
        return ()

    monkeypatch.setattr(trace_summary, "read_facts", nothing)
    missing = no_evidence(ToolTraceSummaryService().summarise((observed_row(),)))
    assert set(missing) == set(STORED_FACTS)


def test_b23_the_facts_survive_storage(tmp_path: Path) -> None:
    async def scenario() -> tuple[InvocationRecord, ...]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_row(journal, 1, ToolName.SEARCH_LOGS, log_row().details["facts"])
            return InvocationRecord.of_rows(await journal.rows())

    records = asyncio.run(scenario())
    assert no_evidence(ToolTraceSummaryService().summarise(records)) == []


# B-25 --------------------------------------------------------------------------------------------

OLD: list[Any] = [None, {}, {"trace": "old"}, "[]", "no json", 7]


@pytest.mark.parametrize("retrieval", OLD)
def test_b25_rows_with_null_or_old_retrieval_details_are_summarised(retrieval: Any) -> None:
    old = row(
        1, "lookup_knowledge", retrieval_details=retrieval, output_preview="Pool runbook, section 2"
    )
    entry = ToolTraceSummaryService().summarise((old,)).entries[0]
    wanted = "trace=old" if retrieval == OLD[2] else "Pool runbook, section 2"
    assert wanted in entry.output_summary


def test_b25_historical_rows_pass_through_storage_summary_and_gate(tmp_path: Path) -> None:
    """Rows as an older version left them: JSON null, no details, a tool of another name."""

    async def scenario() -> tuple[InvocationRecord, ...]:
        async with open_storage(tmp_path) as storage:
            async with running(storage) as journal:
                await add_row(journal, 1, ToolName.LOOKUP_KNOWLEDGE)
                await add_row(journal, 2, ToolName.QUERY_METRICS, metric_row().details["facts"])
            old = update(tool_invocation).where(tool_invocation.c.number == 1)
            async with storage.database.write() as connection:
                await connection.execute(
                    old.values(details={}, tool_name="query_internal_docs", output_preview="p 1")
                )
                await connection.execute(
                    text("update tool_invocation set retrieval_details = 'null' where number = 1")
                )
            return InvocationRecord.of_rows(await storage.invocations.rows("s-1"))

    records = asyncio.run(scenario())
    entries = ToolTraceSummaryService().summarise(records).entries
    assert (entries[0].tool, entries[0].output_summary) == ("query_internal_docs", "p 1")
    assert gate(REPORT, records).verdict == "PASS"


def test_b25_of_a_call_that_was_made_again_the_last_attempt_counts() -> None:
    rows = [
        {"number": 1, "attempt": 2, "tool_name": "search_logs", "status": "ok", "surplus": 1},
        {"number": 1, "attempt": 1, "tool_name": "search_logs", "status": "error"},
        {"number": 2, "tool_name": "query_metrics", "status": "ok", "error": None},
    ]
    records = InvocationRecord.of_rows(rows)
    assert [(r.number, r.status) for r in records] == [(1, "ok"), (2, "ok")]
