"""How fast traces are listed and read: a real server on a database of many sessions.

    python -m benchmarks.trace_api
    python -m benchmarks.trace_api --sessions 20000 --keep build/traces

Sessions have about 7 kB of documents each; 100 of them are copies of a whole recorded diagnosis,
which is what `read, recorded` reads. Times are those of one client that asks one after another.
"""

import argparse
import http.client
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.service import serving
from benchmarks.trace_rows import Made, make_database

__all__ = ["main"]

_TIMES = 200
"""Requests of each kind."""

Ask = Callable[[random.Random], str]
"""Draws a path."""


def main() -> None:
    """Make the database, start the server, print p50 and p95 of each filter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="Folder of the database, used again.")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="superbiz-traces-") as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        made = make_database(folder, given.sessions)
        with serving(None, folder, SUPERBIZ_SERVICE__REQUESTS_PER_MINUTE="1000000") as service:
            found = dict(_measured(service.port, made))
    if given.json:
        print(json.dumps(found))
        return
    print(f"{made.sessions:,} sessions, {made.invocations:,} calls, {made.bytes / 2**20:,.0f} MiB")
    for name, (p50, p95, size) in found.items():
        print(f"{name:<28} p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   {size / 1024:8.1f} kB")


def _measured(port: int, made: Made) -> Iterator[tuple[str, tuple[float, float, float]]]:
    client = http.client.HTTPConnection("127.0.0.1", port)
    for name, ask in _kinds(made).items():
        draw = random.Random(name)  # noqa: S311 - repeatable, not secret
        times: list[float] = []
        sizes: list[int] = []
        for _ in range(_TIMES):
            path = ask(draw)
            began = time.perf_counter()
            client.request("GET", path)
            answer = client.getresponse()
            sizes.append(len(answer.read()))
            times.append((time.perf_counter() - began) * 1000)
            if answer.status != http.client.OK:
                raise RuntimeError(f"{path} answered {answer.status}")
        cuts = statistics.quantiles(times, n=100)
        yield name, (cuts[49], cuts[94], statistics.mean(sizes))
    yield "list, page after page", _walked(client)


def _walked(client: http.client.HTTPConnection) -> tuple[float, float, float]:
    cursor: str | None = ""
    times: list[float] = []
    size = 0
    while cursor is not None and len(times) < _TIMES:
        began = time.perf_counter()
        client.request("GET", "/api/traces?" + urlencode({"limit": 100, "cursor": cursor}))
        body = client.getresponse().read()
        times.append((time.perf_counter() - began) * 1000)
        size += len(body)
        cursor = json.loads(body)["data"]["next_cursor"]
    cuts = statistics.quantiles(times, n=100)
    return cuts[49], cuts[94], size / len(times)


def _kinds(made: Made) -> dict[str, Ask]:
    def listed(**drawn: Callable[[random.Random], object]) -> Ask:
        return lambda draw: "/api/traces?" + urlencode({k: f(draw) for k, f in drawn.items()})

    def among(values: tuple[str, ...]) -> Callable[[random.Random], str]:
        return lambda draw: draw.choice(values)

    verdicts = among(("root_cause_found", "likely", "healthy", "inconclusive"))
    gates, channels = among(("PASS", "WARN", "FAIL")), among(("CHAT", "AIOPS"))
    statuses = among(("completed", "failed", "cancelled", "queued"))
    return {
        "list": listed(),
        "list of 500": listed(limit=lambda _: 500),
        "channel": listed(channel=channels),
        "verdict": listed(verdict=verdicts),
        "gate": listed(gate=gates),
        "status": listed(status=statuses),
        "tool": listed(tool=among(made.tools)),
        "tool that nobody called": listed(tool=lambda _: "nobody"),
        "service": listed(service=among(made.services)),
        "service that is unknown": listed(service=lambda _: "nobody"),
        "conversation": listed(conversation=among(made.conversations)),
        "incident": listed(incident=among(made.incidents)),
        "since": listed(since=among(made.times)),
        "until": listed(until=among(made.times)),
        "channel, verdict, gate": listed(channel=channels, verdict=verdicts, gate=gates),
        "nothing fits": listed(
            channel=lambda _: "CHAT", verdict=lambda _: "healthy", gate=lambda _: "FAIL"
        ),
        "tool, verdict, until": listed(
            tool=among(made.tools), verdict=verdicts, until=among(made.times)
        ),
        "service, gate": listed(service=among(made.services), gate=gates),
        "read": lambda draw: f"/api/traces/{draw.choice(made.ids)}",
        "read, recorded": lambda draw: f"/api/traces/{draw.choice(made.recorded)}",
        "read, verified": lambda draw: f"/api/traces/{draw.choice(made.recorded)}?verify=1",
        "evidence": lambda draw: "/api/traces/{}/evidence/{}".format(*draw.choice(made.calls)),
    }


if __name__ == "__main__":
    main()
