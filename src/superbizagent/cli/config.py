"""``superbiz config``: every setting with its origin, and what is wrong with the files."""

from typing import Any

import click

__all__ = ["config"]


@click.group()
def config() -> None:
    """Show every setting with its origin, or check the files."""


@config.command()
@click.option("--lang", type=click.Choice(["en", "zh"]), help="As for diagnose.")
@click.option("--timezone", metavar="ZONE", help="As for diagnose.")
@click.option("--log-tz", metavar="ZONE", help="As for diagnose.")
@click.option("--deadline", metavar="SPAN", help="As for diagnose.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(*, as_json: bool, **flags: Any) -> None:
    """Print every setting, its value, and where that comes from.

    Origins are a flag, an environment variable, the project's superbiz.toml, the user's, or the
    default. Secrets are masked. The flags show what they would change.
    """
    from superbizagent.cli.config_origins import show_settings

    show_settings(flags, as_json=as_json)


@config.command()
def check() -> int:
    """Check both superbiz.toml files and the environment; exit code 2 when something is wrong.

    Each line names file and line, the key, and the nearest key there is, or what sort of value it
    takes with an example.
    """
    from superbizagent.cli.config_check import check_settings

    return check_settings()
