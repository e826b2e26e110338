"""`superbiz skills`: what there is, what is in it, and what is wrong with one's own."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from commanding import Superbiz
from tests.skills.folders import CHECKS, WriteSkill, skill_writer

PACKAGED = sorted(
    entry.name
    for entry in files("superbizagent.skills").joinpath("playbooks").iterdir()
    if entry.joinpath("SKILL.md").is_file()
)


@pytest.fixture
def write_skill(tmp_path: Path) -> WriteSkill:
    return skill_writer(tmp_path)


HEAD = "name: find-it\ndescription: Finds it.\n"


def test_the_list_names_every_playbook_and_where_it_comes_from(superbiz: Superbiz) -> None:
    ended = superbiz("skills", "list", "--json")
    assert ended.code == 0
    listed = json.loads(ended.out)
    assert set(PACKAGED) <= {s["name"] for s in listed["skills"]}
    assert listed["problems"] == []
    assert {s["source"] for s in listed["skills"]} == {"packaged"}
    table = superbiz("skills", "list").out
    assert all(name in table for name in PACKAGED)
    assert max(map(len, table.splitlines())) <= 100


def test_an_own_playbook_replaces_ours(
    superbiz: Superbiz, write_skill: WriteSkill, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = PACKAGED[0]
    monkeypatch.setenv("SUPERBIZ_SKILLS_DIRS", json.dumps([str(write_skill(name))]))
    listed = json.loads(superbiz("skills", "list", "--json").out)["skills"]
    assert [s["source"] for s in listed if s["name"] == name] == ["project"]


@pytest.mark.parametrize("name", PACKAGED)
def test_a_playbook_shows_its_text_and_what_its_checks_ask(superbiz: Superbiz, name: str) -> None:
    ended = superbiz("skills", "show", name)
    assert ended.code == 0
    assert f"{name} (packaged)" in ended.out
    assert "hypothesis " in ended.out
    assert "required" in ended.out or "one_of" in ended.out
    shown = json.loads(superbiz("skills", "show", name, "--json").out)
    assert shown["body"].startswith("# ")
    for hypothesis in shown["hypotheses"]:
        assert hypothesis["conclusion"]["zh"] != hypothesis["conclusion"]["en"]
        assert hypothesis["mitigation"]
        assert all(set(m) >= {"action", "risk", "undo"} for m in hypothesis["mitigation"])


def test_a_playbook_that_is_not_there(superbiz: Superbiz) -> None:
    ended = superbiz("skills", "show", "diagnose-nothing")
    assert ended.code == 2
    assert "there is no playbook 'diagnose-nothing'" in ended.error


@pytest.mark.parametrize(
    ("name", "near"),
    [("slow-query", "diagnose-mysql-slow-query"), ("diagnose-disk-ful", "diagnose-disk-full")],
)
def test_a_misspelt_playbook_names_the_nearest(superbiz: Superbiz, name: str, near: str) -> None:
    ended = superbiz("skills", "show", name)
    assert ended.code == 2
    assert f"near: {near}" in ended.error
    assert "diagnose-high-cpu" not in ended.error


def test_the_file_of_a_playbook_is_no_folder(superbiz: Superbiz, tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_text("---\nname: x\n---\n", encoding="utf-8")
    ended = superbiz("skills", "validate", path)
    assert ended.code == 2
    assert "is a file; name the folder that holds SKILL.md" in ended.err


def test_what_ships_is_valid(superbiz: Superbiz) -> None:
    ended = superbiz("skills", "validate")
    assert (ended.code, ended.err) == (0, "")
    assert f"{len(PACKAGED)} playbooks can be used" in ended.out


LAUGHS = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 9))
WRONG = {
    "not YAML": (CHECKS.replace("reduce: max", "reduce: [max"), 9, "is not YAML"),
    "unknown role": (CHECKS.replace("role: pool.used", "role: pool.usd"), 6, "near: pool.used"),
    "unknown shared check": (
        CHECKS.replace("- id: used", "- {use: pool_ful, role: required}\n      - id: used"),
        6,
        "near: pool_full",
    ),
    "no Chinese": (CHECKS.replace(', zh: "{entity} 使用 {value}"', ""), 11, "zh is missing; add"),
    "no English": (CHECKS.replace('en: "{entity} has {used}", ', ""), 12, "en is missing; add"),
    "misspelt key": (CHECKS.replace("reduce: max", "reduces: max"), 6, "correct or remove it"),
    "misspelt slot": (CHECKS.replace("{value} used", "{valeu} used"), 11, "it may have: entity"),
    "a sentence that cites nothing": (
        CHECKS.replace("{entity} 使用 {value}", "{entity} 满了"), 11, "cites nothing in 'zh'"
    ),
    "bad month": (CHECKS.replace("value: 5", "value: 2026-99-99"), 1, "a value cannot be read"),
    "no list": ("hypotheses: 5\n", 1, "hypotheses: Input should be"),
    "empty": ("", 1, "the file: write keys with values here"),
    "terminal codes": (CHECKS.replace("使用", "\x1b[2J"), 11, "U+001B"),
    "escaped terminal codes": (CHECKS.replace("使用", r"\e[2J"), 11, "U+001B"),
    "turned text": (CHECKS.replace("使用", "\u202e"), 11, "right-to-left override"),
    "aliases without end": (f"l0: &l0 [x]\n{LAUGHS}{CHECKS}", 1, "unfolds to more than"),
    "an alias of itself": (f"{CHECKS}extra: &a [*a]\n", 1, "or holds itself"),
    "a program": (CHECKS.replace("value: 5", "value: !!python/name:os.system x"), 9, "tag"),
}  # fmt: skip
"""What is wrong -> checks.yaml, the line, and what the message says."""


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_checks_is_one_line_with_file_and_line(
    superbiz: Superbiz, write_skill: WriteSkill, what: str
) -> None:
    checks, line, message = WRONG[what]
    root = write_skill(checks=checks)
    ended = superbiz("skills", "validate", str(root))
    assert ended.code == 2
    (said,) = ended.err.splitlines()
    assert said.startswith(f"{root / 'find-it' / 'checks.yaml'}:{line}: ")
    assert message in said
    assert said.endswith("(skipped)")
    assert len(said) < 400
    assert said.isprintable()
    assert "0 playbooks can be used" in ended.out


HEADS = {
    "not YAML": ("name: [\n", 3, "is not YAML"),
    "no name": ("description: Finds it.\n", 1, "has no `name`; add it"),
    "no description": ("name: find-it\n", 1, "has no `description`; add it"),
    "no mapping": ("- name\n", 2, "is no mapping"),
    "terminal codes": (f'{HEAD}license: "\\e[2J"\n', 1, "U+001B"),
    "aliases without end": (f"{HEAD}l0: &l0 [x]\n{LAUGHS}", 1, "unfolds to more than"),
}  # fmt: skip


@pytest.mark.parametrize("what", HEADS)
def test_what_is_wrong_with_the_head_is_one_line_with_file_and_line(
    superbiz: Superbiz, write_skill: WriteSkill, what: str
) -> None:
    head, line, message = HEADS[what]
    root = write_skill(head=head)
    ended = superbiz("skills", "validate", str(root))
    assert ended.code == 2
    (said,) = ended.err.splitlines()
    assert said.startswith(f"{root / 'find-it' / 'SKILL.md'}:{line}: ")
    assert message in said


def test_a_body_with_terminal_codes_is_not_shown(
    superbiz: Superbiz, write_skill: WriteSkill
) -> None:
    root = write_skill(body="Look.\n\x1b]0;title\x07\n")
    ended = superbiz("skills", "validate", str(root))
    assert ended.code == 2
    assert "SKILL.md:6: has the character U+001B" in ended.err


def test_a_remark_does_not_skip(superbiz: Superbiz, write_skill: WriteSkill) -> None:
    head = f"{HEAD}metadata: {{keywords-en: 'it'}}\n"
    checks = CHECKS.replace("hypotheses:", "along: [diagnose-nothing]\nhypotheses:")
    ended = superbiz("skills", "validate", str(write_skill(head=head, checks=checks)))
    assert ended.code == 0
    assert "no `keywords-zh`: questions in that language will not find it (remark)" in ended.err
    assert "names the playbook 'diagnose-nothing', which is not installed (remark)" in ended.err
    assert "1 playbook can be used" in ended.out


def test_one_folder_or_a_folder_of_them(superbiz: Superbiz, write_skill: WriteSkill) -> None:
    write_skill(checks=CHECKS)
    root = write_skill("find-more", checks=CHECKS.replace("pool.used", "pool.usd"))
    ended = superbiz("skills", "validate", str(root), "--json")
    assert ended.code == 2
    said = json.loads(ended.out)
    assert said["valid"] == ["find-it"]
    (problem,) = said["problems"]
    assert (Path(problem["path"]).name, problem["line"], problem["skipped"]) == (
        "checks.yaml", 6, True
    )  # fmt: skip
    assert superbiz("skills", "validate", str(root / "find-it")).code == 0


def test_a_folder_without_playbooks_is_no_success(superbiz: Superbiz, tmp_path: Path) -> None:
    ended = superbiz("skills", "validate", str(tmp_path))
    assert ended.code == 2
    assert "holds no playbook; name a folder with a SKILL.md in it" in ended.error


def test_a_diagnosis_goes_on_without_the_playbook_that_is_wrong(
    superbiz: Superbiz, write_skill: WriteSkill, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_skill(checks="hypotheses: [")
    monkeypatch.setenv("SUPERBIZ_SKILLS_DIRS", json.dumps([str(root)]))
    ended = superbiz("skills", "list")
    assert ended.code == 0
    assert "checks.yaml:" in ended.err
    assert PACKAGED[0] in ended.out
