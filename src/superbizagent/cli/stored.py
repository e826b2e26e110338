"""Open what is stored: a session by id, by the start of one, by ``last``, or from an export."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from superbizagent.cli.compose import (
    load_skills,
    open_storage,
    settings_for,
    toolbox,
    versions_of,
)
from superbizagent.cli.intake import is_there
from superbizagent.domain.gathering import RunConfig
from superbizagent.domain.session import DiagnosisSession
from superbizagent.errors import StorageError, UsageError
from superbizagent.investigation.replay import Replayed, replay_session
from superbizagent.investigation.run import incident_of
from superbizagent.settings import Settings
from superbizagent.storage.exports import import_session
from superbizagent.storage.raw_rows import damaged
from superbizagent.storage.store import Storage
from superbizagent.storage.tables import diagnosis_session

if TYPE_CHECKING:
    from superbizagent.investigation.stored import StoredDiagnosis

__all__ = ["opened_rows", "opened_session", "opened_storage", "read_stored", "replay_stored"]


@asynccontextmanager
async def opened_storage() -> AsyncGenerator[tuple[Settings, Storage]]:
    """Open this installation's database to read it."""
    settings = settings_for()
    async with open_storage(settings, reading=True) as storage:
        yield settings, storage


@asynccontextmanager
async def opened_session(name: str) -> AsyncGenerator[tuple[Storage, DiagnosisSession]]:
    """Open the session that ``name`` stands for: in this database, or in an exported file.

    Raises:
        UsageError: when there is none, several start like that, or a file is no export.
        IntegrityError: when its row cannot be read.
    """
    async with opened_rows(name) as (storage, session_id):
        yield storage, await storage.sessions.require(session_id)


@asynccontextmanager
async def opened_rows(name: str) -> AsyncGenerator[tuple[Storage, str]]:
    """Open what is stored under the id that ``name`` stands for, readable or not.

    Raises:
        UsageError: when there is nothing, several ids start like that, or a file is no export.
    """
    if _is_file(name):
        async with _imported(Path(name)) as opened:
            yield opened
        return
    async with opened_storage() as (_, storage):
        yield storage, await _resolved(storage, name)


def _is_file(name: str) -> bool:
    return is_there(name) and Path(name).is_file()


async def _resolved(storage: Storage, name: str) -> str:
    try:
        return await storage.sessions.resolve(name)
    except StorageError as error:
        # The database is open: what is wrong is the name.
        raise UsageError(str(error)) from error


@asynccontextmanager
async def _imported(path: Path) -> AsyncGenerator[tuple[Storage, str]]:
    """Bring an export into a database that lasts as long as the block."""
    with tempfile.TemporaryDirectory(prefix="superbiz-") as folder:
        settings = settings_for().model_copy(update={"data_dir": Path(folder), "database_url": ""})
        async with open_storage(settings) as storage:
            yield storage, await import_session(storage, path.read_bytes())


async def read_stored(name: str) -> "tuple[DiagnosisSession, StoredDiagnosis]":
    """Read back the session that ``name`` stands for: in this database, or in an exported file.

    Raises:
        UsageError: when there is none, several start like that, or nothing was looked at yet.
        IntegrityError: when a stored value is not what was written.
    """
    from superbizagent.investigation.stored import read_diagnosis

    skills = load_skills(settings_for()).skills
    if _is_file(name):
        async with _imported(Path(name)) as (storage, session_id):
            session = await storage.sessions.require(session_id)
            return session, await read_diagnosis(storage, session, skills)
    async with opened_storage() as (_, storage):
        session = await storage.sessions.require(await _resolved(storage, name))
        return session, await read_diagnosis(storage, session, skills)


async def replay_stored(storage: Storage, session: DiagnosisSession) -> Replayed:
    """Replay a session that has ended.

    Raises:
        UsageError: when it has not.
        IntegrityError: when what it was made with is not stored as it was written.
    """
    if not session.report_digest:
        raise UsageError(
            f"session {session.session_id!r} is {session.status.value} and has no report;"
            f" go on with it: superbiz diagnose --session {session.session_id}"
        )
    skills = load_skills(settings_for())
    try:
        config = RunConfig.model_validate(session.payload["config"])
        incident_of(session)
    except (KeyError, ValidationError) as error:
        raise damaged(diagnosis_session, session.session_id, "payload") from error
    return await replay_session(
        storage, session, toolbox(skills, config), versions_of(skills, config)
    )
