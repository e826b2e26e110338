"""What a sentence says that evidence can bear out: names, numbers, times, quotes, relations.

Offsets count characters of `Sentence.text`, which is normalised. Values are in base units:
seconds, bytes, ratios from 0 to 1, per second.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import inf, nextafter

__all__ = [
    "Bound",
    "Clause",
    "Form",
    "Mention",
    "Moment",
    "Name",
    "Place",
    "Quantity",
    "Quote",
    "Sentence",
    "Statement",
    "Word",
    "WordKind",
]


class Place(StrEnum):
    """Where in a text a sentence stands."""

    PROSE = "prose"
    HEADING = "heading"
    ITEM = "item"
    """One sentence of a list item."""
    CELL = "cell"
    """A row of a table, cells joined by `` | ``."""
    CODE = "code"
    """Inside a code block: commands and output, nothing that states."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a text, normalised, its citation marks taken out."""

    text: str
    line: int
    """Line of the text it begins on, from 1."""
    place: Place = Place.PROSE
    marks: tuple[str, ...] = ()
    """Citations that stood in it or right behind it: ``E3.2``, ``E4``; in order, each once."""
    heading: str = ""
    """The nearest heading above: what "it" may stand for."""
    too_long: bool = False
    """Cut at `sentences.LONGEST`; nothing of it is judged."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a sentence: ``text[start:end]``."""

    start: int
    end: int
    text: str


class Bound(StrEnum):
    """How a number is meant."""

    EXACT = "exact"
    ABOUT = "about"
    """about, roughly, some, ~, 约, 左右, 大约, 近 (nearly): within 5 %."""
    OVER = "over"
    """over, more than, above, 超过, 多 (700多): the fact is larger."""
    AT_LEAST = "at_least"
    """at least, no fewer than, ≥, 至少, 不少于: the fact is as large or larger."""
    UNDER = "under"
    """under, less than, below, 不到, 不足: the fact is smaller."""
    AT_MOST = "at_most"
    """at most, no more than, ≤, 最多 (as a limit), 不超过: the fact is as small or smaller."""


class Form(StrEnum):
    """What a number does in its sentence."""

    VALUE = "value"
    """A level or amount: ``31 ms``, ``716 requests``, ``19.4 %``."""
    DURATION = "duration"
    """How long something went on: ``for 8 min``, ``lasted 40 s``, 持续了 8 分钟."""
    MULTIPLE = "multiple"
    """``85-fold``, ``3x``, ``doubled`` (2), ``halved`` (0.5), 翻了一倍 (2), 增长到 3 倍 (3),
    增加了 3 倍 (4)."""
    CHANGE = "change"
    """The difference itself: ``rose by 20 %``, ``up 1.2 s``, ``four more``, 增加了 20 %."""
    PART = "part"
    """``3 of 5``, ``3/5``, 5 个中的 3 个: `Quantity.value` 3, `Quantity.whole` 5."""
    ORDINAL = "ordinal"
    """``the first``, ``#2``, 第三: nothing to compare; kept so that it is read as no amount."""


@dataclass(frozen=True, slots=True)
class Quantity(Mention):
    """A number with its unit, in base units."""

    value: float
    half: float
    """Half a unit of the last written digit, in base units: 1.55 s -> 0.005."""
    unit: str = ""
    """``""``, ``s``, ``bytes``, ``ratio`` (percent, fraction, 成), any of these with ``/s``
    (a rate; ``/min`` is divided by 60), else the unit as written (``cores``, ``°C``)."""
    bound: Bound = Bound.EXACT
    form: Form = Form.VALUE
    high: float | None = None
    """Upper end of a range: ``20 to 30 ms``."""
    whole: float | None = None
    """Second number of a `Form.PART`."""
    noun: str = ""
    """What is counted, lower case, as written behind it: ``requests``, ``waiting``, 条, 个连接."""

    @property
    def interval(self) -> tuple[float, float]:
        """Values that are what this number says, both ends included."""
        low, high = self.value, self.value if self.high is None else self.high
        # A float's own error must not decide a tie such as 0.15 + 0.05.
        slack = max(self.half, 1e-9 * abs(high)) * (1 + 1e-6)
        match self.bound:
            case Bound.EXACT:
                return low - slack, high + slack
            case Bound.ABOUT:
                about = max(slack, 0.05 * abs(high))
                return low - about, high + about
            case Bound.OVER:
                return nextafter(low, inf), inf
            case Bound.AT_LEAST:
                return low - slack, inf
            case Bound.UNDER:
                return -inf, nextafter(high, -inf)
            case Bound.AT_MOST:
                return -inf, high + slack

    def accepts(self, fact: float) -> bool:
        """Tell whether a fact's value, in the same unit, is what this number says."""
        low, high = self.interval
        return low <= fact <= high


@dataclass(frozen=True, slots=True)
class Moment(Mention):
    """An instant as precisely as it was written: any time in ``[low, high]`` is what it says."""

    low: datetime
    high: datetime
    preposition: str = "at"
    """``at``, ``since`` (from, 自, 起), ``until`` (to, 到), ``before``, ``after``, ``ago``."""

    def accepts(self, at: datetime) -> bool:
        """Tell whether ``at`` is this moment."""
        return self.low <= at <= self.high


@dataclass(frozen=True, slots=True)
class Name(Mention):
    """A name of something that evidence may know."""

    entities: tuple[str, ...] = ()
    """Entity paths it stands for; several: ambiguous; none: nobody knows it."""
    near: tuple[str, ...] = ()
    """Known names that are like an unknown one."""
    metric: str = ""
    """A metric or field name, as the evidence has it, instead of an entity."""


@dataclass(frozen=True, slots=True)
class Quote(Mention):
    """Verbatim text: ``content`` must occur in the evidence."""

    content: str


class WordKind(StrEnum):
    """Which relation a word speaks of; `Word.value` says which side of it."""

    DIRECTION = "direction"
    """``up``, ``down``, ``flat`` (stable, 持平), ``appeared``, ``vanished``."""
    ABSENCE = "absence"
    """``none``: no, none, never, without, not a single, zero, 没有, 未, 无."""
    NEGATION = "negation"
    """``not``: did not, was not, 并未, 不是: turns the predicate that follows."""
    SCOPE = "scope"
    """``all`` (every, each, 所有, 均), ``only`` (alone, solely, 只有, 仅), ``both``, ``none``,
    ``any``, ``most``, ``some``."""
    COURSE = "course"
    """``ongoing`` (still, continues, 仍在) or ``over`` (recovered, ended, 已恢复)."""
    ORDER = "order"
    """``before`` (A before B), ``after``, ``same`` (at the same time), ``first``, ``last``:
    between two events; a preposition of a `Moment` is not repeated here."""
    COMPARISON = "comparison"
    """``more`` (higher than, 高于), ``less``, ``equal``, ``most`` (highest, 最高), ``least``."""
    CAUSE = "cause"
    """``forward`` (the left caused the right: caused, led to, 导致) or ``backward`` (because of,
    due to, caused by, 由于, 源于); ``root`` (root cause, 根因) names a cause without its effect."""
    PERIOD = "period"
    """``baseline`` (before, normally, usually, 之前, 平时), ``incident`` (now, during, since),
    ``from`` and ``to`` (from 31 ms to 2.6 s, 从 … 升到 …)."""
    STATISTIC = "statistic"
    """``max`` (peak, at most, up to, 最高, 峰值), ``min``, ``mean`` (average, 平均), ``median``,
    ``last`` (at the end, now), ``total``, ``p50`` … ``p99``."""
    NOVELTY = "novelty"
    """``new`` (first seen, never before, 新出现) or ``known`` (as before, long-standing)."""
    HEDGE = "hedge"
    """may, might, probably, likely, suspect, 可能, 疑似: said as a guess."""
    ADVICE = "advice"
    """should, recommend, restart it, 建议, 请: asks for an action, states nothing."""
    CONCEPT = "concept"
    """What is measured or happened; the value is a concept of `concepts`."""
    STATUS = "status"
    """A status code (``HTTP 503``, 503 错误): the value is its digits, or ``5xx``."""


@dataclass(frozen=True, slots=True)
class Word(Mention):
    """A word or phrase with a meaning of its own."""

    kind: WordKind
    value: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that says one thing: ``[start, end)``."""

    start: int
    end: int

    def holds(self, mention: Mention) -> bool:
        """Tell whether a mention begins here."""
        return self.start <= mention.start < self.end


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and everything in it that can be compared, each in text order."""

    sentence: Sentence
    clauses: tuple[Clause, ...]
    names: tuple[Name, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    moments: tuple[Moment, ...] = ()
    quotes: tuple[Quote, ...] = ()
    words: tuple[Word, ...] = ()
    unread: tuple[Mention, ...] = ()
    """Numbers that nothing above holds: what they say, nobody can compare."""

    def words_of(self, kind: WordKind, clause: Clause | None = None) -> tuple[Word, ...]:
        """Words of one kind, of one clause or of the whole sentence."""
        return tuple(
            w for w in self.words if w.kind is kind and (clause is None or clause.holds(w))
        )
