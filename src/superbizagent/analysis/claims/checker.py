"""Reads a text sentence by sentence against one session's evidence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Self

from superbizagent.analysis.claims.compare.judge import judge
from superbizagent.analysis.claims.compare.judgement import Judgement
from superbizagent.analysis.claims.compare.view import Topic, View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Sentence, Statement
from superbizagent.analysis.claims.scan.names import NameTable
from superbizagent.analysis.claims.scan.scanner import Setting, scan
from superbizagent.analysis.claims.scan.sentences import normalise, split_text

__all__ = ["Checked", "Checker"]


_BOUND = re.compile(r"\b(?:its?|they|their|them)\b|其|该(?:服务|实例|库|节点)|它", re.IGNORECASE)
"""Words that stand for what was named last, and for nothing else."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One sentence of a text and what became of it."""

    sentence: Sentence
    judgement: Judgement


@dataclass(frozen=True)
class Checker:
    """Holds sentences against a `Ground`."""

    ground: Ground
    setting: Setting

    @classmethod
    def of(cls, ground: Ground, zone: tzinfo) -> Self:
        """Return a checker; times without a zone are read in ``zone``."""
        table = NameTable(ground.names.entities, ground.names.metrics)
        return cls(ground, Setting(ground.frame.now, zone, table))

    def text(self, text: str) -> tuple[Checked, ...]:
        """Judge every sentence; one that names nothing is about what the one before it was."""
        found: list[Checked] = []
        about: tuple[str, ...] = ()
        before = Topic()
        heading, of_heading = "", ()
        for sentence in split_text(text):
            if sentence.heading != heading:
                heading, of_heading = sentence.heading, self.entities(sentence.heading)
                about = of_heading
            statement = scan(sentence, self.setting)
            # "It" is what was named last, or what the whole incident is about.
            bound = about if _BOUND.search(sentence.text) else ()
            around = bound or tuple(dict.fromkeys((*about, *of_heading, *self._hurt)))
            judgement = judge(statement, self.ground, around, before=before)
            found.append(Checked(sentence, judgement))
            about = _named(statement) or about
            before = View(statement, self.ground).topic(0, len(sentence.text)) or before
        return tuple(found)

    @property
    def _hurt(self) -> tuple[str, ...]:
        """Paths of what the alert or the question named; nothing where it named many."""
        named = self.ground.scope.entities
        return (named[0].path,) if named else ()

    def sentence(
        self, text: str, marks: Sequence[str] = (), about: Sequence[str] = ()
    ) -> Judgement:
        """Judge one statement, whatever sentences it has, as a whole."""
        statement = scan(Sentence(normalise(text), 1), self.setting)
        return judge(statement, self.ground, about, marks)

    def entities(self, text: str) -> tuple[str, ...]:
        """Return the paths that a text names."""
        return _named(scan(Sentence(normalise(text), 1), self.setting)) if text else ()


def _named(statement: Statement) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for name in statement.names for path in name.entities))
