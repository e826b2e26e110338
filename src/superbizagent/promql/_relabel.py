"""Functions that change labels, and the one that says what is missing."""

import re
from collections.abc import Sequence

import numpy as np

from superbizagent.domain.selector import MatchOp
from superbizagent.domain.series import Labels
from superbizagent.errors import QueryError

from ._regex import compile_whole
from ._tree import Expression, InstantSelector, RangeSelector
from ._values import NAME, Vector, merged

__all__ = ["absent", "check_label", "label_join", "label_replace"]

_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|(\w+)|(\$))")


def check_label(name: str, where: str) -> None:
    """Refuse what is no name of a label.

    Raises:
        QueryError: when it is none; ``where`` is the function that got it.
    """
    if not _LABEL.fullmatch(name):
        raise QueryError(f"{where}: {name!r} is no name of a label; use letters, digits and _")


def label_replace(vector: Vector, texts: Sequence[str], *, dot_is_newline: bool) -> Vector:
    """Set a label from what a regular expression captured of another.

    Args:
        vector: the series.
        texts: label to set, replacement, label to read, expression (anchored at both ends).
        dot_is_newline: whether ``.`` matches a line break.

    Raises:
        QueryError: for a malformed name or expression, or when two series become the same.
    """
    target, replacement, source, pattern = texts
    check_label(target, "label_replace")
    expression = compile_whole(pattern, dot_is_newline=dot_is_newline)

    def relabelled(row: Labels) -> Labels:
        found = expression.fullmatch(row.get(source, ""))
        return row if found is None else _with(row, target, _expanded(replacement, found))

    labels = [relabelled(row) for row in vector.labels]
    return merged(Vector(labels, vector.values, vector.present))


def _expanded(template: str, found: re.Match[str]) -> str:
    """Fill in ``$1``, ``${name}`` and ``$$``; an unknown group is empty."""

    def value(reference: re.Match[str]) -> str:
        name = reference[1] or reference[2]
        if name is None:
            return "$"
        key = int(name) if name.isdigit() else name
        try:
            return found[key] or ""
        except IndexError:
            return ""

    return _REFERENCE.sub(value, template)


def label_join(vector: Vector, texts: Sequence[str]) -> Vector:
    """Set a label to the values of others, joined.

    Args:
        vector: the series.
        texts: label to set, separator, labels to read.

    Raises:
        QueryError: for a malformed name, or when two series become the same.
    """
    target, separator, *sources = texts
    for name in (target, *sources):
        check_label(name, "label_join")
    labels = [
        _with(row, target, separator.join(row.get(name, "") for name in sources))
        for row in vector.labels
    ]
    return merged(Vector(labels, vector.values, vector.present))


def _with(row: Labels, name: str, value: str) -> Labels:
    changed = {k: v for k, v in row.items() if k != name}
    if value:
        changed[name] = value
    return changed


def absent(argument: Expression, found: Vector) -> Vector:
    """Return 1 at the steps where an argument had no series.

    Args:
        argument: what was asked; its exact matchers become the labels.
        found: what it gave.
    """
    nowhere = ~found.somewhere()
    labels: Labels = {}
    if isinstance(argument, InstantSelector | RangeSelector):
        seen: set[str] = set()
        for matcher in argument.selector.matchers:
            if matcher.label == NAME:
                continue
            if matcher.op is MatchOp.EQUAL and matcher.label not in seen:
                labels[matcher.label] = matcher.value
                seen.add(matcher.label)
            else:
                labels.pop(matcher.label, None)
    labels = {k: v for k, v in labels.items() if v}
    return Vector([labels], np.ones((1, len(nowhere))), nowhere[None, :]).nonempty()
