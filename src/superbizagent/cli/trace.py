"""``superbiz trace``: list, show, check, verify and export what is stored."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

__all__ = ["trace"]


@click.group()
def trace() -> None:
    """List, show, check, verify and export stored sessions."""


@trace.command("list")
@click.option("--verdict", help="root_cause_found, likely, healthy or inconclusive.")
@click.option("--gate", type=click.Choice(["PASS", "WARN", "FAIL"]), help="The rule gate's word.")
@click.option("--service", help="Sessions that looked at this service.")
@click.option("--tool", help="Sessions that called this tool.")
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 500), help="At most so many."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
def list_(as_json: bool, **wanted: Any) -> None:  # noqa: FBT001 - a flag of the command line
    """List sessions, newest first."""
    asyncio.run(_list(as_json=as_json, wanted=wanted))


async def _list(*, as_json: bool, wanted: dict[str, Any]) -> None:
    from superbizagent.cli.stored import opened_storage
    from superbizagent.cli.tables import session_table
    from superbizagent.domain.canonical import canonical_bytes
    from superbizagent.domain.session import SessionFilter

    async with opened_storage() as (settings, storage):
        found = await storage.sessions.scan(SessionFilter(**wanted))
    if as_json:
        for session in found:
            click.echo(canonical_bytes(_slim(session)).decode())
    elif not found:
        click.echo("no session matches; run superbiz demo for a first one", err=True)
    else:
        click.echo(session_table(found, settings.timezone))


def _slim(session: Any) -> Any:
    """A session without its documents; one that cannot be read as it is."""
    from superbizagent.domain.session import DamagedSession

    if isinstance(session, DamagedSession):
        return {"session_id": session.session_id, "damaged": session.column}
    return session.model_copy(update={"scope": None, "plan": None, "report": None})


@trace.command()
@click.argument("session")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def show(session: str, *, as_json: bool) -> None:
    """Show a stored SESSION: its report, its calls and how the gates judged it.

    SESSION is an id, the start of one, or `last`.
    """
    asyncio.run(_show(session, as_json=as_json))


async def _show(name: str, *, as_json: bool) -> None:
    from superbizagent.analysis.trace_summary import ToolTraceSummaryService
    from superbizagent.cli.stored import opened_session
    from superbizagent.cli.tables import call_table, evaluation_lines, feedback_line
    from superbizagent.domain.canonical import canonical_bytes
    from superbizagent.domain.evaluation import InvocationRecord

    async with opened_session(name) as (storage, session):
        rows = await storage.invocations.rows(session.session_id)
        said = await storage.feedback.of_session(session.session_id)
    records = InvocationRecord.of_rows(rows)
    service = ToolTraceSummaryService()
    if as_json:
        value = {
            "session": session,
            "invocations": [
                {**row, "output_summary": service.output_summary(InvocationRecord.of_row(row))}
                for row in rows
            ],
            "tool_trace_summary": service.summarise(records),
            "evaluations": session.self_evaluation,
            "feedback": said,
        }
        click.echo(canonical_bytes(value).decode())
        return
    click.echo(session.final_report or f"no report: {session.status.value} {session.error}")
    click.echo(call_table(service.summarise(records)))
    click.echo(evaluation_lines(session.self_evaluation))
    for one in said:
        click.echo(feedback_line(one))


@trace.command()
@click.argument("session")
@click.option("--report", required=True, metavar="FILE|-", help="Report: JSON, Markdown or text.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of marks and reasons.")
@click.option("--only-problems", is_flag=True, help="Show only what does not stand.")
def check(
    session: str, report: str, *, as_json: bool, lang: str | None, only_problems: bool
) -> int:
    """Check a report about SESSION statement by statement against its stored evidence.

    Of a report in JSON, as `superbiz diagnose --json` prints it, each statement is held against
    its own citations; Markdown and text sentence by sentence. Exit code 4 when a statement is
    contradicted or has no evidence.
    """
    from superbizagent.cli.checking import Asked, print_result, read_text
    from superbizagent.cli.stored import read_stored

    asked = Asked(read_text(report), as_json=as_json, lang=lang or "", only_problems=only_problems)
    found, stored = asyncio.run(read_stored(session))
    return print_result(asked, found.session_id, stored)


@trace.command()
@click.argument("session")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def verify(session: str, *, as_json: bool) -> None:
    """Check every stored value of SESSION against the journal's hash chain.

    Without an integrity key this shows corruption, not a rewrite by who owns the database.
    """
    asyncio.run(_verify(session, as_json=as_json))


async def _verify(name: str, *, as_json: bool) -> None:
    from superbizagent.cli.stored import opened_rows
    from superbizagent.domain.canonical import canonical_bytes
    from superbizagent.errors import IntegrityError
    from superbizagent.storage.integrity import verify_session

    async with opened_rows(name) as (storage, session_id):
        found = await verify_session(storage, session_id, storage.integrity_key)
    if as_json:
        click.echo(canonical_bytes(found).decode())
    elif found.ok:
        sealed = "sealed" if found.sealed else "not ended yet"
        keyed = "keyed" if found.keyed else "without a key"
        click.echo(f"intact: {found.entries} entries, {sealed}, {keyed}, head {found.head_hash}")
    for problem in () if as_json else found.problems:
        column = f".{problem.column}" if problem.column else ""
        click.echo(f"{problem.table}{column} {problem.row}: {problem.message}")
    if not found.ok:
        raise IntegrityError(
            f"session {session_id!r}: {len(found.problems)} stored values are not what"
            " was written; restore the database from a backup"
        )


@trace.command()
@click.argument("session")
@click.option("--out", metavar="FILE", help="Where to write it; standard output otherwise.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "html", "md", "jira"]),
    default="json",
    show_default=True,
    help="json: everything, to keep and replay; the others: the report with its evidence, to read.",
)
def export(session: str, out: str | None, form: str) -> None:
    """Write SESSION with its evidence, redacted as stored, to one file.

    As JSON lines it holds everything, and every command that takes a SESSION takes the file. HTML,
    Markdown (md) and Jira's wiki markup (jira) are documents for people: the report, and for every
    citation the stored value, its source and its quote.
    """
    asyncio.run(_export(session, out, form))


async def _export(name: str, out: str | None, form: str) -> None:
    from superbizagent.errors import UsageError

    data, head = await (_stored_lines(name) if form == "json" else _document(name, form))
    if out is None:
        sys.stdout.buffer.write(data)
        return
    try:
        Path(out).write_bytes(data)
    except OSError as error:
        raise UsageError(
            f"{out!r} cannot be written: {error.strerror}; choose another --out"
        ) from None
    click.echo(f"{out}: {len(data):,} bytes, head {head}", err=True)


async def _stored_lines(name: str) -> tuple[bytes, str]:
    from superbizagent.cli.stored import opened_session
    from superbizagent.storage.exports import export_session

    async with opened_session(name) as (storage, session):
        return await export_session(storage, session.session_id), session.head_hash


async def _document(name: str, form: str) -> tuple[bytes, str]:
    from superbizagent.cli.render.document import (
        render_html,
        render_jira,
        render_markdown_document,
    )
    from superbizagent.cli.stored import read_stored
    from superbizagent.investigation.dossier import dossier_of

    session, stored = await read_stored(name)
    render = {"html": render_html, "md": render_markdown_document, "jira": render_jira}[form]
    return render(dossier_of(session, stored)), session.head_hash
