"""Walk an expression and compute every step of it at once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from superbizagent.domain.series import SeriesSet
from superbizagent.errors import QueryError

from ._aggregate import RANKED, aggregate, quantile_of_groups, top
from ._binary import SETS, scalars, set_operation, vector_scalar, vectors
from ._count_values import count_values
from ._elementwise import DATES, ELEMENTWISE, date_part, elementwise
from ._functions import RANGE_FUNCTIONS, SCALAR_FUNCTIONS
from ._histogram import histogram_quantile
from ._over_time import OVER_TIME, quantile_over_time
from ._rates import RATES, derivative, prediction
from ._reach import shifted
from ._relabel import absent, label_join, label_replace
from ._rules import Rules
from ._select import Chosen, Span, Store, Windows, instant_values, windows
from ._tree import (
    Aggregate,
    Binary,
    Call,
    Expression,
    InstantSelector,
    Negation,
    Number,
    RangeSelector,
    Shift,
    Subquery,
    Text,
)
from ._values import (
    Mask,
    Times,
    Values,
    Vector,
    empty,
    merged,
    nameless,
    to_series,
    unique,
)

__all__ = ["Engine"]

_MOST_VALUES = 50_000_000
"""The default limit of Prometheus (``--query.max-samples``): 0.4 GB."""

_WindowFunction = Callable[[Windows, list[Values]], tuple[Values, Mask]]


@dataclass(frozen=True, slots=True)
class Engine:
    """Evaluates expressions over one store; arrays of ``at`` are steps in milliseconds."""

    store: Store
    rules: Rules
    lookback_ms: int
    subquery_step_ms: int
    bounds: tuple[int, int]
    """First and last step of the whole query, for ``@ start()`` and ``@ end()``."""

    def value(self, node: Expression, at: Times) -> Vector | Values:
        """Return a vector, or a scalar as an array of one value a step.

        Raises:
            QueryError: when series are ambiguous.
        """
        match node:
            case Number(value=value):
                return np.full(len(at), value)
            case InstantSelector():
                return self._selected(node, at, of_time=False)
            case Negation(operand=operand):
                return self._negated(self.value(operand, at))
            case Binary():
                return self._binary(node, at)
            case Aggregate():
                return self._aggregate(node, at)
            case Call():
                return self._call(node, at)
            case RangeSelector() | Subquery() | Text():
                raise AssertionError("the grammar puts a range or a string into functions alone")

    def samples_in_range(self, node: RangeSelector | Subquery, at: Times) -> SeriesSet:
        """Return the samples that a range holds at the one step of ``at``."""
        chosen, span = self._range(node, at)
        found = [
            (labels, part.times[low:high], part.values[low:high])
            for rows, part in windows(chosen, span)
            for labels, low, high in zip(
                chosen.labels[rows], part.low[:, 0], part.high[:, 0], strict=True
            )
            if high > low
        ]
        return SeriesSet.of(found)

    def _vector(self, node: Expression, at: Times) -> Vector:
        value = self.value(node, at)
        assert isinstance(value, Vector)  # noqa: S101 - the grammar checked the types
        return value

    def _scalar(self, node: Expression, at: Times) -> Values:
        value = self.value(node, at)
        assert not isinstance(value, Vector)  # noqa: S101 - the grammar checked the types
        return value

    def _moved(self, shift: Shift, at: Times) -> Times:
        if shift.at is None:
            return at - shift.offset_ms
        moved, _ = shifted(shift, int(at[0]), int(at[-1]), self.bounds)
        return np.full(len(at), moved, np.int64)

    def _selected(self, node: InstantSelector, at: Times, *, of_time: bool) -> Vector:
        chosen, moved = self.store.find(node.selector), self._moved(node.shift, at)
        self._check_size(len(chosen.labels), len(at))
        return instant_values(
            chosen, moved, self.lookback_ms, left_open=self.rules.left_open, of_time=of_time
        )

    def _negated(self, value: Vector | Values) -> Vector | Values:
        if not isinstance(value, Vector):
            return -value
        return unique(Vector([nameless(r) for r in value.labels], -value.values, value.present))

    def _binary(self, node: Binary, at: Times) -> Vector | Values:
        left, right = self.value(node.left, at), self.value(node.right, at)
        if not isinstance(left, Vector):
            if not isinstance(right, Vector):
                return scalars(node, left, right)
            return vector_scalar(node, right, left, swapped=True)
        if not isinstance(right, Vector):
            return vector_scalar(node, left, right, swapped=False)
        if node.operator in SETS:
            return set_operation(node, left, right)
        return vectors(node, left, right)

    def _aggregate(self, node: Aggregate, at: Times) -> Vector:
        vector = self._vector(node.expression, at).nonempty()
        if isinstance(node.parameter, Text):
            return count_values(vector, node, node.parameter.value) if len(vector) else vector
        parameter = None if node.parameter is None else self._scalar(node.parameter, at)
        if parameter is not None and node.operator in RANKED:
            return top(vector, node, parameter)
        if not len(vector):
            return empty(len(at))
        if parameter is not None:
            return quantile_of_groups(vector, node, parameter)
        return aggregate(vector, node, self.rules)

    def _call(self, node: Call, at: Times) -> Vector | Values:
        if node.name in RANGE_FUNCTIONS:
            return self._over_range(node, at)
        if node.name in SCALAR_FUNCTIONS:
            return self._scalar_call(node, at)
        if node.name in DATES:
            seconds = self._vector(node.arguments[0], at) if node.arguments else _now(at)
            return date_part(node.name, seconds)
        if node.name in ELEMENTWISE:
            vector, *numbers = node.arguments
            limits = [self._scalar(number, at) for number in numbers]
            return elementwise(node.name, self._vector(vector, at), limits)
        return self._vector_call(node, at)

    def _scalar_call(self, node: Call, at: Times) -> Values:
        match node.name:
            case "time":
                return at / 1000.0
            case "pi":
                return np.full(len(at), np.pi)
            case _:
                vector = self._vector(node.arguments[0], at)
                total = np.where(vector.present, vector.values, 0.0).sum(axis=0)
                return np.where(vector.present.sum(axis=0) == 1, total, np.nan)

    def _vector_call(self, node: Call, at: Times) -> Vector:
        first, *others = node.arguments
        match node.name:
            case "vector":
                return _constant(self._scalar(first, at))
            case "absent":
                return absent(first, self._vector(first, at))
            case "histogram_quantile":
                return histogram_quantile(self._scalar(first, at), self._vector(others[0], at))
            case "label_join" | "label_replace":
                texts = [other.value for other in others if isinstance(other, Text)]
                return self._relabelled(node.name, self._vector(first, at), texts)
            case "timestamp":
                return self._timestamp(first, at)
            case _:  # sort, sort_desc
                return self._vector(first, at)

    def _relabelled(self, name: str, vector: Vector, texts: list[str]) -> Vector:
        if name == "label_join":
            return label_join(vector, texts)
        return label_replace(vector, texts, dot_is_newline=self.rules.dot_is_newline)

    def _timestamp(self, node: Expression, at: Times) -> Vector:
        if isinstance(node, InstantSelector):
            vector = self._selected(node, at, of_time=True)
        else:
            vector = self._vector(node, at)
            vector = Vector(
                vector.labels,
                np.broadcast_to(at / 1000.0, vector.values.shape),
                vector.present,
            )
        return merged(Vector([nameless(r) for r in vector.labels], vector.values, vector.present))

    def _check_size(self, series: int, steps: int) -> None:
        if series * steps > _MOST_VALUES:
            raise QueryError(
                f"{series} series at {steps} steps are more than the {_MOST_VALUES} values that"
                " Prometheus answers by default; select less, or widen the step"
            )

    def _range(self, node: Expression, at: Times) -> tuple[Chosen, Span]:
        """Return the samples under a range, and the span of each step."""
        left_open = self.rules.left_open
        if isinstance(node, RangeSelector):
            chosen = self.store.find(node.selector)
            return chosen, Span(self._moved(node.shift, at), at, node.range_ms, left_open)
        assert isinstance(node, Subquery)  # noqa: S101 - the grammar checked the types
        ends = self._moved(node.shift, at)
        span = Span(ends, at, node.range_ms, left_open)
        step = node.step_ms or self.subquery_step_ms
        first, last = int(ends.min()) - node.range_ms, int(ends.max())
        # Steps of a subquery lie on multiples of its step since the epoch.
        start = first // step * step
        if start < first or (left_open and start == first):
            start += step
        self._check_size(1, (last - start) // step + 1)
        steps = np.arange(start, last + 1, step, dtype=np.int64)
        if not len(steps):
            return Chosen([], np.zeros(1, np.int64), steps, np.zeros(0)), span
        value = self.value(node.expression, steps)
        vector = merged(value) if isinstance(value, Vector) else _constant(value)
        found = to_series(vector, steps)
        return Chosen(list(found.labels), found.offsets, found.times, found.values), span

    def _over_range(self, node: Call, at: Times) -> Vector:
        ranges = [a for a in node.arguments if isinstance(a, RangeSelector | Subquery)]
        numbers = [self._scalar(a, at) for a in node.arguments if a not in ranges]
        chosen, span = self._range(ranges[0], at)
        self._check_size(len(chosen.labels), len(at))
        shape = (len(chosen.labels), len(at))
        values, present = np.zeros(shape), np.zeros(shape, np.bool_)
        function = self._window_function(node.name)
        for rows, part in windows(chosen, span):
            if len(part.times):  # of no samples there is nothing to tell
                values[rows], found = function(part, numbers)
                present[rows] = found & part.any
        result = Vector(chosen.labels, values, present)
        if node.name == "absent_over_time":
            return absent(ranges[0], result)
        if node.name == "last_over_time":
            return result.nonempty()
        return unique(Vector([nameless(row) for row in chosen.labels], values, present))

    def _window_function(self, name: str) -> _WindowFunction:
        rules = self.rules
        if name in RATES:
            return lambda part, _: RATES[name](part, rules)
        match name:
            case "deriv":
                return lambda part, _: derivative(part)
            case "predict_linear":
                return lambda part, numbers: prediction(part, numbers[0])
            case "quantile_over_time":
                return lambda part, numbers: (quantile_over_time(part, numbers[0]), part.any)
            case "absent_over_time":
                return lambda part, _: (np.zeros(part.low.shape), part.any)
            case _:
                return lambda part, _: (OVER_TIME[name](part), part.any)


def _constant(value: Values) -> Vector:
    return Vector([{}], value[None, :], np.ones((1, len(value)), np.bool_))


def _now(at: Times) -> Vector:
    return _constant(at / 1000.0)
