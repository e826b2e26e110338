"""SKILL.md: YAML front matter between ``---`` lines, then Markdown for people and models."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

import yaml

from superbizagent.domain.skill import SkillMetadata, SkillSource
from superbizagent.skills._hostile import TooManyValuesError, hidden_in
from superbizagent.skills._yaml import load_yaml

__all__ = ["BadSkillError", "FrontMatter", "metadata_of", "split_front_matter"]

_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_NAME_LIMIT = 64  # of the Agent Skills format, as the two limits below
_DESCRIPTION_LIMIT = 1024
_COMPATIBILITY_LIMIT = 500


class BadSkillError(Exception):
    """The folder cannot be used as a skill; the catalogue reports it and goes on."""

    def __init__(self, message: str, file: str = "SKILL.md", line: int = 0) -> None:
        """Name the file, and its line from 1 where it is known."""
        super().__init__(" ".join(message.split()))
        self.file = file
        self.line = line


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The parsed head of a SKILL.md and the text below it."""

    values: dict[str, Any]
    body: str


def split_front_matter(text: str) -> FrontMatter:
    """Take a SKILL.md apart.

    Raises:
        BadSkillError: when there is no front matter, or it is no YAML mapping.
    """
    lines = text.lstrip("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].strip() != "---":
        raise BadSkillError("does not begin with a `---` line; put one above `name`", line=1)
    end = next((i for i, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    if end is None:
        raise BadSkillError("has no `---` line that ends the front matter; add it", line=1)
    try:
        values = load_yaml("".join(lines[1:end]))
        hidden = hidden_in(values)
    except yaml.YAMLError as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        line = mark.line + 2 if mark is not None else 1
        problem = problem or str(error)
        raise BadSkillError(f"the front matter is not YAML: {problem}", line=line) from error
    except TooManyValuesError as error:
        raise BadSkillError(f"the front matter {error}; write it out", line=1) from error
    if hidden is not None:
        raise BadSkillError(f"the front matter has the character {hidden[1]}; remove it", line=1)
    if not isinstance(values, dict):
        raise BadSkillError("the front matter is no mapping; write `name: …` lines", line=2)
    return FrontMatter(values, "".join(lines[end + 1 :]).strip() + "\n")  # pyright: ignore[reportUnknownArgumentType] - YAML is untyped


def metadata_of(
    front: FrontMatter, *, folder: str, source: SkillSource, digest: str
) -> tuple[SkillMetadata, list[str]]:
    """Return the metadata and what is odd about it, without being a reason to skip.

    Raises:
        BadSkillError: when name or description is missing.
    """
    values, remarks = front.values, list[str]()
    name, description = _text(values.get("name")), _text(values.get("description"))
    if not name or not description:
        missing = "name" if not name else "description"
        raise BadSkillError(f"the front matter has no `{missing}`; add it", line=1)
    name = unicodedata.normalize("NFKC", name)
    remarks += _odd(values, name, folder)
    if len(description) > _DESCRIPTION_LIMIT:
        remarks.append(f"`description` is cut at {_DESCRIPTION_LIMIT} characters")
    raw = values.get("metadata")
    extra: dict[str, Any] = raw if isinstance(raw, dict) else {}  # pyright: ignore[reportUnknownVariableType] - YAML is untyped
    remarks += _one_language(extra)
    keywords = (*_items(extra.get("keywords-en"), ","), *_items(extra.get("keywords-zh"), ",，、"))
    metadata = SkillMetadata(
        name=name,
        description=description[:_DESCRIPTION_LIMIT],
        license=_text(values.get("license")),
        compatibility=_text(values.get("compatibility"))[:_COMPATIBILITY_LIMIT],
        alerts=_items(extra.get("alerts"), ", "),
        keywords=tuple(dict.fromkeys(keywords)),
        allowed_tools=_items(values.get("allowed-tools"), ", "),
        source=source,
        digest=digest,
    )
    return metadata, remarks


def _odd(values: dict[str, Any], name: str, folder: str) -> list[str]:
    remarks: list[str] = []
    if not _NAME.fullmatch(name) or len(name) > _NAME_LIMIT:
        remarks.append(f"name {name!r} is not lower-case words joined by single hyphens")
    if name != folder:
        remarks.append(f"name {name!r} differs from the folder {folder!r}")
    unknown = sorted(str(key) for key in values if key not in _KEYS)
    if unknown:
        remarks.append(f"unknown front matter is ignored: {', '.join(unknown)}")
    return remarks


def _one_language(extra: dict[str, Any]) -> list[str]:
    """A playbook that can be found in one language only."""
    keys = ("keywords-en", "keywords-zh")
    lacking = [key for key in keys if not extra.get(key)]
    if len(lacking) != 1:
        return []
    return [f"`metadata` has no `{lacking[0]}`: questions in that language will not find it"]


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def _items(value: object, separators: str) -> tuple[str, ...]:
    """Split a string at any of ``separators``; a YAML list is taken as it is."""
    if isinstance(value, list):
        parts = [str(item) for item in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - YAML is untyped
    else:
        parts = re.split(f"[{re.escape(separators)}\n]", _text(value))
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
