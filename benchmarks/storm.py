"""A storm of alerts against a real service: is each one stored, how fast, and what does it cost?

    python -m benchmarks.storm [--seed 1] [--shape mixed] [--count 10000] [--rate 500|max]

Starts `superbiz serve` on a recording of the system, lets one diagnosis learn who calls whom, and
sends the labelled storm from a separate process, one alert a request. Without `--rate` it lasts its
sixty seconds. What is lost is counted in the database, not in the answers.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.grouping import pairwise
from benchmarks.service import Service, serving
from benchmarks.storm_alerts import START, Storm, make_storm
from benchmarks.storm_faults import SHAPES
from benchmarks.storm_recording import write_recording
from benchmarks.storm_sender import Answer, Request

__all__ = ["Outcome", "run_storm"]

P99_MS, F1, SESSIONS, MESSAGES, FIRST_SECONDS = 100.0, 0.9, 8, 12, 60.0
"""What is asked for."""
_WARM_UP = "billing-report"
"""Has no part in the storm; its diagnosis learns the calls of the system."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a storm."""

    alerts: int
    accepted: int
    accepted_per_second: float
    p50_ms: float
    p99_ms: float
    longest_ms: float
    retries: int
    lost: int
    """Accepted deliveries or alerts that the database does not hold."""
    sessions: int
    reports: int
    incidents: int
    """That ask somebody to act."""
    precision: float
    recall: float
    f1: float
    first_report_seconds: float | None
    """From the first alert of an incident that is critical to its report."""
    messages: int
    server_mebibytes: float
    worker_mebibytes: float

    @property
    def misses(self) -> tuple[str, ...]:
        """What is asked for and was not reached."""
        first = self.first_report_seconds
        checks = {
            "accepted all": self.accepted == self.alerts,
            "lost": self.lost == 0,
            "p99": self.p99_ms <= P99_MS,
            "sessions": self.sessions <= SESSIONS,
            "messages": self.messages <= MESSAGES,
            "F1": self.f1 >= F1,
            "first report": first is not None and first <= FIRST_SECONDS,
        }
        return tuple(name for name, holds in checks.items() if not holds)


def run_storm(  # noqa: PLR0913 - what a storm is
    seed: int,
    shape: str,
    *,
    count: int,
    rate: float | None,
    after: float,
    breadth: int = 1,
) -> Outcome:
    """Send a storm and count.

    Args:
        seed: of the storm.
        shape: which faults.
        count: alerts.
        rate: alerts a second; 0: as fast as may be; None: as they come in sixty seconds.
        after: seconds in which diagnoses may begin and end after the last alert.
        breadth: calls from one service to the next layer at most.
    """
    storm = make_storm(seed, shape, count=count, breadth=breadth)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_recording(storm, folder / "recording")
        with serving(folder / "recording") as service:
            _warm_up(service, folder)
            begun = time.time()
            answers = _send(service, folder, _requests(storm, rate))
            _settle(service, after)
            return _outcome(service, storm, answers, begun)


def _requests(storm: Storm, rate: float | None) -> list[Request]:
    found: list[Request] = []
    for number, one in enumerate(storm.deliveries):
        due = (one.received_at - START).total_seconds() if rate is None else 0.0
        found.append(Request(number / rate if rate else max(due, 0.0), one.body))
    return found


def _warm_up(service: Service, folder: Path) -> None:
    labels = {"alertname": "NightlyCheck", "service": _WARM_UP, "severity": "critical"}
    alert = {"status": "firing", "labels": labels, "startsAt": START.isoformat()}
    body = json.dumps({"version": "4", "alerts": [alert]}).encode()
    (answer,) = _send(service, folder, [Request(0.0, body)])
    if answer.status != 202:
        raise RuntimeError(f"the first alert was answered with {answer.status}")
    _wait(service, "SELECT count(*) FROM service_edge", 120)
    time.sleep(12)  # the writer of alerts looks for new calls each ten seconds


def _wait(service: Service, query: str, seconds: float) -> None:
    begun = time.monotonic()
    while not service.number(query):
        if time.monotonic() - begun > seconds:
            raise RuntimeError(f"nothing came of {query!r} within {seconds:.0f} s")
        time.sleep(0.5)


def _send(service: Service, folder: Path, requests: Sequence[Request]) -> list[Answer]:
    given, told = folder / "requests.jsonl", folder / "answers.jsonl"
    lines = (json.dumps({"due": r.due, "body": r.body.decode()}) + "\n" for r in requests)
    given.write_text("".join(lines), encoding="utf-8")
    words = ("--port", str(service.port), "--requests", str(given), "--answers", str(told))
    command = [sys.executable, "-m", "benchmarks.storm_sender", *words]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[1])
    rows = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
    return [Answer(*row) for row in rows]


def _settle(service: Service, seconds: float) -> None:
    """Let diagnoses begin and end; some always wait for the storm's limit, so there is an end."""
    time.sleep(seconds)
    begun = time.monotonic()
    running = "SELECT count(*) FROM diagnosis_session WHERE finished_at IS NULL"
    while service.number(running) and time.monotonic() - begun < 120:
        time.sleep(1)


def _outcome(service: Service, storm: Storm, answers: Sequence[Answer], begun: float) -> Outcome:
    accepted = [a for a in answers if a.status == 202]
    waits = sorted(a.milliseconds for a in accepted)
    last = max(a.sent_at + a.milliseconds / 1000 for a in accepted)
    truth, guess = _grouping(service, storm, answers)
    precision, recall, f1 = pairwise(truth, guess)
    server, worker = service.peak_mebibytes()
    ours = "SELECT count(*) FROM diagnosis_session s JOIN incident i USING (incident_id)"
    mine = f"{ours} WHERE i.services NOT LIKE '%{_WARM_UP}%'"
    unskipped = "SELECT count(*) FROM incident WHERE skipped_reason IS NULL"
    return Outcome(
        alerts=len(answers),
        accepted=len(accepted),
        accepted_per_second=len(accepted) / last,
        p50_ms=statistics.median(waits),
        p99_ms=waits[math.ceil(len(waits) * 0.99) - 1],
        longest_ms=waits[-1],
        retries=sum(a.retries for a in answers),
        lost=_lost(service, accepted),
        sessions=service.number(mine),
        reports=service.number(f"{mine} AND s.status = 'completed'"),
        incidents=service.number(unskipped) - 1,
        precision=precision,
        recall=recall,
        f1=f1,
        first_report_seconds=_first_report(service, begun),
        messages=service.number("SELECT count(*) FROM notification"),
        server_mebibytes=server,
        worker_mebibytes=worker,
    )


def _lost(service: Service, accepted: Sequence[Answer]) -> int:
    """Accepted requests that were stored less often than answered, and alerts without a row."""
    deliveries = service.number("SELECT sum(times) FROM webhook_delivery") - 1
    counted = service.number("SELECT sum(times) FROM alert") - 1
    rows = {str(row[0]) for row in service.rows("SELECT alert_id FROM alert")}
    missing = sum(not set(a.data["alert_ids"]) <= rows for a in accepted)
    few = max(len(accepted) - deliveries, 0) + max(len(accepted) - counted, 0)
    return missing + few


def _grouping(
    service: Service, storm: Storm, answers: Sequence[Answer]
) -> tuple[list[str], list[str]]:
    """The true fault and the incident of each alert that asks somebody to act."""
    incident_of = {
        str(name): str(incident)
        for name, incident in service.rows("SELECT alert_id, incident_id FROM alert")
    }
    truth = {
        a.data["alert_ids"][0]: fault
        for a, fault in zip(answers, storm.truth, strict=True)
        if fault and a.data.get("alert_ids")
    }
    return list(truth.values()), [incident_of[name] for name in truth]


def _first_report(service: Service, begun: float) -> float | None:
    rows = service.rows(
        "SELECT min(s.finished_at) FROM diagnosis_session s JOIN incident i USING (incident_id)"
        " WHERE i.severity = 'critical' AND s.status = 'completed' AND i.services NOT LIKE ?",
        f"%{_WARM_UP}%",
    )
    if rows[0][0] is None:
        return None
    return datetime.fromisoformat(f"{rows[0][0]}+00:00").timestamp() - begun


def _print(found: Outcome) -> None:
    first = found.first_report_seconds
    told = "none" if first is None else f"{first:.1f} s"
    print(f"""\
accepted   {found.accepted} of {found.alerts}, {found.accepted_per_second:.0f}/s
latency    p50 {found.p50_ms:.1f} ms, p99 {found.p99_ms:.1f} ms, longest {found.longest_ms:.0f} ms\
, {found.retries} sent again
lost       {found.lost}
grouping   F1 {found.f1:.3f} (precision {found.precision:.3f}, recall {found.recall:.3f})\
, {found.incidents} incidents
sessions   {found.sessions}, {found.reports} reports, the first critical one after {told}
messages   {found.messages}
memory     server {found.server_mebibytes:.0f} MiB, worker {found.worker_mebibytes:.0f} MiB""")


def main() -> None:
    """Print the figures; exit with 1 when something that is asked for was not reached."""
    parser = argparse.ArgumentParser(description="Send a storm of alerts to a real service.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shape", choices=sorted(SHAPES), default="mixed")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rate", help="alerts a second, or max; default: sixty seconds")
    parser.add_argument("--breadth", type=int, default=1)
    parser.add_argument("--after", type=float, default=75.0, help="seconds after the last alert")
    parser.add_argument("--json", action="store_true", dest="as_json")
    args = parser.parse_args()
    rate = None if args.rate is None else 0.0 if args.rate == "max" else float(args.rate)
    found = run_storm(
        args.seed, args.shape, count=args.count, rate=rate, after=args.after, breadth=args.breadth
    )
    if args.as_json:
        print(json.dumps(asdict(found) | {"misses": found.misses}))
    else:
        _print(found)
        print("missed     " + (", ".join(found.misses) or "nothing"))
    raise SystemExit(bool(found.misses))


if __name__ == "__main__":
    main()
