"""``superbiz config check``: what is wrong with the files, where, and what was meant."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

import click
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from superbizagent.errors import ConfigError
from superbizagent.settings import (
    Settings,
    config_files,
    load_settings,
    setting_errors,
    unknown_variables,
    variables,
)

__all__ = ["check_settings", "first_problem"]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_PAIR = re.compile(
    r"^\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*="
)
_LINE = re.compile(r"\(at line (\d+)")

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Problem:
    place: str
    """File and line, or the environment."""
    said: str


def check_settings() -> int:
    """Print what is wrong, one line each, and return the exit code."""
    read = [path for path in config_files() if path.is_file()]
    problems = [problem for path in read for problem in _of_file(path)]
    problems += _of_environment()
    if not problems:
        problems += _of_all()
    for problem in problems:
        click.echo(f"{problem.place}: {problem.said}")
    if problems:
        count = len(problems)
        click.echo(f"{count} problem{'s' * (count > 1)}; see the settings reference", err=True)
        return ConfigError.exit_code
    names = ", ".join(str(path) for path in read) or "no file"
    click.echo(f"{names}: nothing is wrong")
    return 0


def first_problem() -> str:
    """Return what is wrong first in the files, its place before it; empty when nothing is."""
    found = (p for path in config_files() if path.is_file() for p in _of_file(path))
    return next((f"{problem.place}: {problem.said}" for problem in found), "")


def _of_file(path: Path) -> Iterator[_Problem]:
    try:
        text = path.read_text("utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        yield _Problem(str(path), f"cannot be read: {error.strerror}; correct its permissions")
        return
    except ValueError as error:  # TOMLDecodeError and UnicodeDecodeError
        found = _LINE.search(str(error))
        place = f"{path}:{found[1]}" if found else str(path)
        yield _Problem(place, f"no TOML: {str(error).partition(' (at')[0]}; correct the line")
        return
    lines = _lines(text)
    for line, said in sorted((_line_of(key, lines), said) for key, said in _wrong(content)):
        yield _Problem(f"{path}:{line}" if line else str(path), said)


def _wrong(content: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """Yield the keys that are wrong, each with what to do."""
    # The files alone: Settings itself would read the environment, too.
    fields: dict[str, Any] = {
        name: (field.annotation, field) for name, field in Settings.model_fields.items()
    }
    model = create_model("File", __config__=ConfigDict(extra="forbid"), **fields)
    try:
        model.model_validate(content)
    except ValidationError as error:
        for key, one in setting_errors(error):
            name = ".".join(key)
            if one["type"] == "extra_forbidden":
                yield key, f"unknown key {name!r}{_meant(key)}"
            else:
                message = one["msg"].removeprefix("Value error, ")
                yield key, f"{name!r}: {message}{_example(key)}"


def _of_environment() -> Iterator[_Problem]:
    known = {_variable(key): key for key in _keys()}
    for name in unknown_variables():
        yield _Problem("environment", f"unknown variable {name}{_near(name, list(known))}")
    for name in variables():
        nested = name.split("__")[0] in {v.split("__")[0] for v in known}
        if nested and name not in known and not _is_whole(name, known):
            yield _Problem("environment", f"unknown variable {name}{_near(name, list(known))}")


def _is_whole(name: str, known: Mapping[str, Key]) -> bool:
    """Tell whether a variable holds a whole table as JSON."""
    return any(other.startswith(f"{name}__") for other in known)


def _of_all() -> Iterator[_Problem]:
    """Check what only shows when everything is put together."""
    try:
        load_settings()
    except ConfigError as error:
        yield _Problem("settings", str(error))


# Keys there are ----------------------------------------------------------------------------------


def _keys(model: type[BaseModel] = Settings, path: Key = ()) -> list[Key]:
    """Return the key of every setting."""
    found: list[Key] = []
    for name, field in model.model_fields.items():
        table = _table_of(field.annotation)
        found += _keys(table, (*path, name)) if table else [(*path, name)]
    return found


def _table_of(annotation: Any) -> type[BaseModel] | None:
    """Return the model behind a table, or behind an array of tables."""
    for one in (annotation, *get_args(annotation)):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None


def _variable(key: Key) -> str:
    return f"SUPERBIZ_{'__'.join(key).upper()}"


def _meant(key: Key) -> str:
    """Name the nearest key there is: one of that name elsewhere, else one of the same table."""
    *table, last = (part for part in key if not part.isdigit())
    known = _keys()
    elsewhere = [".".join(k) for k in known if k[-1] == last]
    if elsewhere:
        return f"; did you mean {elsewhere[0]!r}?"
    depth = len(table)
    beside = dict.fromkeys(k[depth] for k in known if list(k[:depth]) == table and len(k) > depth)
    longer = [name for name in beside if name.startswith(last)]
    if longer:
        return f"; did you mean {longer[0]!r}?"
    return _near(last, list(beside))


def _near(name: str, known: Sequence[str]) -> str:
    nearest = min(known, key=lambda other: (distance(name, other), other))
    if distance(name, nearest) <= max(2, len(name) // 3):
        return f"; did you mean {nearest!r}?"
    return "; remove it"


def distance(one: str, other: str) -> int:
    """Return how many letters must be put in, taken out or changed to make one from the other."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row[0] = row[0], i
        for k, theirs in enumerate(other, 1):
            before, row[k] = row[k], min(row[k] + 1, row[k - 1] + 1, before + (letter != theirs))
    return row[-1]


def _example(key: Key) -> str:
    """Show the value that a key takes: its default, or one of its sort."""
    model: type[BaseModel] | None = Settings
    value: Any = None
    for part in key:
        if part.isdigit() or model is None:
            continue
        field = model.model_fields.get(part)
        if field is None:
            return ""
        table = _table_of(field.annotation)
        value = _EXAMPLES.get(part, field.get_default(call_default_factory=True))
        if table is None and field.annotation is not None and value in ("", None):
            value = "…"
        model = table
    if model is not None:
        return ""
    return f"; write {key[-1]} = {_toml(value)}"


_EXAMPLES: Mapping[str, Any] = {
    "headers": {"X-Scope-OrgID": "shop"},
    "match": {"cluster": "eu"},
    "timezone": "Asia/Shanghai",
    "skills_dirs": ("/etc/superbiz/skills",),
}


def _toml(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case dict():
            pairs = cast("dict[str, Any]", value).items()
            inner = ", ".join(f'"{name}" = {_toml(text)}' for name, text in pairs)
            return f"{{ {inner} }}"
        case tuple():
            return f"[{', '.join(_toml(item) for item in cast('tuple[Any, ...]', value)[:2])}]"
        case _:
            return f'"{value}"'


# Lines of keys -----------------------------------------------------------------------------------


def _lines(text: str) -> list[tuple[Key, int]]:
    """Return the keys that a file writes down, each with its line; arrays count their tables."""
    found: list[tuple[Key, int]] = []
    table: Key = ()
    counts: dict[Key, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            name = _parts(header[2])
            if header[1] == "[[":
                counts[name] = counts.get(name, -1) + 1
                name = (*name, str(counts[name]))
            table = name
            found.append((table, number))
        elif pair := _PAIR.match(line):
            found.append(((*table, *_parts(pair[1])), number))
    return found


def _parts(text: str) -> Key:
    return tuple(part.strip().strip("\"'") for part in text.split("."))


def _line_of(key: Key, lines: Sequence[tuple[Key, int]]) -> int:
    """Return the line of a key, or of what it is in; 0 when it is nowhere."""
    for length in range(len(key), 0, -1):
        for given, number in lines:
            if given[:length] == key[:length] and len(given) >= length:
                return number
    return 0
