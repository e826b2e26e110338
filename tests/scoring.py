"""Checkers that are wrong in a known way: what a scorer must see."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from superbizagent.analysis.claims.checker import Checked
from superbizagent.analysis.claims.compare.judgement import Judgement, Mark
from superbizagent.analysis.claims.mentions import Sentence
from superbizagent.domain.evidence import Evidence
from superbizagent.domain.finding import Analysis
from superbizagent.evaluation.cases import CheckerOf, Examined

BUNDLES = Path(__file__).resolve().parents[1] / "benchmarks" / "claims" / "bundles"


class RuleChecker:
    """Marks a sentence by a rule of the test."""

    def __init__(self, mark_of: Callable[[str, tuple[str, ...]], Mark]) -> None:
        self.mark_of = mark_of
        self.asked: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []

    def sentence(
        self, text: str, marks: Sequence[str] = (), about: Sequence[str] = ()
    ) -> Judgement:
        self.asked.append((text, tuple(marks), tuple(about)))
        return Judgement(self.mark_of(text, tuple(marks)))

    def text(self, text: str) -> tuple[Checked, ...]:
        each = [t for t in re.split(r"(?<=[.。])\s*", text) if t]
        return tuple(Checked(Sentence(t, 1), self.sentence(t)) for t in each)

    def entities(self, text: str) -> tuple[str, ...]:
        return (f"//service/{text}",) if text else ()


def always(mark: Mark) -> RuleChecker:
    return RuleChecker(lambda _text, _marks: mark)


def made(checker: RuleChecker) -> CheckerOf:
    def make(_examined: Examined, _evidence: Evidence, _analysis: Analysis) -> RuleChecker:
        return checker

    return make
