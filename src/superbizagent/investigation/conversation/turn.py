"""What a turn of a conversation asks for, and what is known before it."""

from enum import StrEnum

from superbizagent.domain.incident import Language
from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant, Window

__all__ = ["LOOKS", "History", "Turn", "TurnKind"]


class TurnKind(StrEnum):
    """What is asked for."""

    DIAGNOSE = "diagnose"
    """A question of its own: a new diagnosis."""
    LOOK = "look"
    """The same question of another time or another service: a new diagnosis."""
    WHY_NOT = "why_not"
    """Why a name is not the cause."""
    WHY = "why"
    """What the cause is, and how that is known."""
    EXPLAIN = "explain"
    """What a citation rests on."""
    EVIDENCE = "evidence"
    """What was seen of a name."""
    CHANGES = "changes"
    """What was changed."""
    ONSET = "onset"
    """Since when."""
    ADVICE = "advice"
    """What to do, and what to check."""
    STATE = "state"
    """Whether it is over."""
    AFFECTED = "affected"
    """Who feels it, and how much."""
    UNSEEN = "unseen"
    """What was not looked at."""
    OTHER = "other"
    """No question about a system: small talk, noise, an instruction."""


LOOKS = frozenset({TurnKind.DIAGNOSE, TurnKind.LOOK})
"""What is answered by looking at the sources; all else by what is stored."""


class Turn(Model):
    """One turn as it was read. Stored with its session, so that a replay reads nothing again."""

    kind: TurnKind
    names: tuple[str, ...] = ()
    """Names that it is about, pronouns resolved."""
    pronoun: str = ""
    """The word that stood for the first of `names`, as it was written."""
    citation: str = ""
    """``E7`` or ``E7.2``."""
    window: Window | None = None
    """The time that was said; None: the conversation's."""
    language: Language = Language.EN
    session_id: str = ""
    """The session that is asked about; empty when the conversation has none yet."""


class History(Model):
    """What a conversation has come to before a turn: all that reading one may depend on."""

    session_id: str = ""
    """The last session that looked at something and has a report."""
    names: tuple[str, ...] = ()
    """Entities, other names of them, and sources that it knows."""
    services: tuple[str, ...] = ()
    """Names of what it was about."""
    cause: str = ""
    """Name of the cause that it found."""
    last_named: str = ""
    """What "it" stands for: the last name that was spoken of."""
    window: Window | None = None
    """The incident's time."""
    now: Instant
    """What relative times count from: of a recording its end, else when the turn was received."""
    timezone: str = "UTC"
    """In which times without a zone are read."""
    language: Language = Language.EN
    """Of the last answer."""
