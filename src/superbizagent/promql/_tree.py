"""What an expression says, as plain data.

The grammar's own nodes neither compare nor pickle, and accept more than is evaluated here; these
hold exactly what is. Durations and times are in milliseconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from superbizagent.domain.selector import Selector

__all__ = [
    "Aggregate",
    "Binary",
    "Bound",
    "Call",
    "Cardinality",
    "Expression",
    "InstantSelector",
    "Matching",
    "Negation",
    "Number",
    "RangeSelector",
    "Shift",
    "Subquery",
    "Text",
    "children",
]


class Bound(StrEnum):
    """``@ start()`` and ``@ end()``: an end of the whole query, even inside a subquery."""

    START = "start"
    END = "end"


class Cardinality(StrEnum):
    """How many series of each side may share the matching labels."""

    ONE_TO_ONE = "one-to-one"
    MANY_TO_ONE = "many-to-one"
    ONE_TO_MANY = "one-to-many"
    MANY_TO_MANY = "many-to-many"


@dataclass(frozen=True, slots=True)
class Shift:
    """The ``offset`` and ``@`` of a selector or subquery."""

    offset_ms: int = 0
    at: int | Bound | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A literal number."""

    value: float


@dataclass(frozen=True, slots=True)
class Text:
    """A literal string."""

    value: str


@dataclass(frozen=True, slots=True)
class InstantSelector:
    """``name{matchers}``."""

    selector: Selector
    shift: Shift = Shift()


@dataclass(frozen=True, slots=True)
class RangeSelector:
    """``name{matchers}[range]``."""

    selector: Selector
    range_ms: int
    shift: Shift = Shift()


@dataclass(frozen=True, slots=True)
class Subquery:
    """``expression[range:step]``; without a step the server's evaluation interval counts."""

    expression: "Expression"
    range_ms: int
    step_ms: int | None
    shift: Shift = Shift()


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its arguments."""

    name: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregation ``by`` or ``without`` labels."""

    operator: str
    expression: "Expression"
    parameter: "Expression | None" = None
    without: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Matching:
    """How series of two vectors find each other."""

    cardinality: Cardinality = Cardinality.ONE_TO_ONE
    on: bool = False
    """Match on `labels` alone; else on all labels but them and the name."""
    labels: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    """Labels that ``group_left`` or ``group_right`` take from the one side."""


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and an operator."""

    operator: str
    left: "Expression"
    right: "Expression"
    matching: Matching = Matching()
    to_bool: bool = False


@dataclass(frozen=True, slots=True)
class Negation:
    """A minus sign before an operand."""

    operand: "Expression"


Expression = (
    Number
    | Text
    | InstantSelector
    | RangeSelector
    | Subquery
    | Call
    | Aggregate
    | Binary
    | Negation
)


def children(expression: Expression) -> Iterator[Expression]:
    """Yield the direct operands, left to right."""
    match expression:
        case Subquery(expression=inner) | Negation(operand=inner):
            yield inner
        case Call(arguments=arguments):
            yield from arguments
        case Aggregate(expression=inner, parameter=parameter):
            if parameter is not None:
                yield parameter
            yield inner
        case Binary(left=left, right=right):
            yield left
            yield right
        case _:
            return
