"""Turn a run's raw data into a bundle, with the product's own recorder.

The recorder reads a Prometheus. For a finished run one is started again on a copy of the run's
data, with the run's rules and no targets, so that a bundle can be cut as often as needed.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.faults import FAULTS, Truth
from lab.processes import ProcessError, free_ports, spawn, stop_all, wait_http
from lab.scenarios import Timeline, read_timeline
from lab.timing import RECORD

__all__ = ["Cut", "cut", "cut_finished_run", "plan_cut", "recorded_span", "superbiz"]

_LAB = Path(__file__).parent
_BASELINE_SECONDS = 18.5 * 60
"""Kept of the healthy time before a fault: what a baseline needs, without the first minute of a
fresh system."""
_HEALTHY_SECONDS = 46 * 60.0
"""Kept of a healthy run: its last part."""
_SERVICES = ("order-service", "storefront", "mysql", "node")
_OFFLINE_CONFIG = """
global: {{scrape_interval: {scrape_seconds}s, evaluation_interval: 1d}}
rule_files: [{rules}]
"""


@dataclass(frozen=True, kw_only=True)
class Cut:
    """What to cut out of a run."""

    start: float
    end: float
    alert: Path | None = None
    truth: Truth | None = None
    injected_at: float = 0.0


def superbiz(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the product's command of this environment, with a database that is thrown away."""
    program = Path(sys.executable).with_name("superbiz")
    with tempfile.TemporaryDirectory(prefix="superbiz-lab-") as data:
        environment = {**os.environ, "SUPERBIZ_DATA_DIR": data, "SUPERBIZ_DATABASE_URL": ""}
        return subprocess.run(
            [program, *arguments], env=environment, capture_output=True, text=True, check=False
        )


async def cut_finished_run(run: Path, out: Path) -> str:
    """Write the bundle of a finished run; return the recorder's list of files.

    Raises:
        ProcessError: when the recorder fails.
    """
    timeline = read_timeline(run)
    async with _prometheus_of(run) as url:
        return await asyncio.to_thread(cut, run, out, url, plan_cut(run, timeline))


def plan_cut(run: Path, timeline: Timeline) -> Cut:
    """Return the span of a run that its bundle holds."""
    fault = FAULTS.get(timeline.scenario)
    if fault is None:
        # MariaDB writes whole seconds: the lines of its stop must not look as if before the end.
        end = timeline.ended_at - 2.0
        return Cut(start=max(timeline.started_at, end - _HEALTHY_SECONDS), end=end)
    earliest = timeline.started_at
    return Cut(
        start=max(earliest, timeline.injected_at - _BASELINE_SECONDS),
        end=timeline.ended_at,
        alert=run / "webhook" / timeline.alert_file,
        truth=fault.truth,
        injected_at=timeline.injected_at,
    )


def recorded_span(bundle: Path) -> tuple[datetime, datetime]:
    """Return from when to when a bundle was recorded."""
    source = json.loads((bundle / "source.json").read_text())
    return datetime.fromisoformat(source["from"]), datetime.fromisoformat(source["to"])


def cut(run: Path, out: Path, prometheus_url: str, what: Cut) -> str:
    """Record a span of a run into a bundle; return the recorder's list of files.

    Raises:
        ProcessError: when the recorder fails.
    """
    arguments = ["record", "--prometheus", prometheus_url, "--out", str(out)]
    arguments += [part for name in _SERVICES for part in ("--service", name)]
    for log in sorted((run / "logs").glob("*.log")):
        arguments += ["--logs", f"{log.stem}={log}"]
    arguments += ["--log-tz", "UTC", "--topology", str(_LAB / "topology.yaml")]
    arguments += ["--changes", str(run / "changes.jsonl")]
    arguments += ["--from", _iso(what.start), "--to", _iso(what.end)]
    if what.alert is not None:
        arguments += ["--alert", str(what.alert)]
    result = superbiz(*arguments)
    if result.returncode != 0:
        raise ProcessError(f"superbiz record failed: {result.stderr.strip()}")
    if what.truth is not None:
        (out / "truth.yaml").write_text(_truth(what.truth, what.injected_at))
    return result.stdout


def _truth(truth: Truth, injected_at: float) -> str:
    return (
        f"fault_kind: {truth.fault_kind}\n"
        f"entity: {{kind: {truth.entity_kind}, name: {truth.entity}}}\n"
        f"cause: {truth.cause}\n"
        f"started_at: {_iso(injected_at)}\n"
        f"alerts: [{', '.join(sorted(truth.alerts))}]\n"
    )


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


@asynccontextmanager
async def _prometheus_of(run: Path) -> AsyncGenerator[str, None]:
    copy = run / "reading"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(run / "prometheus", copy / "data", ignore=shutil.ignore_patterns("lock"))
    config = copy / "prometheus.yml"
    config.write_text(
        _OFFLINE_CONFIG.format(scrape_seconds=RECORD.scrape_seconds, rules=run / "rules.yml")
    )
    [port] = free_ports(1)
    process = spawn(
        "prometheus",
        [
            "prometheus", f"--config.file={config}", f"--storage.tsdb.path={copy / 'data'}",
            "--storage.tsdb.retention.time=100y", f"--web.listen-address=127.0.0.1:{port}",
        ],
        output=copy / "output.txt",
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        await wait_http(f"{url}/-/ready", process=process)
        yield url
    finally:
        await asyncio.to_thread(stop_all, [process])
        shutil.rmtree(copy, ignore_errors=True)
