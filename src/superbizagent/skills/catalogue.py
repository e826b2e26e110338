"""Finds skill folders on the search path, reads them, and says what is wrong with the rest.

Called once by the composition root; everything after it works on the immutable catalogue.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from superbizagent.domain.canonical import digest_bytes
from superbizagent.domain.skill import Skill, SkillMetadata, SkillSource
from superbizagent.errors import UsageError
from superbizagent.skills._checks_file import CHECKS_FILE, ChecksReader
from superbizagent.skills._front_matter import BadSkillError, metadata_of, split_front_matter
from superbizagent.skills._hostile import hidden_character, line_at
from superbizagent.skills._yaml import near_names
from superbizagent.skills.evidence import EvidenceTable, load_evidence, packaged_evidence
from superbizagent.skills.roles import ParseSelector, RoleTable

__all__ = ["SearchPath", "SkillCatalogue", "SkillProblem", "load_catalogue", "packaged_playbooks"]

_SKILL_FILE = "SKILL.md"
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
    file: str = ""
    """File in the folder."""
    line: int = 0
    """Of the file, from 1; 0 where it is about the whole."""

    @property
    def path(self) -> str:
        """The file, or the folder where it is about the whole."""
        return f"{self.place}/{self.file}" if self.file else self.place

    @property
    def where(self) -> str:
        """``folder/file:line``, as far as it is known."""
        return f"{self.path}:{self.line}" if self.line else self.path


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

    def below(self, root: Path) -> "SkillCatalogue":
        """Return the part of it that was read in a folder."""
        inside = tuple(f for f in self._found if _is_below(str(f.folder), root))
        return SkillCatalogue(inside, tuple(p for p in self.problems if _is_below(p.place, root)))

    def without(self, names: Collection[str]) -> "SkillCatalogue":
        """Return the catalogue less the skills of these names.

        Raises:
            UsageError: when there is none of such a name.
        """
        for name in names:
            if self.get(name) is None:
                raise self._no_skill(name)
        kept = tuple(item for item in self._found if item.skill.name not in names)
        return SkillCatalogue(kept, self.problems)

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
        raise self._no_skill(name)

    def _no_skill(self, name: str) -> UsageError:
        names = [skill.name for skill in self.skills]
        longer = ", ".join(other for other in names if name and name in other)
        near = f"near: {longer}" if longer else near_names(name, names)
        return UsageError(f"there is no playbook {name!r} ({near}); see `superbiz skills list`")


def packaged_playbooks() -> SearchPath:
    """Return the folder of playbooks that ships with the package."""
    return SearchPath(SkillSource.PACKAGED, files("superbizagent.skills") / "playbooks")


def load_catalogue(
    paths: Sequence[SearchPath],
    roles: RoleTable,
    parse: ParseSelector,
    shared: EvidenceTable | None = None,
) -> SkillCatalogue:
    """Read every skill folder of ``paths``; one of a later path replaces an equal name.

    A folder that cannot be used becomes a `SkillProblem`, never an error.

    Args:
        paths: where to look, a later path wins.
        roles: names of roles.
        parse: reads a selector.
        shared: the checks that may be used by name; the packaged ones unless given.
    """
    reader = ChecksReader(roles, shared or load_evidence([packaged_evidence()]), parse)
    found: dict[str, _Found] = {}
    problems: list[SkillProblem] = []
    for path in paths:
        for folder in _folders(path, problems):
            try:
                skill, remarks = _load(folder, path.source, reader)
            except BadSkillError as error:
                bad = SkillProblem(str(folder), str(error), True, error.file, error.line)  # noqa: FBT003 - skipped
                problems.append(bad)
                continue
            problems += [
                SkillProblem(str(folder), text, skipped=False, file=_SKILL_FILE) for text in remarks
            ]
            found[skill.name] = _Found(skill, folder)
    ordered = tuple(found[name] for name in sorted(found))
    return SkillCatalogue(ordered, (*problems, *_unknown_companions(ordered)))


def _unknown_companions(found: Sequence[_Found]) -> Iterator[SkillProblem]:
    """What is not installed cannot be tested along: worth a remark, no more."""
    names = {item.skill.name for item in found}
    for item in found:
        for other in (*item.skill.rivals, *item.skill.along):
            if other not in names:
                text = f"names the playbook {other!r}, which is not installed"
                yield SkillProblem(str(item.folder), text, skipped=False, file=CHECKS_FILE)


def _is_below(place: str, root: Path) -> bool:
    return Path(place).resolve().is_relative_to(root.resolve())


def _folders(path: SearchPath, problems: list[SkillProblem]) -> Iterator[Path | Traversable]:
    try:
        if (path.root / _SKILL_FILE).is_file():
            yield path.root  # one playbook, not a folder of them
            return
        if path.root.is_file():
            said = "is a file; name the folder that holds SKILL.md"
            problems.append(SkillProblem(str(path.root), said, skipped=True))
            return
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
    folder: Path | Traversable, source: SkillSource, reader: ChecksReader
) -> tuple[Skill, list[str]]:
    data, text = _read(folder / _SKILL_FILE)
    front = split_front_matter(text)
    checks = None
    if (folder / CHECKS_FILE).is_file():
        checks_data, checks_text = _read(folder / CHECKS_FILE)
        data += checks_data
        checks = reader.read(checks_text)
    metadata, remarks = metadata_of(
        front, folder=folder.name, source=source, digest=digest_bytes(data)
    )
    if checks is None:
        return Skill(metadata=metadata), remarks
    file, selectors = checks
    skill = Skill(
        metadata=metadata,
        hypotheses=file.hypotheses,
        rivals=file.rivals,
        along=file.along,
        selectors=selectors,
    )
    return skill, remarks


def _read(path: Path | Traversable) -> tuple[bytes, str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadSkillError(f"cannot be read: {error.strerror}", path.name) from error
    if len(data) > _MAX_FILE_BYTES:
        raise BadSkillError(f"is larger than {_MAX_FILE_BYTES} bytes; shorten it", path.name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadSkillError("is not UTF-8; save it as UTF-8", path.name, line) from error
    hidden = hidden_character(text)
    if hidden is not None:
        offset, name = hidden
        where = line_at(text, offset)
        raise BadSkillError(f"has the character {name}; remove it", path.name, where)
    return data, text
