"""The numbers of the first screen, computed again from the raw recording."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import variants
from diagnosing import diagnose, report_of
from superbizagent.domain.report import Report, Section
from superbizagent.domain.window import Window

SERVED = "http_server_request_duration_seconds"
SINCE = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} [+-]\d{2}:\d{2}")


@dataclass(frozen=True)
class Raw:
    """Samples of one service, and what its counters rose by."""

    frame: pl.DataFrame

    @classmethod
    def of(cls, folder: Path, service: str) -> "Raw":
        frame = pl.read_parquet(folder / "metrics.parquet")
        job = pl.col("labels").str.json_path_match("$.job")
        status = pl.col("labels").str.json_path_match("$.http_response_status_code")
        return cls(frame.filter(job == service).with_columns(status=status).sort("time"))

    def rise(self, name: str, span: Window, status: str = "") -> float:
        """Last value of a span less the last one before it.

        What began later than the recording had counted nothing before. Nothing restarts in the
        recording, so no more is needed.
        """
        begun = self.frame["time"].min()
        own = self.frame.filter(
            pl.col("name") == name, pl.col("status").fill_null("").str.starts_with(status)
        )
        last = pl.col("value").filter(pl.col("time") <= span.end).last().fill_null(0)
        late = pl.col("time").min() > pl.lit(begun) + timedelta(minutes=3)
        absent = pl.when(late).then(0.0).otherwise(pl.col("value").first())
        before = pl.col("value").filter(pl.col("time") < span.start).last()
        rises = own.group_by("labels").agg((last - pl.coalesce(before, absent)).alias("rise"))
        return float(rises["rise"].sum())

    def seconds(self, name: str, span: Window) -> float:
        times = self.frame.filter(pl.col("name") == name)["time"]
        first, last = times.filter(times < span.start).max(), times.filter(times <= span.end).max()
        assert isinstance(first, datetime)
        assert isinstance(last, datetime)
        return (last - first).total_seconds()


@cache
def written(language: str, folder: Path, data: Path) -> Report:
    return report_of(diagnose(folder, data, lang=language))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(params=["en", "zh"])
def report(request: pytest.FixtureRequest, data: Path) -> Report:
    return written(request.param, variants.POOL, data)


@pytest.fixture(scope="module")
def raw() -> Raw:
    return Raw.of(variants.POOL, "order-service")


def since(report: Report) -> Window:
    """From the time that the screen gives, to the second, to the end of the look."""
    found = SINCE.search(report.section(Section.WHAT)[1].text)
    assert found is not None
    start = datetime.strptime(found[0], "%Y-%m-%d %H:%M:%S %z")
    return Window(start=start, end=report.frame.windows.incident.end)


def texts(report: Report, section: Section) -> str:
    return "\n".join(c.text for c in report.section(section))


def test_failed_requests_are_those_of_all_routes(report: Report, raw: Raw) -> None:
    span, count = since(report), f"{SERVED}_count"
    failed, requests = raw.rise(count, span, "5"), raw.rise(count, span)
    said = texts(report, Section.IMPACT)
    assert failed == 716
    assert re.search(rf"\b{failed:.0f}\b", said)
    assert re.search(rf"\b{requests:.0f}\b", said)
    assert f"{100 * failed / requests:.1f} %" in said
    assert f"{failed / raw.seconds(count, span):.2f}/s" in said


def test_none_before_is_a_zero_of_all_series(report: Report, raw: Raw) -> None:
    before = report.frame.windows.baselines[0]
    assert raw.rise(f"{SERVED}_count", before, "5") == 0
    said = texts(report, Section.IMPACT)
    assert "none before" in said or "之前没有" in said


def test_latency_is_weighted_by_requests_before_and_after(report: Report, raw: Raw) -> None:
    said = texts(report, Section.IMPACT)
    now, before = since(report), report.frame.windows.baselines[0]
    for span, unit, factor, digits in ((now, "s", 1, 2), (before, "ms", 1000, 1)):
        mean = raw.rise(f"{SERVED}_sum", span) / raw.rise(f"{SERVED}_count", span)
        shown = f"{factor * mean:.{digits}f}"
        assert f" {shown.removesuffix('.0')} {unit}" in said


def test_checks_count_from_the_same_time_as_the_screen_says(report: Report, raw: Raw) -> None:
    span, use = since(report), "db_client_connection_use_time_seconds"
    why = texts(report, Section.WHY)
    held = raw.rise(f"{use}_sum", span) / raw.rise(f"{use}_count", span)
    assert f" {held:.2f} s" in why
    waits = raw.rise("db_client_connection_timeouts_total", span)
    assert waits == 716
    assert re.search(rf"\b{waits:.0f}\b", why)
    # Nothing on the screen has another start, so no sentence names one.
    assert "(from " not in why + texts(report, Section.IMPACT)
    assert "起）" not in why + texts(report, Section.IMPACT)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [15, 30, 60])
def test_slower_scrapes_count_the_same_failures(seconds: int, tmp_path: Path, data: Path) -> None:
    folder = variants.copy(variants.POOL, tmp_path / "incident")
    variants.thinned(folder, seconds)
    report, raw = written("en", folder, data), Raw.of(folder, "order-service")
    span, count = since(report), f"{SERVED}_count"
    failed, requests = raw.rise(count, span, "5"), raw.rise(count, span)
    said = texts(report, Section.IMPACT)
    assert f"{failed:.0f} of {requests:.0f} requests failed" in said
    assert f"{raw.rise(f'{SERVED}_sum', span) / requests:.2f} s mean" in said
