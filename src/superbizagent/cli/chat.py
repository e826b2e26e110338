"""``superbiz chat``: one turn of a conversation about a diagnosis."""

import click

__all__ = ["chat"]


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--conversation", "-c", metavar="ID", help="A conversation, or any session. Default: the last."
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the answer.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
def chat(
    text: tuple[str, ...], conversation: str | None, *, as_json: bool, lang: str | None, quiet: bool
) -> int:
    """Ask TEXT about a diagnosis, in English or Chinese.

    "why not mysql?", "how do you know?", "explain E7.2", "what changed?", "what should I do?" and
    the like are answered from what is stored. "and in the last 2 hours?", "and for payment?" and
    new questions look anew, at the same sources. Each turn is a stored session.

    \b
    Examples:
      superbiz diagnose examples/mysql-connection-pool
      superbiz chat why not mysql
      superbiz chat -c 01a22f 'show the evidence of storefront'
    """  # noqa: D301 - the backspace is click's mark for a block that is not wrapped
    from superbizagent.cli.talking import talk

    return talk(" ".join(text), conversation or "last", lang=lang, as_json=as_json, quiet=quiet)
