"""A whole AIOps run on a recorded incident (document A): on its payload, every call a row."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pool_bundle import END, FAULT, write_bundle
from stored_session import open_storage
from superbizagent.analysis.trace_summary import ToolTraceSummaryService
from superbizagent.api.streams.events import ending
from superbizagent.cli.compose import load_skills, run_config, session_template, toolbox
from superbizagent.datasources.bundle import BundleSource
from superbizagent.domain.alert import Alert
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.evaluation import AiopsRuleEvaluation, CheckStatus, InvocationRecord
from superbizagent.domain.incident import Channel, Incident
from superbizagent.domain.logs import LogChunk
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.domain.source import Answer, LogQuery, RangeQuery
from superbizagent.investigation.finalise import AiopsRuleEvaluator
from superbizagent.investigation.run import run_session
from superbizagent.settings import Settings
from superbizagent.storage.owner import Owner
from superbizagent.storage.tables import journal_entry, session_entity


class CountingBundle(BundleSource):
    """A recorded incident that counts what it is asked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked: Counter[str] = Counter()

    async def query_range(self, query: RangeQuery) -> Answer:
        self.asked["query_metrics"] += 1
        return await super().query_range(query)

    def read_logs(self, query: LogQuery) -> Iterator[LogChunk]:
        self.asked["search_logs"] += 1
        return super().read_logs(query)

    async def list_alerts(self) -> Answer:
        self.asked["list_alerts"] += 1
        return await super().list_alerts()


@dataclass
class Ran:
    """What one run left in the database."""

    session: DiagnosisSession
    rows: tuple[dict[str, Any], ...]
    entities: set[str]
    call_entries: int
    asked: Counter[str]
    records: tuple[InvocationRecord, ...] = field(default=())


async def diagnose(folder: Path, service: str, alert: str, session_id: str = "s-1") -> Ran:
    """Diagnose the bundle for an alert payload about ``service``, without a model."""
    settings = Settings(data_dir=folder)
    config = run_config(settings)
    source = CountingBundle(folder / "bundle")
    labels = {"alertname": alert, "service": service}
    payload = Alert(labels=labels, starts_at=FAULT + timedelta(minutes=2))
    incident = Incident(channel=Channel.AIOPS, alerts=(payload,), received_at=END)
    async with open_storage(folder) as storage:
        session = await storage.sessions.create(
            session_template({}, config).new(session_id, incident)
        )
        tools = toolbox(load_skills(settings), config, (source,))
        done = await run_session(storage, session, tools, owner=Owner("test"), versions={})
        rows = await storage.invocations.rows(session_id)
        async with storage.database.read() as connection:
            named = select(session_entity.c.name).where(
                session_entity.c.session_id == session_id, session_entity.c.role == "scope"
            )
            calls = select(journal_entry.c.key).where(
                journal_entry.c.session_id == session_id, journal_entry.c.kind == "call"
            )
            entities = set((await connection.execute(named)).scalars())
            entries = len((await connection.execute(calls)).all())
    return Ran(
        done.session,
        rows,
        entities,
        entries,
        source.asked,
        records=InvocationRecord.of_rows(rows),
    )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("run")
    write_bundle(folder / "bundle", "checkout-api", "CheckoutPoolFull")
    return asyncio.run(diagnose(folder, "checkout-api", "CheckoutPoolFull"))


def test_a02_session_record_carries_the_payloads_service(ran: Ran) -> None:
    assert ran.entities == {"checkout-api"}
    scope = ran.session.scope or {}
    assert scope["alert_identifiers"][:2] == ["CheckoutPoolFull", "checkout-api"]
    assert ran.session.payload["incident"]["alerts"][0]["labels"]["service"] == "checkout-api"


def test_a02_tool_arguments_carry_the_payloads_service(ran: Ran) -> None:
    sweeps = [r for r in ran.rows if r["purpose"].startswith("sweep:")]
    first = next(r for r in sweeps if r["tool_name"] == "query_metrics")
    assert b"checkout-api" in canonical_bytes(first["input"])
    logs = next(r for r in ran.rows if r["tool_name"] == "search_logs")
    assert logs["input"]["services"][0] == "checkout-api"


def test_a02_another_payload_on_the_same_data_is_another_scope(tmp_path: Path) -> None:
    write_bundle(tmp_path / "bundle", "checkout-api", "CheckoutPoolFull")
    other = asyncio.run(diagnose(tmp_path, "billing", "BillingSlow"))
    assert other.entities == {"billing"}
    first = next(r for r in other.rows if r["purpose"].startswith("sweep:"))
    assert b"billing" in canonical_bytes(first["input"])
    assert b"checkout-api" not in canonical_bytes(first["input"])


def test_a03_each_evidence_call_is_one_row_of_the_session(ran: Ran) -> None:
    # Changes that metrics show are read out of series, so that is what the source is asked for.
    in_series = [r for r in ran.rows if r["tool_name"] == "list_changes" and r["input"]]
    by_tool = Counter(r["tool_name"] for r in ran.rows)
    by_tool["query_metrics"] += len(in_series)
    assert {tool: by_tool[tool] for tool in ran.asked} == dict(ran.asked)
    assert ran.call_entries == len(ran.rows) > 3
    assert {r["session_id"] for r in ran.rows} == {"s-1"}
    assert len({r["id"] for r in ran.rows}) == len(ran.rows)
    assert [r["number"] for r in ran.rows] == list(range(1, len(ran.rows) + 1))


def test_a03_a_second_session_has_rows_of_its_own(tmp_path: Path) -> None:
    write_bundle(tmp_path / "bundle", "checkout-api", "CheckoutPoolFull")

    async def both() -> tuple[Ran, Ran]:
        first = await diagnose(tmp_path, "checkout-api", "CheckoutPoolFull", "one")
        return first, await diagnose(tmp_path, "checkout-api", "CheckoutPoolFull", "two")

    one, two = asyncio.run(both())
    assert {r["session_id"] for r in one.rows} == {"one"}
    assert {r["session_id"] for r in two.rows} == {"two"}
    assert len(one.rows) == len(two.rows)


def test_a04_a_whole_run_is_judged_on_target_with_evidence(ran: Ran) -> None:
    gate = ran.session.self_evaluation["aiops_rule_evaluation"]
    assert ran.session.status is SessionStatus.COMPLETED
    assert (gate["verdict"], ran.session.aiops_gate) == ("PASS", "PASS")
    assert gate["stats"]["rows"] == len(ran.rows)
    assert ran.session.self_evaluation["rule_evaluation"]["grade"] == "HIGH"


def test_b10_log_facts_of_a_whole_run_reach_the_summary(ran: Ran) -> None:
    entries = ToolTraceSummaryService().summarise(ran.records).entries
    seen = " ".join(e.output_summary for e in entries if e.tool == "search_logs")
    wanted = ("checkout-api", "ERROR", "Connection is not available", "pool_active=50")
    assert all(token in seen for token in (*wanted, "pool_max=50", "waiting_threads=23"))


def test_b11_alert_facts_of_a_whole_run_reach_the_summary(ran: Ran) -> None:
    entries = ToolTraceSummaryService().summarise(ran.records).entries
    seen = " ".join(e.output_summary for e in entries if e.tool == "list_alerts")
    assert "CheckoutPoolFull" in seen
    assert "checkout-api" in seen


def test_a11_a_forced_fail_changes_neither_run_nor_report_nor_stream(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = AiopsRuleEvaluator.evaluate

    def failed(self: AiopsRuleEvaluator, *given: Any) -> AiopsRuleEvaluation:
        return real(self, *given).model_copy(update={"verdict": CheckStatus.FAIL})

    monkeypatch.setattr(AiopsRuleEvaluator, "evaluate", failed)
    write_bundle(tmp_path / "bundle", "checkout-api", "CheckoutPoolFull")
    forced = asyncio.run(diagnose(tmp_path, "checkout-api", "CheckoutPoolFull"))
    assert (ran.session.aiops_gate, forced.session.aiops_gate) == ("PASS", "FAIL")
    assert forced.asked == ran.asked
    assert forced.call_entries == ran.call_entries
    assert forced.session.report_digest == ran.session.report_digest
    assert forced.session.final_report == ran.session.final_report
    said = [[(e.kind, e.data) for e in ending(one.session)] for one in (ran, forced)]
    assert said[0] == said[1]
    assert said[0][-1][0] == "done"
