"""One course as inline SVG: baseline band, incident window, onset; no script, no picture file.

The plot stretches with the page; text and strokes keep their size, since they stand outside of
what is stretched.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo

from superbizagent.cli.render.document.elements import Markup, element, void
from superbizagent.domain.window import from_ms, to_ms
from superbizagent.investigation.courses import Course
from superbizagent.investigation.wording.narrator import Narrator
from superbizagent.investigation.wording.values import clock_time, quantity, span

__all__ = ["chart", "chart_summary"]

_HEIGHT, _TOP, _PLOT = 150, 16, 114  # px: all, above the plot, the plot itself
_WIDE = 1000  # units of the stretched plot from left to right
_EDGES = (15.0, 85.0)
"""Per cent from left; beyond them the label of the onset would run into the other two."""


def chart(course: Course, summary: str, zone: tzinfo, say: Narrator) -> Markup:
    """Return the chart; ``summary`` is what a screen reader says of it."""
    scale = _Scale(course)
    parts = [element("title", summary), *_backdrop(course, scale), _line(course, scale)]
    parts += _labels(course, scale, zone, say)
    return element("svg", parts, role="img", width="100%", height=str(_HEIGHT))


def chart_summary(course: Course, zone: tzinfo, say: Narrator, words: Narrator) -> str:
    """Return in words what the marks of a chart mean."""
    parts: list[str] = []
    if course.mode == "counts":
        length = span(timedelta(milliseconds=course.step_ms), say)
        parts.append(words.say("chart.counts", span=length))
    elif course.band is None:
        parts.append(words.say("chart.no_band"))
    else:
        low, center, high = (quantity(v, course.unit, say) for v in course.band)
        parts.append(words.say("chart.band", center=center, low=low, high=high))
    if words.knows(f"chart.mode_{course.mode}"):
        parts.insert(0, words.say(f"chart.mode_{course.mode}"))
    incident = course.incident
    start, end = clock_time(incident.start, zone), clock_time(incident.end, zone)
    parts.append(words.say("chart.incident", start=start, end=end))
    if course.onset_ms is not None:
        parts.append(words.say("chart.onset", at=clock_time(from_ms(course.onset_ms), zone)))
    return say.say("list.or").join(parts)


class _Scale:
    """Where times and values stand: times in per cent of the width, values in px from the top."""

    def __init__(self, course: Course) -> None:
        values = [v for line in course.lines for _, v in line]
        values += course.band or ()
        if course.mode == "counts":
            values.append(0.0)
        self.low, self.high = min(values), max(values)
        if self.high == self.low:
            self.high = self.low + (abs(self.low) or 1.0)
        self.start = course.window.start_ms
        self.length = max(1, course.window.end_ms - self.start)

    def x(self, ms: float) -> float:
        return min(100.0, max(0.0, 100 * (ms - self.start) / self.length))

    def y(self, value: float) -> float:
        # Both are halved first: the span of two huge values overflows, that of their halves not.
        share = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return _PLOT * (1 - share)


def _backdrop(course: Course, scale: _Scale) -> Iterator[Markup]:
    left, right = scale.x(course.incident.start_ms), scale.x(course.incident.end_ms)
    yield _rect("incident", left, right - left, _TOP, _PLOT)
    if course.band is not None:
        low, center, high = (scale.y(v) + _TOP for v in course.band)
        yield _rect("band", 0, 100, high, max(1.0, low - high))
        yield _rule("center", "0%", "100%", center, center)
    yield _rule("axis", "0%", "100%", _TOP + _PLOT, _TOP + _PLOT)
    if course.onset_ms is not None:
        x = f"{scale.x(course.onset_ms):.2f}%"
        yield _rule("onset", x, x, _TOP, _TOP + _PLOT)


def _rect(class_: str, x: float, width: float, y: float, height: float) -> Markup:
    return void(
        "rect",
        class_=class_,
        x=f"{x:.2f}%",
        width=f"{max(0.2, width):.2f}%",
        y=f"{y:.1f}",
        height=f"{height:.1f}",
    )


def _rule(class_: str, x1: str, x2: str, y1: float, y2: float) -> Markup:
    return void("line", class_=class_, x1=x1, x2=x2, y1=f"{y1:.1f}", y2=f"{y2:.1f}")


def _line(course: Course, scale: _Scale) -> Markup:
    path = " ".join(_bars(course, scale) if course.mode == "counts" else _strokes(course, scale))
    drawn = void("path", class_="bars" if course.mode == "counts" else "course", d=path)
    return element(
        "svg",
        drawn,
        y=str(_TOP),
        width="100%",
        height=str(_PLOT),
        viewBox=f"0 0 {_WIDE} {_PLOT}",
        preserveAspectRatio="none",
    )


def _strokes(course: Course, scale: _Scale) -> Iterator[str]:
    for run in course.lines:
        points = [f"{_WIDE * scale.x(t) / 100:.1f} {scale.y(v):.1f}" for t, v in run]
        # One sample alone is a dot: a stroke without length is drawn with round ends only.
        yield f"M{'L'.join(points)}" if len(points) > 1 else f"M{points[0]}h0.1"


def _bars(course: Course, scale: _Scale) -> Iterator[str]:
    for at, count in (point for run in course.lines for point in run):
        if count:
            left, right = scale.x(at) * 10, scale.x(at + course.step_ms) * 10
            yield f"M{left:.1f} {_PLOT}V{scale.y(count):.1f}H{right:.1f}V{_PLOT}Z"


def _labels(course: Course, scale: _Scale, zone: tzinfo, say: Narrator) -> Iterator[Markup]:
    top, bottom = quantity(scale.high, course.unit, say), quantity(scale.low, course.unit, say)
    yield _text(top, "0%", _TOP - 4, "start")
    yield _text(bottom, "0%", _TOP + _PLOT - 4, "start")
    foot = _HEIGHT - 4
    yield _text(_clock(course.window.start, zone), "0%", foot, "start")
    yield _text(_clock(course.window.end, zone), "100%", foot, "end")
    marked = course.onset_ms if course.onset_ms is not None else to_ms(course.incident.start)
    x = scale.x(marked)
    if _EDGES[0] <= x <= _EDGES[1]:
        yield _text(_clock(from_ms(marked), zone), f"{x:.2f}%", foot, "middle")


def _clock(at: datetime, zone: tzinfo) -> str:
    return clock_time(at, zone)


def _text(text: str, x: str, y: float, anchor: str) -> Markup:
    return element("text", text, x=x, y=f"{y:.0f}", text_anchor=anchor)
