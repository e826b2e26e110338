"""How one evidence call ends when a source fails, refuses or takes too long."""

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from superbizagent.cli.clock import SystemClock
from superbizagent.domain.logs import LogChunk, LogDigest, LogFile
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.selector import Selector
from superbizagent.domain.source import (
    Answer,
    EvidenceStatus,
    LogQuery,
    RangeQuery,
    SourceDescription,
)
from superbizagent.domain.window import Window, Windows, to_ms
from superbizagent.errors import PermanentDataSourceError
from superbizagent.investigation.tools import perform_call

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
WINDOW = Window(start=NOW - timedelta(minutes=5), end=NOW)
WINDOWS = Windows(
    incident=WINDOW,
    baselines=(Window(start=NOW - timedelta(minutes=30), end=NOW - timedelta(minutes=7)),),
)


class Endless:
    """A log that never ends."""

    name = "logs"
    chunks = 0

    async def describe(self) -> SourceDescription:
        return SourceDescription(name=self.name, kind="logfile")

    def read_logs(self, query: LogQuery) -> Iterator[LogChunk]:
        while True:
            self.chunks += 1
            time.sleep(0.02)
            yield LogChunk(
                LogFile(path="a.log", service="a", size_bytes=1, digest=""),
                pl.DataFrame(
                    {
                        "time": [to_ms(NOW)],
                        "severity": [5],
                        "service": ["a"],
                        "body": ["it failed"],
                        "line": ["it failed"],
                        "offset": [0],
                        "trace_id": [None],
                    },
                    schema_overrides={
                        "severity": pl.Int8,
                        "trace_id": pl.String,
                        "offset": pl.Int64,
                    },
                ),
            )


class Broken:
    """Raises what it is given."""

    name = "metrics"

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def describe(self) -> SourceDescription:
        return SourceDescription(name=self.name, kind="bundle")

    async def query_range(self, query: RangeQuery) -> Answer:
        raise self.error


def ask(source: Endless | Broken, seconds: float = 60) -> Answer:
    logs = isinstance(source, Endless)
    query = LogQuery(windows=WINDOWS) if logs else RangeQuery(selector=Selector(), window=WINDOW)
    call = PlannedCall(
        number=1,
        tool=ToolName.SEARCH_LOGS if logs else ToolName.QUERY_METRICS,
        source=source.name,
        input=query.model_dump(mode="json"),
        purpose="test",
    )
    clock = SystemClock()
    return asyncio.run(
        perform_call(call, {source.name: source}, clock, clock.monotonic() + seconds)
    )


def test_deadline_ends_the_reading_of_logs_with_what_is_in() -> None:
    source = Endless()
    answer = ask(source, seconds=1)
    assert (answer.status, answer.truncated) == (EvidenceStatus.OK, True)
    assert "raise --deadline" in answer.warnings[0]
    assert isinstance(answer.output, LogDigest)
    assert answer.output.records_in_incident == source.chunks


def test_call_after_the_deadline_is_not_made() -> None:
    source = Endless()
    assert ask(source, seconds=-1).status is EvidenceStatus.TIMEOUT
    assert source.chunks == 0


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (PermanentDataSourceError("no such thing"), EvidenceStatus.ERROR, "no such thing"),
        (PermissionError(13, "no", "/x"), EvidenceStatus.DENIED, "/x: permission denied"),
        (OSError("disk on fire"), EvidenceStatus.ERROR, "disk on fire"),
        (TimeoutError(), EvidenceStatus.TIMEOUT, "raise --deadline"),
    ],
)
def test_what_a_source_raises_is_a_status(
    error: Exception, status: EvidenceStatus, says: str
) -> None:
    answer = ask(Broken(error))
    assert answer.status is status
    assert says in answer.error


def test_source_that_cannot_answer_says_so() -> None:
    call = PlannedCall(number=1, tool=ToolName.LIST_CHANGES, source="metrics", purpose="test")
    clock = SystemClock()
    source = Broken(ValueError())
    answer = asyncio.run(perform_call(call, {"metrics": source}, clock, clock.monotonic() + 9))
    assert answer.error == "source 'metrics' cannot answer list_changes"
    answer = asyncio.run(perform_call(call, {}, clock, clock.monotonic() + 9))
    assert "not configured any more" in answer.error
