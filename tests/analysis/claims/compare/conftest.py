"""Judges sentences against recorded incidents, part by part."""

from collections.abc import Callable
from datetime import UTC
from functools import lru_cache
from pathlib import Path

import pytest

from diagnosing import diagnose, report_of
from superbizagent.analysis.claims.checker import Checker
from superbizagent.analysis.claims.compare.ground import Ground
from superbizagent.analysis.claims.compare.judgement import Part, PartKind

ROOT = Path(__file__).parents[4]


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
        checker = checker_of(folder)
        parts: tuple[Part, ...] = checker.sentence(text, marks, checker.entities(about)).parts
        return [part.outcome.value for part in parts if part.kind is kind]

    return outcomes
