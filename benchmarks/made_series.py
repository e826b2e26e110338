"""Series of made-up services, written to a server by remote write.

``python -m benchmarks.made_series URL --series 1000000`` writes them. A service has four instances
of 250 series: request times as histograms by route and status, a pool of database connections,
the process and its queues. One service, neither first nor last by name, breaks: its transactions
hold the pool's connections, so the pool is full, requests wait, fail and are slow.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import cramjam
import httpx2
import numpy as np

__all__ = ["FAULT_MINUTES", "SERIES_PER_SERVICE", "Made", "request_of", "series_of"]

SERIES_PER_SERVICE = 1000
FAULT_MINUTES = 15
"""Before the last sample; a sixth of the requests was answered with an error from there on."""

_INSTANCES = 4
_ROUTES = ("/carts/{id}", "/items", "/login", "/orders", "/orders/{id}")
_STATUSES = {"200": 0.985, "404": 0.010, "500": 0.005}
_STATUSES_AT_FAULT = {"200": 0.660, "404": 0.010, "500": 0.330}
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_USUAL_SECONDS, _SLOW_SECONDS = 0.04, 1.6
_POOL = 20
_QUEUES = 26
_SNAPPY_HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}

_Floats = np.ndarray[Any, np.dtype[np.float64]]
_Series = tuple[dict[str, str], _Floats]


@dataclass(frozen=True, slots=True)
class Made:
    """What is made, all of it decided by these numbers."""

    series: int
    end_seconds: int
    """Time of the last sample, since the epoch."""
    minutes: int
    interval_seconds: int

    @property
    def services(self) -> int:
        """How many services there are."""
        return max(self.series // SERIES_PER_SERVICE, 1)

    @property
    def broken(self) -> str:
        """Name of the service that has the fault."""
        return self.name(self.services * 3 // 5)

    @property
    def times(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Times of the samples, in ms since the epoch."""
        count = self.minutes * 60 // self.interval_seconds + 1
        back = np.arange(count - 1, -1, -1, dtype=np.int64) * self.interval_seconds
        return (self.end_seconds - back) * 1000

    def name(self, number: int) -> str:
        """Return the name of a service."""
        return f"shop-{number:04d}"


def series_of(made: Made, number: int) -> Iterator[_Series]:
    """Yield labels and values of one service's series."""
    name = made.name(number)
    rng = np.random.default_rng(number)
    times = made.times
    begin = (made.end_seconds - FAULT_MINUTES * 60) * 1000
    broken = (times > begin) & (name == made.broken)
    for instance in range(_INSTANCES):
        own = {"job": name, "instance": f"10.{number // 250}.{number % 250}.{instance + 1}:8080"}
        for labels, values in _instance(made, rng, broken):
            yield own | labels, values


def _instance(made: Made, rng: np.random.Generator, broken: Any) -> Iterator[_Series]:
    requests = np.zeros(len(broken))
    for route in _ROUTES:
        rate = rng.uniform(0.5, 5.0) * made.interval_seconds
        asked = rng.poisson(rate, len(broken)).astype(np.float64)
        requests += asked
        for status, share in _STATUSES.items():
            shares = np.where(broken, _STATUSES_AT_FAULT[status], share)
            answered = rng.binomial(asked.astype(np.int64), shares).astype(np.float64)
            yield from _histogram(answered, broken, http_route=route, status=status)
    yield from _pool(requests, broken, rng)
    yield from _process(made, requests, rng)


def _histogram(
    answered: _Floats, broken: Any, *, http_route: str, status: str
) -> Iterator[_Series]:
    labels = {
        "http_request_method": "GET",
        "http_response_status_code": status,
        "http_route": http_route,
    }
    name = "http_server_request_duration_seconds"
    mean = np.where(broken, _SLOW_SECONDS, _USUAL_SECONDS)
    for bound in _BOUNDS:
        below = np.cumsum(answered * (1 - np.exp(-bound / mean)))
        yield {"__name__": f"{name}_bucket", "le": f"{bound:g}", **labels}, np.floor(below)
    count = np.cumsum(answered)
    yield {"__name__": f"{name}_bucket", "le": "+Inf", **labels}, count
    yield {"__name__": f"{name}_count", **labels}, count
    yield {"__name__": f"{name}_sum", **labels}, np.cumsum(answered * mean)


def _pool(requests: _Floats, broken: Any, rng: np.random.Generator) -> Iterator[_Series]:
    steps = len(requests)
    used = np.where(broken, _POOL, rng.integers(2, 7, steps)).astype(np.float64)
    waiting = np.where(broken, rng.integers(15, 40, steps), 0).astype(np.float64)
    held = requests * np.where(broken, 1.5, 0.03) * rng.uniform(0.9, 1.1, steps)
    timeouts = np.where(broken, np.floor(requests * 0.3), 0.0)
    pool = {"pool_name": "main"}
    prefix = "db_client_connection"
    yield {"__name__": f"{prefix}_count", "state": "used", **pool}, used
    yield {"__name__": f"{prefix}_count", "state": "idle", **pool}, _POOL - used
    yield {"__name__": f"{prefix}_max", **pool}, np.full(steps, float(_POOL))
    yield {"__name__": f"{prefix}_pending_requests", **pool}, waiting
    yield {"__name__": f"{prefix}_timeouts_total", **pool}, np.cumsum(timeouts)
    yield {"__name__": f"{prefix}_use_time_seconds_sum", **pool}, np.cumsum(held)
    yield {"__name__": f"{prefix}_use_time_seconds_count", **pool}, np.cumsum(requests)


def _process(made: Made, requests: _Floats, rng: np.random.Generator) -> Iterator[_Series]:
    steps = len(requests)
    exposed = SERIES_PER_SERVICE // _INSTANCES - 2
    busy = np.cumsum(requests * 0.004 + rng.uniform(0.1, 0.3, steps))
    memory = np.round(3e8 + 2e7 * rng.random(steps))
    started = float(made.end_seconds - 86_400 * int(rng.integers(2, 30)))
    yield {"__name__": "up"}, np.ones(steps)
    yield {"__name__": "scrape_samples_post_metric_relabeling"}, np.full(steps, float(exposed))
    yield {"__name__": "process_cpu_seconds_total"}, busy
    yield {"__name__": "process_resident_memory_bytes"}, memory
    yield {"__name__": "process_open_fds"}, rng.integers(40, 60, steps).astype(np.float64)
    yield {"__name__": "process_start_time_seconds"}, np.full(steps, started)
    yield {"__name__": "process_threads"}, rng.integers(30, 34, steps).astype(np.float64)
    for queue in range(_QUEUES):
        length = rng.poisson(rng.uniform(0.5, 8.0), steps).astype(np.float64)
        yield {"__name__": "worker_queue_length", "queue": f"q{queue:02d}"}, length


# Remote write --------------------------------------------------------------------------------


def request_of(made: Made, number: int) -> bytes:
    """Return the write request with one service's series, before compression.

    Sixty million samples are too many for one object each: those of a series have the same length
    on the wire, so they are laid out as rows of an array.
    """
    rows = _rows(made.times)
    parts: list[bytes] = []
    for labels, values in series_of(made, number):
        rows["value"] = values
        parts.append(_field(1, _labels(labels) + rows.tobytes()))
    return b"".join(parts)


def _rows(times: np.ndarray[Any, np.dtype[np.int64]]) -> Any:
    """Return samples without values: field 2 of 16 bytes, in it a double and a 6-byte varint."""
    layout = [("head", "V3"), ("value", "<f8"), ("mark", "V1"), ("time", "u1", (6,))]
    rows = np.zeros(len(times), np.dtype(layout))
    rows["head"], rows["mark"] = b"\x12\x10\x09", b"\x10"
    groups = (times[:, None] >> (7 * np.arange(6))) & 0x7F
    groups[:, :5] |= 0x80
    rows["time"] = groups.astype(np.uint8)
    return rows


def _labels(labels: Mapping[str, str]) -> bytes:
    pairs = sorted(labels.items())
    return b"".join(_field(1, _field(1, k.encode()) + _field(2, v.encode())) for k, v in pairs)


def _field(number: int, body: bytes) -> bytes:
    length, left = bytearray(), len(body)
    while left > 0x7F:
        length.append(left & 0x7F | 0x80)
        left >>= 7
    length.append(left)
    return bytes((number << 3 | 2, *length)) + body


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--series", type=int, required=True)
    parser.add_argument("--end", type=int, required=True, help="time of the last sample")
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--interval", type=int, default=60, help="seconds between samples")
    options = parser.parse_args()
    made = Made(options.series, options.end, options.minutes, options.interval)
    with httpx2.Client(base_url=options.url, trust_env=False, timeout=120) as client:
        for number in range(made.services):
            body = bytes(cramjam.snappy.compress_raw(request_of(made, number)))
            answer = client.post("/api/v1/write", content=body, headers=_SNAPPY_HEADERS)
            if answer.status_code != 204:
                raise SystemExit(f"the server refused {made.name(number)}: {answer.text}")


if __name__ == "__main__":
    _main()
