"""Variables that dashboards put into expressions."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import NoReturn

from superbizagent.domain.window import Window
from superbizagent.errors import UnsupportedQueryError

__all__ = ["dashboard_variables", "refuse_variable", "replace_variables", "without_strings"]

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::\w+)?\}|([A-Za-z_]\w*))|\[\[([A-Za-z_]\w*)\]\]")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`')


def dashboard_variables(
    window: Window, step: timedelta, scrape_interval: timedelta
) -> dict[str, str]:
    """Return what Grafana would put for its own variables.

    ``__rate_interval`` is the longer of step plus scrape interval and four scrape intervals, as
    Grafana computes it.
    """
    rate = max(step + scrape_interval, 4 * scrape_interval)
    lengths = {"__interval": step, "__rate_interval": rate, "__range": window.length}
    found: dict[str, str] = {}
    for name, length in lengths.items():
        ms = max(round(length / timedelta(milliseconds=1)), 1)
        found |= {name: f"{ms}ms", f"{name}_ms": str(ms), f"{name}_s": str(max(ms // 1000, 1))}
    return found


def replace_variables(text: str, values: Mapping[str, str]) -> str:
    """Replace the variables whose values are known, strings included.

    Raises:
        UnsupportedQueryError: when one outside of strings is left, or one of Grafana's own.
    """

    def value(found: re.Match[str]) -> str:
        return values.get(found[1] or found[2] or found[3], found[0])

    replaced = _VARIABLE.sub(value, text)
    left = _VARIABLE.search(without_strings(replaced))
    if left is None:
        left = next((f for f in _VARIABLE.finditer(replaced) if "__" in f[0]), None)
    if left is not None:
        _refuse(left[0])
    return replaced


def without_strings(text: str) -> str:
    """Return an expression with the content of its strings taken out."""
    return _QUOTED.sub('""', text)


def refuse_variable(value: str) -> None:
    """Refuse the value of a matcher that holds a variable: it would match nothing.

    Raises:
        UnsupportedQueryError: when it does.
    """
    found = _VARIABLE.search(value)
    if found is not None:
        _refuse(found[0])


def _refuse(variable: str) -> NoReturn:
    construct = f"the variable {variable}"
    raise UnsupportedQueryError(
        f"{construct} has no value here; put one in its place, such as a duration or a label's"
        " value",
        construct,
    )
