"""What recordings of the lab must not tell, and how to read all that they say."""

import gzip
import re
import socket
from pathlib import Path

import polars as pl

__all__ = ["assert_untold", "metrics", "size_of"]

TELLTALE = re.compile(
    r"/(tmp|root|home)/|\.venv|chaos|inject|control_port|\bfaults?\b|python -m lab"
    r"|__tmp|transaction_pause|unreturned_share|spinning|kept_bytes|receipt_bytes|missing.key\b"
    r"|(127\.0\.0\.1|localhost):\d"
)
"""Run folders, control calls, ports and names of faults."""


def metrics(bundle: Path) -> pl.DataFrame:
    """Every sample of a bundle."""
    return pl.read_parquet(bundle / "metrics.parquet")


def size_of(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _texts(bundle: Path) -> list[tuple[str, str]]:
    files = [p for p in sorted(bundle.rglob("*")) if p.is_file() and p.name != "truth.yaml"]
    found = [(p.name, _text_of(p)) for p in files if p.suffix != ".parquet"]
    frame = metrics(bundle).select("name", "labels").unique()
    return [*found, ("metrics.parquet", "\n".join(f"{n} {k}" for n, k in frame.iter_rows()))]


def _text_of(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()


def assert_untold(bundle: Path) -> None:
    """Fail when a file tells how the recording was made, or on which machine."""
    for name, text in _texts(bundle):
        told = TELLTALE.search(text)
        assert told is None, f"{name}: {text[max(0, told.start() - 60) : told.end() + 60]!r}"
        assert re.search(rf"\b{re.escape(socket.gethostname())}\b", text) is None, name
