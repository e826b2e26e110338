"""Slots: the only way a value gets from evidence into a sentence.

``{E3.2}`` value and unit, ``{E3.2|time}``, ``{E3.2|instant}`` (with date and offset),
``{E3.2|from}`` (start of its window), ``{E3.2|name}``, ``{E3.2|metric}`` (name without identity),
``{E3.2|quote}``, ``{E3.2|news}`` (a log's quote, a series' name), ``{E3.2|object}`` (bare name of
what it is of), ``{E3.2|part}`` (container, resource), ``{E3.2|state}`` (name of a reading as
words); ``{E4|status}``, ``{E4|source}``, ``{E4|look}`` (what it looked for), ``{E4|error}``,
``{E4|warnings}`` of a call; ``{d1}`` a derivation;
``{frame|start}``, ``end``, ``now``, ``alert``; ``{p|key}`` a parameter. ``{{`` is no escape: the
tables and playbooks have no use for braces.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from superbizagent.analysis.cluster_facts import reading_of
from superbizagent.domain.canonical import round_significant
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.plan import ToolName
from superbizagent.domain.report import Derivation, Frame
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.values import (
    clock_time,
    date_time,
    instant,
    quantity,
    quoted,
    quoted_ends,
    short_name,
    span,
    zone_of,
)

__all__ = ["SLOT", "SlotError", "Slots", "cited", "is_call", "marks"]

SLOT = re.compile(r"\{([^{}|]+)(?:\|([^{}]*))?\}")
_SPACED_SLOT = re.compile(f"( ?){SLOT.pattern}( ?)")
_CHINESE = re.compile("[\u4e00-\u9fff]")
"""A space sets other letters apart from Chinese, but no Chinese from Chinese."""
_CALL = re.compile(r"E\d+")
_FACT = re.compile(r"E\d+\.\d+")
_DERIVED = re.compile(r"d(\d+)")
# Dimensionless counts: a sum of seconds over one of them is seconds.
_COUNTS = frozenset({"", "records", "/s"})
_MARKS = 6  # more would push the sentence itself off the line


class SlotError(Exception):
    """A slot that nothing can fill; the sentence is not written, or not let through."""


def is_call(citation: str) -> bool:
    """Tell whether a citation is of a whole call (``E4``), not of a fact (``E4.1``)."""
    return _CALL.fullmatch(citation) is not None


def cited(template: str, derivations: Sequence[Derivation]) -> tuple[str, ...]:
    """Return what a template rests on, each once: its own slots first, then the operands."""
    own = [m[1] for m in SLOT.finditer(template) if _CALL.match(m[1])]
    operands = [i for d in derivations for i in d.fact_ids]
    return tuple(dict.fromkeys((*own, *operands)))


def marks(citations: Sequence[str]) -> str:
    """Return the marks that follow a sentence: ``[E3.2][E4]``; of many the first two and the last.

    A sum over every call of a sweep rests on dozens of facts; the claim lists them all.
    """
    each = [f"[{citation}]" for citation in citations]
    return "".join(each) if len(each) <= _MARKS else f"{each[0]}{each[1]}…{each[-1]}"


@dataclass(frozen=True, slots=True)
class Slots:
    """Everything that may stand in a slot."""

    evidence: Evidence
    frame: Frame
    narrator: Narrator
    facts: Mapping[str, Fact] = field(default_factory=dict[str, Fact])

    @classmethod
    def of(cls, evidence: Evidence, frame: Frame, narrator: Narrator) -> "Slots":
        """Return the slots of a session's evidence."""
        return cls(evidence, frame, narrator, evidence.facts())

    @property
    def zone(self) -> tzinfo:
        """The reader's zone."""
        return zone_of(self.frame.timezone)

    def text(
        self,
        template: str,
        derivations: Sequence[Derivation] = (),
        params: Mapping[str, str] | None = None,
        more: Sequence[str] = (),
    ) -> str:
        """Return the sentence with its marks; ``more`` are citations without a slot of their own.

        Raises:
            SlotError: when a slot cannot be filled.
        """

        def fill(match: re.Match[str]) -> str:
            before, name, aspect, after = match.groups("")
            value = self._fill(name, aspect, derivations, params or {})
            left, right = template[match.start() - 1 : match.start()], template[match.end() :]
            before = "" if _CHINESE.match(left) and _CHINESE.match(value) else before
            after = "" if _CHINESE.match(value[-1:]) and _CHINESE.match(right) else after
            return f"{before}{value}{after}"

        sentence = _SPACED_SLOT.sub(fill, template)
        after = marks(tuple(dict.fromkeys((*cited(template, derivations), *more))))
        return f"{sentence} {after}" if after else sentence

    def fact(self, fact_id: str) -> Fact:
        """Return a fact.

        Raises:
            SlotError: when there is none of this id.
        """
        if fact_id not in self.facts:
            raise SlotError(f"no fact {fact_id}")
        return self.facts[fact_id]

    def call(self, citation: str) -> ToolInvocation:
        """Return a call.

        Raises:
            SlotError: when there is none of this number.
        """
        row = self.evidence.of(int(citation[1:]))
        if row is None:
            raise SlotError(f"no call {citation}")
        return row

    def derive(self, derivation: Derivation) -> str:
        """Compute a derivation and write it with its unit.

        Raises:
            SlotError: when it cannot be computed of these facts.
        """
        facts = [self.fact(i) for i in derivation.fact_ids]
        if not facts:
            raise SlotError("a derivation needs facts")
        if derivation.operation == "duration":
            return span(self._duration(facts), self.narrator)
        if derivation.operation == "count":
            return quantity(float(len(facts)), "", self.narrator)
        if derivation.operation == "rate":
            value, unit = self._rate(facts[0])
        else:
            value, unit = _computed(derivation.operation, facts)
        return quantity(round_significant(value), unit, self.narrator)

    def _rate(self, fact: Fact) -> tuple[float, str]:
        """A count per second of the time it was counted over: the window, or every baseline."""
        spans = [fact.window] if fact.window is not None else []
        if fact.statistic == "baseline_count":
            spans = list(self.frame.windows.baselines)
        seconds = sum(w.length.total_seconds() for w in spans)
        return _divided(_number_of(fact), seconds), "/s"

    def _duration(self, facts: Sequence[Fact]) -> timedelta:
        times = [_time_of(fact) for fact in facts]
        return (times[1] if len(times) > 1 else self.frame.now) - times[0]

    def _fill(
        self,
        name: str,
        aspect: str,
        derivations: Sequence[Derivation],
        params: Mapping[str, str],
    ) -> str:
        if _FACT.fullmatch(name):
            return self._of_fact(self.fact(name), aspect)
        if is_call(name):
            return self._of_call(self.call(name), aspect)
        derived = _DERIVED.fullmatch(name)
        if derived and 0 < int(derived[1]) <= len(derivations):
            return self.derive(derivations[int(derived[1]) - 1])
        if name == "frame":
            return self._of_frame(aspect)
        if name == "p" and aspect in params:
            return params[aspect]
        raise SlotError(f"nothing fills {{{name}|{aspect}}}")

    def _of_fact(self, fact: Fact, aspect: str) -> str:
        match aspect:
            case "":
                return self._value(fact)
            case "time" | "from":
                at = _time_of(fact) if aspect == "time" else _start_of(fact)
                return self._clock(at)
            case "instant":
                return instant(_time_of(fact), self.zone)
            case _:
                return self._words(fact, aspect)

    def _value(self, fact: Fact) -> str:
        """A number with its unit; what somebody wrote of a change like any quote."""
        if fact.place.startswith("change/"):
            return quoted(str(fact.value))
        return quantity(fact.value, fact.unit, self.narrator)

    def _words(self, fact: Fact, aspect: str) -> str:
        log = fact.name.startswith("log:")
        if aspect == "name":
            return fact.name
        if aspect == "metric" or (aspect == "news" and not log):
            return self._metric(fact)
        if aspect in {"quote", "news"} and fact.quote:
            return (quoted_ends if reading_of(fact.name)[0] else quoted)(fact.quote)
        return _of_object(fact, aspect)

    def _of_call(self, row: ToolInvocation, aspect: str) -> str:
        match aspect:
            case "status":
                return self.narrator.say(f"status.{row.status.value}")
            case "tool":
                return row.tool.value
            case "look":
                return self._look(row)
            case "source":
                return row.call.source
            case "error":
                return quoted(row.error or "-")
            case "warnings":
                return quoted("; ".join(row.warnings))
            case _:
                raise SlotError(f"a call has no {aspect!r}")

    def _of_frame(self, aspect: str) -> str:
        windows, frame = self.frame.windows, self.frame
        times: dict[str, datetime | None] = {
            "start": windows.incident.start,
            "end": windows.incident.end,
            "now": frame.now,
            "alert": frame.alert_at,
        }
        at = times.get(aspect.removesuffix("_instant"))
        if at is None:
            raise SlotError(f"the frame has no {aspect!r}")
        short = not aspect.endswith("_instant")
        return self._clock(at) if short else instant(at, self.zone)

    def _clock(self, at: datetime) -> str:
        """The time of day, with its date unless that is the date of "now"."""
        same = at.astimezone(self.zone).date() == self.frame.now.astimezone(self.zone).date()
        return clock_time(at, self.zone) if same else date_time(at, self.zone)

    def _metric(self, fact: Fact) -> str:
        """What was measured: of a histogram's sum that is the mean of what it counted."""
        name = short_name(fact.name)
        base, brace, labels = name.partition("{")
        if not fact.statistic.startswith("mean_") or not base.endswith("_sum"):
            return name
        return self.narrator.say("metric.mean", name=base.removesuffix("_sum") + brace + labels)

    def _look(self, row: ToolInvocation) -> str:
        """What a call looked for, in a reader's words."""
        what, _, about = row.call.purpose.partition(":")
        if row.call.reads_rule:
            return self.narrator.say("look.rule")
        look = self.narrator.say(f"look.{row.tool.value}")
        if row.tool is ToolName.LIST_CHANGES and row.call.input:
            return self.narrator.say("look.changes_in_metrics")
        entity = about.rsplit("/", 1)[-1]
        if row.tool is not ToolName.QUERY_METRICS or what not in {"sweep", "check"} or not entity:
            return look
        return self.narrator.say(f"look.{what}", look=look, name=entity)


def _of_object(fact: Fact, aspect: str) -> str:
    """What a fact about an object of a cluster says of the object, its part and its state."""
    reading, part = reading_of(fact.name)
    said = {
        "object": fact.entity.rsplit("/", 1)[-1],
        "part": part,
        "state": reading.replace("_", " ").replace(".", " "),
        "kind": fact.name.partition("objects:")[2],
    }
    if not said.get(aspect):
        raise SlotError(f"fact {fact.id} has no {aspect!r}")
    return said[aspect]


def _time_of(fact: Fact) -> datetime:
    if fact.at is not None:
        return fact.at
    if fact.statistic.endswith("_at") and isinstance(fact.value, str):
        return datetime.fromisoformat(fact.value)
    raise SlotError(f"fact {fact.id} has no time")


def _start_of(fact: Fact) -> datetime:
    if fact.window is None:
        raise SlotError(f"fact {fact.id} has no window")
    return fact.window.start


def _computed(operation: str, facts: Sequence[Fact]) -> tuple[float, str]:
    numbers = [_number_of(fact) for fact in facts]
    unit = facts[0].unit
    if operation == "sum":
        return sum(numbers), unit
    if operation == "share":
        total = sum(numbers)
        return _divided(numbers[0], total), "ratio"
    if len(numbers) != 2:
        raise SlotError(f"{operation} needs two facts")
    if operation == "difference":
        return numbers[0] - numbers[1], unit
    if operation == "percent":
        return _divided(numbers[0], numbers[1]), "ratio"
    if operation == "ratio":
        per = unit if facts[1].unit in _COUNTS and unit != facts[1].unit else ""
        return _divided(numbers[0], numbers[1]), per
    raise SlotError(f"unknown operation {operation!r}")


def _number_of(fact: Fact) -> float:
    if isinstance(fact.value, int | float):
        return float(fact.value)
    raise SlotError(f"fact {fact.id} is no number")


def _divided(value: float, by: float) -> float:
    if by == 0:
        raise SlotError("division by zero")
    return value / by
