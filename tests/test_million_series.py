"""The benchmark of a large server runs, on a small one."""

import re
import subprocess
import sys

import pytest

import prometheus_server
from benchmarks.made_series import SERIES_PER_SERVICE, Made, request_of, series_of
from superbizagent.datasources.prometheus import remote_read

pytestmark = pytest.mark.real_server


def test_samples_are_written_as_the_protocol_has_them() -> None:
    made = Made(series=2000, end_seconds=1_796_000_000, minutes=30, interval_seconds=60)
    # A write request has the same form on the wire as one result of a read answer.
    request = remote_read._MESSAGES["QueryResult"].FromString(request_of(made, 1))
    written = [
        (
            {label.name: label.value for label in series.labels},
            [(sample.timestamp, sample.value) for sample in series.samples],
        )
        for series in request.timeseries
    ]
    expected = [
        (labels, list(zip(made.times.tolist(), values.tolist(), strict=True)))
        for labels, values in series_of(made, 1)
    ]
    assert written == expected
    assert len({str(labels) for labels, _ in written}) == SERIES_PER_SERVICE


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_the_three_ways_are_measured_on_a_real_server() -> None:
    prometheus_server.need("prometheus")
    command = [sys.executable, "-m", "benchmarks.million_series", "--series", "4000"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    made, _, *rows = ended.stdout.splitlines()
    assert made.startswith("4,000 series of 4 services, 61 samples each")
    [*found] = [re.split(r"\s{2,}", row) for row in rows]
    assert [row[0] for row in found] == ["alert", "question", "nothing"]
    for row in found:
        seconds, _, peak, requests, questions, samples = (
            float(cell.replace(",", "")) for cell in row[1:7]
        )
        assert 0 < seconds < 60
        assert peak > 50
        assert requests >= questions >= 4
        # All there is was read, so the count of what came back is known.
        assert samples >= 4000 * 61
    assert [row[10].split()[0] for row in found[:2]] == ["shop-0002"] * 2
