"""The playbook of the guide is a real one."""

import re
from pathlib import Path

from superbizagent.domain.skill import SkillSource
from superbizagent.promql import parse_selector
from superbizagent.skills import SearchPath, load_catalogue, load_roles, packaged_roles

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "playbooks.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_guide_s_playbook_loads_without_a_complaint(tmp_path: Path) -> None:
    (skill,) = [text for kind, text in BLOCKS if kind == "markdown"]
    checks, roles = [text for kind, text in BLOCKS if kind == "yaml"]
    folder = tmp_path / "skills" / "diagnose-disk-full"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(skill, encoding="utf-8")
    (folder / "checks.yaml").write_text(checks, encoding="utf-8")
    (tmp_path / "roles.yaml").write_text(roles, encoding="utf-8")
    table = load_roles([packaged_roles(), tmp_path / "roles.yaml"], parse_selector)
    path = SearchPath(SkillSource.USER, tmp_path / "skills")
    catalogue = load_catalogue([path], table, parse_selector)
    assert catalogue.problems == ()
    (found,) = catalogue.skills
    assert [c.id for c in found.hypotheses[0].evidence] == ["almost_nothing_left", "log_no_space"]
    assert found.metadata.alerts == ("*DiskFull*", "*FilesystemAlmostFull*")
