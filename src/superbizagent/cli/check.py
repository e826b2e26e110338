"""``superbiz check``: mark every sentence of any text against stored evidence."""

import asyncio
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from superbizagent.cli.checking import Asked

__all__ = ["check"]


@click.command()
@click.argument("file", metavar="FILE|-")
@click.option("--session", metavar="ID", help="Stored session: an id, the start of one, or last.")
@click.option(
    "--bundle", metavar="DIR", help="Recorded incident; it is diagnosed and stored first."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of marks and reasons.")
@click.option("--only-problems", is_flag=True, help="Show only sentences that do not stand.")
def check(  # noqa: PLR0913 - one argument a flag
    file: str,
    session: str | None,
    bundle: str | None,
    *,
    as_json: bool,
    lang: str | None,
    only_problems: bool,
) -> int:
    """Mark every sentence of FILE against the evidence of a session.

    FILE is any text: another tool's answer, a postmortem, Markdown with or without citations such
    as [E3.2]; or a report as `superbiz diagnose --json` prints it. Exit code 4 when a sentence is
    contradicted or has no evidence.

    \b
    Examples:
      superbiz check postmortem.md --session last
      superbiz check - --bundle examples/mysql-connection-pool --only-problems
    """  # noqa: D301 - the backspace is click's mark for a block that is not wrapped
    from superbizagent.cli.checking import Asked, print_result, read_text
    from superbizagent.errors import UsageError

    if (session is None) == (bundle is None):
        raise UsageError("say what to check against: --session ID, or --bundle DIR")
    asked = Asked(read_text(file), as_json=as_json, lang=lang or "", only_problems=only_problems)
    if bundle is not None:
        return _against_bundle(asked, bundle)
    from superbizagent.cli.stored import read_stored

    found, stored = asyncio.run(read_stored(session or ""))
    return print_result(asked, found.session_id, stored)


def _against_bundle(asked: "Asked", bundle: str) -> int:
    from superbizagent.cli.checking import print_result
    from superbizagent.cli.session import finish
    from superbizagent.domain.gathering import RunConfig
    from superbizagent.investigation.stored import diagnosis_of

    finished = finish({"bundle": bundle, "lang": asked.lang or None})
    session_id = finished.session.session_id
    click.echo(f"superbiz: check    against session {session_id}", err=True)
    config = RunConfig.model_validate(finished.session.payload["config"])
    return print_result(asked, session_id, diagnosis_of(finished.diagnosis, config))
