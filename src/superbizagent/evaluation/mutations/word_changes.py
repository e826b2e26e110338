"""Names and words made false: another entity, the opposite of a word."""

from collections.abc import Iterator

from superbizagent.domain.fact import Fact
from superbizagent.evaluation.mutations.session_facts import (
    SessionFacts,
    name_of,
    time_of,
    topic_of,
)
from superbizagent.evaluation.mutations.spelling import Sayable
from superbizagent.evaluation.mutations.written import Mutant, Mutation, Piece, Role, Written

__all__ = ["entity_swapped", "turned"]


def turned(written: Written) -> Iterator[Mutant]:
    """The opposite of a word: of a direction, an order, a comparison, an absence."""
    for position, piece in written.of_role(Role.WORD):
        for kind, other in piece.flips:
            changed = written.with_piece(position, other)
            yield Mutant(kind, written, changed, f"{piece.text} -> {other}")


def entity_swapped(written: Written, session: SessionFacts) -> Iterator[Mutant]:
    """The name of another entity of the catalogue, of which the sentence is not true too."""
    for position, piece in written.of_role(Role.NAME):
        facts = [f for f in session.of(written.marks) if f.entity == piece.entity]
        # What is ruled out of one entity may rest on readings of those around it.
        if not piece.entity or not facts or piece.text != name_of(piece.entity):
            continue
        for path in session.entities:
            name = name_of(path)
            if path == piece.entity or _is_named(name, written):
                continue
            if not _is_true_of(path, facts, written, session):
                changed = written.with_piece(position, name)
                yield Mutant(Mutation.ENTITY_SWAPPED, written, changed, f"{piece.text} -> {name}")


def _is_named(name: str, written: Written) -> bool:
    """Tell whether the sentence, or what a piece of it was written from, has the name already."""
    return name.lower() in written.text.lower()


def _is_true_of(path: str, facts: list[Fact], written: Written, session: SessionFacts) -> bool:
    """Tell whether the other entity has, of the same metric, a value or time that reads the same.

    A sentence without a number or a time may be true of any entity.
    """
    said = [p for _, p in written.of_role(Role.NUMBER, Role.TIME) if p.fact_id]
    said = [p for p in said if any(f.id == p.fact_id for f in facts)]
    if not said:
        return True
    topics = {topic_of(fact) for fact in facts}
    theirs = [f for f in session.of_entity(path) if topic_of(f) in topics]
    return any(_reads_so(piece, theirs) for piece in said)


def _reads_so(piece: Piece, facts: list[Fact]) -> bool:
    if piece.role is Role.TIME:
        return any(time_of(fact) == piece.at for fact in facts)
    return Sayable.of(facts, derived=False).allows(piece.text)
