"""Persist the final report, then judge it by rules.

The order is the point: the report is stored and committed first, so that no evaluation can lose
it; then the session's rows are read back, which are complete by then; then each evaluation writes
its own key and nothing else. Nothing here calls a model or a tool, routes, retries or edits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from pydantic import ValidationError

from superbizagent.domain.evaluation import (
    AIOPS_RULE_EVALUATION,
    RULE_EVALUATION,
    AiopsRuleEvaluation,
    InvocationRecord,
    RuleEvaluation,
)
from superbizagent.domain.incident import Channel
from superbizagent.domain.journal import JournalMode
from superbizagent.domain.protocols import Clock
from superbizagent.domain.report import Report
from superbizagent.domain.scope import Scope
from superbizagent.domain.session import DiagnosisSession, SessionOutcome
from superbizagent.domain.source import Signal
from superbizagent.investigation.gate.aiops_gate import evaluate_aiops
from superbizagent.investigation.gate.coverage import EvidenceFamily
from superbizagent.investigation.gate.focus import SERVICE_LABELS, identifiers_of_scope
from superbizagent.investigation.gate.judged import JudgedReport
from superbizagent.investigation.gate.rule_score import evaluate_rules
from superbizagent.telemetry import get_logger

__all__ = [
    "AiopsRuleEvaluator",
    "Evaluator",
    "FinalRecord",
    "Judgement",
    "RuleEvaluator",
    "persist_final_report",
]

_log = get_logger(__name__)

_FAMILIES = {Signal.METRICS: EvidenceFamily.METRICS, Signal.LOGS: EvidenceFamily.LOGS}


class FinalRecord(Protocol):
    """The record of one session, as far as persisting needs it; `Journal` is one."""

    @property
    def mode(self) -> JournalMode:
        """Whether anything may be written."""
        ...

    async def store_outcome(self, outcome: SessionOutcome) -> None:
        """Store report and verdict; others can read them when this returns."""
        ...

    async def session(self) -> DiagnosisSession:
        """Return the session as it is stored."""
        ...

    async def rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of this session and no other, columns by name."""
        ...

    async def evaluate(self, key: str, value: Any) -> None:
        """Set one key of ``self_evaluation`` in one transaction; other keys keep their bytes."""
        ...


class Evaluator(Protocol):
    """Judges a stored report under a key of its own."""

    @property
    def key(self) -> str:
        """The key of ``self_evaluation`` that it writes, and the only one."""
        ...

    def evaluate(self, judged: JudgedReport, now: datetime) -> Any:
        """Return the result as a model of the domain; pure."""
        ...


class RuleEvaluator:
    """The generic score, both channels."""

    key = RULE_EVALUATION

    def evaluate(self, judged: JudgedReport, now: datetime) -> RuleEvaluation:
        """Return the score."""
        return evaluate_rules(judged, now)


@dataclass(frozen=True, slots=True)
class AiopsRuleEvaluator:
    """The AIOps gate."""

    fail_off_target: bool = False
    """Setting ``aiops_gate.fail_off_target``."""
    key: str = AIOPS_RULE_EVALUATION

    def evaluate(self, judged: JudgedReport, now: datetime) -> AiopsRuleEvaluation:
        """Return the verdict with its three checks."""
        return evaluate_aiops(judged, now, fail_off_target=self.fail_off_target)


@dataclass(frozen=True, slots=True)
class Judgement:
    """How stored reports are judged; built by the composition root."""

    clock: Clock
    evaluators: tuple[Evaluator, ...]
    service_labels: tuple[str, ...] = SERVICE_LABELS
    """Labels of a payload that name a service, first match wins."""

    @classmethod
    def of(
        cls,
        channel: Channel,
        clock: Clock,
        *,
        fail_off_target: bool = False,
        service_labels: Sequence[str] = SERVICE_LABELS,
    ) -> "Judgement":
        """Return the rules of a channel: the score for both, the gate for AIOps."""
        generic = RuleEvaluator()
        gate = AiopsRuleEvaluator(fail_off_target)
        chosen = (generic, gate) if channel is Channel.AIOPS else (generic,)
        return cls(clock, chosen, tuple(service_labels))


async def persist_final_report(
    record: FinalRecord, outcome: SessionOutcome, scope: Scope, judgement: Judgement
) -> dict[str, Any]:
    """Store the report, then write each evaluation under its own key; the session runs on.

    The caller ends the session afterwards, so that a process that dies in between leaves a session
    that is resumed. On replay nothing is judged again.

    Args:
        record: the session's record.
        outcome: the checked report as Markdown and JSON, and its verdict.
        scope: the session's scope: payload and sources.
        judgement: how the stored report is judged.

    Returns:
        Key -> evaluation in its stored form: those that were written, on replay those recorded.

    Raises:
        StorageError: when the report itself could not be stored. An evaluation that fails is
            logged and left out: the report stays stored and the run successful.
    """
    await record.store_outcome(outcome)
    if record.mode is JournalMode.REPLAY:
        return (await record.session()).self_evaluation
    try:
        judged = await _judged(record, scope, judgement.service_labels)
        now = judgement.clock.now()
    except Exception:  # noqa: BLE001 - the report is stored: no fault in judging it may fail the run
        _log.exception("report_not_judged")
        return {}
    return await _evaluate(record, judged, now, judgement.evaluators)


async def _evaluate(
    record: FinalRecord, judged: JudgedReport, now: datetime, evaluators: Sequence[Evaluator]
) -> dict[str, Any]:
    """Call each evaluator once and write its result."""
    written: dict[str, Any] = {}
    for evaluator in evaluators:
        try:
            value = evaluator.evaluate(judged, now).model_dump(mode="json")
            await record.evaluate(evaluator.key, value)
        except Exception:  # noqa: BLE001 - as above, and one evaluation must not cost the others
            _log.exception("evaluation_failed", key=evaluator.key)
        else:
            written[evaluator.key] = value
    return written


async def _judged(record: FinalRecord, scope: Scope, service_labels: Sequence[str]) -> JudgedReport:
    """Read back what is judged: what stands in the database, not what we meant to store."""
    session = await record.session()
    return JudgedReport(
        text=session.final_report,
        report=_structured(session.report),
        invocations=InvocationRecord.of_rows(await record.rows()),
        payload=identifiers_of_scope(scope, service_labels),
        expected_families=_families(scope),
    )


def _structured(stored: dict[str, Any] | None) -> Report | None:
    """Return the structured report; one that cannot be read leaves its text to be judged."""
    try:
        return Report.model_validate(stored) if stored else None
    except ValidationError:
        return None


def _families(scope: Scope) -> tuple[EvidenceFamily, ...]:
    """Return the kinds of evidence that the session's sources offer."""
    signals = {signal for source in scope.sources for signal in source.signals}
    return tuple(family for signal, family in _FAMILIES.items() if signal in signals)
