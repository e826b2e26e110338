"""What a recording needs of a Prometheus: every stored sample of a span, rules, alerts, version."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from superbizagent.datasources.prometheus import remote_read
from superbizagent.datasources.prometheus.client import PrometheusClient
from superbizagent.domain.json_values import mapping
from superbizagent.domain.selector import Selector
from superbizagent.domain.series import Labels, SeriesSet, Times, Values
from superbizagent.domain.window import Window
from superbizagent.errors import DataSourceError, PermanentDataSourceError

__all__ = ["PrometheusReader"]

_NO_REMOTE_READ = frozenset({400, 404, 405, 415, 501})
"""How servers without remote read answer it; anything else is a failure of its own."""
_DURATION = re.compile(r"(\d+)(ms|s|m|h|d|w|y)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}


class PrometheusReader:
    """Reads samples as they were stored, with staleness markers where the server can give them."""

    def __init__(self, client: PrometheusClient) -> None:
        self._client = client
        self.keeps_staleness = True
        """Whether the samples read so far came with their staleness markers."""

    async def version(self) -> str:
        """Return the server's version, empty when it does not tell.

        Raises:
            DataSourceError: when nothing at this address answers like a Prometheus.
        """
        try:
            data = await self._client.get_data("/api/v1/status/buildinfo")
        except PermanentDataSourceError:
            # Some compatible servers have no build information, but all have labels.
            await self._client.get_data("/api/v1/labels", {"match[]": "up"})
            return ""
        return str(mapping(data).get("version", ""))

    async def rules(self) -> dict[str, Any]:
        """Return rule groups as the server prints them; empty when it has no rules API."""
        return await self._optional("/api/v1/rules", "groups")

    async def alerts(self) -> dict[str, Any]:
        """Return pending and firing alerts, with ``activeAt``; empty when it has no alerts API."""
        return await self._optional("/api/v1/alerts", "alerts")

    async def series_count(self) -> int | None:
        """Return how many series the server holds in memory, None when it does not tell."""
        try:
            data = await self._client.get_data("/api/v1/status/tsdb")
            return int(data["headStats"]["numSeries"])
        except (PermanentDataSourceError, KeyError, TypeError, ValueError):
            return None

    async def scrape_interval_seconds(self) -> float | None:
        """Return the server's default scrape interval, None when it does not tell."""
        try:
            data = await self._client.get_data("/api/v1/status/config")
            found = re.search(r"^\s+scrape_interval: (\S+)$", data["yaml"], re.MULTILINE)
        except (PermanentDataSourceError, KeyError, TypeError):
            return None
        if found is None:
            return None
        parts = _DURATION.findall(found[1])
        return sum(int(n) * _UNIT_SECONDS[unit] for n, unit in parts) or None

    async def read(self, selectors: Sequence[Selector], window: Window) -> SeriesSet:
        """Return every series that any selector selects, with all samples of the closed window.

        Raises:
            DataSourceError: when the server does not give them.
        """
        found: dict[str, tuple[Labels, Times, Values]] = {}
        for selector in selectors:
            for series in await self._read_one(selector, window):
                found.setdefault(str(series), (series.labels, series.times, series.values))
        return SeriesSet.of(found.values())

    async def _read_one(self, selector: Selector, window: Window) -> SeriesSet:
        if self.keeps_staleness:
            answer = await self._client.post(
                "/api/v1/read",
                remote_read.encode_request(selector, window),
                remote_read.HEADERS,
            )
            if answer.status == 200 and answer.content_type.startswith(remote_read.CONTENT_TYPE):
                return remote_read.decode_response(answer.body)
            if answer.status not in {200, *_NO_REMOTE_READ}:
                raise PermanentDataSourceError(
                    f"{self._client.address}/api/v1/read answers {answer.status}: {answer.excerpt}"
                )
            self.keeps_staleness = False
        return await self._read_by_query(selector, window)

    async def _read_by_query(self, selector: Selector, window: Window) -> SeriesSet:
        """Read with a range selector: values exact, times in ms, staleness markers left out."""
        length_ms = window.end_ms - window.start_ms + 1  # 3.x leaves the left end out
        data = await self._client.get_data(
            "/api/v1/query",
            {"query": f"{selector}[{length_ms}ms]", "time": f"{window.end_ms / 1000:.3f}"},
        )
        try:
            rows = [_row(item, window) for item in data["result"]]
        except (KeyError, TypeError, ValueError) as error:
            raise PermanentDataSourceError(
                f"{self._client.address}/api/v1/query answers in an unknown form: {error!r}"
            ) from error
        return SeriesSet.of(row for row in rows if len(row[1]))

    async def _optional(self, path: str, key: str) -> dict[str, Any]:
        try:
            data = await self._client.get_data(path)
        except DataSourceError:
            return {key: []}
        return mapping(data) or {key: []}


def _row(item: dict[str, Any], window: Window) -> tuple[Labels, Times, Values]:
    pairs = item["values"]
    times = np.array([round(at * 1000) for at, _ in pairs], np.int64)
    values = np.array([float(text) for _, text in pairs], np.float64)
    inside = (times >= window.start_ms) & (times <= window.end_ms)
    return dict(item["metric"]), times[inside], values[inside]
