"""Who read and started what, in a closed list of words."""

from enum import StrEnum

from pydantic import Field

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = ["COMMAND_LINE", "AuditAction", "AuditEntry"]

COMMAND_LINE = "command line"
"""The actor of what is done beside the service: whoever may use its database."""


class AuditAction(StrEnum):
    """What somebody did."""

    READ_TRACES = "read_traces"
    READ_TRACE = "read_trace"
    READ_EVIDENCE = "read_evidence"
    READ_CONVERSATION = "read_conversation"
    READ_INCIDENT = "read_incident"
    READ_AUDIT = "read_audit"
    READ = "read"
    """Anything else that is read."""
    CHAT = "chat"
    CLEAR_CHAT = "clear_chat"
    START_DIAGNOSIS = "start_diagnosis"
    CANCEL = "cancel"
    REQUEUE = "requeue"
    FORK = "fork"
    FEEDBACK = "feedback"
    INGEST = "ingest"
    CHANGE = "change"
    """Anything else that changes something."""
    LOGIN = "login"
    LOGOUT = "logout"
    TOKEN_CREATED = "token_created"  # noqa: S105 - a word, no secret
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - a word, no secret
    DENIED = "denied"
    """Somebody without, or with the wrong, token or permission."""


class AuditEntry(Model):
    """One line of the audit log. No field holds a secret or a body."""

    audit_id: str
    at: Instant
    actor: str = Field(description="Name of the token; `unknown` when none was accepted")
    token_id: str | None = None
    action: AuditAction
    target: str = Field(default="", description="Ids of what was read or changed")
    status: int = Field(default=0, description="HTTP status; 0: not by HTTP")
    client: str = Field(default="", description="Address it came from")
    request_id: str = ""
    times: int = Field(default=1, description="Equal requests within a second are one entry")
