"""Scores the reading of labelled sentences: true ones that are refused, wrong ones that pass.

Every case is diagnosed once and its sentences are held against what that session stored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from superbizagent.analysis.claims.checker import Checked
from superbizagent.analysis.claims.compare.judgement import Judgement, Mark
from superbizagent.analysis.claims.scan.sentences import normalise
from superbizagent.errors import DataSourceError
from superbizagent.evaluation.alteration import altered
from superbizagent.evaluation.cases import (
    CheckerOf,
    Diagnose,
    Examined,
    Reads,
    case_folder,
    checker_of,
)
from superbizagent.evaluation.labelled import Alteration, Story, TrueStatement

__all__ = [
    "ClaimScore",
    "JudgedSentence",
    "JudgedStory",
    "NotRun",
    "judged_story",
    "score_claims",
    "stands",
]

_CLOSING = " .。!！?？;；\"”」'"


@dataclass(frozen=True, slots=True)
class NotRun:
    """A case that could not be run, and how many labels it has."""

    case: str
    labels: int
    reason: str


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A true statement and what became of it."""

    label: TrueStatement
    judgement: Judgement

    @property
    def stands(self) -> bool:
        """Whether it was marked supported, as it should."""
        return self.judgement.mark is Mark.SUPPORTED

    @property
    def is_rejected(self) -> bool:
        """Whether it would be taken out of a report: that must not happen to what is true."""
        return self.judgement.mark in {Mark.CONTRADICTED, Mark.UNSUPPORTED}


@dataclass(frozen=True, slots=True)
class JudgedStory:
    """A story, and what became of its sentences."""

    label: Story
    wrong: tuple[tuple[str, tuple[Checked, ...]], ...]
    """Each wrong sentence of the label with the sentences that were read out of it."""
    others: tuple[Checked, ...]
    """All other sentences: they are true."""

    @property
    def passed(self) -> tuple[str, ...]:
        """Wrong sentences marked supported: no part of them was refused."""
        return tuple(text for text, read in self.wrong if stands(read))


def stands(read: Sequence[Checked]) -> bool:
    """Tell whether all that was read out of a sentence is marked supported.

    A wrong sentence that was not read at all stands too: a reader would not see it marked.
    """
    return all(item.judgement.mark is Mark.SUPPORTED for item in read)


@dataclass
class ClaimScore:
    """What all labels came to."""

    true: list[JudgedSentence] = field(default_factory=list[JudgedSentence])
    stories: list[JudgedStory] = field(default_factory=list[JudgedStory])
    not_run: list[NotRun] = field(default_factory=list[NotRun])


@dataclass
class _Case:
    """The labels of one diagnosis."""

    case: str
    args: tuple[str, ...]
    true: list[TrueStatement] = field(default_factory=list[TrueStatement])
    stories: list[Story] = field(default_factory=list[Story])

    @property
    def labels(self) -> int:
        return len(self.true) + len(self.stories)


def score_claims(
    true: Sequence[TrueStatement],
    stories: Sequence[Story],
    diagnose: Diagnose,
    root: Path | None = None,
    make: CheckerOf = checker_of,
) -> ClaimScore:
    """Diagnose every case that is here and judge its labels.

    Args:
        true: true statements.
        stories: texts with wrong sentences.
        diagnose: runs one case.
        root: where ``<set>/cases/<name>`` is looked for.
        make: the checker that is scored.
    """
    score = ClaimScore()
    for case in _by_case(true, stories):
        folder = case_folder(case.case, root)
        if folder is None:
            score.not_run.append(NotRun(case.case, case.labels, "no such folder"))
            continue
        try:
            examined = diagnose(folder, case.args)
        except DataSourceError as error:
            score.not_run.append(NotRun(case.case, case.labels, str(error)))
            continue
        _score_case(score, case, examined, make)
    return score


def _by_case(true: Sequence[TrueStatement], stories: Sequence[Story]) -> Iterator[_Case]:
    found: dict[tuple[str, tuple[str, ...]], _Case] = {}
    for label in (*true, *stories):
        case = found.setdefault((label.case, label.args), _Case(label.case, label.args))
        if isinstance(label, Story):
            case.stories.append(label)
        else:
            case.true.append(label)
    yield from (found[key] for key in sorted(found))


def _score_case(score: ClaimScore, case: _Case, examined: Examined, make: CheckerOf) -> None:
    evidence, analysis = examined.diagnosis.evidence, examined.diagnosis.analysis
    checkers: dict[Alteration, Reads] = {}

    def checker(change: Alteration) -> Reads:
        if change not in checkers:
            checkers[change] = make(examined, *altered(evidence, analysis, change))
        return checkers[change]

    for label in case.true:
        reads = checker(Alteration())
        about = reads.entities(label.context)
        score.true.append(JudgedSentence(label, reads.sentence(label.text, about=about)))
    for story in case.stories:
        score.stories.append(judged_story(story, checker(story.alter).text(story.text)))


def judged_story(story: Story, read: Sequence[Checked]) -> JudgedStory:
    """Sort the sentences that were read into those that the label calls wrong, and the others.

    What a label calls one sentence may have been read as several, or as a part of a longer one.
    """
    wanted = [normalise(text).strip(_CLOSING) for text in story.wrong]
    texts = [item.sentence.text.strip(_CLOSING) for item in read]
    of_wrong = [
        tuple(item for item, text in zip(read, texts, strict=True) if text and _meet(text, wrong))
        for wrong in wanted
    ]
    taken = {id(item) for items in of_wrong for item in items}
    return JudgedStory(
        label=story,
        wrong=tuple(zip(story.wrong, of_wrong, strict=True)),
        others=tuple(item for item in read if id(item) not in taken),
    )


def _meet(text: str, wrong: str) -> bool:
    return text in wrong or wrong in text
