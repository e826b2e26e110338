"""That there was, or was not, any of it before the incident: of a record, of failed requests."""

import re
from collections.abc import Iterator

import numpy as np

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
    r"\b(?:none|not (?:a single )?one|zero)(?: at all)? (?:before|earlier)\b"
    r"|(?:之前|此前|以前)(?:一个|一次)?(?:都|也|并)?(?:没有|无)(?=\s*(?:[。；;，,)）]|$))",
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
    """Yield a part for "716 of 3690 requests failed, none before" and its opposite."""
    for pattern, none in ((_NONE_BEFORE, True), (_SOME_BEFORE, False)):
        match = pattern.search(view.text)
        if match is None or not _counts_failures(view):
            continue
        rows = _failed_before(view)
        some = view.ground.value[rows] > 0
        if not len(some) or some.any() != some.all():
            continue
        ids = tuple(view.ground.facts[row].id for row in np.flatnonzero(rows).tolist())
        if bool(some.any()) is not none:
            yield Part(PartKind.NOVELTY, Outcome.HOLDS, match[0], "", ids)
        else:
            reason = "seen_before" if none else "not_before"
            yield Part(PartKind.NOVELTY, Outcome.FAILS, match[0], reason, ids)


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
