"""Build the saved clusters under `dev/` and `held_out/` again.

Run `python -m benchmarks.kubernetes.make_snapshots` in the repository's folder. The same code
writes the same bytes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.kubernetes import cases, plans

HERE = Path(__file__).parent


def main() -> None:
    """Write every case."""
    for half, rows in (("dev", plans.DEV), ("held_out", plans.HELD_OUT)):
        shutil.rmtree(HERE / half, ignore_errors=True)
        for plan in rows:
            cases.write(plan, HERE / half)
        print(f"{half}: {len(rows)} cases")


if __name__ == "__main__":
    main()
