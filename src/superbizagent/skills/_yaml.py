"""Errors of hand-written files in the reader's words, and the line they are at."""

from collections.abc import Iterable, Sequence
from typing import Any

import yaml
from pydantic import ValidationError

__all__ = ["complaints", "describe_invalid", "line_of", "load_yaml", "near_names"]

_SHOWN = 3  # more than three complaints about one file hide the first

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where libyaml is there

_Place = tuple[str | int, ...]


def load_yaml(text: str) -> Any:
    """Return the value of a text.

    Raises:
        yaml.YAMLError: when it is no YAML.
    """
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - both loaders are safe ones
    except ValueError as error:  # a date of month 99, a number of 5,000 digits
        raise yaml.YAMLError(f"a value cannot be read: {error}") from error


def describe_invalid(error: ValidationError) -> str:
    """Return where a file is wrong and how, at most three places."""
    return "; ".join(words for _, words in complaints(error))


def complaints(error: ValidationError) -> list[tuple[_Place, str]]:
    """Return at most three places of a file that are wrong, each with how; the rest is counted."""
    found = [
        (item["loc"], _in_words(item["loc"], item["type"], item["msg"]))
        for item in error.errors(include_url=False, include_input=False)
    ]
    more = len(found) - _SHOWN
    shown = found[:_SHOWN]
    if more > 0:
        place, words = shown[-1]
        shown[-1] = (place, f"{words} (and {more} more)")
    return shown


_FEW = 3
"""So many names are listed when none is near."""


def near_names(name: str, known: Iterable[str]) -> str:
    """Return the known names that may have been meant, as words; how many there are if none."""
    import difflib  # noqa: PLC0415 - only a slip of the pen pays for it

    names = sorted(known)
    near = difflib.get_close_matches(name, names, 3, 0.6)
    if near or len(names) <= _FEW:
        return f"near: {', '.join(near)}" if near else f"known: {', '.join(names) or 'none'}"
    return f"none of the {len(names)} known is near"


def _in_words(place: _Place, kind: str, message: str) -> str:
    where = ".".join(str(part) for part in place) or "the file"
    match kind:
        case "missing":
            return f"{where} is missing; add it"
        case "extra_forbidden":
            return f"{where} is no key that is known; correct or remove it"
        case "model_type" | "dict_type":
            return f"{where}: write keys with values here"
        case _:
            return f"{where}: {message.removeprefix('Value error, ')}"


def line_of(text: str, place: Sequence[str | int]) -> int:
    """Return the line, from 1, of what stands at a place; of the nearest around it that exists."""
    node, line = yaml.compose(text, _Loader), 1
    for part in (None, *place):
        if part is not None:
            node = _child(node, part)
        if node is None:
            break
        line = node.start_mark.line + 1
    return line


def _child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int):
        items: list[yaml.Node] = node.value
        return items[part] if part < len(items) else None
    if isinstance(node, yaml.MappingNode):
        pairs: list[tuple[yaml.Node, yaml.Node]] = node.value
        return next((value for key, value in pairs if key.value == part), None)
    return None
