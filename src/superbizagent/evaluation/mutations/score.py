"""Makes the sentences and mutants of every incident and counts which ones are caught."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from superbizagent.analysis.claims.compare.judgement import Judgement, Mark
from superbizagent.domain.incident import Language
from superbizagent.errors import DataSourceError
from superbizagent.evaluation.cases import (
    CheckerOf,
    Diagnose,
    Examined,
    Incident,
    Reads,
    checker_of,
)
from superbizagent.evaluation.mutations.draw import Draw
from superbizagent.evaluation.mutations.from_report import statements_of
from superbizagent.evaluation.mutations.number_changes import (
    baseline_for_incident,
    citation_moved,
    ms_for_s,
    neighbour_entity,
    numbers_swapped,
    off_by_one,
    other_time,
)
from superbizagent.evaluation.mutations.own_sentences import Author
from superbizagent.evaluation.mutations.own_statements import own_statements
from superbizagent.evaluation.mutations.session_facts import SessionFacts
from superbizagent.evaluation.mutations.word_changes import entity_swapped, turned
from superbizagent.evaluation.mutations.written import Mutant, Mutation, Written

__all__ = [
    "JudgedMutant",
    "JudgedOriginal",
    "MutationScore",
    "mutants_of",
    "score_mutations",
    "sentences_of",
]

_OTHERS = 12
"""So many other sentences lend a number to one sentence."""


@dataclass(frozen=True, slots=True)
class JudgedOriginal:
    """A true sentence and what became of it."""

    incident: Incident
    written: Written
    cited: Judgement
    uncited: Judgement


@dataclass(frozen=True, slots=True)
class JudgedMutant:
    """A false sentence and what became of it, with its citations and without."""

    incident: Incident
    mutant: Mutant
    stood: bool
    """Whether the true sentence was marked supported."""
    stood_uncited: bool
    cited: Judgement
    uncited: Judgement

    @property
    def caught(self) -> bool:
        """Whether it was not marked supported."""
        return self.cited.mark is not Mark.SUPPORTED

    @property
    def caught_uncited(self) -> bool:
        """The same with the citations taken out."""
        return self.uncited.mark is not Mark.SUPPORTED


@dataclass
class MutationScore:
    """Everything that was judged."""

    originals: list[JudgedOriginal] = field(default_factory=list[JudgedOriginal])
    mutants: list[JudgedMutant] = field(default_factory=list[JudgedMutant])
    not_run: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Incident and reason."""


def score_mutations(
    incidents: Iterable[Incident],
    diagnose: Diagnose,
    seed: int = 0,
    make: CheckerOf = checker_of,
) -> MutationScore:
    """Diagnose each incident in both languages and judge its sentences and their mutants.

    Args:
        incidents: recorded incidents.
        diagnose: runs one.
        seed: of every choice among possible mutants.
        make: the checker that is scored.
    """
    score = MutationScore()
    for incident in incidents:
        for language in Language:
            try:
                examined = diagnose(incident.folder, ("--lang", language.value))
            except DataSourceError as error:
                score.not_run.append((incident.name, str(error)))
                break
            _score_incident(score, incident, examined, Draw(seed), make)
    return score


def _score_incident(
    score: MutationScore, incident: Incident, examined: Examined, draw: Draw, make: CheckerOf
) -> None:
    diagnosis = examined.diagnosis
    reads = make(examined, diagnosis.evidence, diagnosis.analysis)
    session = SessionFacts(examined)
    written = sentences_of(session, draw)
    for sentence in written:
        cited, uncited = _judged(reads, sentence)
        score.originals.append(JudgedOriginal(incident, sentence, cited, uncited))
        for mutant in mutants_of(sentence, session, written, draw):
            score.mutants.append(
                JudgedMutant(
                    incident,
                    mutant,
                    cited.mark is Mark.SUPPORTED,
                    uncited.mark is Mark.SUPPORTED,
                    *_judged(reads, mutant.written),
                )
            )


def sentences_of(session: SessionFacts, draw: Draw) -> tuple[Written, ...]:
    """Return the report's statements and this package's own, each text once."""
    report = session.examined.diagnosis.checked.report
    every = (
        *statements_of(report, session),
        *own_statements(Author(session, report.language, draw)),
    )
    return tuple({(each.text, each.marks): each for each in every}.values())


def _judged(reads: Reads, written: Written) -> tuple[Judgement, Judgement]:
    about = (written.about,) if written.about else ()
    cited = reads.sentence(written.text, marks=written.marks, about=about)
    if not written.marks:
        return cited, cited
    return cited, reads.sentence(written.text, about=about)


def mutants_of(
    written: Written, session: SessionFacts, others: Sequence[Written], draw: Draw
) -> Iterator[Mutant]:
    """Yield at most one mutant of each kind of one true sentence."""
    by_kind: dict[Mutation, list[Mutant]] = {}
    for mutant in _possible(written, session, _lenders(written, others, draw)):
        by_kind.setdefault(mutant.kind, []).append(mutant)
    for kind, mutants in by_kind.items():
        yield draw.pick(mutants, kind.value, written.text)


def _possible(
    written: Written, session: SessionFacts, lenders: Sequence[Written]
) -> Iterator[Mutant]:
    yield from neighbour_entity(written, session)
    yield from baseline_for_incident(written, session)
    yield from other_time(written, session)
    yield from ms_for_s(written, session)
    yield from off_by_one(written, session)
    yield from citation_moved(written, session)
    yield from numbers_swapped(written, session, lenders)
    yield from entity_swapped(written, session)
    yield from turned(written)


def _lenders(written: Written, others: Sequence[Written], draw: Draw) -> tuple[Written, ...]:
    first = draw.number(len(others), "lenders", written.text)
    turn = (*others[first:], *others[:first])
    return tuple(other for other in turn[:_OTHERS] if other is not written)
