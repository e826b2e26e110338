"""Skill folders on disk, and a scope to ask about."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from superbizagent.domain.entity import Entity
from superbizagent.domain.incident import Incident
from superbizagent.domain.outputs import Edge, Topology
from superbizagent.domain.scope import Scope
from superbizagent.domain.window import Window, Windows
from superbizagent.promql import parse_selector
from superbizagent.skills import RoleTable, load_roles, packaged_roles
from tests.skills.folders import MakeScope, WriteSkill, skill_writer


@pytest.fixture
def roles() -> RoleTable:
    return load_roles([packaged_roles()], parse_selector)


@pytest.fixture
def write_skill(tmp_path: Path) -> WriteSkill:
    return skill_writer(tmp_path)


@pytest.fixture
def make_scope() -> MakeScope:
    def make(*entities: Entity, edges: tuple[Edge, ...] = ()) -> Scope:
        start = datetime(2026, 3, 4, 12, tzinfo=UTC)
        window = Window(start=start, end=start + timedelta(minutes=10))
        return Scope(
            incident=Incident(received_at=window.end),
            windows=Windows(incident=window, baselines=()),
            entities=entities[:1],
            neighbours=entities[1:],
            topology=Topology(edges=edges),
        )

    return make
