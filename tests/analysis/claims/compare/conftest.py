"""Judges sentences against recorded incidents, part by part."""

from collections.abc import Callable
from datetime import UTC
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from diagnosing import diagnose, report_of
from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.judge import compare
from superbizagent.analysis.claims.compare.judgement import Part, PartKind
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Sentence
from superbizagent.analysis.claims.scan.scanner import scan
from superbizagent.analysis.claims.scan.sentences import normalise

ROOT = Path(__file__).parents[4]


def compared(
    checker: Checker, text: str, marks: tuple[str, ...] = (), about: str = ""
) -> tuple[Part, ...]:
    """Everything a sentence says and how it compares, before it is asked how sure that is."""
    ground = checker.ground
    statement = scan(Sentence(normalise(text), 1), checker.setting)
    cited = None
    if marks:
        cited = np.zeros(len(ground), np.bool_)
        cited[ground.rows_of_marks(marks)] = True
    return compare(View(statement, ground, checker.entities(about), cited), marks)


@pytest.fixture(scope="session")
def checker_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Checker]:
    """Return the checker of a recorded incident, by its folder below the repository."""

    @lru_cache
    def checker(folder: str) -> Checker:
        done = diagnose(ROOT / folder, tmp_path_factory.mktemp("data"))
        found, frame = done.diagnosis, report_of(done).frame
        return Checker.of(Ground.of(found.evidence, found.analysis, found.scope, frame), UTC)

    return checker


@pytest.fixture(scope="session")
def parts_of(checker_of: Callable[[str], Checker]) -> Callable[..., tuple[Part, ...]]:
    """Return ``text -> parts``; keyword arguments ``about``, ``marks`` and ``folder``."""

    def parts(
        text: str,
        *,
        about: str = "",
        marks: tuple[str, ...] = (),
        folder: str = "examples/mysql-connection-pool",
    ) -> tuple[Part, ...]:
        return compared(checker_of(folder), text, marks, about)

    return parts


@pytest.fixture(scope="session")
def judged(checker_of: Callable[[str], Checker]) -> Callable[..., list[str]]:
    """Return ``text -> outcomes`` of the parts of one kind, in the order of the text.

    Keyword arguments: ``kind``, ``about`` (a name that "it" stands for), ``marks`` and ``folder``.
    """

    def outcomes(
        text: str,
        *,
        kind: PartKind,
        about: str = "",
        marks: tuple[str, ...] = (),
        folder: str = "examples/mysql-connection-pool",
    ) -> list[str]:
        parts = compared(checker_of(folder), text, marks, about)
        return [part.outcome.value for part in parts if part.kind is kind]

    return outcomes
