"""Three days of a small shop, sampled each minute: calm, and calm until orders break down."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import numpy as np

from prometheus_server import Samples, Server

SERVICES = ("web", "orders", "payments")
STEP_MS = 60_000

Key = tuple[tuple[str, str], ...]


def write_history(
    server: Server, start: datetime, end: datetime, *, broken: bool = False, seed: int = 1
) -> None:
    """Store what was scraped in a span; broken: orders fails and is slow all the while."""
    random = np.random.default_rng(seed)
    first = round(start.timestamp() * 1000)
    times = np.arange(first, round(end.timestamp() * 1000), STEP_MS)
    for service in SERVICES:
        rows = dict(_series(service, times, random, broken=broken and service == "orders"))
        for key, values in rows.items():
            pairs = list(zip(times.tolist(), values.tolist(), strict=True))
            for at in range(0, len(pairs), 2000):
                part: dict[Key, Samples] = {key: pairs[at : at + 2000]}
                server.write(part)


def _series(
    service: str, times: np.ndarray, random: np.random.Generator, *, broken: bool
) -> Iterator[tuple[Key, np.ndarray]]:
    # Counters count from one origin, so that what is written later goes on where it ended.
    minutes = times / STEP_MS - 29_000_000
    requests = 600.0 * minutes + random.normal(0, 20, len(times)).cumsum().clip(-100, 100)
    slow = 40.0 if broken else 1.0
    errors = 0.6 * minutes + (120.0 * np.arange(len(times)) if broken else 0.0)
    seconds = 30.0 * minutes + (30.0 * (slow - 1.0) * np.arange(len(times)))
    about = (("job", service), ("instance", f"{service}-1:8080"))

    def key(name: str, *more: tuple[str, str]) -> Key:
        return (("__name__", name), *about, *more)

    yield key("up"), np.ones(len(times))
    yield key("http_requests_total", ("code", "200")), requests
    yield key("http_requests_total", ("code", "500")), errors
    yield key("http_request_duration_seconds_sum"), seconds
    yield key("http_request_duration_seconds_count"), requests
    yield key("process_resident_memory_bytes"), 2e8 + random.normal(0, 1e6, len(times))
    yield key("db_pool_waiting"), random.poisson(0.2, len(times)) + (30.0 if broken else 0.0)


def span_before(end: datetime, **length: float) -> tuple[datetime, datetime]:
    """Return the span of some length that ends at a time."""
    return end - timedelta(**length), end
