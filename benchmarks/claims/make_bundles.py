"""Write the small synthetic incidents that the measurement of statements reads.

Each of them holds one trap for a hasty reader: one pod of five, an error that was always there,
databases with almost the same name, a deployment that came after the symptom. The same bytes come
out of every run::

    python benchmarks/claims/make_bundles.py [FOLDER]
"""

import json
import math
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

__all__ = ["BUNDLES", "Bundle", "write"]

FOLDER = Path(__file__).parent / "bundles"
MINUTES = 36
"""How long each recording is."""

Shape = Callable[[float], float]
"""Minutes since the start of the recording -> level of a gauge, or rate per second of a counter."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One series; a counter adds up its shape, a gauge shows it."""

    name: str
    labels: dict[str, str]
    shape: Shape
    counter: bool = False
    digits: int = 0
    noise: float = 0.04
    """Half width of the noise, as share of the level."""


@dataclass(frozen=True, slots=True)
class Message:
    """One kind of record of one log, written every ``every`` seconds (give or take a quarter)."""

    service: str
    text: str
    """With ``{n}``, some number, and ``{ms}``, the value of ``ms`` with noise."""
    every: float
    after: float = 0.0
    until: float = math.inf
    """Minutes since the start of the recording."""
    ms: Shape = lambda _: 0.0


@dataclass(frozen=True, slots=True)
class Bundle:
    """One recorded incident."""

    name: str
    start: datetime
    step: int
    """Seconds between two scrapes."""
    alert: tuple[str, str, str]
    """Name, service and severity."""
    summary: str
    alert_at: float
    """Minutes since the start."""
    calls: Mapping[str, Sequence[str]]
    """Who calls whom; what ends in ``-db`` or ``-replica`` is a database."""
    metrics: Sequence[Metric]
    messages: Sequence[Message]
    changes: Sequence[tuple[float, str, str]] = ()
    """Minutes since the start, service, version that was deployed."""


def flat(level: float) -> Shape:
    """Stay at one level."""
    return lambda _: level


def step(before: float, after: float, at: float, until: float = math.inf) -> Shape:
    """Change the level at ``at`` and, if it ends, change it back at ``until`` (minutes)."""
    return lambda minute: after if at <= minute < until else before


def write(bundle: Bundle, folder: Path) -> None:
    """Write one incident into ``folder``."""
    logs = folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    _write(folder / "alert.json", json.dumps(_alert(bundle), indent=1) + "\n")
    _write(folder / "metrics.csv", "\n".join(_rows(bundle)) + "\n")
    _write(folder / "topology.yaml", "".join(_topology(bundle)))
    _write(folder / "changes.jsonl", "".join(_changes(bundle)))
    source = {
        "from": _iso(bundle.start),
        "log_timezone": "UTC",
        "scrape_interval_seconds": bundle.step,
        "server": "prometheus",
        "to": _iso(_at(bundle, MINUTES)),
        "version": "3.5.0",
    }
    _write(folder / "source.json", json.dumps(source, indent=1) + "\n")
    for service in dict.fromkeys(message.service for message in bundle.messages):
        _write(logs / f"{service}.log", "".join(_lines(bundle, service)))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _at(bundle: Bundle, minute: float) -> datetime:
    return bundle.start + timedelta(minutes=minute)


def _iso(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}Z"


def _noise(key: str) -> float:
    """Return a number in [-1, 1) that depends on ``key`` alone, on every platform."""
    return zlib.crc32(key.encode()) / 2**31 - 1


def _alert(bundle: Bundle) -> dict[str, object]:
    name, service, severity = bundle.alert
    labels = {"alertname": name, "service": service, "severity": severity}
    one = {
        "status": "firing",
        "labels": labels,
        "annotations": {"summary": bundle.summary},
        "startsAt": _iso(_at(bundle, bundle.alert_at)),
        "endsAt": "0001-01-01T00:00:00Z",
        "fingerprint": f"{zlib.crc32(bundle.name.encode()):016x}",
    }
    return {
        "version": "4",
        "receiver": "on-call",
        "status": "firing",
        "alerts": [one],
        "groupLabels": {"alertname": name},
        "commonLabels": labels,
    }


def _topology(bundle: Bundle) -> Iterator[str]:
    yield "services:\n"
    for name, callees in bundle.calls.items():
        kind = "database" if name.endswith(("-db", "-replica")) else "service"
        yield f"  {name}:\n    kind: {kind}\n"
        yield f"    calls: [{', '.join(callees)}]\n"


def _changes(bundle: Bundle) -> Iterator[str]:
    for minute, service, version in bundle.changes:
        row = {"at": _iso(_at(bundle, minute)), "entity": service, "kind": "deployment"}
        yield json.dumps(row | {"revision": version, "summary": f"{service} {version}"}) + "\n"


def _rows(bundle: Bundle) -> Iterator[str]:
    yield "time,name,labels,value"
    for metric in bundle.metrics:
        labels = ",".join(f'{key}=""{value}""' for key, value in sorted(metric.labels.items()))
        # A counter that was running before the recording does not begin at nothing.
        total = 3600 * metric.shape(0.0) if metric.counter else 0.0
        for scrape in range(MINUTES * 60 // bundle.step + 1):
            minute = scrape * bundle.step / 60
            level = metric.shape(minute)
            level *= 1 + metric.noise * _noise(f"{metric.name}{labels}{scrape}")
            if metric.counter:
                total += level * bundle.step
                level = total
            time = _iso(_at(bundle, minute))
            yield f'{time},{metric.name},"{labels}",{round(level, metric.digits):.{metric.digits}f}'


def _lines(bundle: Bundle, service: str) -> Iterator[str]:
    found: list[tuple[datetime, str]] = []
    for message in bundle.messages:
        if message.service == service:
            found += _records(bundle, message)
    for at, text in sorted(found):
        yield f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z {text}\n"


def _records(bundle: Bundle, message: Message) -> Iterator[tuple[datetime, str]]:
    end = min(message.until, MINUTES)
    for n in range(int((end - message.after) * 60 / message.every)):
        shift = 0.25 * _noise(f"{message.text}{n}")
        minute = message.after + (n + 0.5 + shift) * message.every / 60
        ms = message.ms(minute) * (1 + 0.2 * _noise(f"ms{message.text}{n}"))
        text = message.text.format(n=1000 + zlib.crc32(f"{n}".encode()) % 9000, ms=round(ms))
        yield _at(bundle, minute), text


def _served(service: str, rate: float, errors: Shape, seconds: Shape) -> list[Metric]:
    """Return a server's metrics: successes and failures per second, mean seconds of a request."""
    labels = {"service": service}
    busy: Shape = lambda minute: rate * seconds(minute)  # noqa: E731 - it says more in one line
    name = "http_server_request_duration_seconds_sum"
    return [
        *_counted(labels, rate, errors),
        Metric(name, labels | {_CODE: "200"}, busy, counter=True, digits=2),
    ]


_CODE = "http_response_status_code"


def _counted(labels: dict[str, str], rate: float, errors: Shape) -> list[Metric]:
    name = "http_server_request_duration_seconds_count"
    return [
        Metric(name, labels | {_CODE: "200"}, flat(rate), counter=True),
        Metric(name, labels | {_CODE: "500"}, errors, counter=True),
    ]


def _cpu(service: str, cores: Shape) -> Metric:
    name = "process_cpu_seconds_total"
    return Metric(name, {"service": service}, cores, counter=True, digits=2)


def _requests(service: str, logger: str, call: str, every: float, ms: Shape) -> Message:
    """Return the access log of a service."""
    text = f"INFO [{logger}] request {call} duration_ms={{ms}}"
    return Message(service, text, every, ms=ms)


def _queries(service: str, running: Shape, waits: Shape, per_second: Shape) -> list[Metric]:
    """Return what the exporter of a MySQL server tells."""
    labels, name = {"service": service}, "mysql_global_status_{}"
    return [
        Metric(name.format("threads_running"), labels, running, noise=0.15),
        Metric(name.format("innodb_row_lock_current_waits"), labels, waits, noise=0.1),
        Metric(name.format("questions"), labels, per_second, counter=True),
    ]


def _one_pod() -> Bundle:
    """One pod of five burns its processor and fails; the other four are as ever."""
    at = 22.0
    metrics: list[Metric] = []
    for k in range(5):
        labels = {"service": "catalog-api", "pod": f"catalog-api-{k}"}
        cores = step(0.21, 0.97, at) if k == 3 else flat(0.2 + 0.01 * k)
        errors = step(0.0, 2.4, at) if k == 3 else flat(0.0)
        name = "container_cpu_usage_seconds_total"
        metrics.append(Metric(name, labels, cores, counter=True, digits=2))
        metrics += _counted(labels, 12.0, errors)
    metrics += _served("gateway", 60.0, step(0.0, 2.4, at), flat(0.07))
    metrics += _queries("catalog-db", flat(4.0), flat(0.0), flat(310.0))[::2]
    get = "GET /items/{n} status=200"
    messages = [
        _requests("catalog-api", "catalog.http", f"pod=catalog-api-{k} {get}", 60, flat(50))
        for k in range(5)
    ]
    pricing = "ERROR [catalog.pricing] pod=catalog-api-3 price rules exceeded 2000 ms item={n}"
    upstream = "WARN [gateway.proxy] upstream catalog-api answered 500 item={n}"
    messages += [Message("catalog-api", pricing, 8, at), Message("gateway", upstream, 10, at)]
    return Bundle(
        name="one-pod",
        start=datetime(2026, 3, 11, 9, 10, tzinfo=UTC),
        step=60,
        alert=("HighErrorRate", "catalog-api", "critical"),
        summary="4 % of the requests to catalog-api fail",
        alert_at=at + 3,
        calls={"gateway": ["catalog-api"], "catalog-api": ["catalog-db"], "catalog-db": []},
        metrics=metrics,
        messages=messages,
    )


def _known_error() -> Bundle:
    """An old error keeps its pace; a new one comes with the failures."""
    at = 22.0
    rates = {"service": "shipping-api", "server_address": "rates-api"}
    metrics = [
        *_served("shipping-api", 20.0, step(0.05, 4.0, at), flat(0.08)),
        _cpu("shipping-api", flat(0.35)),
        Metric("process_resident_memory_bytes", {"service": "shipping-api"}, flat(412e6)),
        *_served("storefront", 45.0, step(0.0, 3.9, at), flat(0.12)),
        Metric("http_client_request_duration_seconds_count", rates, flat(1.5), counter=True),
    ]
    old = "ERROR [shipping.rates] refresh failed: rates-api answered 429, keeping table {n}"
    new = "ERROR [shipping.labels] label for parcel {n} was refused: field customs_code is missing"
    seen = "ERROR [storefront.web] no shipping label for order {n}: 500"
    messages = [
        Message("shipping-api", old, 20),
        Message("shipping-api", new, 4, at),
        _requests("shipping-api", "shipping.http", "POST /labels status=201", 12, flat(80)),
        _requests("storefront", "storefront.web", "GET /cart/{n} status=200", 15, flat(120)),
        Message("storefront", seen, 9, at),
    ]
    return Bundle(
        name="known-error",
        start=datetime(2026, 4, 22, 13, 35, tzinfo=UTC),
        step=60,
        alert=("HighErrorRate", "shipping-api", "critical"),
        summary="17 % of the requests to shipping-api fail",
        alert_at=at + 3,
        calls={"storefront": ["shipping-api"], "shipping-api": ["rates-api"], "rates-api": []},
        metrics=metrics,
        messages=messages,
    )


def _two_databases() -> Bundle:
    """Of ``order-db``, ``orders-db`` and ``orders-db-replica`` only the second one suffers."""
    at = 22.0
    metrics = [
        *_served("orders-service", 18.0, flat(0.0), step(0.06, 1.9, at)),
        *_served("order-service", 25.0, flat(0.0), flat(0.045)),
        *_queries("orders-db", step(5.0, 46.0, at - 1), step(0.0, 38.0, at - 1), flat(240.0)),
        *_queries("orders-db-replica", flat(3.0), flat(0.0), flat(150.0)),
        *_queries("order-db", flat(6.0), flat(0.0), flat(330.0)),
    ]
    waited = "WARN [orders.store] order {n} waited for a row lock on orders-db waited_ms={ms}"
    lock = "[Note] InnoDB: transaction {n} waits for lock on table orders.order_items"
    replica = "[Note] Replica I/O thread: read event group up to position {n}"
    flushed = "[Note] InnoDB: page cleaner flushed {n} pages"
    slow = step(60, 1900, at)
    messages = [
        _requests("orders-service", "orders.http", "POST /orders status=201", 10, slow),
        Message("orders-service", waited, 8, at, ms=flat(1750)),
        _requests("order-service", "order.http", "GET /order/{n} status=200", 10, flat(45)),
        Message("orders-db", lock, 12, at - 1),
        Message("orders-db-replica", replica, 60),
        Message("order-db", flushed, 60),
    ]
    return Bundle(
        name="two-databases",
        start=datetime(2026, 5, 19, 6, 20, tzinfo=UTC),
        step=60,
        alert=("HighLatency", "orders-service", "warning"),
        summary="orders-service answers in 1.9 s on average",
        alert_at=at + 4,
        calls={
            "orders-service": ["order-service", "orders-db", "orders-db-replica"],
            "order-service": ["order-db"],
        }
        | dict.fromkeys(("orders-db", "orders-db-replica", "order-db"), ()),
        metrics=metrics,
        messages=messages,
    )


def _late_deploy() -> Bundle:
    """A deployment six minutes after the symptom, and a caller that slowed down after it too."""
    at = 20.0
    index = "search-index"
    metrics = [
        *_served("search-api", 30.0, flat(0.0), step(0.09, 1.4, at))[::2],
        *_served("suggest-api", 14.0, flat(0.0), step(0.03, 0.32, at + 4))[::2],
        *_served("storefront", 50.0, flat(0.0), flat(0.11))[::2],
        _cpu("search-api", flat(0.4)),
        _cpu(index, step(0.6, 3.8, at - 1)),
        Metric("search_merge_queue_size", {"service": index}, step(1, 27, at - 1), noise=0.2),
    ]
    throttled = "WARN [index.merge] merge of segment {n} throttled, took_ms={ms}"
    refreshed = "INFO [index.refresh] refreshed shard, took_ms={ms}"
    slow, later = step(90, 1400, at), step(30, 320, at + 4)
    messages = [
        _requests("search-api", "search.http", "GET /search status=200", 10, slow),
        _requests("suggest-api", "suggest.http", "GET /suggest status=200", 15, later),
        Message(index, throttled, 9, at - 1, ms=flat(5200)),
        Message(index, refreshed, 30, ms=flat(40)),
        Message("search-api", "INFO [search.boot] version 4.8.1 started", 60, at + 6, at + 7),
    ]
    return Bundle(
        name="late-deploy",
        start=datetime(2026, 6, 3, 17, 2, tzinfo=UTC),
        step=30,
        alert=("HighLatency", "search-api", "critical"),
        summary="search-api answers in 1.4 s on average",
        alert_at=at + 3,
        calls={
            "storefront": ["search-api"],
            "suggest-api": ["search-api"],
            "search-api": [index],
            index: [],
        },
        metrics=metrics,
        messages=messages,
        changes=[(at + 6, "search-api", "4.8.1")],
    )


BUNDLES = (_one_pod(), _known_error(), _two_databases(), _late_deploy())


def main() -> None:
    """Write all of them, into the folder of the command line if there is one."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for bundle in BUNDLES:
        write(bundle, root / bundle.name)


if __name__ == "__main__":
    main()
