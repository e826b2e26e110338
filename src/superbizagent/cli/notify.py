"""``superbiz notify``: the channels that people read."""

import asyncio
from collections.abc import Sequence

import click

__all__ = ["notify"]


@click.group()
def notify() -> None:
    """Try the channels that messages about incidents go to."""


@notify.command()
@click.option(
    "--channel",
    "channels",
    multiple=True,
    metavar="NAME",
    help="Only this one, e.g. slack; repeatable. Default: all.",
)
@click.option("--lang", type=click.Choice(("en", "zh")), help="Language of the message.")
def test(channels: Sequence[str], lang: str | None) -> int:
    """Send a test message to each channel, and say what to do where it does not arrive.

    Exit code 0 when all took it, 2 when one is wrong or refuses, 3 when one does not answer.

    Example: superbiz notify test --channel slack
    """
    from superbizagent.cli.notifying import send_test

    return asyncio.run(send_test(channels, lang))
