"""That there was, or was not, any of it before the incident: of records, of failed requests."""

import re
from collections.abc import Iterator

import numpy as np

from superbizagent.analysis.claims.compare._records import kinds_of
from superbizagent.analysis.claims.compare._speech import ids_of
from superbizagent.analysis.claims.compare.judgement import Outcome, Part, PartKind
from superbizagent.analysis.claims.compare.view import Mask, View
from superbizagent.analysis.claims.mentions import Form, Word, WordKind

__all__ = ["judge_failed_before", "said_before"]

_LOGGED = re.compile(
    r"\b(?:log(?:s|ged)?|records?|recorded|wrote|written|report(?:s|ed)?|appear(?:s|ed)?"
    r"|occur(?:s|red)?|saw|seen?|c[ao]me|show(?:s|ed|n)?|print(?:s|ed)?|said|contain(?:s|ed)?"
    r"|happened|there (?:was|were|had been))\b"
    r"|出现|记录|打印|写|报|有过|见过|输出",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:never|nowhere|not|none|no|nothing|without)\b|\b\w{3,6}n't\b"
    r"|从未|从来没有?|没有|未曾|不曾|并?未|没",
    re.IGNORECASE,
)
_NONE_BEFORE = re.compile(
    r"\b(?:none|not (?:a single )?one|zero)(?: of (?:those|them|these))?(?: at all)?"
    r" (?:before|earlier)\b"
    r"|(?:之前|此前|以前|平时|基线期?(?:间|内|里)?)(?:一[条个次])?(?:都|也|并)?(?:没有|无)"
    r"(?=\s*(?:[。；;，,)）]|$))",
    re.IGNORECASE,
)
_SOME_BEFORE = re.compile(
    r"\b(?:some|a few|several|there were some)(?: of them)? (?:before|earlier)\b"
    r"|(?:之前|此前|以前)(?:就|也|已经?)有(?=\s*(?:过|[。；;，,)）]|$))",
    re.IGNORECASE,
)
_COUNTS = frozenset({Form.VALUE, Form.PART})


def said_before(view: View) -> Word | None:
    """Return what says of a quoted record that it came, or never came, before the incident.

    ``new`` for "had never logged “…” before the incident", ``known`` for "had logged it before".
    None where the sentence speaks of another time too, or counts how often.
    """
    statement = view.statement
    if not statement.quotes or statement.quantities or statement.moments:
        return None
    periods = {w.value for w in statement.words_of(WordKind.PERIOD)}
    text = _without_quotes(view)
    if periods != {"baseline"} or statement.words_of(WordKind.NOVELTY):
        return None
    if statement.words_of(WordKind.ORDER):
        return None  # "A first logged “…” before B did"
    logged = _LOGGED.search(text)
    if logged is None:
        return None
    denied = list(_DENIED.finditer(text))
    if len(denied) > 1:
        return None
    match, value = (denied[0], "new") if denied else (logged, "known")
    return Word(*match.span(), match[0], WordKind.NOVELTY, value)


def _without_quotes(view: View) -> str:
    """The sentence with blanks for what it quotes, so that places stay the same."""
    letters = list(view.text)
    for quote in view.statement.quotes:
        letters[quote.start : quote.end] = " " * (quote.end - quote.start)
    return "".join(letters)


def judge_failed_before(view: View) -> Iterator[Part]:
    """Yield a part for "716 of 3690 requests failed, none before" and its opposite.

    Of records too: "204 records of …, none before".
    """
    for pattern, none in ((_NONE_BEFORE, True), (_SOME_BEFORE, False)):
        match = pattern.search(view.text)
        if match is None:
            continue
        ids, some = _requests_before(view) if _counts_failures(view) else ((), None)
        if some is None:
            ids, some = _records_before(view)
        if some is None:
            continue
        if some is not none:
            yield Part(PartKind.NOVELTY, Outcome.HOLDS, match[0], "", ids)
        else:
            reason = "seen_before" if none else "not_before"
            yield Part(PartKind.NOVELTY, Outcome.FAILS, match[0], reason, ids)


def _requests_before(view: View) -> tuple[tuple[str, ...], bool | None]:
    """Facts of the failed requests before, and whether there were any; None: not all the same."""
    rows = _failed_before(view)
    some = view.ground.value[rows] > 0
    if not len(some) or some.any() != some.all():
        return (), None
    return ids_of(view.ground, rows, most=len(some)), bool(some.any())


def _records_before(view: View) -> tuple[tuple[str, ...], bool | None]:
    """The same of the records of which the sentence has the number: "204 such records"."""
    said = [q for q in view.statement.quantities if q.form in _COUNTS and not q.unit]
    kinds = [
        kind
        for kind in kinds_of(view.ground, view.every_entity)
        if any(q.accepts(kind.count("incident")) for q in said)
    ]
    some = {kind.template.baseline_count > 0 for kind in kinds}
    if len(some) != 1:
        return (), None
    return tuple(i for kind in kinds for i in kind.fact_ids(view.ground)), some.pop()


def _counts_failures(view: View) -> bool:
    words = view.statement.words_of(WordKind.CONCEPT)
    return any(w.value == "error" for w in words)


def _failed_before(view: View) -> Mask:
    """Failed requests before, of the counters that have one of the sentence's numbers now."""
    ground = view.ground
    failed = np.array([f.statistic == "failed" for f in ground.facts], np.bool_)
    paths = view.every_entity
    rows = failed & ground.of_entities(paths) if paths else failed
    said = [q for q in view.statement.quantities if q.form in _COUNTS and not q.unit]
    values = np.array([[q.accepts(v) for v in ground.value] for q in said], np.bool_)
    now = rows & ground.of_period("incident")
    meant = now & values.any(axis=0) if said else now
    subjects = np.unique(ground.subject[meant])
    return rows & ground.of_period("baseline") & np.isin(ground.subject, subjects)
