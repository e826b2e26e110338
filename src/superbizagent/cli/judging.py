"""What ``superbiz feedback`` does."""

import asyncio
import getpass
import os

import click

from superbizagent.cli.compose import open_storage, settings_for
from superbizagent.domain.feedback import LEAST_JUDGED, Judgement, TrackRecord
from superbizagent.domain.finding import FaultKind
from superbizagent.errors import StorageError, UsageError

__all__ = ["judge"]


def judge(session: str, *, right: bool | None, cause: str, kind: str, comment: str) -> int:
    """Store a judgement and say how answers of its kind do.

    Raises:
        UsageError: when it is not said whether the answer was right, or a word is none we know.
    """
    if right is None:
        raise UsageError("say --right or --wrong")
    if right and (cause or kind):
        raise UsageError("--cause and --kind say what it really was; they go with --wrong")
    kinds = [known.value for known in FaultKind]
    if kind and kind not in kinds:
        raise UsageError(f"--kind {kind!r} is none; take one of {', '.join(kinds)}")
    word = Judgement.CONFIRM if right else Judgement.REJECT
    record = asyncio.run(_give(session, word, cause, kind, comment))
    click.echo(f"noted; {_told(record)}")
    return 0


async def _give(
    name: str, judgement: Judgement, cause: str, kind: str, comment: str
) -> TrackRecord:
    async with open_storage(settings_for()) as storage:
        try:
            session_id = await storage.sessions.resolve(name)
        except StorageError as error:  # the database is open: what is wrong is the name
            raise UsageError(str(error)) from error
        given = await storage.feedback.give(
            await storage.sessions.require(session_id),
            judgement,
            author=_author(),
            right_entity=cause,
            right_fault_kind=kind,
            comment=comment,
        )
        return await storage.feedback.record(given.kind, "")


def _told(record: TrackRecord) -> str:
    if not record.enough:
        return f"{record.judged} of the {LEAST_JUDGED} judgements that a later report needs"
    return f"answers like this were right in {record.right} of {record.judged}"


def _author() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return f"user {os.getuid()}"
