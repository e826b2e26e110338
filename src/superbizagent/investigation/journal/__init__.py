"""The record of a session: every effect, once."""

from superbizagent.investigation.journal.session_journal import (
    PLAIN,
    Codec,
    Journal,
    JournalMode,
    typed,
)

__all__ = ["PLAIN", "Codec", "Journal", "JournalMode", "typed"]
