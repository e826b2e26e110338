"""The mark of a statement: every part of it is compared, and the worst part decides."""

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from superbizagent.analysis.claims.compare.absence import judge_absence
from superbizagent.analysis.claims.compare.cause import judge_cause
from superbizagent.analysis.claims.compare.certainty import with_certainty
from superbizagent.analysis.claims.compare.comparison import judge_comparison
from superbizagent.analysis.claims.compare.course import judge_course
from superbizagent.analysis.claims.compare.coverage import uncompared
from superbizagent.analysis.claims.compare.direction import judge_direction
from superbizagent.analysis.claims.compare.judgement import (
    Judgement,
    Mark,
    Outcome,
    Part,
    PartKind,
)
from superbizagent.analysis.claims.compare.novelty import judge_novelty
from superbizagent.analysis.claims.compare.numbers import judge_numbers
from superbizagent.analysis.claims.compare.order import judge_order
from superbizagent.analysis.claims.compare.quotes import judge_quotes
from superbizagent.analysis.claims.compare.reach import judge_reach
from superbizagent.analysis.claims.compare.scope import judge_scope
from superbizagent.analysis.claims.compare.times import judge_times
from superbizagent.analysis.claims.compare.view import Topic, View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Place, Statement, WordKind
from superbizagent.domain.window import from_ms

__all__ = ["compare", "judge"]

_JUDGES: tuple[Callable[[View], Iterator[Part]], ...] = (
    judge_numbers,
    judge_absence,
    judge_novelty,
    judge_cause,
    judge_scope,
    judge_reach,
    judge_comparison,
    judge_times,
    judge_quotes,
    judge_direction,
    judge_order,
    judge_course,
)
_SAYS_NOTHING = frozenset({Place.HEADING, Place.CODE})


def judge(
    statement: Statement,
    ground: Ground,
    about: Sequence[str] = (),
    marks: Sequence[str] = (),
    before: Topic | None = None,
) -> Judgement:
    """Return what becomes of a statement.

    Args:
        statement: what a sentence says.
        ground: the evidence.
        about: entity paths that "it" stands for.
        marks: citations of the claim beside those in the sentence; when there are any, only what
            they stand for may bear the sentence out.
        before: what the sentence before it spoke of.
    """
    sentence = statement.sentence
    if sentence.too_long or sentence.place in _SAYS_NOTHING:
        return Judgement(Mark.NOT_CHECKABLE)
    if statement.words_of(WordKind.ADVICE):
        return Judgement(Mark.NOT_CHECKABLE)
    marks = tuple(dict.fromkeys((*sentence.marks, *marks)))
    view = View(statement, ground, tuple(about), _cited(ground, marks), before or Topic())
    parts = compare(view, marks)
    if view.cited is None:
        parts = tuple(with_certainty(view, parts))
    mark = _mark(parts)
    rest = tuple(uncompared(view, parts)) if mark is Mark.SUPPORTED else ()
    return Judgement(Mark.PARTIAL if rest else mark, (*parts, *rest))


def compare(view: View, marks: Sequence[str]) -> tuple[Part, ...]:
    """Return everything that a sentence says, each with how it compares, however sure that is."""
    parts = (*_names(view), *_citations(view.ground, marks), *_unread(view))
    parts = (*parts, *(part for judge_parts in _JUDGES for part in judge_parts(view)))
    parts = tuple(_timed(parts, view))
    held = {i for part in parts if part.outcome is Outcome.HOLDS for i in part.fact_ids}
    return (*parts, *_of_others(view, marks, held))


def _cited(ground: Ground, marks: Sequence[str]) -> "np.typing.NDArray[np.bool_] | None":
    if not marks:
        return None
    rows = np.zeros(len(ground), np.bool_)
    rows[ground.rows_of_marks(marks)] = True
    return rows


def _citations(ground: Ground, marks: Sequence[str]) -> Iterator[Part]:
    numbers = {look.number for look in ground.looks}
    for mark in marks:
        known = ground.fact(mark) is not None
        if not known and not (mark[1:].isdecimal() and int(mark[1:]) in numbers):
            yield Part(PartKind.CITATION, Outcome.FAILS, mark, f"unknown_fact:{mark}")


def _names(view: View) -> Iterator[Part]:
    """A name that nobody knows; that of a known thing says nothing by itself."""
    for name in view.statement.names:
        if not name.entities and not name.metric:
            near = f":{name.text}:{', '.join(name.near)}"
            yield Part(PartKind.NAME, Outcome.UNSHOWN, name.text, f"unknown_name{near}")


def _timed(parts: Sequence[Part], view: View) -> Iterator[Part]:
    """Yield the parts; a time stands too when a number of the sentence was read at it."""
    ids = [
        i
        for p in parts
        if p.outcome is Outcome.HOLDS and p.kind is PartKind.NUMBER
        for i in p.fact_ids
    ]
    rows = [row for row in map(view.ground.row, ids) if row is not None]
    for part in parts:
        moment = next((m for m in view.statement.moments if m.text == part.text), None)
        if part.kind is PartKind.TIME and part.outcome is Outcome.UNSHOWN and moment is not None:
            at = [from_ms(int(view.ground.at[row])) for row in rows if view.ground.at[row] >= 0]
            if moment.preposition == "at" and any(map(moment.accepts, at)):
                yield Part(PartKind.TIME, Outcome.HOLDS, part.text, "", tuple(ids))
                continue
        yield part


def _unread(view: View) -> Iterator[Part]:
    for mention in view.statement.unread:
        yield Part(PartKind.NUMBER, Outcome.UNSHOWN, mention.text, "unread_number")


def _of_others(view: View, marks: Sequence[str], held: Collection[str]) -> Iterator[Part]:
    """A citation of something that the sentence does not speak of bears nothing out."""
    ground = view.ground
    named = view.every_entity
    topic = view.topic(0, len(view.text))
    shared = view.shared(topic) if topic.concepts or topic.metric or topic.quotes else None
    for mark in marks:
        row = ground.row(mark)
        if row is None or int(ground.entity[row]) < 0:
            continue
        if named and ground.entities[int(ground.entity[row])] not in named:
            yield Part(PartKind.CITATION, Outcome.FAILS, mark, f"entity_mismatch:{mark}", (mark,))
        elif mark not in held and shared is not None and not shared[row]:
            yield Part(PartKind.CITATION, Outcome.UNSHOWN, mark, f"cites_other:{mark}", (mark,))


def _mark(parts: Sequence[Part]) -> Mark:
    outcomes = {part.outcome for part in parts}
    if Outcome.FAILS in outcomes:
        return Mark.CONTRADICTED
    open_parts = [part for part in parts if part.outcome is Outcome.UNSHOWN]
    if open_parts:
        guess = all(part.kind is PartKind.CAUSE for part in open_parts)
        return Mark.HYPOTHESIS if guess else Mark.UNSUPPORTED
    if Outcome.HOLDS not in outcomes:
        return Mark.NOT_CHECKABLE
    return Mark.PARTIAL if Outcome.UNCOMPARED in outcomes else Mark.SUPPORTED
