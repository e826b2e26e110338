"""Plain vector selectors, read by the PromQL grammar of Prometheus itself."""

import promql_parser
from promql_parser import VectorSelector

from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.errors import UsageError

from ._regex import portable

__all__ = ["parse_selector"]

_OPERATORS = (
    # Pairs, since the library's members cannot be hashed.
    (promql_parser.MatchOp.Equal, MatchOp.EQUAL),
    (promql_parser.MatchOp.NotEqual, MatchOp.NOT_EQUAL),
    (promql_parser.MatchOp.Re, MatchOp.REGEX),
    (promql_parser.MatchOp.NotRe, MatchOp.NOT_REGEX),
)

_REGEX = {MatchOp.REGEX, MatchOp.NOT_REGEX}

_CONSTRUCTS = {
    "AggregateExpr": "an aggregation",
    "BinaryExpr": "a binary operation",
    "Call": "a function call",
    "MatrixSelector": "a range selector",
    "NumberLiteral": "a number",
    "ParenExpr": "a parenthesis",
    "StringLiteral": "a string",
    "SubqueryExpr": "a subquery",
    "UnaryExpr": "a sign",
}


def parse_selector(text: str) -> Selector:
    """Read an instant-vector selector such as ``up{job="api"}``.

    Raises:
        UsageError: when the text is no PromQL, or more than a plain selector, or a regular
            expression has no equal in Python; the message names the construct.
    """
    try:
        expression = promql_parser.parse(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not PromQL: {error}") from error
    if not isinstance(expression, VectorSelector):
        construct = _CONSTRUCTS.get(type(expression).__name__, "an expression")
        raise _refuse(text, construct)
    return _selector(text, expression)


def _selector(text: str, expression: VectorSelector) -> Selector:
    if expression.offset is not None:
        raise _refuse(text, "an `offset`")
    if expression.at is not None:
        raise _refuse(text, "an `@` modifier")
    if expression.matchers.or_matchers:
        raise _refuse(text, "an `or` between matchers")
    matchers = [
        Matcher(label=m.name, op=op, value=portable(m.value) if op in _REGEX else m.value)
        for m in expression.matchers.matchers
        for theirs, op in _OPERATORS
        if m.op == theirs
    ]
    name = expression.name or ""
    for matcher in matchers:
        if not name and matcher.label == "__name__" and matcher.op is MatchOp.EQUAL:
            name = matcher.value
    kept = tuple(m for m in matchers if (m.label, m.op, m.value) != ("__name__", "=", name))
    return Selector(name=name, matchers=kept)


def _refuse(text: str, construct: str) -> UsageError:
    return UsageError(
        f'{text!r} has {construct}; write a plain selector such as `name{{label="value"}}`'
    )
