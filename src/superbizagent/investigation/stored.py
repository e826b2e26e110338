"""A session as it is stored, read back: what it looked at, and what was computed of that.

For those who ask about a session after the fact. Nothing is run again but the analysis, which is
a function of the stored evidence; so a session of another version can be read too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property

from pydantic import ValidationError

from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.finding import Analysis
from superbizagent.domain.gathering import RunConfig
from superbizagent.domain.plan import Plan
from superbizagent.domain.report import Frame, Report
from superbizagent.domain.scope import Scope
from superbizagent.domain.session import DiagnosisSession
from superbizagent.domain.skill import Skill
from superbizagent.errors import UsageError
from superbizagent.investigation.analyse import analyse_evidence
from superbizagent.investigation.pipeline import Diagnosis
from superbizagent.investigation.wording.values import zone_of
from superbizagent.storage.raw_rows import damaged
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import diagnosis_session

__all__ = ["StoredDiagnosis", "diagnosis_of", "read_diagnosis"]


@dataclass(frozen=True)
class StoredDiagnosis:
    """Everything that statements about one session are held against."""

    scope: Scope
    plans: tuple[Plan, ...]
    evidence: Evidence
    analysis: Analysis
    frame: Frame
    """The report's; of a session without a report what its scope says."""
    config: RunConfig
    report: Report | None = None
    """As it was verified and stored, when the session got that far."""

    @property
    def zone(self) -> tzinfo:
        """What times without a zone are read in: the zone that the report shows times in."""
        return zone_of(self.frame.timezone)

    @cached_property
    def ground(self) -> Ground:
        """The evidence, indexed."""
        labels = self.config.entity_labels
        return Ground.of(self.evidence, self.analysis, self.scope, self.frame, labels)

    @cached_property
    def checker(self) -> Checker:
        """Holds sentences against the evidence."""
        return Checker.of(self.ground, self.zone)


def diagnosis_of(diagnosis: Diagnosis, config: RunConfig) -> StoredDiagnosis:
    """Return what a run or a replay came to in the form of one that was read back."""
    return StoredDiagnosis(
        scope=diagnosis.scope,
        plans=diagnosis.plans,
        evidence=diagnosis.evidence,
        analysis=diagnosis.analysis,
        frame=diagnosis.checked.report.frame,
        config=config,
        report=diagnosis.checked.report,
    )


async def read_diagnosis(
    storage: Storage, session: DiagnosisSession, skills: Sequence[Skill]
) -> StoredDiagnosis:
    """Read a session back; one that was interrupted as far as it came.

    Args:
        storage: where it is kept.
        session: its row.
        skills: playbooks; of those that the session used, absent ones are left out.

    Raises:
        UsageError: when nothing was looked at yet.
        IntegrityError: when a stored value is not what was written.
    """
    rows = await _invocations(storage, session.session_id)
    if session.scope is None or not rows:
        next_ = (
            "diagnose again"
            if session.status.is_final
            else f"go on with it: superbiz diagnose --session {session.session_id}"
        )
        raise UsageError(
            f"session {session.session_id!r} is {session.status.value} and has no evidence; {next_}"
        )
    config, scope, plans, report = _documents(session)
    evidence = Evidence(invocations=rows)
    by_name = {skill.name: skill for skill in skills}
    chosen = dict.fromkeys(choice.name for plan in plans for choice in plan.skills)
    used = [by_name[name] for name in chosen if name in by_name]
    return StoredDiagnosis(
        scope=scope,
        plans=plans,
        evidence=evidence,
        analysis=analyse_evidence(scope, evidence, used, config.entity_labels),
        frame=report.frame if report is not None else _frame(scope),
        config=config,
        report=report,
    )


async def _invocations(storage: Storage, session_id: str) -> tuple[ToolInvocation, ...]:
    """The calls with their outputs, of each the last attempt, in call order."""
    stored = await storage.invocations.rows(session_id)
    last = {row["number"]: row for row in stored}
    return tuple([await storage.invocations.restore(last[number]) for number in sorted(last)])


def _documents(
    session: DiagnosisSession,
) -> tuple[RunConfig, Scope, tuple[Plan, ...], Report | None]:
    """The JSON columns as values of the domain.

    Raises:
        IntegrityError: when one of them is none.
    """
    column = "payload"
    try:
        config = RunConfig.model_validate(session.payload["config"])
        column = "scope"
        scope = Scope.model_validate(session.scope)
        column = "plan"
        plans = tuple(Plan.model_validate(p) for p in (session.plan or {}).get("rounds", ()))
        column = "report"
        report = Report.model_validate(session.report) if session.report else None
    except (AttributeError, KeyError, TypeError, ValidationError) as error:
        raise damaged(diagnosis_session, session.session_id, column) from error
    return config, scope, plans, report


def _frame(scope: Scope) -> Frame:
    return Frame(
        windows=scope.windows,
        now=scope.incident.received_at,
        alert_at=scope.alert_at,
        timezone=scope.incident.timezone,
    )
