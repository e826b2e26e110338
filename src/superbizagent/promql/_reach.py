"""How far back and ahead of its steps an expression looks."""

from ._tree import Bound, Expression, InstantSelector, RangeSelector, Shift, Subquery, children

__all__ = ["reach", "shifted"]


def shifted(shift: Shift, first: int, last: int, bounds: tuple[int, int]) -> tuple[int, int]:
    """Return where ``offset`` and ``@`` move a span of steps.

    Args:
        shift: the modifiers.
        first: the first step.
        last: the last step.
        bounds: the first and the last step of the whole query.
    """
    match shift.at:
        case None:
            low, high = first, last
        case Bound.START:
            low = high = bounds[0]
        case Bound.END:
            low = high = bounds[1]
        case int(at):
            low = high = at
    return low - shift.offset_ms, high - shift.offset_ms


def reach(expression: Expression, start: int, end: int, lookback_ms: int) -> tuple[int, int]:
    """Return the first and last instant whose samples may matter; the steps themselves count."""
    spans = _spans(expression, start, end, (start, end), lookback_ms)
    return min([start, *(low for low, _ in spans)]), max([end, *(high for _, high in spans)])


def _spans(
    expression: Expression, first: int, last: int, bounds: tuple[int, int], lookback_ms: int
) -> list[tuple[int, int]]:
    match expression:
        case InstantSelector(shift=shift):
            low, high = shifted(shift, first, last, bounds)
            return [(low - lookback_ms, high)]
        case RangeSelector(range_ms=length, shift=shift):
            low, high = shifted(shift, first, last, bounds)
            return [(low - length, high)]
        case Subquery(expression=inner, range_ms=length, shift=shift):
            low, high = shifted(shift, first, last, bounds)
            return _spans(inner, low - length, high, bounds, lookback_ms)
        case _:
            found = [
                _spans(child, first, last, bounds, lookback_ms) for child in children(expression)
            ]
            return [span for part in found for span in part]
