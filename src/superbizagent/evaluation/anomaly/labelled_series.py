"""Single series with labelled windows, in the layout of the Numenta benchmark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from superbizagent.domain.canonical import loads
from superbizagent.domain.payload import read_instant
from superbizagent.domain.window import to_ms
from superbizagent.errors import UsageError

__all__ = ["LabelledSeries", "series_below"]

_LABELS = Path("labels") / "combined_windows.json"


@dataclass(frozen=True, slots=True)
class LabelledSeries:
    """One series and when it was not as it should be."""

    group: str
    """Folder of its file."""
    name: str
    times: NDArray[np.int64]
    """Milliseconds since the epoch, ascending, each once."""
    values: NDArray[np.float64]
    windows: tuple[tuple[int, int], ...]
    """First and last millisecond of each."""

    @property
    def interval(self) -> int:
        """The usual distance of samples, in milliseconds."""
        return int(np.median(np.diff(self.times)))


def series_below(root: Path) -> Iterator[LabelledSeries | str]:
    """Yield each labelled series of ``root``, or why a file cannot be used.

    Args:
        root: holds ``data/<group>/<name>.csv`` or ``.csv.gz`` (``timestamp, value``) and
            ``labels/combined_windows.json`` (``{"<group>/<name>.csv": [[from, to], …]}``).

    Raises:
        UsageError: when there are no labels or no files.
    """
    windows = _windows(root / _LABELS)
    files = sorted((root / "data").rglob("*.csv")) + sorted((root / "data").rglob("*.csv.gz"))
    if not files:
        raise UsageError(f"no data/GROUP/NAME.csv below {str(root)!r}; put the series there")
    for path in sorted(files):
        key = path.relative_to(root / "data").as_posix().removesuffix(".gz")
        if key not in windows:
            yield f"{key}: {_LABELS} says nothing about it"
            continue
        try:
            yield _series(path, key, windows[key])
        except (pl.exceptions.PolarsError, OSError, ValueError) as error:
            yield f"{key}: {' '.join(str(error).split())[:200]}"


def _windows(path: Path) -> Mapping[str, Any]:
    try:
        value: Any = loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{str(path)!r} cannot be read; it lists the labelled windows of each file"
        ) from error
    if not isinstance(value, Mapping):
        raise UsageError(f"{str(path)!r} holds no JSON object of file names and windows")
    return cast("Mapping[str, Any]", value)


def _series(path: Path, key: str, windows: Any) -> LabelledSeries:
    table = pl.read_csv(path, infer_schema=False).select(
        pl.col("timestamp").str.to_datetime(strict=False).dt.epoch("ms").alias("time"),
        pl.col("value").cast(pl.Float64, strict=False),
    )
    table = table.drop_nulls().group_by("time").agg(pl.col("value").mean()).sort("time")
    if len(table) < 2:
        raise ValueError("fewer than two samples")
    group, _, name = key.rpartition("/")
    return LabelledSeries(
        group=group,
        name=name.removesuffix(".csv"),
        times=table["time"].to_numpy(),
        values=table["value"].to_numpy(),
        windows=tuple((_ms(a), _ms(b)) for a, b in windows),
    )


def _ms(text: Any) -> int:
    at = read_instant(text)
    if at is None:
        raise ValueError(f"{text!r} is no time")
    return to_ms(at)
