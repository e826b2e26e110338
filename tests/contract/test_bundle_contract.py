"""Recorded incidents in each of their forms keep the contract of sources."""

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import orjson
import polars as pl
import pytest

from contract import recorded
from contract.source_contract import (
    ALL_SERVICES,
    LogSourceContract,
    MetricSourceContract,
    SourceCase,
)
from superbizagent.datasources.bundle import BundleSource
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.window import from_ms


def rows() -> list[tuple[int, str, str, float]]:
    """Samples in the long form."""
    return [
        (
            at,
            labels["__name__"],
            orjson.dumps({"service": labels["service"]}).decode(),
            value,
        )
        for labels, at, value in recorded.samples()
    ]


def write_parquet(folder: Path) -> None:
    frame = pl.DataFrame(rows(), schema=["time", "name", "labels", "value"], orient="row")
    typed = frame.with_columns(pl.col("time").cast(pl.Datetime("ms", "UTC")))
    typed.write_parquet(folder / "metrics.parquet")


def write_long_csv(folder: Path) -> None:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["time", "name", "labels", "value"])
    writer.writerows((from_ms(at).isoformat(), *rest) for at, *rest in rows())
    (folder / "metrics.csv.gz").write_bytes(gzip.compress(text.getvalue().encode()))


def write_wide_csv(folder: Path) -> None:
    columns = [f"{row['service']}|{row['__name__']}" for row in recorded.series_labels()]
    cells: dict[int, dict[str, float]] = {}
    for labels, at, value in recorded.samples():
        cells.setdefault(at, {})[f"{labels['service']}|{labels['__name__']}"] = value
    with (folder / "metrics.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["time", *columns])
        for at, row in sorted(cells.items()):
            writer.writerow([at / 1000, *(row.get(name, "") for name in columns)])


def write_log_files(folder: Path) -> None:
    (folder / "logs").mkdir()
    for service in ("order", "stock"):
        lines = [f"{at:%Y-%m-%dT%H:%M:%SZ} {text}\n" for at, text in recorded.log_lines(service)]
        (folder / "logs" / f"{service}.log").write_text("".join(lines), encoding="utf-8")


def log_table() -> pl.DataFrame:
    return pl.DataFrame(
        [
            (at.timestamp(), service, "", text)
            for service in ("order", "stock")
            for at, text in recorded.log_lines(service)
        ],
        schema=["time", "service", "trace_id", "message"],
        orient="row",
    )


def write_log_csv(folder: Path) -> None:
    data = log_table().write_csv().encode()
    (folder / "logs.csv.gz").write_bytes(gzip.compress(data))


def write_log_parquet(folder: Path) -> None:
    log_table().write_parquet(folder / "logs.parquet")


def make(folder: Path, *writers: Callable[[Path], None]) -> SourceCase:
    good, bad = folder / "good", folder / "bad"
    good.mkdir()
    bad.mkdir()
    for write in writers:
        write(good)
    (bad / "metrics.parquet").write_bytes(b"PAR1 and no more")
    return SourceCase(
        open=lambda: BundleSource(good), unreadable=lambda: BundleSource(bad), data=folder
    )


@pytest.mark.parametrize(
    "write", [write_parquet, write_long_csv, write_wide_csv], ids=["parquet", "long", "wide"]
)
class TestBundleMetrics(MetricSourceContract):
    @pytest.fixture
    def case(self, tmp_path: Path, write: Callable[[Path], None]) -> SourceCase:  # pyright: ignore[reportIncompatibleMethodOverride] - one form each
        return make(tmp_path, write)

    def test_constant_series_are_left_out_first(self, case: SourceCase) -> None:
        answer = self.ask(
            case.open(),
            ALL_SERVICES,
            recorded.window(),
            max_series=9,
        )
        assert isinstance(answer.output, SeriesSet)
        assert "pool_max" not in {labels["__name__"] for labels in answer.output.labels}


@pytest.mark.parametrize(
    "write",
    [write_log_files, write_log_csv, write_log_parquet],
    ids=["files", "csv", "parquet"],
)
class TestBundleLogs(LogSourceContract):
    @pytest.fixture
    def case(self, tmp_path: Path, write: Callable[[Path], None]) -> SourceCase:  # pyright: ignore[reportIncompatibleMethodOverride] - one form each
        return make(tmp_path, write)
