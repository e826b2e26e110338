"""``superbiz serve`` and ``superbiz worker``: the service and the process that diagnoses."""

from pathlib import Path
from typing import Any

import click

__all__ = ["serve", "worker"]


_RECORDING = click.option(
    "--recording",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Diagnose from this recorded incident instead of live systems, to try the service.",
)


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen. Default: 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), help="Default: 9900; 0 takes a free one.")
@_RECORDING
def serve(**flags: Any) -> int:
    """Run the service: HTTP API, alert intake and one worker.

    It listens on the loopback address until there is a token: `superbiz token create`.
    """
    from superbizagent.cli.serving import run_service

    return run_service(flags)


@click.command()
@_RECORDING
@click.option("--child", is_flag=True, help="End when standard input ends; a line wakes it.")
def worker(**flags: Any) -> int:
    """Run a worker alone: it takes queued sessions and carries each to its end.

    `superbiz serve` starts one of its own; another one shares the work.
    """
    from superbizagent.cli.working import run_worker

    return run_worker(flags)
