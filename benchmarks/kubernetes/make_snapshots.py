"""Build the saved clusters under `dev/`, `held_out/`, `third/`, `fourth/`, `fifth/`, `sixth/`.

Run `python -m benchmarks.kubernetes.make_snapshots` in the repository's folder. The same code
writes the same bytes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.kubernetes import cases, plans

HERE = Path(__file__).parent


def build(root: Path) -> dict[str, int]:
    """Write every case under `root`, in place of what is there; returns the sets' counts."""
    for name, rows in plans.SETS.items():
        shutil.rmtree(root / name, ignore_errors=True)
        for plan in rows:
            cases.write(plan, root / name)
    return {name: len(rows) for name, rows in plans.SETS.items()}


if __name__ == "__main__":
    for name, count in build(HERE).items():
        print(f"{name}: {count} cases")
