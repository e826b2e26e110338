"""``superbiz token``: who may use the service."""

import asyncio
from collections.abc import Sequence

import click

__all__ = ["token"]

_PERMISSIONS = ("read", "diagnose", "ingest", "admin")


@click.group()
def token() -> None:
    """Create, list and revoke the tokens of the service.

    As soon as there is one, everybody has to show one.
    """


@token.command()
@click.argument("name")
@click.option(
    "--scope",
    "permissions",
    multiple=True,
    type=click.Choice(_PERMISSIONS),
    help="What it is good for; repeatable. Default: read.",
)
@click.option("--expires", metavar="SPAN", help="After how long it ends, e.g. 90d.")
def create(name: str, permissions: Sequence[str], expires: str | None) -> int:
    """Create a token and print it: it is shown once and stored nowhere."""
    from superbizagent.cli.tokens import create_token

    return asyncio.run(create_token(name, permissions or ("read",), expires))


@token.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(*, as_json: bool) -> int:
    """List the tokens: what each is good for, when it was used, whether it is over."""
    from superbizagent.cli.tokens import list_tokens

    return asyncio.run(list_tokens(as_json=as_json))


@token.command()
@click.argument("name")
def revoke(name: str) -> int:
    """End a token by its name or id, at once and for good."""
    from superbizagent.cli.tokens import revoke_token

    return asyncio.run(revoke_token(name))
