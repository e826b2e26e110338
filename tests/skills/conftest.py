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
from tests.skills.folders import MakeScope, WriteSkill


@pytest.fixture
def roles() -> RoleTable:
    return load_roles([packaged_roles()], parse_selector)


@pytest.fixture
def write_skill(tmp_path: Path) -> WriteSkill:
    """Write one skill folder below ``<tmp>/<root>`` and return the root."""

    def write(
        name: str = "find-it",
        head: str | None = None,
        *,
        checks: str | None = None,
        body: str = "Look.\n",
        root: str = "user",
        folder: str = "",
    ) -> Path:
        place = tmp_path / root / (folder or name)
        place.mkdir(parents=True)
        front = f"name: {name}\ndescription: Finds {name}.\n" if head is None else head
        (place / "SKILL.md").write_text(f"---\n{front}---\n{body}", encoding="utf-8")
        if checks is not None:
            (place / "checks.yaml").write_text(checks, encoding="utf-8")
        return tmp_path / root

    return write


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
