"""What a `ClaimScore` comes to, as JSON and as text."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from superbizagent.analysis.claims.checker import Checked
from superbizagent.analysis.claims.compare.judgement import Judgement, Mark, Outcome
from superbizagent.evaluation.claims import ClaimScore, JudgedSentence, JudgedStory, stands
from superbizagent.evaluation.shares import Share, tally

__all__ = ["claims_json", "claims_text", "parts_text"]


def claims_json(score: ClaimScore) -> dict[str, Any]:
    """Return every figure, every refused true statement and every wrong sentence that passed."""
    return {
        "true": _true(score),
        "stories": _stories(score),
        "not_run": [
            {"case": item.case, "labels": item.labels, "reason": item.reason}
            for item in score.not_run
        ],
    }


def claims_text(score: ClaimScore, *, verbose: bool = False) -> str:
    """Return the figures as lines; ``verbose`` adds each error with its reason."""
    return "\n".join(_lines(score, verbose=verbose))


def parts_text(judgement: Judgement) -> str:
    """Return the parts that do not hold: kind, outcome, words, reason."""
    return "; ".join(
        f"{part.kind.value} {part.outcome.value} {part.text!r} {part.reason}".rstrip()
        for part in judgement.parts
        if part.outcome is not Outcome.HOLDS
    )


def _true(score: ClaimScore) -> dict[str, Any]:
    judged = score.true
    return {
        "false_rejects": Share.of(item.is_rejected for item in judged).as_json(),
        "supported": Share.of(item.stands for item in judged).as_json(),
        "derived": sum(item.label.kind == "derived" for item in judged),
        "zh": sum(item.label.lang == "zh" for item in judged),
        "cases": len({item.label.case for item in judged}),
        "marks": _marks(item.judgement for item in judged),
        "by_kind": _shares(tally((i.label.kind, i.is_rejected) for i in judged)),
        "by_language": _shares(tally((i.label.lang, i.is_rejected) for i in judged)),
        "rejects": [_reject(item) for item in judged if item.is_rejected],
        "not_supported": [_reject(i) for i in judged if not (i.stands or i.is_rejected)],
    }


def _reject(item: JudgedSentence) -> dict[str, Any]:
    label, judgement = item.label, item.judgement
    return {
        "id": label.id,
        "case": label.case,
        "lang": label.lang,
        "kind": label.kind,
        "text": label.text,
        "basis": label.basis,
        "mark": judgement.mark.value,
        "reason": judgement.reason,
        "parts": parts_text(judgement),
    }


def _stories(score: ClaimScore) -> dict[str, Any]:
    stories = score.stories
    wrong = [(story, text, read) for story in stories for text, read in story.wrong]
    others = [item for story in stories for item in story.others]
    return {
        "stories": len(stories),
        "not_supported": Share.of(not stands(read) for _, _, read in wrong).as_json(),
        "by_kind": _shares(tally((s.label.kind, not stands(read)) for s, _, read in wrong)),
        "by_language": _shares(tally((s.label.lang, not stands(read)) for s, _, read in wrong)),
        "marks_of_wrong": _marks(item.judgement for _, _, read in wrong for item in read),
        "true_kept": Share.of(stands([item]) for item in others).as_json(),
        "marks_of_true": _marks(item.judgement for item in others),
        "passed": [_passed(story, text, read) for story, text, read in wrong if stands(read)],
        "true_refused": [
            {"id": story.label.id, "case": story.label.case, **_checked(item)}
            for story in stories
            for item in story.others
            if not stands([item])
        ],
    }


def _passed(story: JudgedStory, text: str, read: tuple[Checked, ...]) -> dict[str, Any]:
    return {
        "id": story.label.id,
        "case": story.label.case,
        "lang": story.label.lang,
        "kind": story.label.kind,
        "text": text,
        "why": story.label.why,
        "read": [_checked(item, held=True) for item in read],
    }


def _checked(item: Checked, *, held: bool = False) -> dict[str, Any]:
    judgement = item.judgement
    found: dict[str, Any] = {"text": item.sentence.text, "mark": judgement.mark.value}
    if held:
        found["parts"] = [f"{p.kind.value} {p.text!r} {p.fact_ids}" for p in judgement.parts]
    else:
        found |= {"reason": judgement.reason, "parts": parts_text(judgement)}
    return found


def _marks(judgements: Iterator[Judgement]) -> dict[str, int]:
    counted = Counter(judgement.mark for judgement in judgements)
    return {mark.value: counted[mark] for mark in Mark if counted[mark]}


def _shares(shares: Mapping[str, Share]) -> dict[str, Any]:
    return {key: share.as_json() for key, share in shares.items()}


def _lines(score: ClaimScore, *, verbose: bool) -> Iterator[str]:
    true = score.true
    derived = sum(item.label.kind == "derived" for item in true)
    chinese = sum(item.label.lang == "zh" for item in true)
    yield f"true statements {len(true)}, {derived} of them derived, {chinese} Chinese"
    marks = _marks(item.judgement for item in true)
    yield f"  {', '.join(f'{n} {mark}' for mark, n in marks.items())}"
    yield f"  false rejects (contradicted or unsupported)   {Share.of(i.is_rejected for i in true)}"
    for key, share in tally((i.label.lang, i.is_rejected) for i in true).items():
        yield f"    {key:<26}{share}"
    for key, share in tally((i.label.kind, i.is_rejected) for i in true).items():
        yield f"    {key:<26}{share}"
    wrong = [(story, read) for story in score.stories for _, read in story.wrong]
    others = [item for story in score.stories for item in story.others]
    yield f"stories {len(score.stories)}"
    yield f"  wrong sentences not marked supported   {Share.of(not stands(r) for _, r in wrong)}"
    for key, share in tally((s.label.kind, not stands(read)) for s, read in wrong).items():
        yield f"    {key:<26}{share}"
    yield f"  true sentences marked supported   {Share.of(stands([item]) for item in others)}"
    for item in score.not_run:
        yield f"not run: {item.case} ({item.labels} labels): {item.reason}"
    if verbose:
        yield from _errors(score)


def _errors(score: ClaimScore) -> Iterator[str]:
    for item in score.true:
        if item.is_rejected:
            yield f"rejected {item.label.id} [{item.label.kind}] {item.label.text}"
            yield f"  {item.judgement.mark.value}: {parts_text(item.judgement) or 'no part'}"
    for story in score.stories:
        for text in story.passed:
            yield f"passed {story.label.id} [{story.label.kind}] {text}"
