"""Seeded random expressions of the part of PromQL that is evaluated offline."""

import random

__all__ = ["random_query"]

_METRICS = ("requests_total", "load", "queue", "limit", "seconds_bucket", "lone")
_NAMES = ('__name__="load"', '__name__=~"load|queue"', '__name__=~"l.*"')
_MATCHERS = (
    'job="api"',
    'job!="web"',
    'instance=~"[ab]:.*"',
    'instance!~"c.+"',
    'code="500"',
    'job=~"api|db"',
    'nothing=""',
    'job="nowhere"',
)
_RANGES = ("15s", "30s", "1m", "61s", "90s", "2m", "5m", "307s", "12m")
_STEPS = ("", "15s", "20s", "1m", "7s")
_LABELS = ("job", "instance", "code", "le", "team", "nothing")
_OVER_TIME = (
    "rate", "increase", "delta", "irate", "idelta", "deriv", "changes", "resets",
    "avg_over_time", "min_over_time", "max_over_time", "sum_over_time", "count_over_time",
    "last_over_time", "present_over_time", "stddev_over_time", "stdvar_over_time",
)  # fmt: skip
_COUNTING = ("rate", "increase", "irate", "resets")
_MATH = ("abs", "ceil", "floor", "exp", "sqrt", "ln", "log2", "log10", "sgn", "round")
_DATES = (
    "hour", "minute", "month", "year", "day_of_month", "day_of_week", "day_of_year",
    "days_in_month",
)  # fmt: skip
_SIMPLE = ("sum", "avg", "min", "max", "count", "group", "stddev", "stdvar")
_ARITHMETIC = ("+", "-", "*", "/", "%")
_POWERS = ("2", "0.5", "-1", "3", "0", "Inf")
_COMPARISON = ("==", "!=", ">", "<", ">=", "<=")


def random_query(draw: random.Random, bounds: tuple[int, int]) -> str:
    """Return an expression; ``bounds`` in milliseconds are where ``@`` may point."""
    writer = _Writer(draw, bounds)
    if draw.random() < 0.06:
        # Only here, since which of equal values stays depends on the order of a heap.
        k = draw.choice(("1", "2", "3", "0", "2.7"))
        return f"{draw.choice(('topk', 'bottomk'))}{writer.grouping()}({k}, {writer.vector(2)})"
    return writer.scalar(2) if draw.random() < 0.06 else writer.vector(3)


class _Writer:
    def __init__(self, draw: random.Random, bounds: tuple[int, int]) -> None:
        self._draw = draw
        self._bounds = bounds

    def selector(self, metric: str = "") -> str:
        draw = self._draw
        matchers = draw.sample(_MATCHERS, draw.choice((0, 0, 0, 1, 1, 2)))
        if not metric and draw.random() < 0.05:
            return f"{{{','.join([*matchers, *draw.sample(_NAMES, 1)])}}}"
        name = metric or draw.choice(_METRICS)
        return f"{name}{{{','.join(matchers)}}}" if matchers else name

    def shift(self, *, at: bool = True) -> str:
        draw, text = self._draw, ""
        if draw.random() < 0.12:
            text += f" offset {draw.choice(('15s', '1m', '-30s', '5m', '7m'))}"
        if at and draw.random() < 0.08:
            moment = draw.randint(*self._bounds) / 1000
            text += f" @ {draw.choice((f'{moment:.3f}', 'start()', 'end()'))}"
        return text

    def range(self, depth: int, metric: str = "", *, at: bool = True) -> str:
        draw = self._draw
        if depth > 0 and draw.random() < 0.25:
            step = draw.choice(_STEPS)
            return f"({self.vector(depth - 1)})[{draw.choice(_RANGES)}:{step}]{self.shift(at=at)}"
        return f"{self.selector(metric)}[{draw.choice(_RANGES)}]{self.shift(at=at)}"

    def grouping(self) -> str:
        draw = self._draw
        if draw.random() < 0.4:
            return ""
        labels = draw.sample(_LABELS, draw.randint(0, 2))
        return f" {draw.choice(('by', 'without'))} ({', '.join(labels)}) "

    def scalar(self, depth: int) -> str:
        draw = self._draw
        match draw.randrange(8):
            case 0 if depth > 0:
                return f"scalar({self.vector(depth - 1)})"
            case 1:
                return "time()"
            case 2 if depth > 0:
                op = draw.choice(_ARITHMETIC)
                return f"({self.scalar(depth - 1)} {op} {self.scalar(depth - 1)})"
            case 3 if depth > 0:
                op = draw.choice(_COMPARISON)
                return f"({self.scalar(depth - 1)} {op} bool {self.scalar(depth - 1)})"
            case 4:
                return f"-{self.number()}"
            case _:
                return self.number()

    def number(self) -> str:
        return self._draw.choice(("0", "1", "2", "0.5", "3.7", "20", "1e3", "NaN", "Inf", "40"))

    def vector(self, depth: int) -> str:
        if depth <= 0:
            return self.selector() + self.shift()
        forms = (
            self._plain, self._over_time, self._over_time, self._over_time, self._quantiles,
            self._aggregate, self._aggregate, self._binary, self._binary, self._matched,
            self._sets, self._math, self._labels, self._rest, self._histogram,
        )  # fmt: skip
        return self._draw.choice(forms)(depth)

    def _plain(self, depth: int) -> str:
        del depth
        return self.selector() + self.shift()

    def _over_time(self, depth: int) -> str:
        name = self._draw.choice(_OVER_TIME)
        metric = self._draw.choice(("requests_total", "", "")) if name in _COUNTING else ""
        return f"{name}({self.range(depth - 1, metric)})"

    def _quantiles(self, depth: int) -> str:
        draw = self._draw
        q = draw.choice(("0", "0.5", "0.9", "1", "-1", "2", self.scalar(1)))
        match draw.randrange(4):
            case 0:
                # With a moving parameter the server moves a range that `@` fixed (its issue 11708).
                return f"quantile_over_time({q}, {self.range(depth - 1, at=False)})"
            case 1:
                return f"quantile{self.grouping()}({q}, {self.vector(depth - 1)})"
            case 2:
                return f"predict_linear({self.range(depth - 1, at=False)}, {self.scalar(1)})"
            case _:
                grouping = self.grouping()
                counted = draw.choice((self.selector("queue"), f"changes({self.range(depth - 1)})"))
                return f'count_values{grouping}("value", {counted})'

    def _aggregate(self, depth: int) -> str:
        name = self._draw.choice(_SIMPLE)
        return f"{name}{self.grouping()}({self.vector(depth - 1)})"

    def _binary(self, depth: int) -> str:
        draw = self._draw
        if draw.random() < 0.5:
            op = draw.choice(_ARITHMETIC)
        else:
            op = draw.choice(_COMPARISON) + draw.choice(("", " bool"))
        sides = [self.vector(depth - 1), self.scalar(1)]
        if draw.random() < 0.3:
            sides.reverse()
        return f"({sides[0]}) {op} ({sides[1]})"

    def _matched(self, depth: int) -> str:
        draw = self._draw
        op = draw.choice(_ARITHMETIC) if draw.random() < 0.6 else draw.choice(_COMPARISON)
        if op in _COMPARISON and draw.random() < 0.4:
            op += " bool"
        match draw.randrange(5):
            case 0:
                return f"load {op} on (job, instance) queue"
            case 1:
                how = draw.choice(("", "(team)", "(team, code)"))
                return f"{self.selector('requests_total')} {op} on (job) group_left {how} limit"
            case 2:
                return f"limit {op} on (job) group_right (team) {self.selector('load')}"
            case 3:
                rate = "rate(requests_total[2m])"
                return f"{rate} {op} ignoring (code) group_left sum without (code) ({rate})"
            case _:
                how = draw.choice(("", "ignoring (code)", "on (job)", "on (job, instance)"))
                return f"({self.vector(depth - 1)}) {op} {how} ({self.vector(depth - 1)})"

    def _sets(self, depth: int) -> str:
        draw = self._draw
        op = draw.choice(("and", "or", "unless"))
        how = draw.choice(("", "on (job)", "ignoring (code, le)", "on ()", "on (instance)"))
        return f"({self.vector(depth - 1)}) {op} {how} ({self.vector(depth - 1)})"

    def _math(self, depth: int) -> str:
        draw, inner = self._draw, self.vector(depth - 1)
        # Of what is no number the server makes a date that depends on its processor.
        days = f"(queue * {draw.choice(('1e5', '1e7', '86400.5'))})"
        return draw.choice(
            (
                f"clamp({inner}, {self.number()}, {self.number()})",
                f"clamp_{draw.choice(('min', 'max'))}({inner}, 5)",
                f"round({inner}, {draw.choice(('0.1', '5', '2'))})",
                f"-({inner})",
                f"{draw.choice(_DATES)}({draw.choice((days, f'timestamp({inner})'))})",
                f"({inner}) ^ {draw.choice(_POWERS)}",
                f"{draw.choice(_MATH)}({inner})",
            )
        )

    def _labels(self, depth: int) -> str:
        draw, inner = self._draw, self.vector(depth - 1)
        if draw.random() < 0.5:
            target = draw.choice(("job", "zone", "__name__"))
            return f'label_join({inner}, "{target}", "-", "job", "instance")'
        change = draw.choice(
            (
                '"zone", "$1", "instance", "(.):.*"',
                '"job", "${1}x", "job", "(a|w).*"',
                '"instance", "", "instance", ".*"',
                '"zone", "$$-$9", "job", "api"',
            )
        )
        return f"label_replace({inner}, {change})"

    def _histogram(self, depth: int) -> str:
        draw = self._draw
        q = draw.choice(("0.5", "0.9", "0.99", "0", "1", "-1", "1.5", self.scalar(1)))
        length, metric = draw.choice(_RANGES), self.selector("seconds_bucket")
        inner = draw.choice(
            (
                metric,
                f"rate({metric}[{length}])",
                f"sum by (le) (rate({metric}[{length}]))",
                f"sum by (job, le) (increase({metric}[{length}]))",
                self.vector(depth - 1),
            )
        )
        return f"histogram_quantile({q}, {inner})"

    def _rest(self, depth: int) -> str:
        draw = self._draw
        match draw.randrange(6):
            case 0:
                return f"absent({self.vector(depth - 1)})"
            case 1:
                return f"absent_over_time({self.range(depth - 1)})"
            case 2:
                return f"vector({self.scalar(depth - 1)})"
            case 3:
                return f"timestamp({self.vector(depth - 1)})"
            case 4:
                return f"sort({self.vector(depth - 1)})"
            case _:
                return f"{draw.choice(_DATES)}()"
