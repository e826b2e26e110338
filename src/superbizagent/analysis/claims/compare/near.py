"""Which rows the words around a mention are about."""

import re
from dataclasses import replace

import numpy as np

from superbizagent.analysis.claims.compare.view import Mask, Topic, View
from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.mentions import Clause, Mention, Word, WordKind

__all__ = ["best_rows", "is_negated", "region_of", "text_of", "topics_of"]

_BREAK = re.compile(
    r"[,;:，、；：。()（）]|\b(?:and|while|but|whereas|then|which)\b|而(?![未不没非])|并(?![未不没非无])|且|但|随后|然后|随之"
)

_FAILING = concept_bits(("error", "timeout", "refused", "exception"))
_ERROR = concept_bits(("error",))
_ODD = re.compile(r"\babnormal\w*\b|\banomal\w*\b|异常")
_ODD_WORDS = frozenset({"abnormal", "abnormally", "anomaly", "anomalous"})


def region_of(view: View, mention: Mention) -> Clause:
    """Return the words that belong to a mention: from the last break before it to the next."""
    clause = view.clause_of(mention)
    start = clause.start
    for match in _BREAK.finditer(view.text, clause.start, mention.start):
        start = match.end()
    stop = _BREAK.search(view.text, mention.end, clause.end)
    return Clause(start, stop.start() if stop else clause.end)


def text_of(view: View, clause: Clause) -> str:
    """Return the words of a span, in lower case."""
    return view.text[clause.start : clause.end].lower()


def topics_of(view: View, mention: Mention) -> tuple[Topic, ...]:
    """Return what a mention may be about, the nearest words first; empty ones are left out."""
    region, clause = region_of(view, mention), view.clause_of(mention)
    spans = ((region.start, region.end), (clause.start, clause.end), (0, len(view.text)))
    found = [_meant(view, *span) for span in dict.fromkeys(spans)]
    # What the sentence before spoke of comes last: "At 13:35 it still stood above 1."
    return tuple(dict.fromkeys(t for t in (*found, view.before) if t))


def _meant(view: View, start: int, end: int) -> Topic:
    """Return a topic in which 异常 and "abnormal" stand for no error: they say only "odd"."""
    topic = view.topic(start, end)
    odd = _ODD.search(view.text.lower(), start, end)
    if not odd:
        return topic
    return replace(topic, concepts=topic.concepts & ~_ERROR, tokens=topic.tokens - _ODD_WORDS)


def best_rows(view: View, topics: tuple[Topic, ...], base: Mask) -> Mask:
    """Return the rows of ``base`` that share most with the first topic that any of them shares.

    All of ``base`` where the words speak of nothing; none where they do and no row is of it.
    """
    told = False
    for topic in topics:
        shared = view.shared(topic)
        hit = _without_failures(view, topic, base & (shared > 0))
        if hit.any():
            return hit & (shared == shared[hit].max())
        told |= bool(topic.concepts)
    return base & False if told else base


def _without_failures(view: View, topic: Topic, rows: Mask) -> Mask:
    """Leave out what counts failures where the words do not speak of them: "requests" are all."""
    if topic.concepts & _FAILING:
        return rows
    calm = rows & ((view.ground.concepts & np.uint64(_FAILING)) == 0)
    return calm if calm.any() else rows


def is_negated(view: View, word: Word) -> bool:
    """Tell whether an odd number of "not" and "never" in front of a word turn it round."""
    region = region_of(view, word)
    kinds = (WordKind.NEGATION, WordKind.ABSENCE)
    turns = [
        w for w in view.statement.words if w.kind in kinds and region.start <= w.start < word.start
    ]
    return len(turns) % 2 == 1
