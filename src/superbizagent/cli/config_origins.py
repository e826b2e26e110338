"""``superbiz config show``: the value of every setting and the place that decided it."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import click
from pydantic import BaseModel, SecretStr

from superbizagent.cli.intake import parse_span
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.settings import config_files, load_settings, variables

__all__ = ["show_settings"]

_MASK = "***"
_FLAGS = {"deadline_seconds": "--deadline", "log_tz": "--log-tz"}


def show_settings(flags: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the settings as they would be with some flags.

    Raises:
        ConfigError: when a setting is wrong.
        UsageError: when a flag cannot be read.
    """
    span = parse_span(flags["deadline"]).total_seconds() if flags.get("deadline") else None
    given = {
        "lang": flags.get("lang"),
        "timezone": flags.get("timezone"),
        "log_tz": flags.get("log_tz"),
        "deadline_seconds": span,
    }
    given = {name: value for name, value in given.items() if value is not None}
    origins = _origins(given)
    rows = [
        (key, _shown(value), _origin_of(key, origins))
        for key, value in _leaves(load_settings(**given))
    ]
    if as_json:
        found = {key: {"value": value, "origin": origin} for key, value, origin in rows}
        click.echo(canonical_bytes(found).decode())
        return
    width = max(len(key) for key, _, _ in rows)
    for key, value, origin in rows:
        click.echo(f"{key:<{width}}  {_text(value)}  ({origin})")


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every setting with its key; a server's table one by one, an array by its places."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _leaves(getattr(value, name), (*path, name))
    elif isinstance(value, tuple) and any(isinstance(v, BaseModel) for v in _items(value)):
        for place, item in enumerate(_items(value)):
            yield from _leaves(item, (*path, str(place)))
    else:
        yield ".".join(path), value


def _items(value: Any) -> tuple[Any, ...]:
    return cast("tuple[Any, ...]", value)


def _shown(value: Any) -> Any:
    """Return a value as JSON has it, without secrets."""
    match value:
        case SecretStr():
            return _MASK
        case dict():
            named = cast("dict[str, Any]", value)
            return {key: _shown(inner) for key, inner in named.items()}
        case tuple():
            return [_shown(inner) for inner in _items(value)]
        case str():
            return _without_password(value)
        case Path():
            return str(value)
        case _:
            return value


def _without_password(text: str) -> str:
    """Mask the password of an address."""
    scheme, mark, rest = text.partition("://")
    user, at, host = rest.rpartition("@")
    if not mark or not at:
        return text
    name, colon, _ = user.partition(":")
    return f"{scheme}://{name}{colon and ':' + _MASK}@{host}"


def _text(value: Any) -> str:
    if value in ("", None, [], {}):
        return "-"
    if isinstance(value, list):
        return ", ".join(str(item) for item in cast("list[Any]", value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _origins(flags: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return keys and where each is given, the strongest place first."""
    found = [(name, f"flag {_FLAGS.get(name, '--' + name)}") for name in flags]
    found += [
        (name.removeprefix("SUPERBIZ_").lower().replace("__", "."), f"environment {name}")
        for name in variables()
    ]
    user, project = config_files()
    for path, whose in ((project, "project file"), (user, "user file")):
        if path.is_file():
            content = tomllib.loads(path.read_text("utf-8"))
            found += [(key, f"{whose} {path}") for key in _keys(content)]
    return found


def _keys(value: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the key of every value; an array of tables ends with the key of the array itself."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Any]", value).items():
            yield from _keys(inner, (*path, name))
        return
    tables = cast("list[Any]", value) if isinstance(value, list) else []
    for place, table in enumerate(tables):
        if isinstance(table, dict):
            yield from _keys(table, (*path, str(place)))
    yield ".".join(path)


def _origin_of(key: str, origins: list[tuple[str, str]]) -> str:
    """Return where a setting is given, or a part of it."""
    for given, origin in origins:
        if key == given or given.startswith(f"{key}."):
            return origin
        if key.startswith(f"{given}."):
            # A whole table: as JSON in a variable, or an array, which leaves nothing to the files
            # behind it.
            return origin if origin.startswith("environment") else "default"
    return "default"
