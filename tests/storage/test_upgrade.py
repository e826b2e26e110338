"""A database of the first schema: opened, it is upgraded, and what it holds stands as it did."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

from journaling import Source, diagnose, new_session, opened
from superbizagent.domain.journal import JournalMode
from superbizagent.storage import schema
from superbizagent.storage.database import Database, sqlite_url
from superbizagent.storage.integrity import verify_session
from superbizagent.storage.schema import HEAD, revision_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

pytestmark = pytest.mark.anyio


def make_first(connection: "Connection") -> None:
    """Create the tables of the first schema."""
    config = Config(attributes={"connection": connection})
    folder = Path(schema.__file__).with_name("migrations")
    config.set_main_option("script_location", str(folder))
    command.upgrade(config, "0001")


async def tables(database: Database) -> set[str]:
    async with database.read() as connection:
        found = await connection.execute(text("SELECT name FROM sqlite_master WHERE type='table'"))
        return set(found.scalars())


async def test_a_database_of_the_first_schema_is_upgraded_and_still_verifies_and_replays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = sqlite_url(str(tmp_path / "superbiz.db"))
    async with Database(url) as database:
        await database.probe()
        async with database.write() as connection:
            await connection.run_sync(make_first)
        assert "session_queue" not in await tables(database)
    # Written by code that knows the first schema only: it opens the file and changes nothing.
    monkeypatch.setattr("superbizagent.storage.schema.HEAD", "0001")
    source = Source()
    async with opened(tmp_path) as storage:
        await new_session(storage)
        report = await diagnose(storage, source)
        assert "session_queue" not in await tables(storage.database)
    made = dict(source.made)
    monkeypatch.setattr("superbizagent.storage.schema.HEAD", HEAD)
    async with opened(tmp_path) as storage:
        async with storage.database.read() as connection:
            assert await connection.run_sync(revision_of) == HEAD
        assert "session_queue" in await tables(storage.database)
        assert (await verify_session(storage, "s-1")).problems == ()
        assert await diagnose(storage, source, mode=JournalMode.REPLAY) == report
        assert source.made == made  # not one call was made again
        assert await storage.queue.sweep() == 0  # what had ended is not queued
        session = await new_session(storage, "s-2")
        await storage.queue.put_back(session.session_id)
        assert await storage.queue.next(1) == ("s-2",)
