"""Writes sentences about what a session found, with templates of this package alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language
from superbizagent.evaluation.mutations.draw import Draw
from superbizagent.evaluation.mutations.phrases import PHRASES, WORDS
from superbizagent.evaluation.mutations.plain_words import plain_words
from superbizagent.evaluation.mutations.session_facts import SessionFacts, name_of, time_of
from superbizagent.evaluation.mutations.spelling import Speller
from superbizagent.evaluation.mutations.times import TimeForm, written_time
from superbizagent.evaluation.mutations.written import Piece, Role, Written

__all__ = ["Author"]

_SLOT = re.compile(r"\{(\w+)(\^?)\}")


@dataclass(frozen=True)
class Author:
    """Fills templates with pieces."""

    session: SessionFacts
    language: Language
    draw: Draw
    spell: Speller = field(init=False)

    def __post_init__(self) -> None:
        chinese = self.language is Language.ZH
        object.__setattr__(self, "spell", Speller(chinese=chinese))

    def write(
        self,
        kind: str,
        slots: Mapping[str, Piece | Sequence[Piece]],
        marks: Sequence[str],
        about: str = "",
    ) -> Written:
        """Return a sentence of one kind.

        Args:
            kind: key of `PHRASES`.
            slots: what its templates need, by slot name without ``^``.
            marks: facts and calls that it cites.
            about: path of its entity.
        """
        template = self.draw.pick(PHRASES[self.language][kind], kind, *marks)
        return Written(
            pieces=tuple(self._pieces(template, slots)),
            marks=tuple(dict.fromkeys(marks)),
            language=self.language,
            origin=kind,
            spell=self.spell,
            about=about,
        )

    @staticmethod
    def _pieces(template: str, slots: Mapping[str, Piece | Sequence[Piece]]) -> Iterator[Piece]:
        end = 0
        for match in _SLOT.finditer(template):
            if match.start() > end:
                yield Piece(template[end : match.start()])
            filled = slots[match[1]]
            yield from (filled,) if isinstance(filled, Piece) else filled
            end = match.end()
        if template[end:]:
            yield Piece(template[end:])

    # Pieces --------------------------------------------------------------------------------------

    def who(self, path: str) -> Piece:
        """The name of an entity."""
        return Piece(name_of(path), Role.NAME, entity=path)

    def what(self, fact: Fact) -> Piece:
        """What was measured."""
        return Piece(plain_words(fact, self.language), Role.SUBJECT, fact.id)

    def number(self, fact: Fact) -> Piece:
        """The value of a fact."""
        value = fact.value
        if not isinstance(value, int | float):
            raise TypeError(f"{fact.id} is no number")
        return Piece(self.spell(float(value), self.unit(fact)), Role.NUMBER, fact.id)

    def unit(self, fact: Fact) -> str:
        """The unit of a fact; a latency without one is in seconds, as everywhere."""
        words = plain_words(fact, Language.EN)
        return "s" if not fact.unit and words.endswith("latency") else fact.unit

    def time(self, fact: Fact) -> Piece:
        """When a fact was, to the second or to the minute."""
        at = time_of(fact)
        if at is None:
            raise TypeError(f"{fact.id} has no time")
        whole = at.second == 0 and at.microsecond == 0
        short = whole and self.draw.number(2, "time", fact.id) == 0
        form = TimeForm.MINUTE if short else TimeForm.CLOCK
        return Piece(written_time(at, self.session.zone, form), Role.TIME, fact.id, at=at)

    def word(self, slot: str, *key: object) -> Piece:
        """A word that has an opposite."""
        text, flips = self.draw.pick(WORDS[self.language][slot], slot, *key)
        return Piece(text, Role.WORD, flips=flips)

    def quote(self, text: str, fact: Fact) -> Piece:
        """Verbatim words."""
        return Piece(text, Role.QUOTE, fact.id)

    def say(self, english: str, chinese: str) -> Piece:
        """Plain words."""
        return Piece(chinese if self.language is Language.ZH else english)
