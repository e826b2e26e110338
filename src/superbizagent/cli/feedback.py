"""``superbiz feedback``: whether a diagnosis was right."""

import click

__all__ = ["feedback"]


@click.command()
@click.argument("session")
@click.option("--right/--wrong", "right", default=None, help="Whether the answer was right.")
@click.option("--cause", default="", metavar="NAME", help="What it really was, e.g. orders.")
@click.option("--kind", default="", metavar="KIND", help="Its kind of fault, e.g. slow_query.")
@click.option("--comment", default="", metavar="TEXT", help="Anything else.")
def feedback(session: str, *, right: bool | None, cause: str, kind: str, comment: str) -> int:
    """Say whether the diagnosis SESSION was right, and what it really was.

    SESSION is an id, the start of one, or `last`. Your last word on a session counts. Later reports
    of the same kind say how often answers like this were right, from three judgements on.
    """
    from superbizagent.cli.judging import judge

    return judge(session, right=right, cause=cause, kind=kind, comment=comment)
