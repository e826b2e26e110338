"""What `superbiz` costs: start-up against bare Python, and the demo.

`make bench` runs it. The budgets are those that tests/packaging holds.
"""

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.processes import least_cpu_seconds, measure

__all__ = ["START_UP_BUDGET_SECONDS", "start_up_seconds"]

START_UP_BUDGET_SECONDS = 0.060
"""CPU time above `python -c pass`; more is felt on every completion and every `--help`."""

_RUNS = 9
_SUPERBIZ = str(Path(sys.executable).with_name("superbiz"))


def start_up_seconds(argument: str, *, runs: int = _RUNS) -> float:
    """CPU time of `superbiz ARGUMENT` above that of `python -c pass`, in seconds."""
    bare = least_cpu_seconds([sys.executable, "-c", "pass"], runs=runs)
    return least_cpu_seconds([_SUPERBIZ, argument], runs=runs) - bare


def _main() -> int:
    bare = least_cpu_seconds([sys.executable, "-c", "pass"], runs=_RUNS)
    print(f"{'command':<22}{'CPU ms':>8}{'above bare':>12}{'budget':>8}")
    print(f"{'python -c pass':<22}{bare * 1000:>8.0f}")
    over = False
    for argument in ("--version", "--help"):
        above = start_up_seconds(argument)
        over |= above > START_UP_BUDGET_SECONDS
        print(
            f"{'superbiz ' + argument:<22}{(bare + above) * 1000:>8.0f}{above * 1000:>12.0f}"
            f"{START_UP_BUDGET_SECONDS * 1000:>8.0f}"
        )
    with tempfile.TemporaryDirectory() as folder:
        demo = measure(
            [_SUPERBIZ, "demo"], cwd=Path(folder), env=os.environ | {"SUPERBIZ_DATA_DIR": folder}
        )
    print(
        f"{'superbiz demo':<22}{demo.cpu_seconds * 1000:>8.0f}"
        f"   {demo.wall_seconds:.2f} s wall, {demo.max_rss_bytes / 1e6:.0f} MB, exit {demo.status}"
    )
    return int(over or demo.status != 0)


if __name__ == "__main__":
    sys.exit(_main())
