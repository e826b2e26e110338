"""Finds skill folders on the search path, reads them, and says what is wrong with the rest.

Called once by the composition root; everything after it works on the immutable catalogue.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import yaml
from pydantic import ValidationError

from superbizagent.domain.canonical import digest_bytes
from superbizagent.domain.selector import Selector
from superbizagent.domain.skill import CheckFile, Hypothesis, Skill, SkillMetadata, SkillSource
from superbizagent.errors import UsageError
from superbizagent.skills._front_matter import BadSkillError, metadata_of, split_front_matter
from superbizagent.skills._slots import check_slots
from superbizagent.skills._yaml import describe_invalid
from superbizagent.skills.roles import ParseSelector, RoleTable

__all__ = ["SearchPath", "SkillCatalogue", "SkillProblem", "load_catalogue", "packaged_playbooks"]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The same texts eight times faster, where the parser in C is there."""
_SKILL_FILE = "SKILL.md"
_CHECKS_FILE = "checks.yaml"
_MAX_FOLDERS = 500  # a search path that holds more was pointed at something else
_MAX_FILE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class SearchPath:
    """One folder of skill folders."""

    source: SkillSource
    root: Path | Traversable


@dataclass(frozen=True, slots=True)
class SkillProblem:
    """What is wrong with a folder; ``skipped`` tells whether the skill is left out for it."""

    place: str
    message: str
    skipped: bool


@dataclass(frozen=True, slots=True)
class _Found:
    skill: Skill
    folder: Path | Traversable


@dataclass(frozen=True, slots=True)
class SkillCatalogue:
    """Every usable skill by name, and the problems met on the way."""

    _found: tuple[_Found, ...] = ()
    problems: tuple[SkillProblem, ...] = ()

    @property
    def skills(self) -> tuple[Skill, ...]:
        """All skills, sorted by name."""
        return tuple(item.skill for item in self._found)

    @property
    def cards(self) -> tuple[SkillMetadata, ...]:
        """What a planner may see of each skill, sorted by name."""
        return tuple(skill.metadata for skill in self.skills)

    def get(self, name: str) -> Skill | None:
        """Return the skill of this name, or None."""
        return next((skill for skill in self.skills if skill.name == name), None)

    def read_body(self, name: str) -> str:
        """Read the text below the front matter, for a person or a model.

        Raises:
            UsageError: when there is no such skill, or its file cannot be read any more.
        """
        for item in self._found:
            if item.skill.name == name:
                try:
                    return split_front_matter(_read(item.folder / _SKILL_FILE)[1]).body
                except BadSkillError as error:
                    raise UsageError(f"skill {name!r} cannot be read: {error}") from error
        known = ", ".join(skill.name for skill in self.skills) or "none"
        raise UsageError(f"there is no skill {name!r}; known: {known}")


def packaged_playbooks() -> SearchPath:
    """Return the folder of playbooks that ships with the package."""
    return SearchPath(SkillSource.PACKAGED, files("superbizagent.skills") / "playbooks")


def load_catalogue(
    paths: Sequence[SearchPath], roles: RoleTable, parse: ParseSelector
) -> SkillCatalogue:
    """Read every skill folder of ``paths``; one of a later path replaces an equal name.

    A folder that cannot be used becomes a `SkillProblem`, never an error.
    """
    found: dict[str, _Found] = {}
    problems: list[SkillProblem] = []
    for path in paths:
        for folder in _folders(path, problems):
            try:
                skill, remarks = _load(folder, path.source, roles, parse)
            except BadSkillError as error:
                problems.append(SkillProblem(str(folder), str(error), skipped=True))
                continue
            problems += [SkillProblem(str(folder), text, skipped=False) for text in remarks]
            found[skill.name] = _Found(skill, folder)
    ordered = tuple(found[name] for name in sorted(found))
    return SkillCatalogue(ordered, tuple(problems))


def _folders(path: SearchPath, problems: list[SkillProblem]) -> Iterator[Path | Traversable]:
    try:
        entries = sorted(path.root.iterdir(), key=lambda entry: entry.name)
    except FileNotFoundError:
        return  # a user without own playbooks is the normal case
    except OSError as error:
        problems.append(SkillProblem(str(path.root), f"cannot be listed: {error}", skipped=True))
        return
    folders = [e for e in entries if e.is_dir() and (e / _SKILL_FILE).is_file()]
    if len(folders) > _MAX_FOLDERS:
        left = f"has {len(folders)} skills; the first {_MAX_FOLDERS} by name are read"
        problems.append(SkillProblem(str(path.root), left, skipped=True))
    yield from folders[:_MAX_FOLDERS]


def _load(
    folder: Path | Traversable, source: SkillSource, roles: RoleTable, parse: ParseSelector
) -> tuple[Skill, list[str]]:
    data, text = _read(folder / _SKILL_FILE)
    front = split_front_matter(text)
    hypotheses: tuple[Hypothesis, ...] = ()
    selectors: dict[str, tuple[Selector, ...]] = {}
    if (folder / _CHECKS_FILE).is_file():
        checks_data, checks_text = _read(folder / _CHECKS_FILE)
        data += checks_data
        hypotheses = _parse_checks(checks_text)
        selectors = _resolve(hypotheses, roles, parse)
    metadata, remarks = metadata_of(
        front, folder=folder.name, source=source, digest=digest_bytes(data)
    )
    return Skill(metadata=metadata, hypotheses=hypotheses, selectors=selectors), remarks


def _read(path: Path | Traversable) -> tuple[bytes, str]:
    try:
        data = path.read_bytes()
        if len(data) > _MAX_FILE_BYTES:
            raise BadSkillError(f"{path.name} is larger than {_MAX_FILE_BYTES} bytes")
        return data, data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSkillError(f"{path.name} cannot be read: {error}") from error


def _parse_checks(text: str) -> tuple[Hypothesis, ...]:
    try:
        content = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader
        hypotheses = CheckFile.model_validate(content).hypotheses
    except yaml.YAMLError as error:
        raise BadSkillError(f"{_CHECKS_FILE} is not YAML: {error}") from error
    except ValidationError as error:
        raise BadSkillError(f"{_CHECKS_FILE}: {describe_invalid(error)}") from error
    for hypothesis in hypotheses:
        complaint = check_slots(hypothesis)
        if complaint:
            raise BadSkillError(f"{_CHECKS_FILE}: {complaint}")
    return hypotheses


def _resolve(
    hypotheses: Sequence[Hypothesis], roles: RoleTable, parse: ParseSelector
) -> dict[str, tuple[Selector, ...]]:
    selectors: dict[str, tuple[Selector, ...]] = {}
    try:
        for hypothesis in hypotheses:
            for check in hypothesis.evidence:
                key = f"{hypothesis.id}/{check.id}"
                if check.any_of:
                    selectors[key] = tuple(
                        s for template in check.any_of for s in roles.selectors(template, parse)
                    )
                if check.holds.other is not None:
                    selectors[f"{key}/other"] = tuple(
                        s
                        for template in check.holds.other.any_of
                        for s in roles.selectors(template, parse)
                    )
    except UsageError as error:
        raise BadSkillError(f"{_CHECKS_FILE}: {error}") from error
    return selectors
