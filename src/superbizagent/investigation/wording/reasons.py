"""Why a part of a statement does not stand, in words; the judges say it as ``key:argument``."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property

from superbizagent.analysis.claims.compare.judgement import Judgement, Outcome, Part
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.domain.finding import CheckOutcome, FaultKind, Finding
from superbizagent.domain.incident import Language
from superbizagent.investigation.wording.check_phrases import check_words
from superbizagent.investigation.wording.checking import words_for
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.slots import is_call, marks
from superbizagent.investigation.wording.values import (
    clock_time,
    flat,
    quantity,
    quoted,
    short_name,
    zone_of,
)

__all__ = ["HYPOTHESIS", "Reasons"]

HYPOTHESIS = "hypothesis"
"""Key of the reason of a cause that nothing has tested; its argument is the check, if any is."""
_ONSETS = re.compile(r"onset of (.{1,200}) against onset of (.{1,200})")
_PART = re.compile(r"(\d{1,12}) of (\d{1,12})")
_MOST = 3
"""Reasons of one statement that are said together: the first ones tell enough."""


@dataclass(frozen=True)
class Reasons:
    """Says reasons in one language, with what the evidence has in them."""

    ground: Ground
    language: Language

    @cached_property
    def words(self) -> Narrator:
        """The checker's table."""
        return words_for(self.language)

    def of_part(self, part: Part) -> str:
        """Why a part does not stand; empty when it does."""
        return self.of(part.reason, part.fact_ids) if part.outcome is not Outcome.HOLDS else ""

    def of(self, reason: str, fact_ids: Sequence[str] = ()) -> str:
        """A reason in words; one that the table does not have is returned as it is.

        Args:
            reason: ``key`` or ``key:argument``.
            fact_ids: what speaks against the statement.
        """
        key, _, argument = reason.partition(":")
        for name in self._names(key, argument):
            if self.words.knows(f"reason.{name}"):
                said = self.words.say(f"reason.{name}", **self._slots(argument, fact_ids))
                return flat(said)
        return quoted(reason)

    def of_judgement(self, judgement: Judgement) -> str:
        """What speaks against a statement, of its worst outcome alone."""
        for outcome in (Outcome.FAILS, Outcome.UNSHOWN):
            parts = [part for part in judgement.parts if part.outcome is outcome]
            said = list(dict.fromkeys(self._said(part) for part in parts))
            if said:
                return self.words.say("reasons").join(said[:_MOST])
        return ""

    def check(self, argument: str) -> str:
        """What decides a hypothesis, in words: a check, the checks of a hypothesis, or an order."""
        onsets = _ONSETS.fullmatch(argument)
        if onsets:
            return self.words.say("check.onsets", first=quoted(onsets[1]), then=quoted(onsets[2]))
        for result in self.ground.analysis.hypotheses:
            if argument == result.id:
                open_ = [c for c in result.checks if c.outcome is CheckOutcome.UNKNOWN]
                said = self.words.say("check.separator").join(map(check_words, open_))
                return said or self._fault(result.fault_kind)
            for check in result.checks:
                if argument in {check.id, f"{result.id}/{check.id}", f"{result.key}/{check.id}"}:
                    return check_words(check)
        return quoted(argument.rsplit("/", 1)[-1].replace("_", " "))

    def _part_of(self, argument: str) -> str:
        """``3 of 5`` in the words of the language; else what is not part of it."""
        match = _PART.fullmatch(argument)
        said = self.words.say("part.of", n=match[1], total=match[2]) if match else argument
        return quoted(said)

    def _fault(self, kind: FaultKind) -> str:
        return narrator_for(self.language).say(f"fault.{kind.value}")

    def _subject(self, argument: str) -> str:
        """What was ruled out or calm: a hypothesis by its id, an entity, a fault of an entity."""
        for result in self.ground.analysis.hypotheses:
            if argument == result.id:
                return self._fault(result.fault_kind)
        name, _, kind = argument.rpartition("/")
        if kind not in {k.value for k in FaultKind}:
            return quoted(argument)
        fault = self._fault(FaultKind(kind))
        return f"{quoted(name)} ({fault})" if name else fault

    def _names(self, key: str, argument: str) -> Iterator[str]:
        """Yield keys of the table for a reason, the one that says most first."""
        if argument.rpartition(":")[2] and ":" in argument:
            yield f"{key}_near"
        if argument.strip(":"):
            yield f"{key}_of"
        yield key

    def _said(self, part: Part) -> str:
        return self.words.say("part", text=quoted(part.text), reason=self.of_part(part))

    # Slots ---------------------------------------------------------------------------------------

    def _slots(self, argument: str, fact_ids: Sequence[str]) -> dict[str, str]:
        first, _, rest = argument.rpartition(":")
        return {
            "ids": marks(found) if (found := self.marks_of(fact_ids)) else "",
            "value": self._value(argument),
            "time": self._time(argument),
            "owner": self._owner(argument),
            "finding": self._finding(argument),
            "check": self.check(argument),
            "subject": self._subject(argument),
            "part": self._part_of(argument),
            "first": quoted(first or argument),
            "rest": quoted(_names(rest)),
            "arg": quoted(argument),
        }

    def marks_of(self, fact_ids: Iterable[str]) -> tuple[str, ...]:
        """Return what `superbiz explain` can show of these: of a further reading its call."""
        return tuple(dict.fromkeys(filter(None, map(self._mark, fact_ids))))

    def _mark(self, fact_id: str) -> str:
        call = fact_id.partition(".")[0]
        return fact_id if fact_id in self._stored else call if is_call(call) else ""

    @cached_property
    def _stored(self) -> frozenset[str]:
        return frozenset(self.ground.evidence.facts())

    @cached_property
    def _zone(self) -> tzinfo:
        return zone_of(self.ground.frame.timezone)

    def _marked(self, text: str, fact_id: str) -> str:
        mark = self._mark(fact_id)
        return f"{text} [{mark}]" if mark else text

    def _value(self, fact_id: str) -> str:
        fact = self.ground.fact(fact_id)
        if fact is None:
            return fact_id
        said = quoted(quantity(fact.value, fact.unit, narrator_for(self.language)))
        return self._marked(said, fact_id)

    def _time(self, fact_id: str) -> str:
        fact = self.ground.fact(fact_id)
        at = fact.at if fact is not None else None
        if fact is not None and at is None and isinstance(fact.value, str):
            at = _instant(fact.value)
        return self._marked(clock_time(at, self._zone), fact_id) if at is not None else fact_id

    def _owner(self, fact_id: str) -> str:
        fact = self.ground.fact(fact_id)
        if fact is None or not fact.entity:
            return f"[{fact_id}]"
        return self._marked(quoted(fact.entity.rsplit("/", 1)[-1]), fact_id)

    def _finding(self, finding_id: str) -> str:
        found = [f for f in self.ground.analysis.findings if f.id == finding_id]
        return self._named(found[0]) if found else finding_id

    def _named(self, finding: Finding) -> str:
        name = finding.entity.rsplit("/", 1)[-1]
        return quoted(f"{name}: {short_name(finding.subject)}")


def _names(text: str) -> str:
    """Names, those left out that are the path of one before."""
    names = text.split(", ")
    return ", ".join(n for n in names if "/" not in n or n.rsplit("/", 1)[-1] not in names)


def _instant(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None
