"""Playbooks are read once: the files do not change while tests run."""

import pytest

from superbizagent.domain.skill import Skill
from tests.investigation.incidents import load_skills


@pytest.fixture(scope="session")
def skills() -> tuple[Skill, ...]:
    return load_skills()
