"""Numbers and times made false with values of the same session."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Language
from superbizagent.evaluation.mutations.plain_words import plain_words
from superbizagent.evaluation.mutations.session_facts import (
    SessionFacts,
    name_of,
    time_of,
    topic_of,
    words_of,
)
from superbizagent.evaluation.mutations.spelling import (
    Sayable,
    Spelled,
    other_unit,
    says,
    spelled,
)
from superbizagent.evaluation.mutations.times import form_of, written_time
from superbizagent.evaluation.mutations.written import Mutant, Mutation, Role, Written

__all__ = [
    "baseline_for_incident",
    "citation_moved",
    "ms_for_s",
    "neighbour_entity",
    "numbers_swapped",
    "off_by_one",
    "other_time",
]


def neighbour_entity(written: Written, session: SessionFacts) -> Iterator[Mutant]:
    """The value that the same metric, or the same count, has at another entity."""
    for position, fact in _numbers(written, session):
        for other in session.alike(fact):
            text = _value(written, other, written.pieces[position].text, fact)
            if _is_false(text, written, position, session):
                note = f"{fact.id} of {name_of(other.entity)} ({other.id})"
                yield _mutant(Mutation.NEIGHBOUR_ENTITY, written, position, text, note)


def baseline_for_incident(written: Written, session: SessionFacts) -> Iterator[Mutant]:
    """The value that the other period has: what is written is said to be of this one."""
    for position, fact in _numbers(written, session):
        shown = written.pieces[position].text
        for other in session.other_period(fact):
            text = _value(written, other, shown, fact)
            # The other value may well be cited, in its own role: it differs as written, and as
            # the number that stands here it is wrong.
            if text != shown and not says(text, (fact,)) and _breaks_bound(written, position, text):
                note = f"{other.statistic} ({other.id}) for {fact.statistic}"
                yield _mutant(Mutation.BASELINE_FOR_INCIDENT, written, position, text, note)


def off_by_one(written: Written, session: SessionFacts) -> Iterator[Mutant]:
    """The last written digit one off, away from the value, so that no rounding explains it."""
    for position, piece in written.of_role(Role.NUMBER, Role.DERIVED):
        number = spelled(piece.text)
        if number is None:
            continue
        away = _away(number, session.by_id.get(piece.fact_id), piece.text)
        # Towards the value is wrong too where that is beyond rounding, and all that "at most"
        # leaves.
        for text in (number.moved(away), number.moved(-away)):
            if _is_false(text, written, position, session):
                yield _mutant(Mutation.OFF_BY_ONE, written, position, text, "last digit")
                break


def _away(number: Spelled, fact: Fact | None, shown: str) -> int:
    """The step that leads away from the exact value; up where that is not known."""
    if fact is None or not isinstance(fact.value, int | float):
        return 1
    lower = number.moved(-1)
    up = number.value >= _nearest(number.value, float(fact.value)) or lower.startswith("-")
    return 1 if up or shown.startswith("0") else -1


def _nearest(written: float, value: float) -> float:
    """The value in the unit that it is written in: the one of its scales nearest to it."""
    scales = (1.0, 100.0, 1000.0, 1 / 1024, 1 / 1024**2, 1 / 1024**3)
    return min((value * scale for scale in scales), key=lambda each: abs(each - written))


def ms_for_s(written: Written, session: SessionFacts) -> Iterator[Mutant]:
    """The same digits with a neighbouring unit."""
    facts = session.of(written.marks)
    for position, piece in written.of_role(Role.NUMBER, Role.DERIVED):
        number = spelled(piece.text)
        text = other_unit(number) if number is not None and number.value else None
        if text is None or says(text, facts):
            continue
        if _breaks_bound(written, position, text):
            yield _mutant(Mutation.MS_FOR_S, written, position, text, "unit")


def numbers_swapped(
    written: Written, session: SessionFacts, others: Sequence[Written]
) -> Iterator[Mutant]:
    """The number of another sentence, about another entity or metric, that has the same unit."""
    for position, fact in _numbers(written, session):
        for other in others:
            for _, piece in other.of_role(Role.NUMBER):
                theirs = session.by_id[piece.fact_id]
                differs = theirs.entity != fact.entity or not words_of(theirs) & words_of(fact)
                if not differs or _counted(theirs) != _counted(fact):
                    continue
                if _is_false(piece.text, written, position, session):
                    note = f"number of {theirs.id}"
                    kind = Mutation.NUMBERS_SWAPPED
                    yield _mutant(kind, written, position, piece.text, note)


def _counted(fact: Fact) -> str:
    """The unit of a fact; records are counted like anything else."""
    return "" if fact.unit == "records" else fact.unit


def other_time(written: Written, session: SessionFacts) -> Iterator[Mutant]:
    """The time of another fact, further away than the written precision."""
    facts = session.of(written.marks)
    cited = [at for fact in facts if (at := time_of(fact)) is not None]
    cited += [at for f in facts if f.window is not None for at in (f.window.start, f.window.end)]
    for position, piece in written.of_role(Role.TIME):
        form = form_of(piece.text)
        if form is None or piece.at is None:
            continue
        for at in session.times:
            if any(abs(at - known) < form.precision for known in (*cited, piece.at)):
                continue
            text = written_time(at, session.zone, form)
            if text not in written.text:
                yield _mutant(Mutation.OTHER_TIME, written, position, text, "time of another fact")


def citation_moved(written: Written, session: SessionFacts) -> Iterator[Mutant]:
    """The mark of a fact that displays the same number but is about something else."""
    for position, fact in _numbers(written, session):
        shown = written.pieces[position].text
        left = [f for f in session.of(written.marks) if f.id != fact.id]
        if fact.id not in written.marks or Sayable.of(left).allows(shown):
            continue  # what is left bears the number out still
        for other in session.showing(fact.unit, fact.value, written.spell):
            if other.id in written.marks or not _is_elsewhere(written, fact, other):
                continue
            marks = tuple(other.id if mark == fact.id else mark for mark in written.marks)
            note = f"{fact.id} -> {other.id} ({name_of(other.entity)} {topic_of(other)})"
            moved = replace(written, marks=marks)
            yield Mutant(Mutation.CITATION_MOVED, written, moved, note)


def _is_elsewhere(written: Written, fact: Fact, other: Fact) -> bool:
    """Tell whether a fact is of an entity that the sentence does not name, or of another metric.

    Of the same entity only where the sentence names the metric, and shares no word with the other.
    """
    if other.entity != fact.entity:
        return all(piece.entity != other.entity for _, piece in written.of_role(Role.NAME))
    said = " ".join(piece.text for _, piece in written.of_role(Role.SUBJECT))
    words = words_of(fact) | {w.lower() for w in said.split()} | _plain(fact)
    return bool(said) and not (words_of(other) | _plain(other)) & words


def _plain(fact: Fact) -> frozenset[str]:
    return frozenset(plain_words(fact, Language.EN).lower().split())


# What makes sure that a mutant is false ----------------------------------------------------------


def _numbers(written: Written, session: SessionFacts) -> Iterator[tuple[int, Fact]]:
    for position, piece in written.of_role(Role.NUMBER):
        yield position, session.by_id[piece.fact_id]


def _value(written: Written, other: Fact, shown: str, fact: Fact) -> str:
    """Write another fact's value as the sentence writes this one."""
    value = float(other.value) if isinstance(other.value, int | float) else 0.0
    # A latency without a unit may be written in seconds: the sentence's unit decides.
    number = spelled(shown)
    timed = number is not None and number.unit in {"ms", "s", "毫秒", "秒"} and not fact.unit
    return written.spell(value, "s" if timed else other.unit)


def _is_false(text: str, written: Written, position: int, session: SessionFacts) -> bool:
    """Tell whether a number is neither in the sentence nor the value of anything it cites."""
    if any(text == piece.text for piece in written.pieces):
        return False
    if not _breaks_bound(written, position, text):
        return False
    return not session.sayable(written.marks).allows(text)


_LIMITS = {"at most": -1, "up to": -1, "at least": 1, "最多": -1, "至多": -1, "至少": 1, "最少": 1}
"""What leads a number that is a limit: any larger number is true as well, or any smaller one."""


def _breaks_bound(written: Written, position: int, text: str) -> bool:
    """Tell whether a number behind "at most" is smaller than the true one, and so on."""
    new, old = spelled(text), spelled(written.pieces[position].text)
    if new is None or old is None:
        return False
    before = written.pieces[position - 1].text.rstrip() if position else ""
    side = next((side for words, side in _LIMITS.items() if before.endswith(words)), 0)
    return side == 0 or side * (new.in_base - old.in_base) > 0


def _mutant(kind: Mutation, written: Written, position: int, text: str, note: str) -> Mutant:
    shown = written.pieces[position].text
    return Mutant(kind, written, written.with_piece(position, text), f"{shown} -> {text} ({note})")
