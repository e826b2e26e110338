"""What ``superbiz token`` does."""

import re
from collections.abc import Sequence
from datetime import datetime

import click

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import open_storage, settings_for
from superbizagent.cli.intake import parse_span
from superbizagent.domain.access import ApiToken, Permission
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.errors import UsageError

__all__ = ["create_token", "list_tokens", "revoke_token"]

_NAME = re.compile(r"[A-Za-z0-9._@-]{1,64}")


async def create_token(name: str, permissions: Sequence[str], expires: str | None) -> int:
    """Store a token and print its secret."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a token; take letters, digits and any of . _ @ -")
    ends = SystemClock().now() + parse_span(expires) if expires else None
    async with open_storage(settings_for()) as storage:
        token, secret = await storage.tokens.create(
            name, [Permission(p) for p in permissions], ends
        )
    click.echo(secret)
    good_for = ", ".join(sorted(token.permissions))
    click.echo(f"superbiz: {name!r} may {good_for}; this is shown once", err=True)
    return 0


async def list_tokens(*, as_json: bool) -> int:
    """Print the tokens."""
    async with open_storage(settings_for(), reading=True) as storage:
        tokens = await storage.tokens.list()
    if as_json:
        click.echo(canonical_bytes([token.model_dump(mode="json") for token in tokens]).decode())
        return 0
    if not tokens:
        click.echo("no token yet: whoever reaches the loopback address may do everything")
    now = SystemClock().now()
    for token in tokens:
        used = f"{token.last_used_at:%Y-%m-%d %H:%M}Z" if token.last_used_at else "never used"
        good_for = ",".join(sorted(token.permissions))
        click.echo(f"{token.name:<24} {good_for:<28} {used:<17} {_state(token, now)}")
    return 0


def _state(token: ApiToken, now: datetime) -> str:
    if token.revoked_at:
        return f"revoked {token.revoked_at:%Y-%m-%d}"
    if token.expires_at and token.expires_at <= now:
        return f"expired {token.expires_at:%Y-%m-%d}"
    return f"until {token.expires_at:%Y-%m-%d}" if token.expires_at else "active"


async def revoke_token(name: str) -> int:
    """End a token."""
    async with open_storage(settings_for()) as storage:
        token = await storage.tokens.revoke(name)
    click.echo(f"{token.name} is revoked")
    return 0
