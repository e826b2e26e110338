"""One statement beside the evidence: who each part of it is about, and what it speaks of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from superbizagent.analysis.claims.concepts import concept_bits
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.evidence.subjects import tokens_of
from superbizagent.analysis.claims.mentions import (
    Clause,
    Mention,
    Name,
    Quantity,
    Statement,
    Word,
    WordKind,
)

__all__ = ["LABELS", "Mask", "Topic", "View"]

Mask = NDArray[np.bool_]

_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_BREAK = re.compile(r"[,;:，、；：。()（）]|\band\b|\bwhile\b|\bbut\b|\bwith\b|而|并|且|但|和|与")
LABELS = re.compile(r"\{(?:[^{}]|\{[^{}]{0,100}\}){0,500}\}")
# Words of metric names that say nothing of what is measured, and words of any sentence.
_WORDS = """
the a an of in on at to by for from with and or as is was were are it its this that all no per than
then total count sum max min avg mean average seconds second ms time times current number value
values name state type code method job instance service services before after since until during up
down not did had has have been be one two rate last first only about over under some went rose fell
came normal normally incident baseline which who when there most more less least between while where
out into http
"""
_BARE = frozenset(_WORDS.split())
_LEAST = 3
"""Letters of a word that tells names apart: "of", "ms" and "th" are in all of them."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a part of a sentence speaks of; empty: nothing that can tell facts apart."""

    concepts: int = 0
    tokens: frozenset[str] = frozenset()
    quotes: tuple[str, ...] = ()
    """Verbatim texts: what holds them is meant."""
    metric: frozenset[str] = frozenset()
    """Names of metrics and fields as the evidence has them: then nothing else is meant."""

    def __bool__(self) -> bool:
        return bool(self.concepts or self.tokens or self.quotes or self.metric)


@dataclass(frozen=True)
class View:
    """A statement, the evidence, and what the text around it is about."""

    statement: Statement
    ground: Ground
    about: tuple[str, ...] = ()
    """Entity paths that the text is about where the sentence names none."""
    cited: Mask | None = None
    """Rows that the sentence's marks stand for; None: it has no marks, all may bear it out."""
    before: Topic = Topic()
    """What the sentence before spoke of, for one that says nothing of it: "at 13:35 it was 1.2"."""
    _topics: dict[tuple[int, int], Topic] = field(default_factory=dict[tuple[int, int], Topic])

    @property
    def text(self) -> str:
        """The sentence."""
        return self.statement.sentence.text

    @cached_property
    def everything(self) -> Mask:
        """All rows."""
        return np.ones(len(self.ground), np.bool_)

    @property
    def pool(self) -> Mask:
        """Rows that may bear the sentence out."""
        return self.everything if self.cited is None else self.cited

    def clause_of(self, mention: Mention) -> Clause:
        """The clause a mention stands in."""
        for clause in self.statement.clauses:
            if clause.holds(mention):
                return clause
        return Clause(0, len(self.text))

    def entities(self, clause: Clause) -> tuple[str, ...]:
        """Paths a clause is about: its own names, else the nearest before, else after, else around.

        Several names of one clause are alternatives: "calls of A to B" is told by either side.
        """
        own = self._named(clause.start, clause.end)
        if own:
            return own
        before = self._named(0, clause.start)
        if before:
            return before
        if self.about:
            return self.about
        return self._named(clause.end, len(self.text))

    @cached_property
    def _spoken(self) -> tuple[Name, ...]:
        """Names of the sentence, not those inside the labels of a printed series."""
        labels = [m.span() for m in LABELS.finditer(self.text)]
        return tuple(
            n for n in self.statement.names if not any(a <= n.start < b for a, b in labels)
        )

    def _named(self, start: int, end: int) -> tuple[str, ...]:
        names = [n for n in self._spoken if start <= n.start < end]
        return tuple(dict.fromkeys(path for n in names for path in n.entities))

    @cached_property
    def every_entity(self) -> tuple[str, ...]:
        """Paths the sentence names anywhere, else what the text around it is about."""
        return self._named(0, len(self.text)) or self.about

    def of_entities(self, clause: Clause) -> Mask:
        """Rows of a clause's entities; all rows where nothing is named.

        Of a pod or an instance only what names it, not all that its service has.
        """
        paths = self.entities(clause)
        rows = self.ground.of_entities(paths) if paths else self.everything
        own = [n for n in self._spoken if clause.start <= n.start < clause.end]
        parts = [n.text for n in own if self._is_part(n)]
        if not parts or len(parts) < len([n for n in own if n.entities]):
            return rows
        return rows & np.any([self.ground.naming(text) for text in parts], axis=0)

    def _is_part(self, name: Name) -> bool:
        """Tell whether a name is that of a pod or instance, which stands for its service."""
        own = any(path.rsplit("/", 1)[-1] == name.text for path in name.entities)
        return bool(name.entities) and not own and self.ground.is_label(name.text)

    def topic(self, start: int, end: int) -> Topic:
        """What ``text[start:end]`` speaks of."""
        key = (start, end)
        if key not in self._topics:
            self._topics[key] = self._read_topic(start, end)
        return self._topics[key]

    def _read_topic(self, start: int, end: int) -> Topic:
        statement = self.statement
        words = [w for w in statement.words if start <= w.start < end]
        concepts = concept_bits(w.value for w in words if w.kind is WordKind.CONCEPT)
        taken = (*statement.moments, *statement.quotes)
        taken = (*taken, *(n for n in statement.names if n.entities))
        tokens: set[str] = set()
        for match in _TOKEN.finditer(self.text, start, end):
            if not any(t.start <= match.start() < t.end for t in taken):
                tokens |= _forms(match[0])
        tokens |= {w.value for w in words if w.kind is WordKind.STATUS}
        # A word that nothing is called by tells nothing apart.
        tokens = {token for token in tokens if self.ground.knows(token)}
        # "the 90th percentile" is the p90 that a metric's name has.
        tokens |= {w.value for w in words if w.kind is WordKind.STATISTIC and w.value[1:].isdigit()}
        named = (n.metric for n in statement.names if n.metric and start <= n.start < end)
        quotes = tuple(q.content for q in statement.quotes if start <= q.start < end)
        return Topic(concepts, frozenset(tokens), quotes, frozenset(named))

    def _denied(self, concepts: int) -> Mask:
        """Rows of what went well where the words speak of failures alone, and the other way."""
        mine = self.ground.concepts
        well, badly = (mine & np.uint64(bits) != 0 for bits in (_WELL, _BADLY))
        if concepts & _BADLY and not concepts & _WELL:
            return well & ~badly
        return badly & ~well if concepts & _WELL and not concepts & _BADLY else badly & False

    def _quoting(self, content: str) -> NDArray[np.int8]:
        """1 for the rows of what a quotation is found in, else 0."""
        ground = self.ground
        rows = [ground.row(fact_id) for fact_id in ground.find_quote(content)]
        subjects = [int(ground.subject[row]) for row in rows if row is not None]
        return np.isin(ground.subject, subjects).astype(np.int8)

    def is_label(self, text: str) -> bool:
        """Tell whether a text is a label value or a name word of anything measured."""
        return bool(self.ground.overlap(0, frozenset((text,))).any())

    def shared(self, topic: Topic) -> NDArray[np.int8]:
        """Return for each row how much it shares with a topic; 0: it is of something else."""
        ground = self.ground
        shared = ground.overlap(topic.concepts, topic.tokens)
        shared = np.where(self._denied(topic.concepts), np.int8(0), shared)
        for content in topic.quotes:
            shared = shared + 2 * self._quoting(content)
        if not topic.metric:
            return shared
        own = np.array(
            [not _names_of(s.name).isdisjoint(topic.metric) for s in ground.subjects], np.bool_
        )
        return np.where(own[ground.subject], shared + 1, 0).astype(np.int8)

    def region(self, quantity: Quantity) -> tuple[int, int]:
        """The words that belong to a number: from the last break before it to the next after it."""
        clause = self.clause_of(quantity)
        others = [q for q in self.statement.quantities if q is not quantity]
        start = max([clause.start, *(q.end for q in others if q.end <= quantity.start)])
        opened = self.text[: quantity.start].rstrip().endswith(("(", "（"))
        last = len(self.text[: quantity.start].rstrip()) - 1 if opened else quantity.start
        for match in _BREAK.finditer(self.text, start, last):
            start = match.end()
        end = min([clause.end, *(q.start for q in others if q.start >= quantity.end)])
        # "from 31 ms to 2.6 s on average": what follows "to" is of the second number.
        for word in self.statement.words_of(WordKind.PERIOD):
            if word.value not in {"from", "to"}:
                continue
            if start < word.end <= quantity.start and _between(others, clause.start, word.start):
                start = word.start
            if quantity.end <= word.start < end and _between(others, word.end, clause.end):
                end = word.start
        stop = _BREAK.search(self.text, quantity.end, end)
        return start, stop.start() if stop else end

    def topics(self, quantity: Quantity) -> tuple[Topic, ...]:
        """Topics of a number, the nearest words first; those without a concept are left out."""
        clause = self.clause_of(quantity)
        spans = (self.region(quantity), (clause.start, clause.end), (0, len(self.text)))
        found = [_timed(self.topic(*span), quantity) for span in dict.fromkeys(spans)]
        if self._united(quantity).unit == "cores" and not any(t.concepts for t in found):
            found = [replace(t, concepts=_PROCESSOR) for t in found]
        own = tuple(dict.fromkeys(t for t in found if t))
        return own or ((self.before,) if self.before else ())

    def _united(self, quantity: Quantity) -> Quantity:
        """The number, of processor cores too where only the one before it says so.

        "335 millicores, about 65 times its usual 5.2": the unit is not repeated.
        """
        before = [q for q in self.statement.quantities if q.end <= quantity.start and q.unit]
        if quantity.unit or not before or before[-1].unit != "cores":
            return quantity
        return replace(quantity, unit="cores")

    def near(self, kind: WordKind, mention: Mention) -> Word | None:
        """The word of a kind that belongs to a number: in its own region, else none."""
        start, end = self.region(mention) if isinstance(mention, Quantity) else (0, len(self.text))
        found = [w for w in self.statement.words_of(kind) if start <= w.start < end]
        return min(found, key=lambda w: _gap(w, mention)) if found else None


def _between(quantities: Sequence[Quantity], start: int, end: int) -> bool:
    return any(start <= q.start and q.end <= end for q in quantities)


def _timed(topic: Topic, quantity: Quantity) -> Topic:
    """A topic with latency, where a time is said of requests alone: "requests took 450 ms"."""
    if quantity.unit != "s" or not topic.concepts or topic.concepts & ~_SERVED:
        return topic
    return replace(topic, concepts=topic.concepts | _LATENCY)


_SERVED = concept_bits(("request", "traffic", "query", "error", "success", "log", "throughput"))
_LATENCY = concept_bits(("latency",))
_WELL, _BADLY = concept_bits(("success",)), concept_bits(("error",))
_PROCESSOR = concept_bits(("cpu",))


@lru_cache(maxsize=65536)
def _names_of(name: str) -> frozenset[str]:
    """What a printed series or field is called: of a histogram's part the histogram's name too."""
    metric = name.partition("{")[0].removeprefix("field:")
    return frozenset((metric, _OF_HISTOGRAM.sub("", metric)))


_OF_HISTOGRAM = re.compile(r"_(?:sum|count|bucket)$")


def _forms(word: str) -> frozenset[str]:
    """A word as names may have it: its parts, and with or without the plural's s."""
    parts = {p for p in tokens_of(word) - _BARE if len(p) >= _LEAST or p[-1:].isdigit()}
    parts |= {p.removesuffix("ing") for p in parts if len(p) > _LEAST + 4}
    return frozenset(parts) | {p.removesuffix("s") if p.endswith("s") else f"{p}s" for p in parts}


def _gap(word: Word, mention: Mention) -> int:
    return mention.start - word.end if word.end <= mention.start else word.start - mention.end
