"""What `persist_final_report` writes, when, and what it leaves alone (document A), on SQLite."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import text
from structlog.testing import capture_logs

from gate_rows import ALERT, REPORT, log_row, metric_row
from stored_session import add_row, open_storage, outcome, running, scope_of
from superbizagent.domain.evaluation import (
    AiopsRuleEvaluation,
    RuleEvaluation,
)
from superbizagent.domain.incident import Channel
from superbizagent.domain.journal import JournalMode
from superbizagent.domain.plan import ToolName
from superbizagent.domain.session import DiagnosisSession, SessionOutcome, SessionStatus
from superbizagent.domain.source import EvidenceStatus
from superbizagent.investigation.finalise import (
    AiopsRuleEvaluator,
    Evaluator,
    Judgement,
    RuleEvaluator,
    persist_final_report,
)
from superbizagent.investigation.gate.judged import JudgedReport
from superbizagent.investigation.journal import Journal
from superbizagent.storage.store import Storage

AIOPS_RULE_EVALUATION = "aiops_rule_evaluation"
RULE_EVALUATION = "rule_evaluation"
# spelled out here: other programs read these keys
SCOPE = scope_of(ALERT)
VERIFIER = {"verdict": "supported", "score": 0.75, "claims": [], "z": [1, {"b": None, "a": "中"}]}


def facts(rows: Any) -> Sequence[Mapping[str, Any]]:
    return rows.details["facts"]


async def add_evidence(journal: Journal) -> None:
    await add_row(journal, 1, ToolName.SEARCH_LOGS, facts(log_row()))
    await add_row(journal, 2, ToolName.QUERY_METRICS, facts(metric_row()))


async def persist(
    storage: Storage,
    journal: Journal,
    report: str | None = REPORT,
    evaluators: tuple[Evaluator, ...] | None = None,
) -> dict[str, Any]:
    channel = (await journal.session()).channel
    judgement = Judgement.of(channel, storage.clock)
    if evaluators is not None:
        judgement = Judgement(storage.clock, evaluators)
    return await persist_final_report(journal, outcome(report), SCOPE, judgement)


async def raw_evaluations(storage: Storage, session_id: str = "s-1") -> str:
    """``self_evaluation`` as the database holds it."""
    query = text("select self_evaluation from diagnosis_session where session_id = :id")
    async with storage.database.read() as connection:
        return str((await connection.execute(query, {"id": session_id})).scalar_one())


@pytest.mark.parametrize("channel", Channel)
def test_a07_result_is_stored_under_its_key(tmp_path: Path, channel: Channel) -> None:
    async def scenario() -> DiagnosisSession:
        async with open_storage(tmp_path) as storage, running(storage, channel=channel) as journal:
            await add_evidence(journal)
            await persist(storage, journal)
            return await journal.session()

    stored = asyncio.run(scenario())
    wanted = {RULE_EVALUATION, AIOPS_RULE_EVALUATION}
    assert set(stored.self_evaluation) == (
        wanted if channel is Channel.AIOPS else {RULE_EVALUATION}
    )
    score = RuleEvaluation.model_validate(stored.self_evaluation[RULE_EVALUATION])
    assert score.grade == stored.rule_grade
    if channel is Channel.AIOPS:
        gate = AiopsRuleEvaluation.model_validate(stored.self_evaluation[AIOPS_RULE_EVALUATION])
        assert gate.verdict == stored.aiops_gate == "PASS"


def test_a13_evaluation_fits_the_json_column(tmp_path: Path) -> None:
    async def scenario() -> tuple[set[str], set[str]]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            before = await _columns(storage)
            await add_evidence(journal)
            await persist(storage, journal)
            return before, await _columns(storage)

    before, after = asyncio.run(scenario())
    assert before == after
    assert "self_evaluation" in after


async def _columns(storage: Storage) -> set[str]:
    async with storage.database.read() as connection:
        rows = await connection.execute(text("pragma table_xinfo(diagnosis_session)"))
        return {row[1] for row in rows}


@pytest.mark.parametrize("key", ["verifier_evaluation", "someone_elses_evaluation"])
def test_a17_unknown_keys_survive_byte_identically(tmp_path: Path, key: str) -> None:
    async def scenario() -> tuple[str, str]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_evidence(journal)
            await journal.evaluate(key, VERIFIER)
            before = await raw_evaluations(storage)
            await persist(storage, journal)
            return before, await raw_evaluations(storage)

    before, after = asyncio.run(scenario())
    kept = before.removeprefix("{").removesuffix("}")
    assert kept in after
    assert AIOPS_RULE_EVALUATION in after


def test_a17_another_evaluator_fits_behind_the_same_interface(tmp_path: Path) -> None:
    async def scenario() -> dict[str, Any]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_evidence(journal)
            more = (RuleEvaluator(), AiopsRuleEvaluator(), Counting("full_verifier"))
            return await persist(storage, journal, evaluators=more)

    assert set(asyncio.run(scenario())) == {RULE_EVALUATION, AIOPS_RULE_EVALUATION, "full_verifier"}


def test_a18_gate_touches_neither_the_verifiers_nor_the_generic_key(tmp_path: Path) -> None:
    generic = {"score": 1, "grade": "LOW", "note": "put here before"}

    async def scenario() -> tuple[dict[str, Any], dict[str, Any]]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_evidence(journal)
            await journal.evaluate("verifier_evaluation", VERIFIER)
            await journal.evaluate(RULE_EVALUATION, generic)
            before = (await journal.session()).self_evaluation
            await persist(storage, journal, evaluators=(AiopsRuleEvaluator(),))
            return before, (await journal.session()).self_evaluation

    before, after = asyncio.run(scenario())
    assert AIOPS_RULE_EVALUATION not in before
    assert {k: v for k, v in after.items() if k != AIOPS_RULE_EVALUATION} == before
    assert after[RULE_EVALUATION] == generic


def test_a18_persisting_again_overwrites_its_own_keys_only(tmp_path: Path) -> None:
    async def scenario() -> tuple[dict[str, Any], dict[str, Any]]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_evidence(journal)
            await journal.evaluate("verifier_evaluation", VERIFIER)
            await persist(storage, journal, "TODO")
            first = (await journal.session()).self_evaluation
            await persist(storage, journal)
            return first, (await journal.session()).self_evaluation

    first, second = asyncio.run(scenario())
    assert first[AIOPS_RULE_EVALUATION]["verdict"] == "FAIL"
    assert second[AIOPS_RULE_EVALUATION]["verdict"] == "PASS"
    assert first["verifier_evaluation"] == second["verifier_evaluation"] == VERIFIER


class Result(BaseModel):
    """What a counting evaluator returns."""

    text: str | None


class Counting:
    """An evaluator that keeps what it was given."""

    def __init__(self, key: str = "counting", error: Exception | None = None) -> None:
        self.key = key
        self.calls: list[JudgedReport] = []
        self._error = error

    def evaluate(self, judged: JudgedReport, now: datetime) -> Result:
        assert now.tzinfo is not None
        self.calls.append(judged)
        if self._error is not None:
            raise self._error
        return Result(text=judged.text)


class Reading(Counting):
    """An evaluator that looks into the database, through a connection of its own, when called."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self.seen: list[Any] = []

    def evaluate(self, judged: JudgedReport, now: datetime) -> Result:
        import sqlite3

        query = "select final_report, verdict from diagnosis_session"
        other = sqlite3.connect(self._path)
        self.seen.append(other.execute(query).fetchone())
        other.close()
        return super().evaluate(judged, now)


def test_a19_one_evaluator_call_and_the_report_is_readable_by_then(tmp_path: Path) -> None:
    reading = Reading(tmp_path / "superbiz.db")

    async def scenario() -> None:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_evidence(journal)
            await persist(storage, journal, evaluators=(reading,))

    asyncio.run(scenario())
    assert len(reading.calls) == 1
    assert reading.seen == [(REPORT, "likely")]
    assert reading.calls[0].text == REPORT
    assert [r.number for r in reading.calls[0].invocations] == [1, 2]


def test_a19_each_persist_is_judged_once(tmp_path: Path) -> None:
    counting = Counting()

    async def scenario() -> None:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            for report in ("first", "second", None):
                await persist(storage, journal, report, evaluators=(counting,))

    asyncio.run(scenario())
    # None leaves the column as it was: a report that is stored is never taken away
    assert [c.text for c in counting.calls] == ["first", "second", "second"]


def test_a19_a_replay_judges_nothing_anew(tmp_path: Path) -> None:
    counting = Counting()

    async def scenario() -> tuple[dict[str, Any], dict[str, Any]]:
        async with open_storage(tmp_path) as storage:
            async with running(storage) as journal:
                await add_evidence(journal)
                stored = await persist(storage, journal)
                await journal.complete()
            async with running(storage) as again:
                assert again.mode is JournalMode.REPLAY
                return stored, await persist(storage, again, evaluators=(counting,))

    stored, replayed = asyncio.run(scenario())
    assert counting.calls == []
    assert replayed == stored


def test_a20_another_sessions_rows_do_not_change_the_verdict(tmp_path: Path) -> None:
    async def scenario() -> tuple[dict[str, Any], dict[str, Any]]:
        async with open_storage(tmp_path) as storage:
            async with running(storage, "other") as other:
                await add_evidence(other)
                await add_row(other, 3, ToolName.LIST_ALERTS, status=EvidenceStatus.TIMEOUT)
            async with running(storage, "bare") as journal:
                bare = await persist(storage, journal)
            async with running(storage, "full") as journal:
                await add_evidence(journal)
                return bare, await persist(storage, journal)

    bare, full = asyncio.run(scenario())
    assert bare[AIOPS_RULE_EVALUATION]["verdict"] == "FAIL"
    assert bare[AIOPS_RULE_EVALUATION]["stats"]["rows"] == 0
    assert full[AIOPS_RULE_EVALUATION]["verdict"] == "PASS"
    assert full[AIOPS_RULE_EVALUATION]["stats"]["failed"] == 0


def test_a21_a_raising_evaluator_costs_nothing_but_its_key(tmp_path: Path) -> None:
    broken = Counting(AIOPS_RULE_EVALUATION, ZeroDivisionError("a rule is broken"))

    async def scenario() -> tuple[dict[str, Any], DiagnosisSession]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_evidence(journal)
            written = await persist(storage, journal, evaluators=(broken, RuleEvaluator()))
            await journal.complete()
            return written, await journal.session()

    with capture_logs() as logs:
        written, session = asyncio.run(scenario())
    assert session.status is SessionStatus.COMPLETED
    assert session.final_report == REPORT
    assert set(written) == set(session.self_evaluation) == {RULE_EVALUATION}
    assert [(log["event"], log["log_level"]) for log in logs] == [("evaluation_failed", "error")]
    assert logs[0]["exc_info"]


class FailingRecord:
    """A record whose rows cannot be read once the report is stored."""

    mode = JournalMode.LIVE

    def __init__(self) -> None:
        self.stored: list[SessionOutcome] = []

    async def store_outcome(self, outcome: SessionOutcome) -> None:
        self.stored.append(outcome)

    async def session(self) -> DiagnosisSession:
        raise OSError("disk is gone")

    async def rows(self) -> Sequence[Mapping[str, Any]]:
        raise OSError("disk is gone")

    async def evaluate(self, key: str, value: Any) -> None:
        raise AssertionError(key, value)


def test_a21_rows_that_cannot_be_read_do_not_fail_the_run(tmp_path: Path) -> None:
    record = FailingRecord()

    async def scenario() -> dict[str, Any]:
        async with open_storage(tmp_path) as storage:
            judgement = Judgement.of(Channel.AIOPS, storage.clock)
            return await persist_final_report(record, outcome(REPORT), SCOPE, judgement)

    with capture_logs() as logs:
        assert asyncio.run(scenario()) == {}
    assert len(record.stored) == 1
    assert [log["event"] for log in logs] == ["report_not_judged"]


def test_a21_judging_adds_no_row_and_edits_no_report(tmp_path: Path) -> None:
    async def scenario() -> tuple[Any, Any]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_evidence(journal)
            before = await journal.rows()
            await persist(storage, journal, "TODO")  # FAIL changes as little as PASS
            session = await journal.session()
            assert session.final_report == "TODO"
            return before, await journal.rows()

    before, after = asyncio.run(scenario())
    assert before == after


def test_a21_a_structured_report_that_cannot_be_read_leaves_its_text(tmp_path: Path) -> None:
    async def scenario() -> dict[str, Any]:
        async with open_storage(tmp_path) as storage, running(storage) as journal:
            await add_evidence(journal)
            odd = outcome(REPORT).model_copy(update={"report": {"version": 99}})
            judgement = Judgement.of(Channel.AIOPS, storage.clock)
            return await persist_final_report(journal, odd, SCOPE, judgement)

    assert asyncio.run(scenario())[AIOPS_RULE_EVALUATION]["verdict"] == "PASS"
