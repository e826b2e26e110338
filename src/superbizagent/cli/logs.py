"""``superbiz logs``: what a log holds lately that it did not hold before."""

from typing import Any

import click

__all__ = ["logs"]


@click.command()
@click.argument("files", nargs=-1, metavar="FILE...|-")
@click.option("--since", metavar="TIME", help="Where the later part begins: 10m, 09:15, ISO 8601.")
@click.option("--until", metavar="TIME", help="Where it ends; the last record otherwise.")
@click.option(
    "--against", multiple=True, metavar="OLD", help="Compare with this file instead; repeatable."
)
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1), help="Of each list."
)
@click.option("--log-tz", metavar="ZONE", help="Zone of log lines that carry none, e.g. +08:00.")
@click.option("--timezone", metavar="ZONE", help="Zone that times are shown and read in.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the answer.")
@click.option("--json", "as_json", is_flag=True, help="Print every template as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
def logs(**flags: Any) -> None:
    """Say which kinds of lines in FILE are new, vanished or bursting.

    FILE is text, JSON lines or logfmt, plain or gzipped; a folder, a quoted pattern, NAME=FILE and
    - for standard input are taken too. Its later part is compared with what came before: the last
    quarter of the time it covers, or what --since and --until say. Times like 10m count back from
    the last record. Nothing is stored.

    \b
    Examples:
      superbiz logs app.log --since 10m
      superbiz logs 'logs/*.log' --against 'yesterday/*.log'
      kubectl logs deploy/orders | superbiz logs -
    """  # noqa: D301 - the backspace is click's mark for a block that is not wrapped
    from superbizagent.cli.log_comparing import compare_logs

    click.echo(compare_logs(flags), nl=False)
