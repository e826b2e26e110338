"""What a diagnosis of a large server costs: time, memory and what is taken from the server.

``python -m benchmarks.million_series`` starts a Prometheus in a temporary folder, writes a million
active series of a thousand services into it (`benchmarks.made_series`; one of them breaks), and
runs the installed ``superbiz diagnose`` three ways: with the alert, with a question that names the
service, and with nothing. It ends with status 1 when a run passes a cap or does not find the fault
that it was told of. ``--series 5000`` shows that it works. A million take 5 GB and some minutes.

Requests and bytes are what the server counted, as sent; samples and questions are the session's.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2

from benchmarks.made_series import FAULT_MINUTES, Made
from benchmarks.processes import Usage, measure
from lab.processes import free_ports, spawn, stop_all, wait_http
from superbizagent.datasources.prometheus.limits import Limits
from superbizagent.domain.gathering import Caps, RunConfig

__all__ = ["Run", "Taken", "main"]

_SUPERBIZ = str(Path(sys.executable).with_name("superbiz"))
_LATE_MINUTES = 5
"""From the fault to the alert."""

_READ = "/api/v1/"
_COUNTER = re.compile(r'^(\w+)\{[^}]*handler="([^"]+)"[^}]*\} (\S+)$', re.MULTILINE)
_CAPS, _LIMITS = Caps(), Limits()
_DEADLINE_SECONDS: float = RunConfig.model_fields["deadline_seconds"].default
_MI = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run took from the server."""

    requests: int
    bytes_sent: int
    """Bodies of all answers, as they were sent: compressed."""
    questions: int
    most_series: int
    """Of one question."""
    most_points: float
    """Samples of a series, the mean of one question."""
    samples: int
    """That came back, of all questions."""
    longest_seconds: float
    """The slowest question."""


@dataclass(frozen=True, slots=True)
class Run:
    """One diagnosis: what it cost, took, and found."""

    way: str
    usage: Usage
    taken: Taken
    verdict: str
    first: str
    """Service and fault that the report puts first."""
    right: bool

    def passed(self) -> list[str]:
        """Return the caps that this run went beyond, as sentences."""
        taken = self.taken
        held: tuple[tuple[str, float, float], ...] = (
            ("seconds", self.usage.wall_seconds, _DEADLINE_SECONDS),
            ("questions", taken.questions, _CAPS.max_queries),
            ("series of one question", taken.most_series, _CAPS.max_series),
            ("samples of a series", taken.most_points, _CAPS.max_points),
            ("samples", taken.samples, _CAPS.max_samples),
            ("seconds of one question", taken.longest_seconds, _LIMITS.timeout_seconds),
        )
        return [f"{value:,.0f} {what}, of {cap:,.0f}" for what, value, cap in held if value > cap]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the series, run and print; return 1 when a cap was passed or a named fault missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=int, default=60, help="of samples")
    parser.add_argument("--interval", type=int, default=60, help="seconds between samples")
    options = parser.parse_args(arguments)
    if shutil.which("prometheus") is None:
        raise SystemExit("the prometheus program is missing: apt-get install prometheus")
    end = int(time.time()) // 60 * 60
    made = Made(options.series, end, options.minutes, options.interval)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _prometheus(folder) as url:
            _fill(url, made)
            runs = [_run(way, flags, url, folder, made) for way, flags in _ways(folder, made)]
    _print(runs)
    return int(any(run.passed() or not (run.right or run.way == "nothing") for run in runs))


@contextmanager
def _prometheus(folder: Path) -> Generator[str]:
    """Run a server that keeps what is written in memory, as active series are."""
    (port,) = free_ports(1)
    config = folder / "prometheus.yml"
    config.write_text("global: {scrape_interval: 60s}\n")
    command = (
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'data'}",
        # Samples are written a service at a time; those of the next are then hours older.
        "--storage.tsdb.min-block-duration=1d",
        "--storage.tsdb.max-block-duration=1d",
        f"--web.listen-address=127.0.0.1:{port}",
        "--web.enable-remote-write-receiver",
    )
    process = spawn("prometheus", command, output=folder / "prometheus.log")
    url = f"http://127.0.0.1:{port}"
    try:
        asyncio.run(wait_http(f"{url}/-/ready", process=process))
        yield url
    finally:
        stop_all([process])


def _fill(url: str, made: Made) -> None:
    """Write the series and say what the server then holds.

    Another process does it: the kernel counts this one's memory as the least of its children's.
    """
    command = [sys.executable, "-m", "benchmarks.made_series", url, "--series", str(made.series)]
    command += ["--end", str(made.end_seconds), "--minutes", str(made.minutes)]
    began = time.perf_counter()
    subprocess.run([*command, "--interval", str(made.interval_seconds)], check=True)
    seconds = time.perf_counter() - began
    status = httpx2.get(f"{url}/api/v1/status/tsdb", trust_env=False, timeout=60).json()
    held = int(status["data"]["headStats"]["numSeries"])
    points = len(made.times)
    print(
        f"{held:,} series of {made.services:,} services, {points} samples each,"
        f" {made.interval_seconds} s apart: {held * points:,} samples written in {seconds:.0f} s."
        f" {made.broken} breaks {FAULT_MINUTES} min before the end.",
        flush=True,
    )


def _ways(folder: Path, made: Made) -> Iterator[tuple[str, tuple[str, ...]]]:
    alert = folder / "alert.json"
    alert.write_text(json.dumps(_webhook(made)))
    yield "alert", ("--alert", str(alert))
    yield "question", ("--question", f"why is {made.broken} slow and failing?")
    yield "nothing", ()


def _webhook(made: Made) -> dict[str, Any]:
    """Return the alert as Alertmanager sends it, with its rule in the link."""
    own = f'{{job="{made.broken}"}}'
    rule = f'sum(db_client_connection_count{{job="{made.broken}",state="used"}})'
    rule += f" / sum(db_client_connection_max{own}) >= 0.95"
    fired = made.end_seconds - (FAULT_MINUTES - _LATE_MINUTES) * 60
    alert = {
        "status": "firing",
        "labels": {"alertname": "PoolExhausted", "job": made.broken, "severity": "critical"},
        "annotations": {"summary": "no connection is left"},
        "startsAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(fired)),
        "generatorURL": f"http://prometheus.example.com/graph?{urlencode({'g0.expr': rule})}",
    }
    return {"version": "4", "status": "firing", "alerts": [alert]}


def _run(way: str, flags: Sequence[str], url: str, folder: Path, made: Made) -> Run:
    home = folder / way
    home.mkdir()
    own = {"SUPERBIZ_DATA_DIR": str(home), "XDG_CONFIG_HOME": str(home), "TZ": "UTC"}
    environment = os.environ | own
    before = _counters(url)
    # Beside the report, standard output holds what went wrong; there is nothing else on it.
    command = [_SUPERBIZ, "diagnose", "--prometheus", url, *flags, "--lang", "en", "--json", "-q"]
    usage = measure(command, cwd=home, env=environment)
    after = _counters(url)
    if usage.status:
        raise SystemExit(f"{' '.join(command)} ended with {usage.status}: {usage.output}")
    shown = [_SUPERBIZ, "trace", "show", "last", "--json"]
    session = json.loads(subprocess.check_output(shown, cwd=home, env=environment))
    counted = {key: int(after[key] - before.get(key, 0)) for key in after}
    report: dict[str, Any] = json.loads(usage.output)["report"]
    first, right = _found(report, made)
    taken = _taken(counted, session["invocations"])
    return Run(way, usage, taken, str(report["verdict"]), first, right)


def _counters(url: str) -> dict[str, float]:
    """Return requests and bytes of answers that the server counted at its API."""
    text = httpx2.get(f"{url}/metrics", trust_env=False, timeout=60).text
    found: dict[str, float] = {}
    for name, handler, value in _COUNTER.findall(text):
        if handler.startswith(_READ):
            found[name] = found.get(name, 0.0) + float(value)
    return found


def _taken(counted: Mapping[str, int], rows: Sequence[dict[str, Any]]) -> Taken:
    stats: list[dict[str, Any]] = [row["details"].get("stats", {}) for row in rows]
    series = [int(one.get("series_returned", 0)) for one in stats]
    returned = [int(one.get("samples_returned", 0)) for one in stats]
    return Taken(
        requests=counted.get("prometheus_http_requests_total", 0),
        bytes_sent=counted.get("prometheus_http_response_size_bytes_sum", 0),
        questions=sum(row["tool_name"] == "query_metrics" for row in rows),
        most_series=max(series, default=0),
        most_points=max((s / n for s, n in zip(returned, series, strict=True) if n), default=0.0),
        samples=sum(int(one.get("samples_read", one.get("samples_returned", 0))) for one in stats),
        longest_seconds=max((row["duration_us"] for row in rows), default=0) / 1e6,
    )


def _found(report: Mapping[str, Any], made: Made) -> tuple[str, bool]:
    """Return what stands first, and whether it is the service that broke, with its fault.

    Where nothing was asked, the report names no cause, and the first deviation counts.
    """
    named, fault = report.get("entity") or "", report.get("fault_kind") or ""
    if not named:
        claims = [c for c in report["claims"] if c["section"] == "why" and c["entity"]]
        named, fault = (claims[0]["entity"] if claims else ""), ""
        return named.rpartition("/")[2] or "-", named.endswith(f"/{made.broken}")
    right = named.endswith(f"/{made.broken}") and fault == "pool_exhaustion"
    return f"{named.rpartition('/')[2]} {fault}", right


_WIDTHS = {
    "wall s": 8,
    "CPU s": 8,
    "MiB": 7,
    "requests": 10,
    "questions": 11,
    "samples": 13,
    "MB sent": 9,
    "slowest s": 11,
}


def _print(runs: Sequence[Run]) -> None:
    heads = "".join(f"{head:>{width}}" for head, width in _WIDTHS.items())
    print(f"{'':<10}{heads}  {'caps':<6}{'first':<30}right")
    for run in runs:
        usage, taken = run.usage, run.taken
        figures = (
            f"{usage.wall_seconds:.1f}",
            f"{usage.cpu_seconds:.1f}",
            f"{usage.max_rss_bytes / _MI:.0f}",
            f"{taken.requests:,}",
            f"{taken.questions:,}",
            f"{taken.samples:,}",
            f"{taken.bytes_sent / 1e6:.1f}",
            f"{taken.longest_seconds:.2f}",
        )
        cells = "".join(f"{f:>{w}}" for f, w in zip(figures, _WIDTHS.values(), strict=True))
        caps, right = "over" if run.passed() else "kept", "yes" if run.right else "no"
        print(f"{run.way:<10}{cells}  {caps:<6}{run.first:<30}{right} ({run.verdict})")
        for text in run.passed():
            print(f"  {run.way}: {text}")


if __name__ == "__main__":
    sys.exit(main())
