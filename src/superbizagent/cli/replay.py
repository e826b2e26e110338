"""``superbiz replay``: the same report from the record alone."""

import asyncio
from typing import Any

import click

__all__ = ["replay"]


@click.command()
@click.argument("session", metavar="SESSION|FILE")
@click.option("--json", "as_json", is_flag=True, help="Print what was compared as JSON.")
@click.option("--markdown", is_flag=True, help="Print the replayed report as Markdown.")
def replay(session: str, *, as_json: bool, markdown: bool) -> int:
    """Run a stored SESSION again without any source or network, and compare the bytes.

    SESSION is an id, the start of one, or `last`; a FILE is what `superbiz trace export` wrote.
    Exit code 5 when the bytes differ and the version is the same.
    """
    return asyncio.run(_replay(session, as_json=as_json, markdown=markdown))


async def _replay(name: str, *, as_json: bool, markdown: bool) -> int:
    from superbizagent.cli.stored import opened_session, replay_stored
    from superbizagent.domain.canonical import canonical_bytes
    from superbizagent.errors import ReplayMismatchError

    async with opened_session(name) as (storage, session):
        result = await replay_stored(storage, session)
    summary: dict[str, Any] = {
        "session_id": session.session_id,
        "same": result.same,
        "recorded": session.report_digest,
        "replayed": result.digest,
        "differing": result.differing,
        "mismatch": result.mismatch,
    }
    if as_json:
        click.echo(canonical_bytes(summary).decode())
    elif markdown:
        click.echo(session.final_report or "")
    else:
        click.echo(_sentence(summary))
    if not result.same and not result.differing:
        raise ReplayMismatchError(
            result.mismatch
            or f"replay gives {result.digest}, stored is {session.report_digest};"
            " run superbiz trace verify"
        )
    return 0


def _sentence(summary: dict[str, Any]) -> str:
    if summary["same"]:
        return f"same bytes: {summary['recorded']} (session {summary['session_id']})"
    lines = ["the stored report was made by another version; shown as written it stays valid"]
    for part, (old, new) in summary["differing"].items():
        lines.append(f"  {part}: recorded {old or 'absent'}, present {new or 'absent'}")
    lines.append(f"  report: recorded {summary['recorded']}, replayed {summary['replayed'] or '-'}")
    return "\n".join(lines)
