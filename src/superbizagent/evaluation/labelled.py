"""Reads labelled statements and stories: one JSON object a line."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import Field, ValidationError

from superbizagent.domain.model import Model
from superbizagent.domain.plan import ToolName
from superbizagent.errors import UsageError

__all__ = ["Alteration", "Story", "TrueStatement", "read_stories", "read_true"]


class Alteration(Model):
    """What is done to the evidence of a story before it is checked."""

    truncated: tuple[ToolName, ...] = ()
    """Tools whose calls are marked as cut at a limit."""
    failed: tuple[ToolName, ...] = ()
    """Tools whose calls are made to have failed, with nothing returned."""


class TrueStatement(Model):
    """A sentence that is true of the stored evidence of a case."""

    id: str
    case: str = Field(min_length=1)
    args: tuple[str, ...] = ()
    """Further arguments of ``superbiz diagnose``."""
    lang: str
    kind: str
    context: str = ""
    """What the text around it is about."""
    text: str = Field(min_length=1)
    basis: str = ""


class Story(Model):
    """A text with true numbers, some sentences of which are wrong."""

    id: str
    case: str = Field(min_length=1)
    args: tuple[str, ...] = ()
    lang: str
    kind: str
    text: str = Field(min_length=1)
    wrong: tuple[str, ...] = Field(min_length=1)
    """Sentences of the text, as they stand in it."""
    why: str = ""
    alter: Alteration = Alteration()


def read_true(data: Path, *, held_out: bool) -> tuple[TrueStatement, ...]:
    """Read ``true/*.jsonl``, and those of ``held_out/*.jsonl`` when asked for.

    Raises:
        UsageError: when there is no such folder, or a line is no statement.
    """
    lines = _lines(data, ["true", *(["held_out"] if held_out else [])])
    return tuple(_read(TrueStatement, line) for line in lines if "wrong" not in line.content)


def read_stories(data: Path, *, held_out: bool) -> tuple[Story, ...]:
    """Read ``stories/*.jsonl``, and those of ``held_out/*.jsonl`` when asked for.

    Raises:
        UsageError: when a line is no story, or what it calls wrong does not stand in it.
    """
    lines = _lines(data, ["stories", *(["held_out"] if held_out else [])])
    found = tuple(_read(Story, line) for line in lines if "wrong" in line.content)
    for story in found:
        for sentence in story.wrong:
            if sentence not in story.text:
                raise UsageError(f"story {story.id}: its text has no sentence {sentence!r}")
    return found


@dataclass(frozen=True, slots=True)
class _Line:
    place: str
    content: dict[str, Any]


def _lines(data: Path, folders: Sequence[str]) -> Iterator[_Line]:
    if not (data / folders[0]).is_dir():
        raise UsageError(f"{str(data)!r} has no folder {folders[0]!r} of labelled lines")
    for path in (path for name in folders for path in sorted((data / name).glob("*.jsonl"))):
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if text.strip():
                yield _line(f"{path}:{number}", text)


def _line(place: str, text: str) -> _Line:
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{place} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{place} is no JSON object")
    return _Line(place, cast("dict[str, Any]", content))


_Label = TypeVar("_Label", TrueStatement, Story)


def _read(kind: type[_Label], line: _Line) -> _Label:
    try:
        return kind.model_validate(line.content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{line.place}: {where}: {first['msg']}") from error
