"""Turn a run's raw data into a bundle, with the product's own recorder.

The recorder reads a Prometheus. For a finished run one is started again on a copy of the run's
data, with the run's rules and no targets, so that a bundle can be cut as often as needed.
"""

import asyncio
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lab.faults import FAULTS, Cause, Setting, Truth, fault_of
from lab.names import Names, names_of
from lab.processes import ProcessError, free_ports, spawn, stop_all, wait_http
from lab.scenarios import Timeline, read_timeline
from lab.timing import RECORD
from superbizagent.evaluation.truth import TRUTH_FILE

__all__ = [
    "Cut",
    "changes_until",
    "cut",
    "cut_finished_run",
    "pack",
    "plan_cut",
    "recorded_span",
    "superbiz",
    "truth_text",
    "write_windows",
]

_BASELINE_SECONDS = 18.5 * 60
"""Kept of the healthy time before a fault: what a baseline needs, without the first minute of a
fresh system."""
_HEALTHY_SECONDS = 46 * 60.0
"""Kept of a healthy run: its last part."""
_PLAIN_LOG_BYTES = 80_000
_BEFORE_WINDOWS = timedelta(minutes=5)
"""Of a healthy recording, to compare its windows with."""
_OFFLINE_CONFIG = """
global: {{scrape_interval: {scrape_seconds}s, evaluation_interval: 1d}}
rule_files: [{rules}]
"""


@dataclass(frozen=True, kw_only=True)
class Cut:
    """What to cut out of a run."""

    names: Names
    start: float
    end: float
    alert: Path | None = None
    truth: Truth | None = None
    injected_at: float = 0.0
    decoy: str = ""


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
    names = names_of(timeline.seed)
    if timeline.scenario not in FAULTS:
        # MariaDB writes whole seconds: the lines of its stop must not look as if before the end.
        end = timeline.ended_at - 2.0
        start = max(timeline.started_at, end - _HEALTHY_SECONDS)
        return Cut(names=names, start=start, end=end)
    setting = Setting(names=names, seed=timeline.seed)
    earliest = timeline.started_at
    return Cut(
        names=names,
        start=max(earliest, timeline.injected_at - _BASELINE_SECONDS),
        end=timeline.ended_at,
        alert=run / "webhook" / timeline.alert_file,
        truth=fault_of(timeline.scenario, setting, also=timeline.also).truth,
        injected_at=timeline.injected_at,
        decoy=timeline.decoy,
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
    arguments += [part for name in what.names.monitored for part in ("--service", name)]
    for log in sorted((run / "logs").glob("*.log")):
        arguments += ["--logs", f"{log.stem}={log}"]
    topology = run / "topology.yaml"
    topology.write_text(what.names.topology())
    arguments += ["--log-tz", "UTC", "--topology", str(topology)]
    arguments += ["--changes", str(changes_until(run, what.end))]
    arguments += ["--from", _iso(what.start), "--to", _iso(what.end)]
    if what.alert is not None:
        arguments += ["--alert", str(what.alert)]
    result = superbiz(*arguments)
    if result.returncode != 0:
        raise ProcessError(f"superbiz record failed: {result.stderr.strip()}")
    if what.truth is not None:
        (out / TRUTH_FILE).write_text(truth_text(what.truth, what))
    return result.stdout


def changes_until(run: Path, end: float) -> Path:
    """Write what had changed by the end of a cut: a fault may be cleared by a deploy."""
    lines = (run / "changes.jsonl").read_text().splitlines(keepends=True)
    known = run / "changes-until.jsonl"
    known.write_text(
        "".join(
            line
            for line in lines
            if datetime.fromisoformat(json.loads(line)["at"]).timestamp() <= end
        )
    )
    return known


def pack(bundle: Path) -> None:
    """Compress the large logs of a bundle, which are read as well as plain ones."""
    for log in sorted((bundle / "logs").glob("*.log")):
        if log.stat().st_size > _PLAIN_LOG_BYTES:
            packed = log.with_name(f"{log.name}.gz")
            packed.write_bytes(gzip.compress(log.read_bytes(), mtime=0))
            log.unlink()


def write_windows(recording: Path, first: int, *, count: int, length: timedelta) -> list[Path]:
    """Write cases of a healthy recording: its last windows, each asked about another service.

    Args:
        recording: of a healthy time; the cases become folders beside it, `healthy-<n>`.
        first: number of the first case.
        count: number of cases.
        length: of a window.

    Raises:
        ProcessError: when it is too short for so many, or a case is there already.
    """
    start, end = recorded_span(recording)
    if end - count * length - start < _BEFORE_WINDOWS:
        raise ProcessError(f"{recording} is too short for {count} windows; record more minutes")
    services = json.loads((recording / "source.json").read_text())["services"]
    cases: list[Path] = []
    for number in range(count):
        until = end - (count - 1 - number) * length
        case = recording.parent / f"healthy-{first + number:02}"
        if case.exists():
            raise ProcessError(f"{case} exists; choose another --first, or remove it")
        case.mkdir()
        since = (until - length).isoformat(timespec="milliseconds")
        (case / TRUTH_FILE).write_text(
            "healthy: true\n"
            f"recording: ../{recording.name}\n"
            f"asked: {{service: {services[number % len(services)]}, from: '{since}',"
            f" to: '{until.isoformat(timespec='milliseconds')}'}}\n"
        )
        cases.append(case)
    return cases


def truth_text(truth: Truth, what: Cut) -> str:
    """Return the content of `truth.yaml`."""
    lines = [f"{key}: {value}" for key, value in _answer(truth).items()]
    lines.append(f"started_at: {_iso(what.injected_at)}")
    for more in truth.also:
        fields = ", ".join(f"{key}: {value}" for key, value in _answer(more).items())
        lines += ["also:", f"  - {{{fields}}}"]
    if what.decoy:
        lines.append(f"decoy: a harmless deploy of {what.decoy}")
    return "\n".join([*lines, ""])


def _answer(truth: Truth) -> dict[str, str]:
    kinds, entities = truth.fault_kinds, [_entity(cause) for cause in truth.entities]
    return {
        "fault_kind": kinds[0] if len(kinds) == 1 else _list(kinds),
        "entity": entities[0] if len(entities) == 1 else _list(entities),
        "cause": json.dumps(truth.cause),
    }


def _entity(cause: Cause) -> str:
    return f"{{kind: {cause.kind}, name: {cause.name}}}"


def _list(items: Sequence[str]) -> str:
    return f"[{', '.join(items)}]"


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
