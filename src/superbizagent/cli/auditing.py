"""What ``superbiz audit`` does."""

import click

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import open_storage, settings_for
from superbizagent.cli.intake import parse_when
from superbizagent.domain.audit import AuditAction, AuditEntry
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.plain import plain
from superbizagent.errors import UsageError
from superbizagent.settings import local_timezone

__all__ = ["list_audit"]


async def list_audit(
    *, since: str | None, actor: str | None, action: str | None, limit: int, as_json: bool
) -> int:
    """Print the entries.

    Raises:
        UsageError: when a flag cannot be read.
    """
    settings = settings_for()
    zone = settings.timezone or local_timezone()
    after = parse_when(since, zone, SystemClock().now()) if since else None
    async with open_storage(settings, reading=True) as storage:
        entries = await storage.audit.list(
            since=after, actor=actor, action=_action(action), limit=limit
        )
    for entry in entries:
        if as_json:
            click.echo(canonical_bytes(entry.model_dump(mode="json")).decode())
        else:
            click.echo(_line(entry))
    if not entries and not as_json:
        click.echo("no entry")
    return 0


def _action(word: str | None) -> AuditAction | None:
    if word is None:
        return None
    try:
        return AuditAction(word)
    except ValueError:
        raise UsageError(f"{word!r} is no action; take one of {', '.join(AuditAction)}") from None


def _line(entry: AuditEntry) -> str:
    times = f" x{entry.times}" if entry.times > 1 else ""
    where = f" from {plain(entry.client)}" if entry.client else ""
    status = f" {entry.status}" if entry.status else ""
    what = f"{entry.action.value}{status} {plain(entry.target)}{times}"
    return f"{entry.at:%Y-%m-%d %H:%M:%S}Z {plain(entry.actor):<20} {what}{where}"
