"""What an alert's expression compares with what, and how far back it looks.

Read from the grammar's own nodes, so that it is known of expressions, too, which only a server can
evaluate.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import promql_parser as grammar

from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import from_ms
from superbizagent.errors import QueryError

from ._binary import COMPARISON
from .evaluate import evaluate_instant
from .query import parse_query, refuse_deep

__all__ = ["Comparison", "Condition", "read_condition", "unit_of"]

_SWAPPED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}

_RECORDED_OVER = re.compile(r":[^:]*?(\d+)(ms|s|m|h|d|w|y)$")
"""``job:errors:ratio_rate5m``: what recording rules look back is part of their names by custom."""

_UNIT_MS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
    "y": 31_536_000_000,
}
_SPAN = re.compile(r"\[[^\]]*\]|(?<=[a-z])\d+(?:ms|s|m|h|d|w|y)\b")
_PER_SECOND = frozenset({"rate", "irate", "deriv"})
_UNITLESS = frozenset({"count", "count_values", "group", "stdvar"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right``, the constant side on the right."""

    left: str
    operator: str
    right: str
    longest: timedelta
    """How far the left side looks back; zero where it takes the last samples alone."""
    limit: float | None
    """What the right side comes to when it is constant."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An alert's expression by what it compares."""

    comparisons: tuple[Comparison, ...]
    """Left to right; none for ``absent(...)`` and the like."""
    longest: timedelta
    """The longest look back of any part."""
    labels: tuple[tuple[str, str], ...] = ()
    """Labels that its selectors ask for, with their values."""

    @property
    def is_burn(self) -> bool:
        """Tell whether one quantity is compared over several spans, as burn-rate alerts do."""
        quantities = {_SPAN.sub("", c.left) for c in self.comparisons}
        return len(quantities) == 1 and len({c.longest for c in self.comparisons}) > 1

    @property
    def telling(self) -> Comparison | None:
        """The comparison whose left side shows best since when it is so.

        Of a burn-rate alert that is the one that looks back least, against the limit that is passed
        first; else the first with a constant limit, else the first.
        """
        if self.is_burn:
            least = min(self.comparisons, key=lambda c: c.longest)
            limits = [c for c in self.comparisons if c.limit is not None]
            rising = least.operator.startswith(">")
            first = sorted(limits, key=lambda c: (c.limit or 0.0) * (1 if rising else -1))[:1]
            known = first[0] if first else least
            return Comparison(least.left, least.operator, known.right, least.longest, known.limit)
        constant = [c for c in self.comparisons if c.limit is not None]
        return next(iter((*constant, *self.comparisons)), None)


def read_condition(text: str) -> Condition:
    """Read what an expression compares.

    Raises:
        QueryError: when it is no PromQL.
    """
    refuse_deep(text)
    try:
        node = grammar.parse(text)
    except ValueError as error:
        raise QueryError(f"{text!r} is not PromQL: {error}") from error
    longest = timedelta(milliseconds=_reach(node))
    return Condition(tuple(_comparisons(node)), longest, tuple(dict.fromkeys(_labels(node))))


def unit_of(text: str, unit_of_metric: Callable[[str], str]) -> str:
    """Return the unit of an expression's values, empty when it cannot be told.

    Args:
        text: the expression.
        unit_of_metric: unit of a metric by its name: ``s``, ``bytes``, ``ratio`` ….

    Raises:
        QueryError: when it is no PromQL.
    """
    refuse_deep(text)
    try:
        unit = _unit(grammar.parse(text), unit_of_metric)
    except ValueError as error:
        raise QueryError(f"{text!r} is not PromQL: {error}") from error
    # Seconds a second are no unit that a reader knows: busy processors, say.
    return "" if unit == "s/s" else unit


def _bare(node: Any) -> Any:
    while isinstance(node, grammar.ParenExpr):
        node = node.expr
    return node


def _operands(node: Any) -> Iterator[Any]:
    match node:
        case grammar.BinaryExpr():
            yield from (node.lhs, node.rhs)
        case grammar.Call():
            yield from node.args
        case grammar.AggregateExpr() | grammar.SubqueryExpr() | grammar.UnaryExpr():
            yield node.expr
        case grammar.ParenExpr():
            yield node.expr
        case _:
            return


def _comparisons(node: Any) -> Iterator[Comparison]:
    node = _bare(node)
    if not isinstance(node, grammar.BinaryExpr):
        return
    operator = str(node.op).strip()
    if operator in {"and", "or"}:
        yield from _comparisons(node.lhs)
        yield from _comparisons(node.rhs)
    elif operator == "unless":
        yield from _comparisons(node.lhs)
    elif operator in COMPARISON:
        yield _comparison(node, operator)


def _comparison(node: grammar.BinaryExpr, operator: str) -> Comparison:
    left, right = _bare(node.lhs), _bare(node.rhs)
    if _limit(left) is not None and _limit(right) is None:
        left, right, operator = right, left, _SWAPPED[operator]
    reach = timedelta(milliseconds=_reach(left))
    return Comparison(_text(left), operator, _text(right), reach, _limit(right))


def _text(node: Any) -> str:
    return " ".join(cast("str", node.prettify()).split())


def _limit(node: Any) -> float | None:
    """What a part without series comes to."""
    if _has_series(node):
        return None
    try:
        found = evaluate_instant(parse_query(_text(node)), SeriesSet(), from_ms(0))
    except QueryError:
        return None
    return float(found.values[0]) if len(found) == 1 and not found.labels[0] else None


def _has_series(node: Any) -> bool:
    if isinstance(node, grammar.VectorSelector | grammar.MatrixSelector):
        return True
    if isinstance(node, grammar.Call) and not node.args:
        return True  # time() and its like are no constants
    return any(map(_has_series, _operands(node)))


def _labels(node: Any) -> Iterator[tuple[str, str]]:
    selector = node.vector_selector if isinstance(node, grammar.MatrixSelector) else node
    if isinstance(selector, grammar.VectorSelector):
        for matcher in selector.matchers.matchers:
            if matcher.op == grammar.MatchOp.Equal:
                yield matcher.name, matcher.value
    for operand in _operands(node):
        yield from _labels(operand)


def _reach(node: Any) -> int:
    """How far back an expression looks, in milliseconds; ``offset`` moves it and does not count."""
    inner = max(map(_reach, _operands(node)), default=0)
    match node:
        case grammar.MatrixSelector():
            return _ms(node.range)
        case grammar.SubqueryExpr():
            return inner + _ms(node.range)
        case grammar.VectorSelector():
            found = _RECORDED_OVER.search(node.name or "")
            return int(found[1]) * _UNIT_MS[found[2]] if found else 0
        case _:
            return inner


def _ms(length: timedelta | None) -> int:
    return 0 if length is None else round(length / timedelta(milliseconds=1))


# Units -------------------------------------------------------------------------------------------


def _unit(node: Any, of_metric: Callable[[str], str]) -> str:
    match _bare(node):
        case grammar.VectorSelector(name=name):
            return of_metric(name or "")
        case grammar.MatrixSelector(vector_selector=selector):
            return of_metric(selector.name or "")
        case grammar.BinaryExpr() as binary:
            return _unit_of_binary(binary, of_metric)
        case grammar.Call() as call:
            return _unit_of_call(call, of_metric)
        case grammar.AggregateExpr(op=operator) if str(operator).strip() in _UNITLESS:
            return ""
        case other:
            return next((_unit(part, of_metric) for part in _operands(other)), "")


def _unit_of_call(node: grammar.Call, of_metric: Callable[[str], str]) -> str:
    own = next((_unit(part, of_metric) for part in node.args if _has_series(part)), "")
    if node.func.name == "histogram_quantile":
        return own.removesuffix("/s")
    return f"{own}/s" if node.func.name in _PER_SECOND else own


def _unit_of_binary(node: grammar.BinaryExpr, of_metric: Callable[[str], str]) -> str:
    left, right = _unit(node.lhs, of_metric), _unit(node.rhs, of_metric)
    both = _has_series(node.lhs) and _has_series(node.rhs)
    match str(node.op).strip():
        case "/" if both and left == right:
            return "ratio"
        case "/" if both:
            # The time that events took, over their number: seconds for each.
            return left.removesuffix("/s") if right in {"/s", ""} else ""
        case "+" | "-" if _has_series(node.lhs):
            return left
        case "+" | "-":
            return right  # 1 - a / b
        case _ if str(node.op).strip() in COMPARISON:
            return left
        case _:
            return ""
