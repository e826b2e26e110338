"""The ``superbiz`` command.

``--version`` is answered before anything is imported; every other command loads its own module
only when it is called, so that help stays near the speed of bare Python.
"""

import os
import sys

from superbizagent import __version__

__all__ = ["main"]


def main() -> None:
    """Run ``superbiz`` with the arguments of this process and exit."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"superbiz {__version__}\n")
        return
    # Polars reads it when it is loaded. Columns here are short, and threads that wait for a share
    # of them cost more than they bring; who wants more sets more.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # noqa: TID251 - set for polars, not read
    from superbizagent.cli.app import run

    run()
