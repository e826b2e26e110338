"""``superbiz audit``: who read and started what."""

import asyncio
from typing import Any

import click

__all__ = ["audit"]


@click.command()
@click.option("--since", metavar="TIME", help="ISO 8601, or how long ago, e.g. -24h.")
@click.option("--actor", metavar="NAME", help="Of this token alone.")
@click.option("--action", metavar="WORD", help="Of this kind alone, e.g. read_trace or denied.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, help="Default: 100.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one entry a line.")
def audit(**flags: Any) -> int:
    """List who read and started what in the service, newest first."""
    from superbizagent.cli.auditing import list_audit

    return asyncio.run(list_audit(**flags))
