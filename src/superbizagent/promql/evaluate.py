"""Evaluate an expression over recorded samples, as Prometheus would have.

Source of the rules: the documentation of Prometheus, and its answers (see ``benchmarks/promql``).
Where this differs on purpose:

- Sums are added in another order and keep what rounding loses, so that results agree to some nine
  digits, fewer where terms nearly cancel; ``%``, ``round`` and ``==`` can turn that into a step.
- Of equal values ``topk`` and ``bottomk`` keep the first series by name.
- The date of what is no number is no number; the server's depends on its processor.
- Faults of old servers are not repeated: ``atan2`` that keeps the name (before 2.47), ``@`` that
  moves along in ``predict_linear`` or beside a moving parameter (before 2.51, some still),
  ``timestamp`` of a selector with both ``offset`` and ``@``.
- Native histograms are not samples here.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import Window, to_ms
from superbizagent.errors import QueryError

from ._engine import Engine
from ._rules import Rules
from ._select import Store
from ._tree import RangeSelector, Subquery, Text
from ._values import Times, Vector, merged, to_series
from .query import LOOKBACK, Query

__all__ = ["Server", "evaluate_instant", "evaluate_range"]

_MOST_STEPS = 11_000
"""The limit of Prometheus itself."""


@dataclass(frozen=True, slots=True)
class Server:
    """How the server that recorded the samples evaluates."""

    version: str = ""
    """Such as ``2.42.0``. It decides whether ranges leave out their start (3.0) and some rules of
    extrapolation and rounding; when empty or of another product, the newest rules hold."""
    lookback: timedelta = LOOKBACK
    """How old the newest sample of a series may be."""
    evaluation_interval: timedelta = timedelta(minutes=1)
    """Step of subqueries that name none."""


def evaluate_range(
    query: Query, samples: SeriesSet, window: Window, step: timedelta, server: Server = Server()
) -> SeriesSet:
    """Return a query's values at every step of a window, its start included.

    A scalar is one series without labels. ``sort`` does nothing, since series are in the order of
    their names.

    Args:
        query: from `parse_query`.
        samples: what was recorded, at least over ``query.samples_needed(window)``; staleness
            markers are honoured when they are there.
        window: first and last instant.
        step: distance of the instants, at least 1 ms.
        server: whose rules hold.

    Raises:
        QueryError: when the data make it ambiguous (series that match several), the expression
            gives a range or a string, or there are more than 11,000 steps.
    """
    length = _milliseconds(step)
    if length < 1:
        raise QueryError("the step of a range query is at least 1 ms")
    count = (window.end_ms - window.start_ms) // length + 1
    if count > _MOST_STEPS:
        raise QueryError(f"{count} steps are more than {_MOST_STEPS}; widen the step")
    if isinstance(query.expression, RangeSelector | Subquery | Text):
        raise QueryError(
            f"{query.text!r} gives a range or a string, which has no value at a step; put a"
            " function around it, such as rate() or last_over_time()"
        )
    at = window.start_ms + np.arange(count, dtype=np.int64) * length
    return _evaluated(_engine(samples, at, server), query, at)


def evaluate_instant(
    query: Query, samples: SeriesSet, at: datetime, server: Server = Server()
) -> SeriesSet:
    """Return a query's values at one instant, as samples of that instant.

    A range such as ``up[5m]`` gives the samples in it, at their own times. For the arguments see
    `evaluate_range`.

    Raises:
        QueryError: as `evaluate_range` does.
    """
    if isinstance(query.expression, Text):
        raise QueryError(f"{query.text!r} gives a string, which has no value")
    steps = np.array([to_ms(at)], np.int64)
    engine = _engine(samples, steps, server)
    if isinstance(query.expression, RangeSelector | Subquery):
        with np.errstate(all="ignore"):
            return engine.samples_in_range(query.expression, steps)
    return _evaluated(engine, query, steps)


def _milliseconds(length: timedelta) -> int:
    return round(length / timedelta(milliseconds=1))


def _engine(samples: SeriesSet, at: Times, server: Server) -> Engine:
    return Engine(
        store=Store(samples),
        rules=Rules.of(server.version),
        lookback_ms=_milliseconds(server.lookback),
        subquery_step_ms=max(_milliseconds(server.evaluation_interval), 1),
        bounds=(int(at[0]), int(at[-1])),
    )


def _evaluated(engine: Engine, query: Query, at: Times) -> SeriesSet:
    # Division by zero and overflow are answers of PromQL, not accidents.
    with np.errstate(all="ignore"):
        value = engine.value(query.expression, at)
        if isinstance(value, Vector):
            return to_series(merged(value), at)
    return to_series(Vector([{}], value[None, :], np.ones((1, len(at)), np.bool_)), at)
