"""Ask both, and tell whether they say the same."""

import math
import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

import httpx2

from superbizagent.domain.series import SeriesSet, series_name
from superbizagent.domain.window import Window, from_ms
from superbizagent.errors import QueryError
from superbizagent.promql import Server, evaluate_instant, evaluate_range, parse_query

from .data import END, START, Written, as_series_set, random_series
from .queries import random_query

__all__ = ["Outcome", "StoresSamples", "compare", "differential"]

_CLOSE = 1e-9
_ROUNDING = 1e-6
"""Up to here a difference is one of rounding: of sums that nearly cancel, in another order."""
_STEPS = (1_000, 15_000, 15_000, 37_000, 60_000, 300_000)

Answer = dict[str, dict[int, float]]
"""Printed labels -> time in milliseconds -> value."""


class StoresSamples(Protocol):
    """A server that takes samples of any time."""

    url: str

    def write(self, series: Written) -> None:
        """Store samples."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one comparison ended."""

    query: str
    where: str
    """Instant or range, as the parameters of the request."""
    difference: str = ""
    """What differs; empty when both say the same."""
    rounded: bool = False
    """They agree, but only within a millionth."""
    refused: bool = False
    """Both refused, which is agreement too."""
    empty: bool = False


def differential(server: StoresSamples, count: int, seed: int = 1) -> list[Outcome]:
    """Write samples to an empty server, then compare its answers with ours.

    Args:
        server: a Prometheus of the version that `Server` below names.
        count: how many random queries.
        seed: of samples and queries.
    """
    written = random_series(seed)
    server.write(written)
    samples = as_series_set(written)
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    with httpx2.Client(base_url=server.url, trust_env=False, timeout=60) as client:
        build = client.get("/api/v1/status/buildinfo").json()["data"]
        rules = Server(version=build["version"])
        return [_one(client, samples, rules, draw) for _ in range(count)]


def _one(client: httpx2.Client, samples: SeriesSet, rules: Server, draw: random.Random) -> Outcome:
    text = random_query(draw, (START, END))
    start = draw.randrange(START - 120_000, END + 400_000)
    if draw.random() < 0.3:
        start -= start % 15_000  # on the grid of some series
    if draw.random() < 0.5:
        return compare(client, samples, rules, text, (start,))
    step = draw.choice(_STEPS)
    return compare(client, samples, rules, text, (start, start + step * draw.randint(0, 20), step))


def compare(
    client: httpx2.Client, samples: SeriesSet, rules: Server, text: str, when: tuple[int, ...]
) -> Outcome:
    """Compare one query at an instant ``(at,)`` or over ``(start, end, step)``, milliseconds."""
    theirs = _theirs(client, text, when)
    ours = _ours(samples, rules, text, when)
    where = str(when)
    if theirs is None or ours is None:
        if theirs is ours:
            return Outcome(text, where, refused=True)
        who = "only the server" if theirs is None else "only we"
        return Outcome(text, where, difference=f"{who} refused")
    if text.startswith(("topk", "bottomk")):
        theirs, ours = _by_rank(theirs), _by_rank(ours)
    rounded = bool(_difference(theirs, ours, _CLOSE))
    difference = _difference(theirs, ours, _ROUNDING) if rounded else ""
    return Outcome(text, where, difference, rounded and not difference, empty=not theirs)


def _theirs(client: httpx2.Client, text: str, when: tuple[int, ...]) -> Answer | None:
    seconds: list[str] = [f"{ms / 1000:.3f}" for ms in when]
    times: dict[str, str]
    if len(when) == 1:
        path, times = "/api/v1/query", {"time": seconds[0]}
    else:
        path = "/api/v1/query_range"
        times = dict(zip(("start", "end", "step"), seconds, strict=True))
    body: dict[str, Any] = client.post(path, data={"query": text, **times}).json()
    if body["status"] != "success":
        return None
    result: Any = body["data"]["result"]
    if body["data"]["resultType"] == "scalar":
        return {"{}": _points([result])}
    return {
        series_name(row["metric"]): _points(row["values"] if "values" in row else [row["value"]])
        for row in result
    }


def _points(pairs: list[tuple[float, str]]) -> dict[int, float]:
    return {round(at * 1000): float(value) for at, value in pairs}


def _ours(samples: SeriesSet, rules: Server, text: str, when: tuple[int, ...]) -> Answer | None:
    try:
        query = parse_query(text)
        if len(when) == 1:
            found = evaluate_instant(query, samples, from_ms(when[0]), rules)
        else:
            window = Window(start=from_ms(when[0]), end=from_ms(when[1]))
            step = timedelta(milliseconds=when[2])
            found = evaluate_range(query, samples, window, step, rules)
    except QueryError:
        return None
    return {
        str(row): dict(zip(row.times.tolist(), row.values.tolist(), strict=True)) for row in found
    }


def _by_rank(answer: Answer) -> Answer:
    """Forget which series it was: of equal values any may be kept."""
    ranked: Answer = {}
    for at in {at for row in answer.values() for at in row}:
        values = sorted((row[at] for row in answer.values() if at in row), key=_order)
        ranked |= {f"{at} #{rank}": {at: value} for rank, value in enumerate(values)}
    return ranked


def _order(value: float) -> tuple[bool, float]:
    return (True, 0.0) if math.isnan(value) else (False, value)


def _difference(theirs: Answer, ours: Answer, tolerance: float) -> str:
    if theirs.keys() != ours.keys():
        missing, surplus = sorted(theirs.keys() - ours.keys()), sorted(ours.keys() - theirs.keys())
        return f"series missing {missing[:2]}, surplus {surplus[:2]}"
    for name, row in theirs.items():
        mine = ours[name]
        if row.keys() != mine.keys():
            return f"{name}: times {sorted(row.keys() ^ mine.keys())[:3]}"
        for at, value in row.items():
            if not _same(value, mine[at], tolerance):
                return f"{name} at {at}: server {value!r}, offline {mine[at]!r}"
    return ""


def _same(one: float, other: float, tolerance: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=_CLOSE)
