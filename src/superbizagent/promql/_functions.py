"""Which functions there are, and what each gives back."""

from ._elementwise import DATES, ELEMENTWISE
from ._over_time import OVER_TIME
from ._rates import RATES

__all__ = ["FUNCTIONS", "RANGE_FUNCTIONS", "SCALAR_FUNCTIONS"]

RANGE_FUNCTIONS = frozenset(
    {
        *OVER_TIME,
        *RATES,
        "absent_over_time",
        "deriv",
        "predict_linear",
        "quantile_over_time",
    }
)
"""Functions of a range."""

SCALAR_FUNCTIONS = frozenset({"pi", "scalar", "time"})
"""Functions that give a scalar."""

_VECTOR_FUNCTIONS = frozenset(
    {
        *DATES,
        *ELEMENTWISE,
        "absent",
        "histogram_quantile",
        "label_join",
        "label_replace",
        "sort",
        "sort_desc",
        "timestamp",
        "vector",
    }
)

FUNCTIONS = RANGE_FUNCTIONS | SCALAR_FUNCTIONS | _VECTOR_FUNCTIONS
"""Every function that is evaluated offline."""
