"""The ``superbiz`` command.

``--version`` is answered before anything is imported; every other command loads its own module
only when it is called, so that help stays near the speed of bare Python.
"""

import sys

from superbizagent import __version__

__all__ = ["main"]


def main() -> None:
    """Run ``superbiz`` with the arguments of this process and exit."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"superbiz {__version__}\n")
        return
    from superbizagent.cli.app import run

    run()
