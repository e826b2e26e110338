"""Why a part of a statement does not stand, in words; the judges say it as ``key:argument``."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from superbizagent.analysis.claims.compare.judgement import Judgement, Outcome, Part
from superbizagent.domain.fact import Fact
from superbizagent.domain.finding import Analysis
from superbizagent.domain.incident import Language
from superbizagent.investigation.wording.check_phrases import check_words
from superbizagent.investigation.wording.checking import words_for
from superbizagent.investigation.wording.narrator import Narrator, narrator_for
from superbizagent.investigation.wording.values import quantity, quoted

__all__ = ["HYPOTHESIS", "Reasons"]

HYPOTHESIS = "hypothesis"
"""Key of the reason of a cause that nothing has tested; its argument is the check, if any is."""

_MOST = 3
"""Reasons of one statement that are said together: the first ones tell enough."""


@dataclass(frozen=True)
class Reasons:
    """Says reasons in one language."""

    language: Language
    fact: Callable[[str], Fact | None]
    """Looks a fact up by its id; `Ground.fact`."""
    analysis: Analysis

    @cached_property
    def words(self) -> Narrator:
        """The checker's table."""
        return words_for(self.language)

    def of_part(self, part: Part) -> str:
        """Why a part does not stand; empty when it does."""
        return self.of(part.reason) if part.outcome is not Outcome.HOLDS else ""

    def of(self, reason: str) -> str:
        """A reason in words; one that the table does not have is returned as it is."""
        key, _, argument = reason.partition(":")
        first, _, rest = argument.rpartition(":")
        slots = {"arg": argument, "first": first or argument, "rest": rest}
        slots["value"] = self.value(argument)
        slots["check"] = self.check(argument)
        for longer in self._longer(key, first, rest, argument):
            if self.words.knows(f"reason.{longer}"):
                return self.words.say(f"reason.{longer}", **slots)
        return quoted(reason)

    def _longer(self, key: str, first: str, rest: str, argument: str) -> tuple[str, ...]:
        """Keys of the table for a reason, the one that says most first."""
        found = [key]
        if first and rest:
            found.insert(0, f"{key}_near")
        if argument:
            found.insert(0, f"{key}_check")
        return tuple(found)

    def of_judgement(self, judgement: Judgement) -> str:
        """Everything that speaks against a statement, the worst outcome alone."""
        for outcome in (Outcome.FAILS, Outcome.UNSHOWN):
            parts = [part for part in judgement.parts if part.outcome is outcome]
            said = dict.fromkeys(self._said(part) for part in parts)
            if said:
                return self.words.say("reasons").join(list(said)[:_MOST])
        return ""

    def _said(self, part: Part) -> str:
        return self.words.say("part", text=quoted(part.text), reason=self.of_part(part))

    def value(self, fact_id: str) -> str:
        """A fact's value with its mark; the id itself where there is no such fact."""
        fact = self.fact(fact_id)
        if fact is None:
            return fact_id
        said = quantity(fact.value, fact.unit, narrator_for(self.language))
        return f"{quoted(said)} [{fact_id}]"

    def check(self, argument: str) -> str:
        """The name of a check in words, whichever way it is named."""
        for result in self.analysis.hypotheses:
            for check in result.checks:
                names = (check.id, f"{result.id}/{check.id}", f"{result.key}/{check.id}")
                if argument in (*names, f"{result.skill}/{result.id}/{check.id}"):
                    return check_words(check)
        return argument.rsplit("/", 1)[-1].replace("_", " ")
