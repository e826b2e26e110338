"""Build the saved clusters under `dev/` and `held_out/` again.

Run `python -m benchmarks.kubernetes.make_snapshots` in the repository's folder. The same code
writes the same bytes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.kubernetes import cases, plans

HERE = Path(__file__).parent


def build(root: Path) -> dict[str, int]:
    """Write every case under `root`, in place of what is there; returns the halves' counts."""
    halves = {"dev": plans.DEV, "held_out": plans.HELD_OUT}
    for half, rows in halves.items():
        shutil.rmtree(root / half, ignore_errors=True)
        for plan in rows:
            cases.write(plan, root / half)
    return {half: len(rows) for half, rows in halves.items()}


if __name__ == "__main__":
    for half, count in build(HERE).items():
        print(f"{half}: {count} cases")
