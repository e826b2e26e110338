"""What became of a statement: a mark, and every part of it with its facts and its reason."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Judgement", "Mark", "Outcome", "Part", "PartKind"]


class Mark(StrEnum):
    """The word on a whole sentence, worst part first."""

    SUPPORTED = "supported"
    """Everything in it that can be compared stands in the evidence."""
    PARTIAL = "partial"
    """What was compared stands; a part of the sentence says something that nothing compares."""
    CONTRADICTED = "contradicted"
    """The evidence says otherwise."""
    UNSUPPORTED = "unsupported"
    """It says something that no evidence shows."""
    HYPOTHESIS = "hypothesis"
    """A cause that nothing has tested, or a guess; all else in it stands."""
    NOT_CHECKABLE = "not_checkable"
    """Nothing in it can be compared: an opinion, an advice, a heading."""


class PartKind(StrEnum):
    """Which sort of comparison."""

    NAME = "name"
    NUMBER = "number"
    DERIVED = "derived"
    TIME = "time"
    QUOTE = "quote"
    DIRECTION = "direction"
    COMPARISON = "comparison"
    ORDER = "order"
    SCOPE = "scope"
    ABSENCE = "absence"
    COURSE = "course"
    CAUSE = "cause"
    NOVELTY = "novelty"
    CITATION = "citation"
    REST = "rest"
    """What a sentence says beside all that was compared."""


class Outcome(StrEnum):
    """How one part compares."""

    HOLDS = "holds"
    FAILS = "fails"
    """The evidence says otherwise."""
    UNSHOWN = "unshown"
    """No evidence bears it out, and none denies it."""
    UNCOMPARED = "uncompared"
    """It says something that nothing here can read."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a sentence says, and how it compares."""

    kind: PartKind
    outcome: Outcome
    text: str
    """The words of the sentence."""
    reason: str = ""
    """Key of the reasons, ``key`` or ``key:argument``; empty when it holds."""
    fact_ids: tuple[str, ...] = ()
    """What bears it out, or speaks against it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The mark of one sentence, and why."""

    mark: Mark
    parts: tuple[Part, ...] = ()

    @property
    def reason(self) -> str:
        """The reason of the worst part, empty when all hold."""
        for outcome in (Outcome.FAILS, Outcome.UNSHOWN, Outcome.UNCOMPARED):
            for part in self.parts:
                if part.outcome is outcome:
                    return part.reason
        return ""

    @property
    def fact_ids(self) -> tuple[str, ...]:
        """Everything that was compared, each once."""
        return tuple(dict.fromkeys(i for part in self.parts for i in part.fact_ids))
