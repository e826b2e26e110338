"""What no playbook has a reason to hold: text that a terminal obeys, data that unfold without end.

A playbook may come from anywhere, and its sentences end in reports, terminals and prompts.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

__all__ = ["TooManyValuesError", "hidden_character", "hidden_in", "line_at"]

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufff9-\ufffb]"
)
"""Controls but tab and line ends, and what turns or hides the text around it."""
_MOST_VALUES = 50_000  # the largest of our own files has 600


class TooManyValuesError(ValueError):
    """Aliases of aliases: a page of YAML that stands for more than memory holds."""


def hidden_character(text: str) -> tuple[int, str] | None:
    """Return where a text has a character that nobody sees, and its name; None when nowhere."""
    found = _HIDDEN.search(text)
    if found is None:
        return None
    name = unicodedata.name(found[0], "a control character")
    return found.start(), f"U+{ord(found[0]):04X} ({name.lower()})"


def line_at(text: str, offset: int) -> int:
    """Return the line, from 1, of an offset."""
    return text.count("\n", 0, offset) + 1


def hidden_in(value: object) -> tuple[tuple[str | int, ...], str] | None:
    """Return the place of the first string that has such a character, escaped in the file.

    Raises:
        TooManyValuesError: when the value unfolds to more than any playbook needs.
    """
    for count, (place, text) in enumerate(_strings(value, ()), 1):
        if count > _MOST_VALUES:
            raise TooManyValuesError(f"unfolds to more than {_MOST_VALUES} values")
        hidden = hidden_character(text)
        if hidden is not None:
            return place, hidden[1]
    return None


def _strings(
    value: object, place: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every string with its place; what is no string counts as an empty one."""
    if len(place) > _DEEPEST:
        raise TooManyValuesError(f"is nested more than {_DEEPEST} deep, or holds itself")
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            yield place, str(key)
            yield from _strings(item, (*place, str(key)))
    elif isinstance(value, list):
        yield place, ""
        for number, item in enumerate(cast("Sequence[object]", value)):
            yield from _strings(item, (*place, number))
    else:
        yield place, value if isinstance(value, str) else ""


_DEEPEST = 30  # our own reach ten
