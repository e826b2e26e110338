"""Words of the journal: what is recorded of a session, and what a check of it found."""

from enum import StrEnum
from typing import Any

from superbizagent.domain.model import Model

__all__ = [
    "Claim",
    "EntryKind",
    "IntegrityProblem",
    "IntegrityReport",
    "JournalMode",
    "RecordedEntry",
]


class JournalMode(StrEnum):
    """What happens at a key that is not recorded, or recorded for another request."""

    LIVE = "live"
    """Perform and record; another request is an error."""
    RESUME = "resume"
    """Perform and record; another request is recorded as a new attempt beside the old one."""
    REPLAY = "replay"
    """Never perform, never write; both are a `ReplayMismatchError`."""


class EntryKind(StrEnum):
    """What an entry records."""

    EFFECT = "effect"
    CALL = "call"
    """An evidence call: has a ``tool_invocation`` row."""
    DUPLICATE = "duplicate"
    """A call that was made before: points to that row."""
    INSTANT = "instant"
    STAGE = "stage"
    VERSIONS = "versions"
    EVALUATION = "evaluation"
    """One key of ``self_evaluation``."""
    SESSION = "session"
    """Seals the columns of ``diagnosis_session``."""


class Claim(Model):
    """The right to write to a session."""

    session_id: str
    owner: str
    attempt: int


class RecordedEntry(Model):
    """One entry as it is read back; ``result`` is the JSON that was recorded."""

    key: str
    attempt: int
    kind: EntryKind
    request_hash: str
    result: Any
    blob_digest: str = ""
    row_id: str = ""
    seq: int | None = None
    hash: str | None = None


class IntegrityProblem(Model):
    """One stored value that is not what was written."""

    table: str
    row: str
    """Journal key, row id, or digest and part."""
    column: str = ""
    """Empty when the row as a whole is missing, unknown or out of order."""
    message: str


class IntegrityReport(Model):
    """What `verify_session` found."""

    session_id: str
    entries: int
    head_hash: str
    keyed: bool
    """The chain was made with a key and checked with it: forging would have shown."""
    sealed: bool
    """The session has ended, so its own columns are covered too."""
    problems: tuple[IntegrityProblem, ...] = ()

    @property
    def ok(self) -> bool:
        """Nothing was found."""
        return not self.problems
