"""What the analysis holds: findings are computed, hypotheses are tested, causes are ranked."""

from datetime import timedelta
from enum import StrEnum

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = [
    "LOG_KINDS",
    "Analysis",
    "CandidateCause",
    "CheckOutcome",
    "CheckResult",
    "Contribution",
    "FaultKind",
    "Finding",
    "FindingKind",
    "HypothesisOutcome",
    "HypothesisResult",
    "PathStep",
    "ScoreTerm",
    "SeparateFault",
    "Verdict",
]


class FaultKind(StrEnum):
    """The closed list of what can be wrong."""

    CPU = "cpu"
    MEMORY = "memory"
    DISK = "disk"
    NETWORK_DELAY = "network_delay"
    NETWORK_LOSS = "network_loss"
    CODE_ERROR = "code_error"
    WRONG_RESULT = "wrong_result"
    DEPENDENCY = "dependency"
    POOL_EXHAUSTION = "pool_exhaustion"
    CONNECTION_LEAK = "connection_leak"
    CONNECTION_LIMIT = "connection_limit"
    LOCK_WAIT = "lock_wait"
    SLOW_QUERY = "slow_query"
    TRAFFIC = "traffic"
    DEPLOY = "deploy"
    CONFIG = "config"
    RESTART = "restart"
    CERTIFICATE = "certificate"
    UNKNOWN = "unknown"


class Verdict(StrEnum):
    """How the session ended, by rules of code."""

    ROOT_CAUSE_FOUND = "root_cause_found"
    LIKELY = "likely"
    HEALTHY = "healthy"
    INCONCLUSIVE = "inconclusive"


class FindingKind(StrEnum):
    """What sort of abnormality, or of normality, was computed."""

    METRIC_DEVIATION = "metric_deviation"
    SERIES_APPEARED = "series_appeared"
    SERIES_VANISHED = "series_vanished"
    LOG_BURST = "log_burst"
    LOG_NOVEL = "log_novel"
    LOG_FIELD_SHIFT = "log_field_shift"
    LOG_SHARE_SHIFT = "log_share_shift"
    """A kind of record makes up another share of all, or of those that are its alternatives."""
    LOG_RARE_VALUE = "log_rare_value"
    """A code that never came before stands in a few of very many records."""
    CHANGE = "change"
    ALERT = "alert"
    OBJECT_STATE = "object_state"
    """An object of a cluster is in a state that it should not be in, or says so itself."""
    WIRE_DELAY = "wire_delay"
    """Calls lose more time between caller and callee than they did."""
    CALL_PATTERN = "call_pattern"
    """Requests show a call, an inner operation, an error or a log record more or less often."""
    SPAN_ERRORS = "span_errors"
    """Requests begin to fail here."""


LOG_KINDS = frozenset(kind for kind in FindingKind if kind.value.startswith("log_"))
"""Findings in logs."""


class Finding(Model):
    """One computed statement about one entity, with the facts it was computed from."""

    id: str
    """``F<n>`` in order of strength."""
    kind: FindingKind
    entity: str
    """Entity path."""
    subject: str
    """Series name, template text, or path of an object and what was read of it."""
    family: str = "other"
    """``err, lat, cpu, mem, disk, net, qps, inst, saturation, other``."""
    direction: int = 0
    """+1 rose, -1 fell, 0 neither."""
    score: float
    """Evidence of this finding, six significant digits, not below 0."""
    baseline: float | None = None
    incident: float | None = None
    extreme: float | None = None
    unit: str = ""
    onset_at: Instant | None = None
    onset_uncertainty: timedelta | None = None
    ongoing: bool | None = None
    """Still so at the end of the window; None: unknown."""
    fact_ids: tuple[str, ...] = ()


class CheckOutcome(StrEnum):
    """A check holds, fails or is unknown; unknown never fails."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"


class HypothesisOutcome(StrEnum):
    """What the checks of a hypothesis say together."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    OPEN = "open"


class CheckResult(Model):
    """One check of one hypothesis."""

    id: str
    role: str
    """``required``, ``supports`` or ``refutes``."""
    outcome: CheckOutcome
    reason: str = ""
    """Expected and found, in plain words of the check file."""
    fact_ids: tuple[str, ...] = ()


class HypothesisResult(Model):
    """A hypothesis of a playbook, tested on one entity."""

    skill: str
    id: str
    fault_kind: FaultKind
    entity: str
    outcome: HypothesisOutcome
    checks: tuple[CheckResult, ...] = ()
    mechanism_seen: bool = False
    """A statement, message or change shows the mechanism, not only its effect."""

    @property
    def key(self) -> str:
        """``skill/id@entity``."""
        return f"{self.skill}/{self.id}@{self.entity}"


class ScoreTerm(Model):
    """One visible part of a score."""

    name: str
    """``metrics``, ``logs``, ``saturation``, ``hypothesis``, ``explained_by_callee`` …"""
    value: float
    fact_ids: tuple[str, ...] = ()
    note: str = ""


class CandidateCause(Model):
    """An entity with a fault kind, ranked."""

    entity: str
    fault_kind: FaultKind
    suspected_kind: FaultKind = FaultKind.UNKNOWN
    """What a few words suggest while nothing bears it out: worth a test, not a statement."""
    score: float
    terms: tuple[ScoreTerm, ...] = ()
    finding_ids: tuple[str, ...] = ()
    hypothesis: str = ""
    """`HypothesisResult.key` when a playbook stands behind it."""
    onset_at: Instant | None = None
    onset_uncertainty: timedelta | None = None
    path: tuple[str, ...] = ()
    """Entity names from this cause to the symptom, where topology allows."""


class SeparateFault(Model):
    """Trouble on another branch of the call graph than the leading cause, which explains it not."""

    cause: CandidateCause
    verdict: Verdict = Verdict.INCONCLUSIVE
    """Of this fault alone."""
    verdict_reasons: tuple[str, ...] = ()

    @property
    def is_named(self) -> bool:
        """Whether it is told as a second fault; all else is only worth a test."""
        return self.verdict in {Verdict.ROOT_CAUSE_FOUND, Verdict.LIKELY}


class PathStep(Model):
    """One call on the way from the cause to what hurts, with what was measured of it."""

    source: str
    """Entity path nearer to the cause: the one that is called."""
    target: str
    """Entity path of its caller."""
    call_facts: tuple[str, ...] = ()
    """Time that calls between them take now, and took before, where they became slower."""
    finding_ids: tuple[str, ...] = ()
    """What is wrong at the source, and what is felt at the target; none where an end is calm."""
    order: str = "unknown"
    """``before``, ``after`` or ``unknown``: the source's onset against the target's."""

    @property
    def is_seen(self) -> bool:
        """Whether more than the call graph speaks for this step."""
        return bool(self.call_facts or self.finding_ids)


class Contribution(Model):
    """An entity on that way which adds an abnormality of its own."""

    entity: str
    share: float
    """Of what its metrics show, 0 to 1: what the entities that it calls account for."""
    finding_id: str
    """What is its own."""


class Analysis(Model):
    """All that was computed from the evidence; no model, no I/O."""

    findings: tuple[Finding, ...] = ()
    hypotheses: tuple[HypothesisResult, ...] = ()
    candidates: tuple[CandidateCause, ...] = ()
    margin: float = 0.0
    """First score minus second, as share of the first; 1 when there is one candidate only."""
    symptom: tuple[str, ...] = ()
    """Ids of the findings that are the symptom (errors, latency of the scoped entity)."""
    verdict: Verdict = Verdict.INCONCLUSIVE
    verdict_reasons: tuple[str, ...] = ()
    """Keys of the narrator's table, each with ``:`` and its argument where it has one."""
    apart: tuple[SeparateFault, ...] = ()
    """What stands on other branches than the leading candidate, named faults first."""
    path: tuple[PathStep, ...] = ()
    """From the leading candidate to the entity in question, where calls lead there."""
    contributing: tuple[Contribution, ...] = ()
    entities_examined: tuple[str, ...] = ()
    series_examined: int = 0
    series_abnormal: int = 0
    records_examined: int = 0

    @property
    def independent(self) -> tuple[SeparateFault, ...]:
        """Faults that are named beside the leading one."""
        return tuple(fault for fault in self.apart if fault.is_named)

    def finding(self, finding_id: str) -> Finding:
        """The finding with this id.

        Raises:
            KeyError: when there is none.
        """
        for item in self.findings:
            if item.id == finding_id:
                return item
        raise KeyError(finding_id)
