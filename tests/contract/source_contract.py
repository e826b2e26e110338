"""What every data source must do: subclass, provide `case`, and pass.

The source is filled with what `contract.recorded` yields. `docs/reference/data-sources.md` says
the same in words.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
import pytest

from contract import recorded
from superbizagent.domain.outputs import encode
from superbizagent.domain.protocols import DataSource, LogSearcher, RangeQuerier
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.series import SeriesSet, series_name
from superbizagent.domain.source import Answer, EvidenceStatus, LogQuery, RangeQuery, Signal
from superbizagent.domain.window import Window, to_ms
from superbizagent.errors import DataSourceError

__all__ = [
    "ALL_SERVICES",
    "LogSourceContract",
    "MetricSourceContract",
    "SourceCase",
    "SourceContract",
]

_T = TypeVar("_T")

ALL_SERVICES = Selector(matchers=(Matcher(label="service", op=MatchOp.REGEX, value=".+"),))


@dataclass(frozen=True)
class SourceCase:
    """One way to hold what is recorded."""

    open: Callable[[], DataSource]
    """Returns a new source over the same data."""
    unreadable: Callable[[], DataSource]
    """Returns a source over something that cannot be read."""
    data: Path
    """What must not be written to."""


def run(call: Coroutine[Any, Any, _T]) -> _T:
    """Run one call to its end."""
    return asyncio.run(call)


def snapshot(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Size, time of last change and digest of every file below a folder."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_size,
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class SourceContract:
    """What holds for every source."""

    @pytest.fixture
    def case(self, tmp_path: Path) -> SourceCase:
        """Overridden by each source's test."""
        raise NotImplementedError

    def test_it_is_a_source(self, case: SourceCase) -> None:
        assert isinstance(case.open(), DataSource)
        assert case.open().name

    def test_its_description_is_the_same_every_time(self, case: SourceCase) -> None:
        source = case.open()
        first = run(source.describe())
        assert run(source.describe()) == first
        assert run(case.open().describe()) == first

    def test_its_description_is_cheap(self, case: SourceCase) -> None:
        run(case.open().describe())  # imports and caches of the libraries
        source = case.open()
        started = time.process_time()
        run(source.describe())
        assert time.process_time() - started < 0.5

    def test_its_description_names_what_it_holds(self, case: SourceCase) -> None:
        described = run(case.open().describe())
        assert described.name == case.open().name
        assert {e.name for e in described.entities} >= {"order", "stock"}
        assert described.signals
        assert described.extent is not None
        assert described.extent.start.tzinfo is UTC
        assert described.extent.start == recorded.START
        assert described.extent.end <= recorded.START + timedelta(seconds=recorded.LOG_LINES)

    def test_what_cannot_be_read_is_an_error_with_advice(self, case: SourceCase) -> None:
        with pytest.raises(DataSourceError) as caught:
            run(case.unreadable().describe())
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) > 20


class MetricSourceContract(SourceContract):
    """What holds for a source that answers `query_metrics`."""

    def ask(self, source: DataSource, selector: Selector, window: Window, **caps: int) -> Answer:
        """Ask for series."""
        assert isinstance(source, RangeQuerier)
        query = RangeQuery.model_validate({"selector": selector, "window": window} | caps)
        return run(source.query_range(query))

    def names(self, answer: Answer) -> list[str]:
        """Printed names of the series of an answer."""
        assert isinstance(answer.output, SeriesSet)
        return [series_name(labels) for labels in answer.output.labels]

    def test_it_says_that_it_has_metrics(self, case: SourceCase) -> None:
        described = run(case.open().describe())
        assert Signal.METRICS in described.signals
        assert described.scrape_interval == recorded.STEP
        assert described.label_values["service"] == ("front", "order", "stock")

    def test_it_returns_every_sample(self, case: SourceCase) -> None:
        answer = self.ask(case.open(), ALL_SERVICES, recorded.window())
        assert answer.status is EvidenceStatus.OK
        assert not answer.truncated
        assert isinstance(answer.output, SeriesSet)
        found = [
            (series.labels, int(at), float(value))
            for series in answer.output
            for at, value in zip(series.times, series.values, strict=True)
        ]
        assert found == list(recorded.samples())

    def test_a_series_that_ends_has_no_samples_after_its_end(self, case: SourceCase) -> None:
        selector = Selector(name="pool_active", matchers=(Matcher(label="service", value="front"),))
        answer = self.ask(case.open(), selector, recorded.window())
        assert isinstance(answer.output, SeriesSet)
        last = recorded.START + recorded.STEP * (recorded.SAMPLES // 2 - 1)
        assert int(answer.output[0].times[-1]) == to_ms(last)

    @pytest.mark.parametrize(("first", "last"), [(0, 0), (3, 7), (39, 39)])
    def test_both_ends_of_the_window_belong_to_it(
        self, case: SourceCase, first: int, last: int
    ) -> None:
        answer = self.ask(
            case.open(), Selector(name="requests_total"), recorded.window(first, last)
        )
        assert isinstance(answer.output, SeriesSet)
        for series in answer.output:
            assert series.times.tolist() == [
                to_ms(recorded.START + recorded.STEP * k) for k in range(first, last + 1)
            ]

    def test_a_window_between_samples_is_empty(self, case: SourceCase) -> None:
        start = recorded.START + timedelta(seconds=1)
        window = Window(start=start, end=start + timedelta(seconds=13))
        answer = self.ask(case.open(), ALL_SERVICES, window)
        assert answer.status is EvidenceStatus.EMPTY
        assert isinstance(answer.output, SeriesSet)
        assert len(answer.output) == 0

    def test_what_nobody_recorded_is_empty_and_no_error(self, case: SourceCase) -> None:
        answer = self.ask(case.open(), Selector(name="nobody_has_this"), recorded.window())
        assert answer.status is EvidenceStatus.EMPTY
        assert answer.error == ""

    def test_a_window_elsewhere_is_empty(self, case: SourceCase) -> None:
        window = Window(
            start=recorded.START - timedelta(days=9), end=recorded.START - recorded.STEP
        )
        assert self.ask(case.open(), ALL_SERVICES, window).status is EvidenceStatus.EMPTY

    def test_more_series_than_asked_for_are_cut_and_counted(self, case: SourceCase) -> None:
        answer = self.ask(case.open(), ALL_SERVICES, recorded.window(), max_series=5)
        assert answer.truncated
        assert answer.stats["series_left_out"] == 7
        assert len(self.names(answer)) == 5
        assert answer.warnings

    def test_more_samples_than_asked_for_are_thinned_to_the_last_of_each_step(
        self, case: SourceCase
    ) -> None:
        answer = self.ask(
            case.open(), Selector(name="requests_total"), recorded.window(), max_points=10
        )
        assert isinstance(answer.output, SeriesSet)
        for series in answer.output:
            assert len(series.times) <= 10
            assert int(series.times[-1]) == to_ms(recorded.END)

    @pytest.mark.parametrize(
        ("matcher", "services"),
        [
            (Matcher(label="service", value="order"), "order"),
            (Matcher(label="service", op=MatchOp.NOT_EQUAL, value="order"), "front stock"),
            (Matcher(label="service", op=MatchOp.REGEX, value="o.*|st.ck"), "order stock"),
            (Matcher(label="service", op=MatchOp.REGEX, value="rde"), ""),
            (Matcher(label="service", op=MatchOp.NOT_REGEX, value="f.*"), "order stock"),
            (Matcher(label="nobody", value=""), "front order stock"),
            (Matcher(label="nobody", op=MatchOp.NOT_EQUAL, value=""), ""),
            (Matcher(label="nobody", op=MatchOp.REGEX, value=".*"), "front order stock"),
        ],
        ids=str,
    )
    def test_selectors_mean_what_prometheus_means(
        self, case: SourceCase, matcher: Matcher, services: str
    ) -> None:
        selector = Selector(name="requests_total", matchers=(matcher,))
        answer = self.ask(case.open(), selector, recorded.window())
        assert isinstance(answer.output, SeriesSet)
        assert [labels["service"] for labels in answer.output.labels] == services.split()

    def test_the_metric_name_can_be_matched_too(self, case: SourceCase) -> None:
        matcher = Matcher(label="__name__", op=MatchOp.REGEX, value="pool_.*")
        answer = self.ask(case.open(), Selector(matchers=(matcher,)), recorded.window())
        assert len(self.names(answer)) == 6

    def test_a_malformed_expression_is_an_error_status(self, case: SourceCase) -> None:
        matcher = Matcher(label="service", op=MatchOp.REGEX, value="(")
        answer = self.ask(case.open(), Selector(matchers=(matcher,)), recorded.window())
        assert answer.status is EvidenceStatus.ERROR
        assert answer.output is None
        assert "(" in answer.error

    def test_the_same_question_gets_the_same_bytes(self, case: SourceCase) -> None:
        def answer(source: DataSource) -> bytes:
            found = self.ask(source, ALL_SERVICES, recorded.window(2, 30), max_series=7)
            assert found.output is not None
            return encode(found.output)

        source = case.open()
        assert answer(source) == answer(source) == answer(case.open())

    def test_questions_at_the_same_time_get_the_same_answers(self, case: SourceCase) -> None:
        source = case.open()
        assert isinstance(source, RangeQuerier)
        query = RangeQuery(selector=ALL_SERVICES, window=recorded.window())

        async def together() -> list[Answer]:
            return list(await asyncio.gather(*(source.query_range(query) for _ in range(4))))

        outputs = [encode(a.output) for a in run(together()) if a.output is not None]
        assert len(outputs) == 4
        assert len(set(outputs)) == 1

    def test_nothing_is_written_while_series_are_read(self, case: SourceCase) -> None:
        before = snapshot(case.data)
        source = case.open()
        run(source.describe())
        self.ask(source, ALL_SERVICES, recorded.window())
        assert snapshot(case.data) == before


class LogSourceContract(SourceContract):
    """What holds for a source that answers `search_logs`."""

    WINDOWS = recorded.log_windows((0, 200), (210, 599))

    def read(self, source: DataSource, **query: object) -> pl.DataFrame:
        """Read all records of a query."""
        assert isinstance(source, LogSearcher)
        asked = LogQuery.model_validate({"windows": self.WINDOWS} | query)
        # The id of a record's span is there only where its source has a place for it.
        frames = [chunk.frame.drop("span_id", strict=False) for chunk in source.read_logs(asked)]
        return pl.concat([pl.DataFrame(schema=recorded.LOG_COLUMNS), *frames])

    def test_it_says_that_it_has_logs(self, case: SourceCase) -> None:
        assert Signal.LOGS in run(case.open().describe()).signals

    def test_records_have_the_agreed_columns(self, case: SourceCase) -> None:
        assert dict(self.read(case.open()).schema) == recorded.LOG_COLUMNS

    def test_it_returns_every_record(self, case: SourceCase) -> None:
        frame = self.read(case.open())
        for service in ("order", "stock"):
            mine = frame.filter(pl.col("service") == service).sort("time")
            expected = list(recorded.log_lines(service))
            assert mine["time"].to_list() == [to_ms(at) for at, _ in expected]
            assert mine["body"].to_list() == [text.split(" ", 1)[1] for _, text in expected]
            levels = ["error" if text.startswith("ERROR") else "info" for _, text in expected]
            names = ("unknown", "trace", "debug", "info", "warn", "error", "fatal")
            assert [names[code] for code in mine["severity"].to_list()] == levels

    def test_both_ends_of_a_window_belong_to_it(self, case: SourceCase) -> None:
        windows = recorded.log_windows((10, 20), (400, 405))
        frame = self.read(case.open(), windows=windows, services=("order",))
        start = to_ms(recorded.START)
        assert frame["time"].sort().to_list() == [
            start + 1000 * k for k in (*range(10, 21), *range(400, 406))
        ]

    def test_a_window_without_records_is_empty_and_no_error(self, case: SourceCase) -> None:
        windows = recorded.log_windows((100_000, 100_010), (100_020, 100_030))
        assert len(self.read(case.open(), windows=windows)) == 0

    def test_the_last_chunk_of_a_file_says_what_was_read(self, case: SourceCase) -> None:
        source = case.open()
        assert isinstance(source, LogSearcher)
        files = {c.file.path: c.file for c in source.read_logs(LogQuery(windows=self.WINDOWS))}
        assert sum(file.lines for file in files.values()) == 2 * recorded.LOG_LINES
        assert all(file.digest.startswith("sha256:") for file in files.values())
        assert all(file.undated_lines == 0 for file in files.values())
        assert not any(file.path.startswith("/") for file in files.values())

    def test_services_narrow_the_search(self, case: SourceCase) -> None:
        frame = self.read(case.open(), services=("stock",))
        assert frame["service"].unique().to_list() == ["stock"]
        assert len(self.read(case.open(), services=("nobody",))) == 0

    def test_words_narrow_the_search(self, case: SourceCase) -> None:
        frame = self.read(case.open(), contains=("request 17 ", "REQUEST 18 "))
        assert len(frame) == 4

    def test_the_same_question_gets_the_same_records(self, case: SourceCase) -> None:
        source = case.open()
        first = self.read(source)
        assert first.equals(self.read(source))
        assert first.equals(self.read(case.open()))

    def test_nothing_is_written_while_logs_are_read(self, case: SourceCase) -> None:
        before = snapshot(case.data)
        source = case.open()
        run(source.describe())
        self.read(source)
        assert snapshot(case.data) == before
