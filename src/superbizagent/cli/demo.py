"""``superbiz demo``: the shortest way to see a diagnosis."""

from pathlib import Path
from typing import Any

import click

__all__ = ["demo", "example_folder"]

_EXAMPLE = "mysql-connection-pool"


def example_folder(name: str) -> Path:
    """Return a recorded example: from the installed package, or from the checkout.

    Raises:
        UsageError: when this installation has none.
    """
    package = Path(__file__).resolve().parent.parent
    for root in (package / "examples", package.parents[1] / "examples"):
        if (root / name).is_dir():
            return root / name
    from superbizagent.errors import UsageError

    raise UsageError(f"example {name!r} is not part of this installation; reinstall superbizagent")


@click.command()
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the report.")
@click.option("--full", is_flag=True, help="Show everything, statements taken out included.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--markdown", is_flag=True, help="Print the report as Markdown.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")
def demo(**flags: Any) -> int:
    """Diagnose a recorded incident: slow transactions that used up a connection pool."""
    from superbizagent.cli.output import diagnose_with

    return diagnose_with({**flags, "bundle": str(example_folder(_EXAMPLE))})
