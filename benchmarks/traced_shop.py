"""A small shop of real servers that record spans, and a network that becomes slow.

Every service is a server of its own on loopback. After a while the connections to one of them are
delayed on their way; nothing else changes, so that its own spans stay as short as they were. What
is written is a recording for ``superbiz diagnose``.

    python -m benchmarks.traced_shop FOLDER [--healthy-minutes 12] [--broken-minutes 4]
"""

import argparse
import asyncio
import contextlib
import gzip
import itertools
import json
import random
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.proxy import Proxy

CALLS: dict[str, tuple[str, ...]] = {
    "storefront /checkout": ("order /orders",),
    "storefront /invoices": ("billing /invoices",),
    "storefront /products": ("catalog /products",),
    "order /orders": ("stock /reserve", "payment /charge"),
    "billing /invoices": ("payment /receipts",),
    "stock /reserve": ("stock-db SELECT",),
    "catalog /products": (),
    "payment /charge": (),
    "payment /receipts": (),
}
"""Which calls a service makes to answer a request, one after the other."""
WORK_MS = {
    "storefront": 2.0,
    "order": 4.0,
    "billing": 3.0,
    "catalog": 5.0,
    "stock": 3.0,
    "payment": 12.0,
}
VISITORS = ("storefront /checkout", "storefront /invoices", "storefront /products")
DATABASE_MS = 2.5
SLOW = "payment"
DELAY_SECONDS = 0.39
VISITS_PER_SECOND = 0.7
EVERY_SECONDS = 15
FIRST_PORT = 18480

_SERVER, _CLIENT = 2, 3


@dataclass
class Shop:
    """What all services share: their doors, the spans they recorded, the clock."""

    spans: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    took: list[tuple[float, str, float]] = field(default_factory=list[tuple[float, str, float]])
    """When a request ended, who answered it, after how many seconds."""
    doors: dict[str, Proxy] = field(default_factory=dict[str, Proxy])
    servers: list[asyncio.Server] = field(default_factory=list[asyncio.Server])
    work: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311

    async def open(self) -> None:
        """Start every service, each behind a door that can delay what it answers."""
        ports = itertools.count(FIRST_PORT)
        for service in WORK_MS:
            door, own = next(ports), next(ports)
            server = await asyncio.start_server(self._answering(service), "127.0.0.1", own)
            self.servers.append(server)
            self.doors[service] = Proxy(door, own)
            await self.doors[service].start()

    async def close(self) -> None:
        """Stop them."""
        for door in self.doors.values():
            await door.stop()
        for server in self.servers:
            server.close()

    async def call(self, trace: str, caller: str, parent: str, target: str) -> None:
        """Call a service over its door, and record the caller's half."""
        service, path = target.split(" ")
        span = secrets.token_hex(8)
        begin = time.time_ns()
        if service in self.doors:
            await self._ask(service, f"{path} {trace} {span}\n".encode())
            more = {"server.address": service, "http.response.status_code": 200}
        else:
            await asyncio.sleep(self._pause(DATABASE_MS))
            more = {"server.address": service, "db.system.name": "postgresql"}
        if caller:
            name = path if service not in self.doors else f"POST {path}"
            about = {"traceId": trace, "spanId": span, "parentSpanId": parent, "name": name}
            self._record(caller, about | {"kind": _CLIENT}, begin, more)

    async def _ask(self, service: str, request: bytes) -> None:
        port = self.doors[service].port
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        await reader.readline()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    def _answering(self, service: str) -> Any:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            path, trace, parent = (await reader.readline()).decode().split()
            begin, span = time.time_ns(), secrets.token_hex(8)
            await asyncio.sleep(self._pause(WORK_MS[service]))
            for target in CALLS[f"{service} {path}"]:
                await self.call(trace, service, span, target)
            more = {"http.response.status_code": 200}
            about = {"traceId": trace, "spanId": span, "name": f"POST {path}", "kind": _SERVER}
            about |= {"parentSpanId": parent} if parent != "-" else {}
            self._record(service, about, begin, more)
            self.took.append((time.time(), service, (time.time_ns() - begin) / 1e9))
            writer.write(b"200\n")
            await writer.drain()
            writer.close()

        return answer

    def _pause(self, milliseconds: float) -> float:
        return milliseconds / 1000 * self.work.lognormvariate(0, 0.3)

    def _record(
        self, service: str, about: dict[str, Any], begin: int, attributes: dict[str, Any]
    ) -> None:
        times = {"startTimeUnixNano": str(begin), "endTimeUnixNano": str(time.time_ns())}
        told = [{"key": k, "value": _value(v)} for k, v in attributes.items()]
        self.spans.append({"service": service, "span": about | times | {"attributes": told}})


def _value(value: Any) -> dict[str, str]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


async def visit(shop: Shop, seconds: float) -> None:
    """Send visitors for some time."""
    end = time.monotonic() + seconds
    under_way: set[asyncio.Task[None]] = set()
    while time.monotonic() < end:
        service, path = shop.work.choice(VISITORS).split(" ")
        request = f"{path} {secrets.token_hex(16)} -\n".encode()
        task = asyncio.create_task(shop._ask(service, request))  # noqa: SLF001
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        await asyncio.sleep(shop.work.expovariate(VISITS_PER_SECOND))
    await asyncio.gather(*under_way)


async def run(folder: Path, healthy_seconds: float, broken_seconds: float) -> None:
    """Record the shop before and while its network is slow."""
    shop = Shop()
    await shop.open()
    await visit(shop, healthy_seconds)
    broken_at = datetime.now(UTC)
    shop.doors[SLOW].answer_delay_seconds = DELAY_SECONDS
    await visit(shop, broken_seconds)
    await shop.close()
    write(folder, shop, broken_at)


def write(folder: Path, shop: Shop, broken_at: datetime) -> None:
    """Write the recording."""
    folder.mkdir(parents=True, exist_ok=True)
    traces = gzip.compress("".join(_requests(shop)).encode(), 9, mtime=0)
    (folder / "traces.jsonl.gz").write_bytes(traces)
    (folder / "metrics.csv").write_text("\n".join(_metrics(shop)) + "\n", encoding="utf-8")
    source = {"scrape_interval_seconds": EVERY_SECONDS, "services": sorted(WORK_MS)}
    (folder / "source.json").write_text(json.dumps(source, indent=2) + "\n", encoding="utf-8")
    (folder / "alert.json").write_text(
        json.dumps(_alert(broken_at), indent=2) + "\n", encoding="utf-8"
    )
    (folder / "truth.yaml").write_text(
        f"fault_kind: network_delay\n"
        f"entity: [{{kind: service, name: {SLOW}}}]\n"
        f'cause: "Answers of {SLOW} reach their callers {DELAY_SECONDS * 1000:.0f} ms late."\n'
        f"started_at: {broken_at.isoformat(timespec='milliseconds')}\n"
    )


def _requests(shop: Shop) -> list[str]:
    """Return the lines of the collector's file exporter: some spans of one service each."""
    lines: list[str] = []
    spans = sorted(shop.spans, key=lambda s: int(s["span"]["endTimeUnixNano"]))
    for start in range(0, len(spans), 200):
        some = spans[start : start + 200]
        by_service = {s: [e["span"] for e in some if e["service"] == s] for s in WORK_MS}
        resources = [
            {
                "resource": {
                    "attributes": [
                        {"key": "service.name", "value": {"stringValue": service}},
                        {"key": "k8s.pod.name", "value": {"stringValue": f"{service}-0"}},
                    ]
                },
                "scopeSpans": [{"scope": {"name": "shop"}, "spans": found}],
            }
            for service, found in by_service.items()
            if found
        ]
        lines.append(json.dumps({"resourceSpans": resources}, separators=(",", ":")) + "\n")
    return lines


def _metrics(shop: Shop) -> list[str]:
    """Return what a scrape would have shown: latency and rate of each service."""
    first, last = shop.took[0][0], shop.took[-1][0]
    rows = [
        "time,"
        + ",".join(f"{s}|request_duration_seconds_p95,{s}|requests_per_second" for s in WORK_MS)
    ]
    for end in range(int(first) + 2 * EVERY_SECONDS, int(last), EVERY_SECONDS):
        cells = [datetime.fromtimestamp(end, UTC).isoformat().replace("+00:00", "Z")]
        for service in WORK_MS:
            inside = (t for t in shop.took if end - 2 * EVERY_SECONDS < t[0] <= end)
            seconds = sorted(t[2] for t in inside if t[1] == service)
            p95 = f"{seconds[int(0.95 * (len(seconds) - 1))]:.6f}" if seconds else ""
            cells += [p95, f"{len(seconds) / (2 * EVERY_SECONDS):.6f}"]
        rows.append(",".join(cells))
    return rows


def _alert(broken_at: datetime) -> dict[str, Any]:
    fired = datetime.fromtimestamp(broken_at.timestamp() + 60, UTC)
    labels = {"alertname": "CheckoutSlow", "service": "storefront", "severity": "page"}
    return {
        "version": "4",
        "status": "firing",
        "receiver": "on-call",
        "groupKey": "{}",
        "alerts": [
            {
                "status": "firing",
                "labels": labels,
                "annotations": {"summary": "Requests to storefront are slow"},
                "startsAt": fired.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "endsAt": "0001-01-01T00:00:00Z",
            }
        ],
    }


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--healthy-minutes", type=float, default=12.0)
    parser.add_argument("--broken-minutes", type=float, default=4.0)
    given = parser.parse_args()
    asyncio.run(run(given.folder, given.healthy_minutes * 60, given.broken_minutes * 60))


if __name__ == "__main__":
    main()
