"""``superbiz diagnose``: an incident in, a checked report out."""

from typing import Any

import click

__all__ = ["diagnose", "run_diagnosis"]


@click.command()
@click.argument("bundle", required=False, type=click.Path())
@click.option(
    "--alert",
    metavar="FILE|-|TEXT",
    help='Alert: webhook body, API answer, pasted message or NAME{label="value"}.',
)
@click.option("--question", default="", metavar="TEXT", help="What you want to know.")
@click.option(
    "--logs", multiple=True, metavar="NAME=GLOB|-", help="Log files of one service; repeatable."
)
@click.option(
    "--kubernetes",
    metavar="PATH|URL",
    help="Saved kubectl output, or the API of a cluster.",
)
@click.option(
    "--changes",
    multiple=True,
    metavar="FILE|git:PATH",
    help="Deploy events (JSON, CSV), or a git repository; repeatable.",
)
@click.option("--prometheus", metavar="URL", help="Server to read metrics and alerts from.")
@click.option("--alertmanager", metavar="URL", help="Alertmanager to take the alerts from.")
@click.option("--loki", metavar="URL", help="Loki to read log lines from.")
@click.option("--jaeger", metavar="URL", help="Jaeger to read traces from.")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Sent to all of them, e.g. 'X-Scope-OrgID: shop'; repeatable.",
)
@click.option(
    "--service", "services", multiple=True, metavar="NAME", help="Look at this; repeatable."
)
@click.option("--last", metavar="SPAN", help="The incident is the last SPAN, e.g. 15m.")
@click.option("--from", "since", metavar="TIME", help="When the incident starts.")
@click.option("--to", "until", metavar="TIME", help="When the incident ends.")
@click.option("--at", metavar="TIME", help="A time inside the incident.")
@click.option("--log-tz", metavar="ZONE", help="Zone of log lines that carry none, e.g. +08:00.")
@click.option("--timezone", metavar="ZONE", help="Zone that the report shows times in.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the report.")
@click.option("--deadline", metavar="SPAN", help="Report what is in after this long.")
@click.option("--session", "session_id", metavar="ID", help="Name it, or go on with this one.")
@click.option("--full", is_flag=True, help="Show everything, statements taken out included.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--markdown", is_flag=True, help="Print the report as Markdown.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
def diagnose(**flags: Any) -> int:
    """Diagnose a recorded incident (BUNDLE, a folder), an alert, or a question.

    The argument may be the question itself. With --prometheus alone, the alerts that fire now are
    diagnosed.

    \b
    Examples:
      superbiz diagnose examples/mysql-connection-pool
      superbiz diagnose --prometheus http://localhost:9090
      superbiz diagnose --kubernetes dump/ 'why is checkout pending?'
      superbiz diagnose --logs app.log 'why is it slow?'
      superbiz diagnose --alert alert.json --logs 'orders=/var/log/orders/*.log'
      superbiz diagnose --prometheus URL --alert '[FIRING:1] HighErrorRate orders (critical)'
      superbiz diagnose incident/ --question 'why is checkout slow?' --last 30m

    Times are ISO 8601, HH:MM, epoch seconds, now, or -15m. Everything that is gathered is stored:
    see `superbiz trace list`. A session that was interrupted goes on with --session ID.
    """  # noqa: D301 - the backspace is click's mark for a block that is not wrapped
    return run_diagnosis(**flags)


def run_diagnosis(**flags: Any) -> int:
    """Run one diagnosis with the flags of `diagnose` and print its report; return the exit code."""
    from superbizagent.cli.output import diagnose_with

    return diagnose_with(flags)
