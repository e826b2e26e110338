"""What the service counts of itself, for Prometheus."""

import time
from collections.abc import Iterator

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from superbizagent.domain.window import Instant
from superbizagent.storage.counts import ServiceCounts

__all__ = ["Metrics"]

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


class Metrics:
    """The counters of one application; what is stored is counted anew at each scrape."""

    def __init__(self) -> None:
        disable_created_metrics()  # a series more for each counter, which nothing of ours reads
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "superbiz_http_requests",
            "Requests answered, by route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "superbiz_http_request_duration_seconds",
            "Seconds until the answer began.",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """Return an application that counts what another one answers."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            began, began_answering = time.perf_counter(), False

            async def noted(message: Message) -> None:
                nonlocal began_answering
                if message["type"] == "http.response.start" and not began_answering:
                    began_answering = True
                    self._note(scope, message["status"], time.perf_counter() - began)
                await send(message)

            try:
                await app(scope, receive, noted)
            except Exception:
                if not began_answering:  # the outermost layer answers 500
                    self._note(scope, 500, time.perf_counter() - began)
                raise

        return counted

    def text(self, counts: ServiceCounts, now: Instant) -> bytes:
        """Return everything in Prometheus' text format."""
        stored = CollectorRegistry()
        stored.register(_Stored(counts, now))
        return generate_latest(self._registry) + generate_latest(stored)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")  # never the path: it has no end
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)


class _Stored(Collector):
    """What was counted in the database."""

    def __init__(self, counts: ServiceCounts, now: Instant) -> None:
        self._counts = counts
        self._now = now

    def collect(self) -> Iterator[Metric]:
        """Give each count as a gauge: rows may go."""
        counts = self._counts
        sessions = GaugeMetricFamily(
            "superbiz_sessions", "Stored sessions.", labels=("status", "verdict")
        )
        for (status, verdict), number in sorted(counts.sessions.items()):
            sessions.add_metric((status, verdict), number)
        yield sessions
        yield GaugeMetricFamily(
            "superbiz_queue_length", "Sessions that wait or are worked on.", counts.queued
        )
        yield GaugeMetricFamily(
            "superbiz_queue_oldest_seconds",
            "How long the oldest of them has been there.",
            self._age(counts.oldest_queued_at) or 0.0,
        )
        yield GaugeMetricFamily("superbiz_alerts", "Alerts received.", counts.alerts)
        for name, help_, label, found in (
            ("incidents", "Incidents by state.", "status", counts.incidents),
            (
                "notifications",
                "Notifications by state.",
                "status",
                counts.notifications,
            ),
            ("feedback", "Judgements of answers.", "judgement", counts.feedback),
        ):
            family = GaugeMetricFamily(f"superbiz_{name}", help_, labels=(label,))
            for word, number in sorted(found.items()):
                family.add_metric((word,), number)
            yield family
        if (age := self._age(counts.worker_seen_at)) is not None:
            yield GaugeMetricFamily(
                "superbiz_worker_seen_seconds", "Seconds since the worker was last seen.", age
            )

    def _age(self, at: Instant | None) -> float | None:
        return max((self._now - at).total_seconds(), 0.0) if at is not None else None
