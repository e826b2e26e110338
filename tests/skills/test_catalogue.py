"""Skill folders: what is read, what is only remarked on, what is skipped."""

from pathlib import Path

import pytest

from superbizagent.domain.skill import SkillSource
from superbizagent.errors import UsageError
from superbizagent.promql import parse_selector
from superbizagent.skills import (
    RoleTable,
    SearchPath,
    SkillCatalogue,
    load_catalogue,
    packaged_playbooks,
)
from tests.skills.folders import CHECKS, WriteSkill


def load(roles: RoleTable, *roots: Path) -> SkillCatalogue:
    sources = (SkillSource.USER, SkillSource.PROJECT)
    paths = [SearchPath(s, root) for s, root in zip(sources, roots, strict=False)]
    return load_catalogue(paths, roles, parse_selector)


def test_b03_the_connection_pool_playbook_ships_with_the_package(roles: RoleTable) -> None:
    catalogue = load_catalogue([packaged_playbooks()], roles, parse_selector)
    assert catalogue.problems == ()
    skill = catalogue.get("diagnose-mysql-connection-pool")
    assert skill is not None
    assert [h.id for h in skill.hypotheses] == ["pool_exhausted_by_slow_transactions"]
    assert "diagnose-connection-leak" in skill.rivals
    assert "diagnose-lock-wait" in skill.along
    assert "who holds the connections" in catalogue.read_body(skill.name)


def test_a_playbook_can_be_left_out(roles: RoleTable, write_skill: WriteSkill) -> None:
    catalogue = load(roles, write_skill())
    assert [s.name for s in catalogue.skills] == ["find-it"]
    assert catalogue.without([]).skills == catalogue.skills
    assert catalogue.without(["find-it"]).skills == ()
    with pytest.raises(UsageError, match=r"no playbook 'luck'.*known: find-it"):
        catalogue.without(["luck"])


def test_b02_a_card_holds_no_body(roles: RoleTable, write_skill: WriteSkill) -> None:
    root = write_skill(body="SECRET STEPS\n")
    card = load(roles, root).cards[0]
    assert "SECRET" not in card.model_dump_json()
    assert card.description == "Finds find-it."


def test_all_front_matter_is_read(roles: RoleTable, write_skill: WriteSkill) -> None:
    head = """name: find-it
description: Finds it.
license: MIT
compatibility: needs metrics
metadata:
  alerts: "Pool*, Db Down"
  keywords-en: "connection pool, hikari"
  keywords-zh: "连接池，等待连接、超时"
allowed-tools: query_metrics search_logs
"""
    catalogue = load(roles, write_skill(head=head))
    card = catalogue.cards[0]
    assert catalogue.problems == ()
    assert (card.license, card.compatibility) == ("MIT", "needs metrics")
    assert card.alerts == ("Pool*", "Db", "Down")
    assert card.keywords == ("connection pool", "hikari", "连接池", "等待连接", "超时")
    assert card.allowed_tools == ("query_metrics", "search_logs")


def test_lists_are_taken_as_they_are(roles: RoleTable, write_skill: WriteSkill) -> None:
    head = (
        "name: find-it\ndescription: d\nmetadata: {alerts: [A, B], keywords-en: [x y]}\n"
        "allowed-tools: [search_logs]\n"
    )
    card = load(roles, write_skill(head=head)).cards[0]
    assert (card.alerts, card.keywords, card.allowed_tools) == (
        ("A", "B"),
        ("x y",),
        ("search_logs",),
    )


def test_a_later_path_replaces_an_earlier_skill_of_the_same_name(
    roles: RoleTable, write_skill: WriteSkill
) -> None:
    user = write_skill(body="user\n")
    project = write_skill(body="project\n", root="project")
    catalogue = load(roles, user, project)
    assert [c.source for c in catalogue.cards] == [SkillSource.PROJECT]
    assert catalogue.read_body("find-it") == "project\n"


def test_skills_are_sorted_by_name(roles: RoleTable, write_skill: WriteSkill) -> None:
    write_skill("zebra")
    root = write_skill("ant")
    assert [c.name for c in load(roles, root).cards] == ["ant", "zebra"]


def test_a_path_that_is_not_there_is_no_problem(roles: RoleTable, tmp_path: Path) -> None:
    assert load(roles, tmp_path / "absent") == SkillCatalogue()


def test_a_path_that_is_a_file_is_reported(roles: RoleTable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    problems = load(roles, tmp_path / "file").problems
    assert [p.skipped for p in problems] == [True]


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("description: d\n", "no `name`"),
        ("name: find-it\n", "no `description`"),
        ("- a\n", "no mapping"),
        ("name: [\n", "not YAML"),
    ],
)
def test_a_bad_front_matter_skips_the_skill_alone(
    roles: RoleTable, write_skill: WriteSkill, head: str, message: str
) -> None:
    write_skill("good")
    root = write_skill(head=head)
    catalogue = load(roles, root)
    assert [c.name for c in catalogue.cards] == ["good"]
    assert [p.skipped for p in catalogue.problems] == [True]
    assert message in catalogue.problems[0].message
    assert catalogue.problems[0].place.endswith("find-it")


@pytest.mark.parametrize("text", ["", "no front matter\n", "---\nname: x\n"])
def test_a_file_without_front_matter_is_skipped(
    roles: RoleTable, tmp_path: Path, text: str
) -> None:
    (tmp_path / "user" / "x").mkdir(parents=True)
    (tmp_path / "user" / "x" / "SKILL.md").write_text(text)
    catalogue = load(roles, tmp_path / "user")
    assert catalogue.skills == ()
    assert len(catalogue.problems) == 1


def test_binary_and_huge_files_are_skipped(roles: RoleTable, tmp_path: Path) -> None:
    for name, data in {"binary": b"\xff\xfe\x00", "huge": b"---\n" + b"x" * 1_000_001}.items():
        (tmp_path / "user" / name).mkdir(parents=True)
        (tmp_path / "user" / name / "SKILL.md").write_bytes(data)
    problems = load(roles, tmp_path / "user").problems
    assert problems[0].message == "is not UTF-8; save it as UTF-8"
    assert "larger than" in problems[1].message
    assert problems[1].path.endswith("huge/SKILL.md")


def test_oddities_are_remarked_on_and_the_skill_is_kept(
    roles: RoleTable, write_skill: WriteSkill
) -> None:
    head = f"name: Find--It\ndescription: {'d' * 2000}\nversion: 3\n"
    catalogue = load(roles, write_skill(head=head))
    assert len(catalogue.cards[0].description) == 1024
    assert [p.skipped for p in catalogue.problems] == [False] * 4
    text = " ".join(p.message for p in catalogue.problems)
    for part in ("lower-case", "differs from the folder", "unknown front matter", "is cut"):
        assert part in text


def test_the_digest_changes_with_the_checks(roles: RoleTable, write_skill: WriteSkill) -> None:
    root = write_skill(checks=CHECKS)
    before = load(roles, root).cards[0].digest
    file = root / "find-it" / "checks.yaml"
    file.write_text(CHECKS.replace("value: 5", "value: 6"))
    assert load(roles, root).cards[0].digest != before


def test_a_body_that_went_away_or_never_was_says_what_to_do(
    roles: RoleTable, write_skill: WriteSkill
) -> None:
    root = write_skill()
    catalogue = load(roles, root)
    with pytest.raises(UsageError, match=r"no playbook 'other'.*known: find-it"):
        catalogue.read_body("other")
    (root / "find-it" / "SKILL.md").unlink()
    with pytest.raises(UsageError, match="cannot be read"):
        catalogue.read_body("find-it")
    assert catalogue.get("other") is None


def test_a_path_with_too_many_skills_is_cut_and_says_so(
    roles: RoleTable, write_skill: WriteSkill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("superbizagent.skills.catalogue._MAX_FOLDERS", 2)
    for name in ("a", "b", "c"):
        root = write_skill(name)
    catalogue = load(roles, root)
    assert [c.name for c in catalogue.cards] == ["a", "b"]
    assert "has 3 skills; the first 2 by name are read" in catalogue.problems[0].message
