"""``superbiz doctor``: what can be looked at right now, and what stands in the way."""

from typing import Any

import click

__all__ = ["doctor"]


@click.command()
@click.option("--prometheus", metavar="URL", help="Ask this server instead of those configured.")
@click.option("--alertmanager", metavar="URL", help="Likewise.")
@click.option("--loki", metavar="URL", help="Likewise.")
@click.option("--jaeger", metavar="URL", help="Likewise.")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Sent to all of them, e.g. 'X-Scope-OrgID: shop'; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def doctor(*, as_json: bool, **flags: Any) -> int:
    """Say which source answers, how fresh it is, and what is wrong with the rest.

    For each source: version, how much it holds, scrape interval, age of the newest sample or line,
    and how far its clock is from this machine's. Then the data folder, the database, the disk.
    Exit code 0 when anything can be looked at, 3 when nothing can.

    Example: superbiz doctor --prometheus http://localhost:9090
    """
    from superbizagent.cli.checkup import run_checkup

    return run_checkup(flags, as_json=as_json)
