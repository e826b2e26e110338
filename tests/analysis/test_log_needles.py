"""The needles of the benchmark on a smaller log, read from a file as a diagnosis reads it."""

import pytest

from benchmarks.log_needles import measure


@pytest.mark.parametrize("seed", [1, 2])
def test_every_needle_is_found_and_a_quiet_log_stays_quiet(seed: int) -> None:
    rows = {row.planted: row for row in measure(20_000, seed)}
    assert list(rows) == [
        "one ERROR line",
        "config reloaded, INFO, once",
        "cache hit rate .93 -> .55",
        "its cause",
        "latency 100 -> 5000 ms",
        "its onset",
        "one 503 among 200",
        "quiet control",
    ]
    assert [row for row in rows.values() if not row.is_it] == []
