"""A sentence in pieces: what each piece was written from, so that one of them can be made false.

The reader that is scored sees the text and its citations alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from superbizagent.domain.incident import Language

__all__ = ["Mutant", "Mutation", "Piece", "Role", "Spell", "Written"]


class Mutation(StrEnum):
    """In which way a true sentence is made false."""

    NEIGHBOUR_ENTITY = "neighbour_entity"
    """The value of the same metric at another entity."""
    BASELINE_FOR_INCIDENT = "baseline_for_incident"
    """The value of the other period."""
    OTHER_TIME = "other_time"
    """The time of another fact."""
    MS_FOR_S = "ms_for_s"
    """The same digits with another unit."""
    OFF_BY_ONE = "off_by_one"
    """The last written digit one up or down."""
    CITATION_MOVED = "citation_moved"
    """The mark of a fact that displays the same number but is about something else."""
    NUMBERS_SWAPPED = "numbers_swapped"
    """The number of another sentence."""
    ENTITY_SWAPPED = "entity_swapped"
    """The name of another entity."""
    DIRECTION_FLIPPED = "direction_flipped"
    """Rose for fell."""
    ORDER_FLIPPED = "order_flipped"
    """Before for after."""
    COMPARISON_FLIPPED = "comparison_flipped"
    """Higher for lower."""
    ABSENCE_INVERTED = "absence_inverted"
    """None for some, did for did not."""


class Role(StrEnum):
    """What a piece of a sentence is."""

    PLAIN = "plain"
    NUMBER = "number"
    """The value of `Piece.fact_id`."""
    DERIVED = "derived"
    """A number computed from facts."""
    TIME = "time"
    NAME = "name"
    """An entity, by its name."""
    SUBJECT = "subject"
    """What was measured."""
    QUOTE = "quote"
    WORD = "word"
    """A word with an opposite: `Piece.flips`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence."""

    text: str
    role: Role = Role.PLAIN
    fact_id: str = ""
    at: datetime | None = None
    entity: str = ""
    """Entity path of a name."""
    flips: tuple[tuple[Mutation, str], ...] = ()
    """What the piece becomes when its meaning is turned."""


Spell = Callable[[float, str], str]
"""Writes a value of a fact's unit as the sentence does."""


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence and the facts it cites."""

    pieces: tuple[Piece, ...]
    marks: tuple[str, ...]
    language: Language
    origin: str
    """``report:<section>`` or the name of a template of this package."""
    spell: Spell
    about: str = ""
    """Path of the entity that it is about."""

    @property
    def text(self) -> str:
        """What a reader sees, citations left out."""
        return "".join(piece.text for piece in self.pieces)

    def of_role(self, *roles: Role) -> tuple[tuple[int, Piece], ...]:
        """Return the pieces of some roles with their positions."""
        return tuple((k, p) for k, p in enumerate(self.pieces) if p.role in roles)

    def with_piece(self, position: int, text: str) -> "Written":
        """Return the sentence with one piece written otherwise."""
        pieces = list(self.pieces)
        pieces[position] = replace(pieces[position], text=text)
        return replace(self, pieces=tuple(pieces))


@dataclass(frozen=True, slots=True)
class Mutant:
    """A sentence made false, and how."""

    kind: Mutation
    original: Written
    written: Written
    note: str
    """What became what."""
