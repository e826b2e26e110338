"""A whole text, or a whole report, held against one session's evidence, sentence by sentence."""

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.judgement import Judgement, Mark
from superbizagent.analysis.claims.mentions import Place, Sentence
from superbizagent.analysis.claims.scan.sentences import LONGEST, split_text
from superbizagent.domain.canonical import loads, round_significant
from superbizagent.domain.model import Model
from superbizagent.domain.report import Claim, Report
from superbizagent.investigation.wording.reasons import Reasons

__all__ = [
    "CheckedSentence",
    "Given",
    "GivenClaim",
    "Tally",
    "check_claims",
    "check_text",
    "read_claims",
    "tally",
]

_PROBLEMS = frozenset({Mark.CONTRADICTED, Mark.UNSUPPORTED})
"""Marks of what does not stand."""
_SAYS_NOTHING = frozenset({Place.HEADING, Place.CODE})


class CheckedPart(Model):
    """One thing that a sentence says, and how it compares."""

    kind: str
    text: str
    outcome: str
    """``holds``, ``fails``, ``unshown`` or ``uncompared``."""
    reason: str
    """``key`` or ``key:argument``; empty when it holds."""
    words: str
    """The reason in words."""
    fact_ids: tuple[str, ...]


class CheckedSentence(Model):
    """One sentence and what became of it."""

    line: int
    """Line of the text it begins on, from 1; of a report the number of its statement."""
    claim: str = ""
    """Id of the statement, of a report."""
    place: str
    """``prose``, ``item`` or ``cell``."""
    text: str
    """Normalised, without citations."""
    citations: tuple[str, ...]
    """Those that stood there."""
    mark: Mark
    reason: str
    """Of its worst part."""
    words: str
    """Why it does not stand."""
    fact_ids: tuple[str, ...]
    """Everything it was compared with; further readings of an output have longer ids."""
    found: tuple[str, ...]
    """The same as citations that `superbiz explain` shows."""
    parts: tuple[CheckedPart, ...]
    own: bool = False
    """Word for word a statement of the session's own report, which was verified from its facts."""

    @property
    def is_problem(self) -> bool:
        """Whether the evidence does not bear it out."""
        return self.mark in _PROBLEMS


class Tally(Model):
    """How many sentences have which mark."""

    sentences: int
    marks: dict[Mark, int]
    nothing_to_check_ratio: float
    """Share of sentences in which nothing can be compared."""

    @property
    def problems(self) -> int:
        """Sentences that do not stand."""
        return sum(self.marks[mark] for mark in _PROBLEMS)


class GivenClaim(Model):
    """A statement of a report, as far as checking it needs; other fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    id: str = ""
    entity: str = ""
    text: str
    fact_ids: tuple[str, ...] = ()


class Given(Model):
    """A report as ``superbiz diagnose --json`` prints it."""

    model_config = ConfigDict(extra="ignore")

    claims: tuple[GivenClaim, ...] = Field(min_length=1)


def read_claims(text: str) -> tuple[GivenClaim, ...] | None:
    """Return the statements of a report in JSON; None when the text is no such report."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value: Any = loads(text)
        return Given.model_validate(value.get("report", value)).claims
    except (AttributeError, ValueError, ValidationError):
        return None


def check_text(
    checker: Checker, text: str, reasons: Reasons, report: Report | None = None
) -> tuple[CheckedSentence, ...]:
    """Judge every sentence of a text; headings and code state nothing and are left out.

    Args:
        checker: holds sentences against the session's evidence.
        text: to judge.
        reasons: says why one does not stand.
        report: the session's own, as it was stored; see `check_claims`. A copy of it may have
            been wrapped, and may have lost its citations.
    """
    own = _sentences_of(report) if report is not None else {}
    checked: list[CheckedSentence] = []
    for found in checker.text(text):
        if found.sentence.place in _SAYS_NOTHING:
            continue
        cited = own.get(_letters(found.sentence.text))
        is_own = cited is not None and cited.issuperset(found.sentence.marks)
        judgement = Judgement(Mark.SUPPORTED) if is_own else found.judgement
        sentence = _checked(found.sentence, judgement, reasons)
        checked.append(sentence.model_copy(update={"own": is_own}))
    return tuple(checked)


def _sentences_of(report: Report) -> dict[str, frozenset[str]]:
    """Return the citations of each sentence that was filled in from facts, by its letters."""
    found: dict[str, frozenset[str]] = {}
    for claim in report.claims:
        if claim.is_free:
            continue
        marks = frozenset(claim.fact_ids)
        for text in (claim.text, f"{claim.text.rstrip('：:')}: {claim.command}"):
            for sentence in split_text(text):
                found[_letters(sentence.text)] = marks
    return found


def _letters(text: str) -> str:
    """A text without its blanks and its full stop."""
    return "".join(text.split()).rstrip(".。")


def check_claims(
    checker: Checker,
    claims: Sequence[GivenClaim],
    reasons: Reasons,
    report: Report | None = None,
) -> tuple[CheckedSentence, ...]:
    """Judge every statement of a report with its own citations and about its own entity.

    Args:
        checker: holds sentences against the session's evidence.
        claims: the statements.
        reasons: says why one does not stand.
        report: the session's own, as it was stored. A statement of it that was filled in from
            facts has been written twice and compared, which is more than reading it can tell.
    """
    stored = report.claims if report is not None else ()
    own = {_identity(claim) for claim in stored if not claim.is_free}
    found: list[CheckedSentence] = []
    for number, claim in enumerate(claims, 1):
        said = split_text(claim.text)
        marks = dict.fromkeys((*(m for s in said for m in s.marks), *claim.fact_ids))
        text = " ".join(sentence.text for sentence in said)
        too_long = len(text) > LONGEST or any(part.too_long for part in said)
        sentence = Sentence(text[:LONGEST], number, marks=tuple(marks), too_long=too_long)
        is_own = _identity(claim) in own
        if is_own:
            judgement = Judgement(Mark.SUPPORTED)
        elif sentence.too_long:
            judgement = Judgement(Mark.NOT_CHECKABLE)
        else:
            about = (claim.entity,) if claim.entity else ()
            judgement = checker.sentence(text, tuple(marks), about)
        checked = _checked(sentence, judgement, reasons, claim.id)
        found.append(checked.model_copy(update={"own": is_own}))
    return tuple(found)


def _identity(claim: GivenClaim | Claim) -> tuple[str, str, tuple[str, ...]]:
    return claim.text, claim.entity, claim.fact_ids


def tally(sentences: Iterable[CheckedSentence]) -> Tally:
    """Count marks."""
    found = dict.fromkeys(Mark, 0)
    for sentence in sentences:
        found[sentence.mark] += 1
    total = sum(found.values())
    share = found[Mark.NOT_CHECKABLE] / total if total else 0.0
    return Tally(sentences=total, marks=found, nothing_to_check_ratio=round_significant(share))


def _checked(
    sentence: Sentence, judgement: Judgement, reasons: Reasons, claim: str = ""
) -> CheckedSentence:
    reason = f"too_long:{LONGEST}" if sentence.too_long else judgement.reason
    words = reasons.of(reason) if sentence.too_long else reasons.of_judgement(judgement)
    return CheckedSentence(
        line=sentence.line,
        claim=claim,
        place=sentence.place.value,
        text=sentence.text,
        citations=sentence.marks,
        mark=judgement.mark,
        reason=reason,
        words=words,
        fact_ids=judgement.fact_ids,
        found=reasons.marks_of(judgement.fact_ids),
        parts=tuple(
            CheckedPart(
                kind=part.kind.value,
                text=part.text,
                outcome=part.outcome.value,
                reason=part.reason,
                words=reasons.of_part(part),
                fact_ids=part.fact_ids,
            )
            for part in judgement.parts
        ),
    )
