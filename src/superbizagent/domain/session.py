"""One attempt to explain an incident, and how it may move from state to state."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from superbizagent.domain.incident import Channel, Incident, Language
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = [
    "SESSION_ID_LENGTH",
    "SESSION_ID_PATTERN",
    "DamagedSession",
    "DiagnosisSession",
    "ListPlace",
    "SessionFilter",
    "SessionOutcome",
    "SessionStatus",
    "SessionTemplate",
    "may_become",
]

SESSION_ID_LENGTH = 128

SESSION_ID_PATTERN = r"^[A-Za-z0-9._:-]+$"
"""What an id is made of: it stands in command lines, URLs and names of files as it is."""


class SessionStatus(StrEnum):
    """Where a session stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Nothing more is done for it; its columns are sealed."""
        return self in {self.COMPLETED, self.FAILED, self.CANCELLED}


_NEXT: dict[SessionStatus, frozenset[SessionStatus]] = {
    SessionStatus.QUEUED: frozenset(
        {
            SessionStatus.RUNNING,
            SessionStatus.CANCELLED,
            SessionStatus.FAILED,  # what it needs cannot be built
        }
    ),
    SessionStatus.RUNNING: frozenset(
        {
            SessionStatus.QUEUED,  # orphaned, taken back by the sweep
            SessionStatus.PAUSED,
            SessionStatus.COMPLETED,
            SessionStatus.FAILED,
            SessionStatus.CANCELLED,
        }
    ),
    SessionStatus.PAUSED: frozenset(
        {SessionStatus.QUEUED, SessionStatus.RUNNING, SessionStatus.CANCELLED}
    ),
    SessionStatus.COMPLETED: frozenset(),
    SessionStatus.FAILED: frozenset(),
    SessionStatus.CANCELLED: frozenset(),
}


def may_become(now: SessionStatus, then: SessionStatus) -> bool:
    """Tell whether a session may go from ``now`` to ``then``; staying is always allowed."""
    return now == then or then in _NEXT[now]


class DiagnosisSession(Model):
    """A row of ``diagnosis_session``.

    ``payload``, ``scope``, ``plan`` and ``report`` are the JSON forms of `Incident`, `Scope`,
    `Plan` and `Report`; they stay plain here, because an older version may have written them.
    """

    session_id: str = Field(min_length=1, max_length=SESSION_ID_LENGTH, pattern=SESSION_ID_PATTERN)
    conversation_id: str | None = None
    incident_id: str | None = None
    parent_session_id: str | None = None
    """The session whose evidence this one starts from."""
    channel: Channel = Channel.AIOPS
    question: str = ""
    payload: dict[str, Any] = Field(default_factory=dict)
    scope: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None
    selected_skill: str = ""
    reasoner: str = "rules"
    language: Language = Language.EN
    status: SessionStatus = SessionStatus.QUEUED
    rounds: int = 0
    verdict: str = ""
    """A `Verdict`, empty until there is one."""
    final_report: str | None = None
    """The report as Markdown."""
    report: dict[str, Any] | None = None
    report_digest: str = ""
    """Digest of the report's canonical bytes."""
    self_evaluation: dict[str, Any] = Field(default_factory=dict)
    """One key per evaluator; each writes only its own."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    error: str = ""
    code_version: str = ""
    created_at: Instant
    started_at: Instant | None = None
    updated_at: Instant
    finished_at: Instant | None = None
    journal_length: int = 0
    """Entries linked into the chain so far."""
    head_hash: str = ""
    """Hash of the last of them."""
    aiops_gate: str | None = None
    """Read out of ``self_evaluation`` by the database, like the two below."""
    rule_grade: str | None = None
    verifier_verdict: str | None = None


class SessionTemplate(Model):
    """What the sessions of one installation have in common."""

    sources: dict[str, Any]
    """JSON of which sources to read, so that a resume needs no flags."""
    config: dict[str, Any]
    """Settings that decide the result, so that a replay uses the same."""
    code_version: str

    def new(self, session_id: str, incident: Incident, **columns: Any) -> DiagnosisSession:
        """Return a session that is not stored yet.

        Args:
            session_id: the caller's own, or a UUIDv7.
            incident: what was reported.
            columns: others of `DiagnosisSession`.
        """
        return DiagnosisSession(
            session_id=session_id,
            channel=incident.channel,
            question=incident.question,
            payload={
                "incident": incident.model_dump(mode="json"),
                "sources": self.sources,
                "config": self.config,
            },
            language=incident.language,
            code_version=self.code_version,
            created_at=incident.received_at,
            updated_at=incident.received_at,
            **columns,
        )


class DamagedSession(Model):
    """A row of ``diagnosis_session`` that cannot be read: not what was ever written."""

    session_id: str
    column: str
    """The first column that cannot be read."""


class SessionOutcome(Model):
    """What a session has come to: stored before it is judged, and before it ends."""

    scope: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None
    selected_skill: str = ""
    reasoner: str = "rules"
    rounds: int = 0
    verdict: str = ""
    final_report: str | None = None
    report: dict[str, Any] | None = None
    report_digest: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class ListPlace(Model):
    """A place in the list of sessions, which is newest first."""

    created_at: Instant
    session_id: str


class SessionFilter(Model):
    """Which sessions to list; what is None does not narrow."""

    channel: Channel | None = None
    status: SessionStatus | None = None
    verdict: str | None = None
    gate: str | None = None
    """Verdict of the rule gate: ``PASS``, ``WARN``, ``FAIL``."""
    tool: str | None = None
    """Sessions that called this tool."""
    service: str | None = None
    """Sessions in whose scope an entity of this name was."""
    conversation_id: str | None = None
    incident_id: str | None = None
    since: Instant | None = None
    """Created at or after."""
    until: Instant | None = None
    """Created before."""
    behind: ListPlace | None = None
    """Page on: the sessions that come after this place in the list."""
    limit: int = Field(default=50, ge=1, le=500)
