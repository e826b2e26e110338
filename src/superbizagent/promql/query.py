"""A PromQL expression that can be evaluated offline."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

import promql_parser

from superbizagent.domain.selector import Selector
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import QueryError, UnsupportedQueryError

from ._grafana import replace_variables, without_strings
from ._reach import reach
from ._read import read_expression
from ._tree import Expression, InstantSelector, RangeSelector, children

__all__ = ["LOOKBACK", "Query", "parse_query", "refuse_deep"]

LOOKBACK = timedelta(minutes=5)
"""How old the newest sample of a series may be, unless the server was told otherwise."""


_NESTING = re.compile(r"[(\[{+\-*/%^<>]|[!=]=|\b(?:and|or|unless|atan2)\b", re.IGNORECASE)
_MOST_NESTING = 300
"""The grammar's parser goes one call deeper for each, and ends the process when its stack ends: at
some 6,000 in a thread with 8 MB of it, at 400 in one with half a megabyte."""


@dataclass(frozen=True, slots=True)
class Query:
    """An expression, read; make one with `parse_query`. Equal text, equal query."""

    text: str
    """As it was written, variables replaced."""
    expression: Expression

    @property
    def selectors(self) -> tuple[Selector, ...]:
        """Every series selector, each once, left to right.

        Regular expressions are as Python reads them, which RE2 reads the same way.
        """
        return tuple(dict.fromkeys(_selectors(self.expression)))

    def samples_needed(self, window: Window, lookback: timedelta = LOOKBACK) -> Window:
        """Return the span whose samples the answer over ``window`` depends on.

        Wider than the window by ranges, offsets and the look-back; ``@`` may move it anywhere.
        """
        low, high = reach(
            self.expression, window.start_ms, window.end_ms, round(lookback.total_seconds() * 1000)
        )
        return Window(start=from_ms(low), end=from_ms(high))


def parse_query(text: str, variables: Mapping[str, str] | None = None) -> Query:
    """Read an expression.

    Args:
        text: PromQL of any version of Prometheus.
        variables: values for variables such as ``$__rate_interval``, by name without ``$``; see
            `dashboard_variables`.

    Raises:
        UnsupportedQueryError: when a part is not evaluated offline; the message names it.
        QueryError: when the text is no PromQL.
    """
    replaced = replace_variables(text, variables or {})
    refuse_deep(replaced)
    try:
        node = promql_parser.parse(replaced)
    except ValueError as error:
        raise QueryError(f"{replaced!r} is not PromQL: {error}") from error
    return Query(replaced, read_expression(node))


def refuse_deep(text: str) -> None:
    """Refuse a text that the grammar's parser would not come back from.

    Raises:
        UnsupportedQueryError: when it is nested too deep.
    """
    if len(_NESTING.findall(without_strings(text))) > _MOST_NESTING:
        construct = f"an expression with more than {_MOST_NESTING} operators and brackets"
        raise UnsupportedQueryError(
            f"{construct} cannot be evaluated offline; ask its parts one by one", construct
        )


def _selectors(expression: Expression) -> Iterator[Selector]:
    if isinstance(expression, InstantSelector | RangeSelector):
        yield expression.selector
    for child in children(expression):
        yield from _selectors(child)
