"""Run one turn of a conversation for a person who waits, and print its answer."""

import asyncio

import click

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import (
    load_skills,
    open_storage,
    run_config,
    session_template,
    settings_for,
)
from superbizagent.cli.output import print_report
from superbizagent.cli.running import run_stored
from superbizagent.cli.session import progress_of
from superbizagent.cli.sources import SourceSpec
from superbizagent.domain.incident import Channel, Incident, report_language
from superbizagent.errors import StorageError, UsageError
from superbizagent.investigation.run import Finished
from superbizagent.investigation.wording.markdown import report_markdown
from superbizagent.settings import Settings, local_timezone, locale_language
from superbizagent.storage.ids import new_id
from superbizagent.storage.store import Storage
from superbizagent.telemetry import configure_logging

__all__ = ["take_turn", "talk"]


def talk(text: str, conversation: str, *, lang: str | None, as_json: bool, quiet: bool) -> int:
    """Take one turn and print its answer; return the exit code.

    Raises:
        UsageError: when there is no such conversation, or nothing is asked.
        SuperbizError: whatever went wrong.
    """
    settings = settings_for(lang=lang)
    configure_logging(settings.log_level, json=settings.log_json)
    finished = asyncio.run(take_turn(text, conversation, settings, quiet=quiet))
    report = finished.diagnosis.checked.report
    if report.answers and not as_json:
        click.echo(report_markdown(report).rstrip("\n"))
    else:
        print_report(finished, {"as_json": as_json})
    return 0


async def take_turn(
    text: str,
    conversation: str,
    settings: Settings,
    *,
    session_id: str | None = None,
    quiet: bool = True,
) -> Finished:
    """Store one turn as a session and carry it to its end, or go on with one that was left.

    Args:
        text: what is asked.
        conversation: its id, that of any session, the start of one, or ``last``.
        settings: of this installation.
        session_id: of the turn; None makes one.
        quiet: no progress on standard error.

    Raises:
        UsageError: when there is no such conversation, or nothing is asked.
        SuperbizError: whatever went wrong.
    """
    if not text.strip():
        raise UsageError("TEXT is empty; ask, for example: superbiz chat 'how do you know?'")
    now = SystemClock().now()
    own = session_id or new_id(now)
    async with open_storage(settings) as storage:
        session = await storage.sessions.get(own) if session_id else None
        if session is None:
            name = await _conversation(storage, conversation)
            incident = Incident(
                channel=Channel.CHAT,
                question=text,
                received_at=now,
                language=report_language(settings.lang, text, locale_language()),
                timezone=settings.timezone or local_timezone(),
            )
            template = session_template(SourceSpec().model_dump(mode="json"), run_config(settings))
            session = template.new(own, incident, conversation_id=name)
            session = await storage.conversations.begin(session, priority=None)
        skills = load_skills(settings)
        progress = progress_of(quiet=quiet)
        return await run_stored(storage, session, skills, settings, progress=progress)


async def _conversation(storage: Storage, name: str) -> str:
    """Return the id of a conversation, by its own or by that of a session in it."""
    if await storage.conversations.get(name) is not None:
        return name
    try:
        session = await storage.sessions.require(await storage.sessions.resolve(name))
    except StorageError as error:
        hint = (
            "diagnose something first: superbiz diagnose --help" if name == "last" else str(error)
        )
        raise UsageError(hint) from error
    return session.conversation_id or session.session_id
