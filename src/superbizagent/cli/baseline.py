"""``superbiz baseline``: learn, show and forget what a system is like while nothing is wrong."""

from pathlib import Path
from typing import Any

import click

__all__ = ["baseline"]


@click.group()
def baseline() -> None:
    """Learn what your system is like while nothing is wrong.

    A diagnosis of a system that was learnt holds it against its own good days. Only such a system
    is ever called healthy.
    """


@baseline.command()
@click.option("--since", default="7d", show_default=True, metavar="SPAN", help="Of how long.")
@click.option(
    "--bundle",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Learn from what a recording holds before its fault.",
)
@click.option(
    "--source",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this server of superbiz.toml; repeatable. Default: all with metrics, logs, traces.",
)
@click.option("--prometheus", metavar="URL", help="Ask this server instead of those configured.")
@click.option("--loki", metavar="URL", help="Learn its logs, instead of those configured.")
@click.option("--jaeger", metavar="URL", help="Learn its traces, instead of those configured.")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Sent to all of them, e.g. 'X-Scope-OrgID: shop'; repeatable.",
)
@click.option(
    "--service",
    "services",
    multiple=True,
    metavar="NAME",
    help="Look at this and what is near it; repeatable. Default: everything.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
def learn(**flags: Any) -> int:
    """Read the history of a system and learn what is usual.

    The history is cut into windows as long as incidents are, each compared with its own past as in
    a diagnosis. Windows in which an alert fired, or in which a diagnosis found a cause, are left
    out. Fewer than 50 windows teach nothing: then nothing is stored. Logs and traces are learnt
    beside the metrics where at least 50 of these windows have any. Servers are only read, with two
    questions at a time and rest between. After Ctrl-C, what was read counts.

    \b
    Examples:
      superbiz baseline learn --prometheus http://localhost:9090
      superbiz baseline learn --prometheus http://prom:9090 --loki http://loki:3100
      superbiz baseline learn --since 14d --source production
      superbiz baseline learn --bundle incident/
    """  # noqa: D301 - the backspace is click's mark for a block that is not wrapped
    from superbizagent.cli.learning import run_learning

    return run_learning(flags)


@baseline.command()
@click.option("--json", "as_json", is_flag=True, help="Print every signal as one JSON object.")
def show(*, as_json: bool) -> int:
    """Show what was learnt, of which system, from when, and whether it is too old to be used."""
    from superbizagent.cli.learning import run_showing

    return run_showing(as_json=as_json)


@baseline.command()
@click.argument("system", required=False)
def forget(system: str | None) -> int:
    """Forget what was learnt of SYSTEM, a name that show prints; of the only one without it."""
    from superbizagent.cli.learning import run_forgetting

    return run_forgetting(system)
