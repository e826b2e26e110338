"""From the grammar's nodes to what is evaluated; whatever is not is refused here, by name."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any, NoReturn, cast

import promql_parser as grammar

from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.window import to_ms
from superbizagent.errors import UnsupportedQueryError

from ._aggregate import AGGREGATIONS
from ._binary import ARITHMETIC, COMPARISON, SETS
from ._functions import FUNCTIONS
from ._grafana import refuse_variable
from ._regex import portable
from ._tree import (
    Aggregate,
    Binary,
    Bound,
    Call,
    Cardinality,
    Expression,
    InstantSelector,
    Matching,
    Negation,
    Number,
    RangeSelector,
    Shift,
    Subquery,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_expression"]

_MATCH_OPS = (
    # Pairs, since the library's members cannot be hashed.
    (grammar.MatchOp.Equal, MatchOp.EQUAL),
    (grammar.MatchOp.NotEqual, MatchOp.NOT_EQUAL),
    (grammar.MatchOp.Re, MatchOp.REGEX),
    (grammar.MatchOp.NotRe, MatchOp.NOT_REGEX),
)
_CARDINALITIES = (
    (grammar.VectorMatchCardinality.OneToOne, Cardinality.ONE_TO_ONE),
    (grammar.VectorMatchCardinality.ManyToOne, Cardinality.MANY_TO_ONE),
    (grammar.VectorMatchCardinality.OneToMany, Cardinality.ONE_TO_MANY),
    (grammar.VectorMatchCardinality.ManyToMany, Cardinality.MANY_TO_MANY),
)
_DEEPEST = 100
"""Each level takes a few frames of Python's stack, which holds a thousand."""

_PARAMETERS = frozenset({"bottomk", "count_values", "quantile", "topk"})


def read_expression(node: object, depth: int = 0) -> Expression:
    """Return what a node of the grammar says.

    Args:
        node: of the grammar.
        depth: how many nodes it is inside of.

    Raises:
        UnsupportedQueryError: when a part of it is not evaluated offline.
    """
    if depth > _DEEPEST:
        _refuse(f"an expression nested more than {_DEEPEST} deep", "ask its parts one by one")
    reader = _READERS.get(type(node))
    if reader is None:
        _refuse(f"{type(node).__name__}", "write it with functions and operators of PromQL")
    return reader(node, depth)


def _refuse(construct: str, advice: str) -> NoReturn:
    raise UnsupportedQueryError(f"{construct} cannot be evaluated offline; {advice}", construct)


def _ms(length: timedelta | None) -> int:
    return 0 if length is None else round(length / timedelta(milliseconds=1))


def _shift(node: grammar.VectorSelector | grammar.SubqueryExpr) -> Shift:
    return Shift(_ms(node.offset), None if node.at is None else _at(node.at))


def _at(modifier: grammar.AtModifier) -> int | Bound:
    if modifier.type == grammar.AtModifierType.Start:
        return Bound.START
    if modifier.type == grammar.AtModifierType.End:
        return Bound.END
    try:
        moment = modifier.at  # computed on access, and only of years that Python knows
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        _refuse("a time after `@` that is in no calendar", "write seconds since 1970")
    return to_ms(moment)


def _selector(node: grammar.VectorSelector) -> Selector:
    if node.matchers.or_matchers:
        _refuse("`or` between label matchers", 'write two selectors: a{x="1"} or a{x="2"}')
    name, matchers = node.name or "", list[Matcher]()
    for theirs in node.matchers.matchers:
        op = next(ours for their_op, ours in _MATCH_OPS if theirs.op == their_op)
        refuse_variable(theirs.value)
        if not name and theirs.name == "__name__" and op is MatchOp.EQUAL:
            name = theirs.value
            continue
        regex = op in {MatchOp.REGEX, MatchOp.NOT_REGEX}
        value = portable(theirs.value) if regex else theirs.value
        matchers.append(Matcher(label=theirs.name, op=op, value=value))
    return Selector(name=name, matchers=tuple(matchers))


def _instant(node: grammar.VectorSelector, depth: int) -> Expression:
    del depth
    return InstantSelector(_selector(node), _shift(node))


def _range(node: grammar.MatrixSelector, depth: int) -> Expression:
    del depth
    selector = node.vector_selector
    return RangeSelector(_selector(selector), _ms(node.range), _shift(selector))


def _subquery(node: grammar.SubqueryExpr, depth: int) -> Expression:
    step = None if node.step is None else _ms(node.step)
    return Subquery(read_expression(node.expr, depth + 1), _ms(node.range), step, _shift(node))


def _call(node: grammar.Call, depth: int) -> Expression:
    name = node.func.name
    if name not in FUNCTIONS:
        _refuse(f"the function {name}()", f"these can be: {', '.join(sorted(FUNCTIONS))}")
    return Call(name, tuple(read_expression(argument, depth + 1) for argument in node.args))


def _aggregate(node: grammar.AggregateExpr, depth: int) -> Expression:
    operator = str(node.op).strip()
    if operator not in AGGREGATIONS and operator not in _PARAMETERS:
        known = ", ".join(sorted({*AGGREGATIONS, *_PARAMETERS}))
        _refuse(f"the aggregation {operator}()", f"these can be: {known}")
    parameter = None if node.param is None else read_expression(node.param, depth + 1)
    modifier = node.modifier
    if modifier is None:
        return Aggregate(operator, read_expression(node.expr, depth + 1), parameter)
    without = modifier.type == grammar.AggModifierType.Without
    labels = tuple(modifier.labels)
    return Aggregate(operator, read_expression(node.expr, depth + 1), parameter, without, labels)


def _binary(node: grammar.BinaryExpr, depth: int) -> Expression:
    operator = str(node.op).strip()
    if operator not in ARITHMETIC and operator not in COMPARISON and operator not in SETS:
        known = ", ".join([*ARITHMETIC, *COMPARISON, *SETS])
        _refuse(f"the operator {operator}", f"these can be: {known}")
    left, right = read_expression(node.lhs, depth + 1), read_expression(node.rhs, depth + 1)
    modifier = node.modifier
    if modifier is None:
        return Binary(operator, left, right, _plain_matching(operator))
    fill = modifier.fill_values
    if fill.lhs is not None or fill.rhs is not None:
        _refuse("the modifier fill()", "write `a + b or a` instead of filling")
    cardinality = next(ours for theirs, ours in _CARDINALITIES if modifier.card == theirs)
    if operator in SETS:
        cardinality = Cardinality.MANY_TO_MANY
    on, labels = False, ()
    if modifier.matching is not None:
        on = modifier.matching.type == grammar.LabelModifierType.Include
        labels = tuple(modifier.matching.labels)
    include = tuple(modifier.group_labels or ())
    matching = Matching(cardinality, on, labels, include)
    return Binary(operator, left, right, matching, modifier.return_bool)


def _plain_matching(operator: str) -> Matching:
    return Matching(Cardinality.MANY_TO_MANY) if operator in SETS else Matching()


def _negation(node: grammar.UnaryExpr, depth: int) -> Expression:
    return Negation(read_expression(node.expr, depth + 1))


def _parenthesis(node: grammar.ParenExpr, depth: int) -> Expression:
    return read_expression(node.expr, depth + 1)


def _number(node: grammar.NumberLiteral, depth: int) -> Expression:
    del depth
    return Number(node.val)


def _text(node: grammar.StringLiteral, depth: int) -> Expression:
    del depth
    return Text(node.val)


_READERS = cast(
    "dict[type[object], Callable[[Any, int], Expression]]",
    {
        grammar.AggregateExpr: _aggregate,
        grammar.BinaryExpr: _binary,
        grammar.Call: _call,
        grammar.MatrixSelector: _range,
        grammar.NumberLiteral: _number,
        grammar.ParenExpr: _parenthesis,
        grammar.StringLiteral: _text,
        grammar.SubqueryExpr: _subquery,
        grammar.UnaryExpr: _negation,
        grammar.VectorSelector: _instant,
    },
)
