"""One question for series, and its answer within the caps."""

from typing import Any, cast

from superbizagent.datasources._http import status_of
from superbizagent.datasources._http.failures import http_status
from superbizagent.datasources._thinning import thin_series
from superbizagent.datasources.prometheus import asking
from superbizagent.datasources.prometheus.asking import Question
from superbizagent.datasources.prometheus.client import ApiAnswer, PrometheusClient
from superbizagent.datasources.prometheus.holdings import Holdings
from superbizagent.datasources.prometheus.limits import Budget
from superbizagent.datasources.prometheus.samples import decode_matrix, is_constant, keep_series
from superbizagent.domain.json_values import mapping
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import Answer, EvidenceStatus, RangeQuery
from superbizagent.errors import DataSourceError, PermanentDataSourceError

__all__ = ["LiveQuery"]

_USUAL_INTERVAL_MS = 15_000
"""Taken when the interval was not measured: what most scrape configurations say."""

_RAW_FACTOR = 4
"""Samples as stored are read, and thinned here, up to so many times the points asked for: the
result then is the same as from a recording. Denser series are thinned by the server."""

_MOST_RAW_SAMPLES = 2_000_000

_SMALL_SERVER = 5000
"""Series up to which nothing need be counted before it is read."""

_COUNTING_SECONDS = 8.0
"""Prometheus counts about 300,000 series a second; what takes longer must not be read."""

_TOO_MUCH = frozenset({413, 422})
"""How servers refuse a question that would load too many samples."""


class LiveQuery:
    """One question and its answer."""

    def __init__(
        self, client: PrometheusClient, query: RangeQuery, holdings: Holdings, budget: Budget
    ) -> None:
        self._client = client
        self._query = query
        self._budget = budget
        self._holdings = holdings
        interval = holdings.interval
        self._interval_ms = (
            max(round(interval.total_seconds() * 1000), 1) if interval else _USUAL_INTERVAL_MS
        )
        self._warnings: list[str] = []
        self._partial = False

    async def answer(self) -> Answer:
        """Ask, cut and thin.

        Raises:
            DataSourceError: when the server does not give what is asked.
        """
        query = self._query
        points = min(self._points_stored(), max(query.max_points, 1))
        most = self._budget.series(max(query.max_series, 0), points)
        selector, left_out, expected = await self._narrowed(most)
        question, found, unread = await self._samples(selector, expected)
        self._budget.take(len(found.times))
        kept, cut = _cap(found, most)
        thinned, thinned_series = thin_series(kept, query.window, query.max_points)
        self._warn(left_out + cut, len(found) + left_out, unread)
        stats = {
            "series_selected": len(found) + left_out,
            "series_left_out": left_out + cut,
            "series_returned": len(thinned),
            "series_thinned": thinned_series,
            "samples_read": len(found.times),
            "samples_returned": len(thinned.times),
            "step_seconds": question.step_ms / 1000,
            "requests": self._client.requests,
            "bytes_read": self._client.bytes_read,
        }
        return Answer(
            status=EvidenceStatus.OK if len(thinned) else EvidenceStatus.EMPTY,
            output=thinned,
            truncated=left_out + cut > 0 or self._partial or unread > 0,
            warnings=tuple(self._warnings),
            stats=stats,
        )

    def _points_stored(self) -> int:
        window = self._query.window
        return (window.end_ms - window.start_ms) // self._interval_ms + 1

    async def _narrowed(self, most: int) -> tuple[Selector, int, int]:
        """Return what to ask for, how many series that leaves out, and how many it brings.

        Of too many series, those of metrics with few come first: of a metric with a series for
        each user, none is worth all other metrics.
        """
        selector, bound = self._query.selector, self._bound()
        if bound is not None and bound <= _SMALL_SERVER:
            return selector, 0, bound
        counts, uncounted = await self._counted()
        total = sum(count for _, count in counts)
        if not uncounted and total <= max(most, _SMALL_SERVER):
            return selector, 0, total
        chosen: list[str] = []
        taken = 0
        for name, count in counts:
            if taken + count > most:
                break
            chosen.append(name)
            taken += count
        return asking.named(selector, chosen), total - taken + uncounted, taken

    def _bound(self) -> int | None:
        """Return how many series the answer can have at most, None when nothing tells."""
        known = [self._holdings.series]
        for matcher in self._query.selector.matchers:
            values = [(matcher.label, v) for v in asking.alternatives(matcher)]
            if values and all(v in self._holdings.sizes for v in values):
                known.append(sum(self._holdings.sizes[v] for v in values))
        return min((n for n in known if n is not None), default=None)

    async def _counted(self) -> tuple[list[tuple[str, int]], int]:
        """Return metrics with their numbers of series, fewest first, and how many are not counted.

        Where counting takes the server too long, the metrics that are known to be large are left
        out, and counted as a whole.
        """
        selector, window = self._query.selector, self._query.window
        uncounted = 0
        try:
            question = asking.count_by_name(selector, window, _COUNTING_SECONDS)
            answer = await self._ask(question)
        except DataSourceError as error:
            most = max(self._query.max_series, 1)
            large = {n: c for n, c in self._holdings.largest.items() if c > most}
            if status_of(error) is not EvidenceStatus.TIMEOUT or not large:
                raise
            names = sorted(large)
            question = asking.count_by_name(selector, window, _COUNTING_SECONDS, names)
            answer = await self._ask(question)
            uncounted = sum(large.values())
            self._warnings.append(f"too many series, left out: {', '.join(names)}")
        return sorted(_counts(answer.data), key=lambda pair: (pair[1], pair[0])), uncounted

    async def _samples(self, selector: Selector, series: int) -> tuple[Question, SeriesSet, int]:
        window, stored = self._query.window, self._points_stored()
        few = stored <= _RAW_FACTOR * max(self._query.max_points, 1)
        thin = asking.stepped(selector, window, self._query.max_points, self._interval_ms)
        if few and stored * series <= _MOST_RAW_SAMPLES:
            question = asking.raw(selector, window)
            try:
                return question, *self._decode(await self._ask(question))
            except PermanentDataSourceError as error:
                if http_status(error) not in _TOO_MUCH or stored <= self._query.max_points:
                    raise
        return thin, *self._decode(await self._ask(thin))

    async def _ask(self, question: Question) -> ApiAnswer:
        answer = await self._client.ask(question.path, question.params)
        self._warnings += [w for w in answer.warnings if w not in self._warnings]
        self._partial |= answer.partial
        return answer

    def _decode(self, answer: ApiAnswer) -> tuple[SeriesSet, int]:
        try:
            return decode_matrix(answer.data, self._query.window)
        except ValueError as error:
            raise self._client.permanent(
                f"{self._client.address} answers with {error}; is this a Prometheus?"
            ) from error

    def _warn(self, left_out: int, total: int, unread: int) -> None:
        if left_out:
            self._warnings.append(f"{left_out} of {total} series left out")
        if unread:
            self._warnings.append(f"{unread} native histograms are not read")


def _counts(data: Any) -> list[tuple[str, int]]:
    rows = cast("list[Any]", mapping(data).get("result") or [])
    return [
        (str(mapping(row["metric"]).get("__name__", "")), int(float(cast("str", row["value"][1]))))
        for row in rows
        if isinstance(row, dict) and "value" in row
    ]


def _cap(found: SeriesSet, limit: int) -> tuple[SeriesSet, int]:
    """Leave out constant series first, then the last by name."""
    if len(found) <= limit:
        return found, 0
    constant = is_constant(found)
    order = sorted(range(len(found)), key=lambda k: bool(constant[k]))
    return keep_series(found, sorted(order[:limit])), len(found) - limit
