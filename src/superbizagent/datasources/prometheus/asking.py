"""Questions in PromQL: what is sent to a server for one selector over one span."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from superbizagent.domain.selector import RE2_OPERATORS, Matcher, MatchOp, Selector, literal
from superbizagent.domain.window import Window

__all__ = [
    "Question",
    "alternatives",
    "count_by_name",
    "evaluated",
    "is_everything",
    "named",
    "raw",
    "stepped",
]

_MOST_POINTS = 11_000
"""Prometheus refuses a query with more points a series."""

_ANYTHING = re.compile(r"\(*\.[*+]\)*")

_TOKEN = re.compile(r"\\.|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    """One request: a path of the API and its parameters."""

    path: str
    params: tuple[tuple[str, str], ...]
    step_ms: int = 0
    """Distance of the points asked for; 0: samples as they were stored."""


def raw(selector: Selector, window: Window) -> Question:
    """Ask for every stored sample of the closed window."""
    # From 3.0 on the left end of a range is left out; one millisecond more brings it in.
    length_ms = window.end_ms - window.start_ms + 1
    query = f"{selector}[{length_ms}ms]"
    return Question("/api/v1/query", (("query", query), ("time", _seconds(window.end_ms))))


def stepped(selector: Selector, window: Window, points: int, interval_ms: int) -> Question:
    """Ask for the last sample of each step, at most ``points`` a series.

    The steps end where the window ends, are whole scrape intervals, and each looks back no farther
    than the one before: a series that has ended stays ended.
    """
    length_ms = window.end_ms - window.start_ms + 1
    step_ms = -(-length_ms // max(min(points, _MOST_POINTS), 1))
    step_ms = -(-step_ms // interval_ms) * interval_ms
    steps = max(length_ms // step_ms - 1, 0)
    return Question(
        "/api/v1/query_range",
        (
            ("query", f"last_over_time({selector}[{max(step_ms - 1, 1)}ms])"),
            ("start", _seconds(window.end_ms - steps * step_ms)),
            ("end", _seconds(window.end_ms)),
            ("step", _seconds(step_ms)),
        ),
        step_ms,
    )


def evaluated(expression: str, window: Window, step_ms: int) -> Question:
    """Ask for the values of an expression at every step of the window."""
    return Question(
        "/api/v1/query_range",
        (
            ("query", expression),
            ("start", _seconds(window.start_ms)),
            ("end", _seconds(window.end_ms)),
            ("step", _seconds(step_ms)),
        ),
        step_ms,
    )


def count_by_name(
    selector: Selector, window: Window, timeout_seconds: float, without: Sequence[str] = ()
) -> Question:
    """Ask how many series each metric has at the end of the window.

    Args:
        selector: which series.
        window: only its end counts.
        timeout_seconds: after which the server gives up by itself.
        without: metrics that are known to have too many.
    """
    if without:
        value = "|".join(map(literal, without))
        other = Matcher(label="__name__", op=MatchOp.NOT_REGEX, value=value)
        selector = selector.model_copy(update={"matchers": (*selector.matchers, other)})
    params = (
        ("query", f"count by (__name__) ({selector})"),
        ("time", _seconds(window.end_ms)),
        ("timeout", f"{timeout_seconds:g}s"),
    )
    return Question("/api/v1/query", params)


def named(selector: Selector, names: Sequence[str]) -> Selector:
    """Narrow a selector to some metrics."""
    matcher = Matcher.any_of("__name__", names)
    return selector.model_copy(update={"matchers": (*selector.matchers, matcher)})


def alternatives(matcher: Matcher) -> tuple[str, ...]:
    """Return the values a matcher lists; empty when it describes them otherwise."""
    if matcher.op is MatchOp.EQUAL:
        return (matcher.value,)
    if matcher.op is not MatchOp.REGEX:
        return ()
    parts = [""]
    for sign in _TOKEN.findall(matcher.value):
        if sign == "|":
            parts.append("")
        elif (len(sign) > 1) is (sign[-1] in RE2_OPERATORS):
            parts[-1] += sign[-1]
        else:
            return ()
    return tuple(parts) if all(parts) else ()


def is_everything(selector: Selector) -> bool:
    """Tell whether a selector asks for all there is, however many series that are."""
    if selector.name:
        return False
    try:
        return all(
            m.matches("") or (m.label == "__name__" and _asks_any(m)) for m in selector.matchers
        )
    except re.error:
        return False  # RE2 knows what Python does not; the server judges


def _asks_any(matcher: Matcher) -> bool:
    if matcher.op is MatchOp.REGEX:
        return _ANYTHING.fullmatch(matcher.value) is not None
    return matcher.op is MatchOp.NOT_EQUAL


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}"
