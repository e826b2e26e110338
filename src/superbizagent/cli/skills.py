"""``superbiz skills``: which playbooks there are, what is in one, and what is wrong with any."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from superbizagent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from superbizagent.domain.check import Check
    from superbizagent.domain.skill import Hypothesis, Skill
    from superbizagent.skills import SkillCatalogue, SkillProblem

__all__ = ["skills"]

_UNUSABLE = 2
"""Exit code when a playbook cannot be used: that of wrong configuration."""


@click.group()
def skills() -> None:
    """List, show and validate playbooks.

    Playbooks are looked for in the package, then beside your own superbiz.toml, then in the folders
    of SUPERBIZ_SKILLS_DIRS; a later one replaces an earlier one of the same name.
    """


@skills.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def list_(*, as_json: bool) -> None:
    """List the playbooks, and name those that cannot be used."""
    from superbizagent.cli.tables import skill_table

    found = _catalogue()
    if as_json:
        from superbizagent.cli.skill_cards import skill_card

        _print_json({"skills": [skill_card(s) for s in found.skills], **_problems(found.problems)})
        return
    click.echo(skill_table(found.skills))
    _tell(found.problems)


@skills.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def show(name: str, *, as_json: bool) -> None:
    """Show the playbook NAME: its text for people, and what its checks ask."""
    found = _catalogue()
    body = found.read_body(name)
    skill = next(s for s in found.skills if s.name == name)
    if as_json:
        from superbizagent.cli.skill_cards import skill_document

        _print_json(skill_document(skill, body))
        return
    click.echo(f"{skill.name} ({skill.metadata.source.value})\n{skill.metadata.description}\n")
    click.echo(body)
    for line in _checks(skill):
        click.echo(line)


@skills.command()
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def validate(path: Path | None, *, as_json: bool) -> int:
    """Check playbooks, and say file and line of what is wrong.

    PATH is a playbook's folder or a folder of them; without it all places are searched. The exit
    code is 2 when one cannot be used.
    """
    found = _catalogue(path).below(path) if path is not None else _catalogue()
    if path is not None and not found.skills and not found.problems:
        raise UsageError(f"{str(path)!r} holds no playbook; name a folder with a SKILL.md in it")
    if as_json:
        _print_json({"valid": [s.name for s in found.skills], **_problems(found.problems)})
    else:
        _tell(found.problems)
        number = len(found.skills)
        click.echo(f"{number} playbook{'s' if number != 1 else ''} can be used")
    return _UNUSABLE if any(p.skipped for p in found.problems) else 0


def _catalogue(path: Path | None = None) -> "SkillCatalogue":
    from superbizagent.cli.compose import load_skills, settings_for

    return load_skills(settings_for(), (path,) if path is not None else ())


def _problems(problems: "Iterable[SkillProblem]") -> dict[str, Any]:
    return {
        "problems": [
            {"path": p.path, "line": p.line, "message": p.message, "skipped": p.skipped}
            for p in problems
        ]
    }


def _tell(problems: "Iterable[SkillProblem]") -> None:
    for problem in problems:
        kind = "skipped" if problem.skipped else "remark"
        click.echo(f"{problem.where}: {problem.message} ({kind})", err=True)


def _checks(skill: "Skill") -> "Iterable[str]":
    for hypothesis in skill.hypotheses:
        about = f"of any entity of kind {hypothesis.entity}"
        yield f"hypothesis {hypothesis.id}: {hypothesis.fault_kind.value}, {about}"
        for check in hypothesis.evidence:
            yield f"  {check.role.value:9} {check.id}: {_asked(skill, hypothesis, check)}"
    if skill.rivals:
        yield f"to be ruled out: {', '.join(skill.rivals)}"
    if skill.along:
        yield f"tested along: {', '.join(skill.along)}"


def _asked(skill: "Skill", hypothesis: "Hypothesis", check: "Check") -> str:
    """What a check reads, at whom, and what it is compared with."""
    from superbizagent.domain.check import Across

    key = f"{hypothesis.id}/{check.id}"
    first = next(iter(skill.selectors.get(key, ())), None)
    names = [t.role or t.query for t in check.any_of]
    what = " or ".join(names) if names else f"{check.tool.value} {', '.join(check.contains[:3])}"
    example = f" ({first}, …)" if first is not None and names and check.any_of[0].role else ""
    summed = "sum of " if check.across is Across.SUM else ""
    holds = check.holds
    over = " / ".join(["", *(t.role or t.query for t in holds.other.any_of)]) if holds.other else ""
    bound = holds.value if holds.value is not None else holds.factor
    against = f"{holds.baseline_ratio:g} x baseline" if bound is None else f"{bound:g}"
    where = "" if check.at.value == "entity" else f" at {check.at.value}"
    return f"{check.reduce.value} {summed}{what}{over} {holds.op.value} {against}{where}{example}"


def _print_json(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=1))
