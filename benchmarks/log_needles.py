"""Needles in a log: what one line, one rate, one number and one code look like among 160,001.

    python -m benchmarks.log_needles [--lines N] [--json]

Writes a log of one service with known faults, and the same log without any, reads both as a
diagnosis does, and prints for each needle what was planted, what was found and whether that is it.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from superbizagent.analysis.log_evidence import findings_from_logs, forerunner
from superbizagent.analysis.log_facts import facts_of_logs
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.datasources.logfile import LogFileSource
from superbizagent.domain.finding import Finding, FindingKind
from superbizagent.domain.logs import LogDigest, LogTemplate
from superbizagent.domain.series import Labels
from superbizagent.domain.source import LogQuery
from superbizagent.domain.window import Instant, Window, Windows

START = datetime(2026, 3, 1, 10, 26, tzinfo=UTC)
INCIDENT = START + timedelta(minutes=6)
END = START + timedelta(minutes=16)
LINES = 160_001
ERROR_AT = INCIDENT + timedelta(minutes=7, seconds=3)
RELOADED_AT = INCIDENT + timedelta(minutes=3, seconds=50)
HITS_FALL_AT = INCIDENT + timedelta(minutes=4)
SLOWER_FROM = INCIDENT + timedelta(minutes=2)
CODE_AT = INCIDENT + timedelta(minutes=5, seconds=11)
LEVELS = {FindingKind.LOG_SHARE_SHIFT, FindingKind.LOG_FIELD_SHIFT, FindingKind.LOG_RARE_VALUE}


@dataclass(frozen=True)
class Row:
    """One needle."""

    planted: str
    found: str
    is_it: bool


def write_log(path: Path, lines: int, *, faults: bool = True, seed: int = 0) -> None:
    """Write ``lines`` lines evenly over the look; the single lines of the faults come on top."""
    random = np.random.default_rng(seed)
    span = (END - START).total_seconds()
    draws = random.random((lines, 3))
    with path.open("w", encoding="utf-8") as file:
        singles = _singles() if faults else []
        for number in range(lines):
            at = START + timedelta(seconds=span * number / lines)
            while singles and singles[0][0] <= at:
                file.write(_line(*singles.pop(0)))
            level, text = _usual(at, draws[number].tolist(), number, faults=faults)
            file.write(_line(at, level, text))


def _singles() -> list[tuple[datetime, str, str]]:
    return [
        (RELOADED_AT, "INFO", "config reloaded"),
        (CODE_AT, "INFO", "request method=GET path=/orders/17 status=503 bytes=812"),
        (ERROR_AT, "ERROR", "ledger checksum mismatch on shard 7"),
    ]


def _line(at: datetime, level: str, text: str) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} {level} [main] shop.Api - {text}\n"


def _usual(at: datetime, draw: list[float], number: int, *, faults: bool) -> tuple[str, str]:
    """Return level and text of one line; ``draw`` are three uniform numbers."""
    which, one, other = draw
    if which < 0.02:
        return "ERROR", f"mail {number} failed: mailbox full"
    if which < 0.15:
        hits = 0.55 if faults and at >= HITS_FALL_AT else 0.93
        return "INFO", f"cache {'hit' if one < hits else 'miss'} key=user:{number}"
    if which < 0.35:
        path = f"/orders/{int(1000 * one)}"
        return "INFO", f"request method=GET path={path} status=200 bytes={int(5000 * other)}"
    if which < 0.5:
        ramp = max(0.0, (at - SLOWER_FROM) / (END - SLOWER_FROM)) if faults else 0.0
        typical = 100.0 * 50.0**ramp
        return "INFO", f"payment authorised in {typical * -np.log(1 - one):.0f} ms"
    kind = int(6 * other)
    return "INFO", (
        f"order {number} created",
        f"stock of item {number % 977} is {int(90 * one)}",
        f"session of user {number} renewed",
        f"attempt {1 + int(3 * one)} to reserve item {number % 977}",
        f"connection acquired from redis-{number % 3} pool_active={int(10 * one)}",
        f"invoice {number} queued for printing",
    )[kind]


def look_at(path: Path) -> LogDigest:
    """Return the digest of the log, as a diagnosis gets it."""
    before = Window(start=START, end=INCIDENT - timedelta(milliseconds=1))
    windows = Windows(incident=Window(start=INCIDENT, end=END), baselines=(before,))
    miner = LogMiner(windows)
    for chunk in LogFileSource({"shop": (path,)}, log_tz=UTC).read_logs(LogQuery(windows=windows)):
        miner.add(chunk)
    return miner.digest()


def findings_of(digest: LogDigest) -> tuple[Finding, ...]:
    """Return what a diagnosis finds in it."""
    facts = facts_of_logs(1, digest, _entity_of)
    return findings_from_logs(digest, facts, _entity_of)


def _entity_of(labels: Labels) -> str | None:
    return f"//service/{labels.get('service', '')}"


def needles(digest: LogDigest) -> Iterator[Row]:
    """Yield a row a needle of the log with faults."""
    rank, error = _ranked(digest, "ledger checksum mismatch")
    next_error = next(t for t in digest.templates if t.severity == "error" and t != error)
    said = f"rank {rank}, score {error.score:.1f}; the usual error {next_error.score:.1f}"
    yield Row("one ERROR line", said, rank == 1)
    rank, reloaded = _ranked(digest, "config reloaded")
    yield Row("config reloaded, INFO, once", f"rank {rank}, score {reloaded.score:.1f}", rank == 2)
    yield from _rate(digest)
    yield from _number(digest)
    yield _code(digest)


def _rate(digest: LogDigest) -> Iterator[Row]:
    _, hit = _ranked(digest, "cache hit")
    share = hit.share
    others = [t.text for t in digest.templates if t.share is not None and t is not hit]
    if share is None:
        yield Row("cache hit rate .93 -> .55", "not found", is_it=False)
        return
    said = f"{share.before:.3f} -> {share.after:.3f} from bucket {_bucket(digest, share.at)}"
    said += f", planted in {_bucket(digest, HITS_FALL_AT)}; {len(others)} others"
    near = share.at == HITS_FALL_AT and abs(share.after - 0.55) < 0.03
    yield Row("cache hit rate .93 -> .55", said, near and not others)
    cause = forerunner(digest, share.at)
    text = digest.templates[cause].text if cause is not None else "nothing"
    yield Row("its cause", f"right before it: {text}", text == "config reloaded")


def _number(digest: LogDigest) -> Iterator[Row]:
    moved = [(t.text, f.key, f.shift) for t in digest.templates for f in t.fields if f.shift]
    said = "; ".join(f"{key}: {s.before:.0f} -> {s.after:.0f}" for _, key, s in moved)
    _, slow = _ranked(digest, "payment authorised")
    shift = slow.fields[0].shift if slow.fields else None
    yield Row("latency 100 -> 5000 ms", said or "not found", len(moved) == 1 and shift is not None)
    if shift is not None:
        onset, planted = (_bucket(digest, at) for at in (shift.onset_at, SLOWER_FROM))
        said = f"bucket {onset}, planted in {planted}; split at {_bucket(digest, shift.at)}"
        yield Row("its onset", said, planted <= onset <= planted + 3)


def _code(digest: LogDigest) -> Row:
    found = [f for f in findings_of(digest) if f.kind is FindingKind.LOG_RARE_VALUE]
    said = "; ".join(f"{f.subject}: {f.incident:.0f}x" for f in found)
    right = len(found) == 1 and found[0].subject.endswith("[status] 503")
    return Row("one 503 among 200", said or "not found", right)


def quiet(digest: LogDigest) -> Row:
    """Return the row of the log without faults: nothing may be found in it."""
    found = findings_of(digest)
    said = "; ".join(f"{f.kind.value}: {f.subject}" for f in found)
    return Row("quiet control", said or "nothing found", not found)


def _ranked(digest: LogDigest, text: str) -> tuple[int, LogTemplate]:
    pairs = enumerate(digest.templates, 1)
    return next((rank, t) for rank, t in pairs if t.text.startswith(text))


def _bucket(digest: LogDigest, at: Instant) -> int:
    return int((at - START).total_seconds() // digest.bucket_seconds)


def measure(lines: int = LINES, seed: int = 0) -> list[Row]:
    """Write both logs and return all rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.log"
        write_log(path, lines, seed=seed)
        rows = list(needles(look_at(path)))
        write_log(path, lines, faults=False, seed=seed)
        return [*rows, quiet(look_at(path))]


def main() -> int:
    """Print every row; 1 when one is not found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = measure(args.lines, args.seed)
    for row in rows:
        mark = "ok  " if row.is_it else "MISS"
        print(json.dumps(asdict(row)) if args.json else f"{mark} {row.planted:28s} {row.found}")
    return 0 if all(row.is_it for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
