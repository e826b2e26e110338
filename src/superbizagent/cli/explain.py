"""``superbiz explain``: what one citation rests on, down to the raw lines and samples."""

import asyncio
import re

import click

__all__ = ["explain"]

_CITATION = re.compile(r"\[?E(\d+)(?:\.(\d+))?\]?")


@click.command()
@click.argument("session")
@click.argument("citation")
@click.option("--raw", is_flag=True, help="Print the stored output whole: CSV or log lines.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language; default: the session's.")
def explain(session: str, citation: str, *, raw: bool, lang: str | None) -> None:
    """Show what CITATION (E7, a call, or E7.2, one fact of it) of SESSION rests on.

    Prints the value with its samples or lines, the query, how it was scored, and a command to see
    it again. SESSION is an id, the start of one, or `last`.
    """
    from superbizagent.errors import UsageError

    match = _CITATION.fullmatch(citation)
    if match is None:
        raise UsageError(f"{citation!r} is no citation; write E7 for a call or E7.2 for a fact")
    number, fact = int(match[1]), match[2]
    asyncio.run(_explain(session, number, f"E{number}.{fact}" if fact else "", raw=raw, lang=lang))


async def _explain(name: str, number: int, fact_id: str, *, raw: bool, lang: str | None) -> None:
    from superbizagent.cli.stored import opened_session, replay_stored
    from superbizagent.domain.incident import Language
    from superbizagent.errors import UsageError
    from superbizagent.investigation.explanation import call_lines, fact_lines, raw_text

    async with opened_session(name) as (storage, session):
        call = await storage.invocations.get(session.session_id, number)
        if raw:
            click.echo(raw_text(call, fact_id), nl=False)
            return
        replayed = await replay_stored(storage, session) if session.report_digest else None
    language = Language(lang) if lang else None
    analysis = replayed.diagnosis.analysis if replayed and replayed.diagnosis else None
    sources = session.payload.get("sources", {})
    if not fact_id:
        click.echo("\n".join(call_lines(call, session, sources, language)))
        return
    fact = next((f for f in call.facts if f.id == fact_id), None)
    if fact is None:
        last = call.facts[-1].id if call.facts else "none"
        raise UsageError(f"{fact_id} is not a fact of this session; E{number} has up to {last}")
    click.echo("\n".join(fact_lines(fact, call, session, sources, analysis, language)))
