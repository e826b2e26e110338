"""Measure the span channels: CPU seconds for 60,000 spans, and for ten times as many.

    python -m benchmarks.span_speed

A made shop of forty services: each request is a tree of visits with a span for entering, one inside
and one a call; half of the requests write log records in two of their spans.
"""

import time

import numpy as np
import polars as pl

from superbizagent.analysis.log_templates import LogMiner
from superbizagent.analysis.span_channels import read_spans
from superbizagent.domain.logs import LogChunk, LogDigest, LogFile
from superbizagent.domain.series import Labels
from superbizagent.domain.span_table import spans_from
from superbizagent.domain.window import Window, Windows, from_ms

_SPANS = 60_000
_VISITS = 10  # a request
_SERVICES = 40
_START = 1_790_000_000_000
_MINUTES = 20
_SLOW = 7
"""Position of the service that is slow to answer in the last five minutes."""


def windows() -> Windows:
    """Return a quarter of an hour of baseline and five minutes of incident."""
    edge, end = (_START + 60_000 * minutes for minutes in (15, _MINUTES))
    return Windows(
        incident=Window(start=from_ms(edge), end=from_ms(end)),
        baselines=(Window(start=from_ms(_START), end=from_ms(edge - 1)),),
    )


def entity_of(labels: Labels) -> str | None:
    """Return the path of a service."""
    return f"//service/{labels['service']}"


def made_spans(count: int, seed: int = 0) -> pl.DataFrame:
    """Return about ``count`` spans as a table."""
    random = np.random.default_rng(seed)
    requests = count // (3 * _VISITS)
    begin = np.sort(random.integers(0, _MINUTES * 60_000_000, requests)) + _START * 1000
    parts: list[pl.DataFrame] = []
    service = np.zeros((requests, _VISITS), np.int64)
    service[:, 0] = random.integers(0, _SERVICES, requests)
    for visit in range(_VISITS):
        caller = (visit - 1) // 2
        if visit:
            service[:, visit] = (2 * service[:, caller] + 1 + visit % 2) % _SERVICES
        late = (service[:, visit] == _SLOW) & (begin >= (_START + 15 * 60_000) * 1000)
        took = 200_000 >> visit
        lost = random.integers(500, 1500, requests) + 200_000 * late
        rows = (
            (f"c{visit}", f"i{caller}", service[:, caller], "call", took + lost),
            (f"e{visit}", f"c{visit}", service[:, visit], "enter", took),
            (f"i{visit}", f"e{visit}", service[:, visit], "inside", took - 10),
        )
        for name, parent, who, operation, duration in rows:
            parts.append(
                pl.DataFrame(
                    {
                        "trace_id": np.char.mod("%032x", np.arange(requests)),
                        "span_id": [name] * requests,
                        "parent_id": ["root" if name == "c0" else parent] * requests,
                        "service": np.char.mod("s%d", who),
                        "operation": [f"{operation} {visit}"] * requests,
                        "start_us": begin + 10 * visit,
                        "duration_us": np.broadcast_to(duration, requests),
                    }
                )
            )
    return pl.concat(parts)


def made_logs(table: pl.DataFrame) -> LogDigest:
    """Return the digest of records that half of the requests wrote."""
    rows = table.filter(
        pl.col("span_id").is_in(["i2", "i5"]) & pl.col("trace_id").str.ends_with("0")
    )
    body = pl.Series([f"handled item {k} in {k % 90}ms" for k in range(len(rows))])
    miner = LogMiner(windows())
    miner.add(
        LogChunk(
            LogFile(path="a.log", service="", size_bytes=0, digest=""),
            pl.DataFrame(
                {
                    "time": rows["start_us"] // 1000,
                    "severity": pl.Series([3] * len(rows), dtype=pl.Int8),
                    "service": rows["service"],
                    "body": body,
                    "line": body,
                    "offset": np.arange(len(rows)),
                    "trace_id": rows["trace_id"],
                    "span_id": rows["span_id"],
                }
            ),
        )
    )
    return miner.digest()


def seconds(count: int) -> dict[str, float]:
    """Return CPU seconds to build the set of spans and to read its channels."""
    table = made_spans(count)
    digest = made_logs(table)
    begun = time.process_time()
    spans = spans_from(table)
    built = time.process_time()
    found = read_spans(spans, windows(), entity_of, [digest])
    read = time.process_time()
    first = max(found.of("wire").items(), key=lambda item: item[1])
    if first[0] != f"//service/s{_SLOW}":
        raise RuntimeError(f"the slow service is s{_SLOW}, found was {first}")
    return {
        "spans": len(spans),
        "links": len(digest.links),
        "build_seconds": round(built - begun, 3),
        "channel_seconds": round(read - built, 3),
    }


def main() -> None:
    """Print the figures for one and ten times as many spans."""
    for factor in (1, 10):
        print("  ".join(f"{k} {v}" for k, v in seconds(factor * _SPANS).items()))


if __name__ == "__main__":
    main()
