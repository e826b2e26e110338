"""Brings a database to this version's schema, and refuses one from a newer version."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from superbizagent.errors import StorageError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from superbizagent.storage.database import Database

__all__ = ["HEAD", "REVISIONS", "migrate", "revision_of"]

REVISIONS = ("0001", "0002")
"""Every revision this version knows, oldest first."""

HEAD = REVISIONS[-1]


async def migrate(database: "Database") -> None:
    """Create or upgrade the tables; costs one query when there is nothing to do.

    The whole upgrade is one write transaction, so of two processes that start on an empty folder
    the second waits and then finds the tables there.

    Raises:
        StorageError: when the database belongs to a newer version or cannot be written.
    """
    async with database.read() as connection:
        revision = await connection.run_sync(revision_of)
    if revision == HEAD:
        return
    _refuse_newer(database.label, revision)
    async with database.write() as connection:
        await connection.run_sync(_upgrade)


def revision_of(connection: "Connection") -> str | None:
    """Return the schema that a database has, None when it has none of our tables."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _refuse_newer(label: str, revision: str | None) -> None:
    if revision is not None and revision not in REVISIONS:
        raise StorageError(
            f"database {label!r} was written by a newer superbizagent (schema {revision}, this "
            f"version knows {HEAD}): upgrade superbizagent or use another database"
        )


def _upgrade(connection: "Connection") -> None:
    if revision_of(connection) == HEAD:  # another process was faster
        return
    from alembic import command  # noqa: PLC0415 - 300 ms that only a new or old database pays
    from alembic.config import Config  # noqa: PLC0415 - as above

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    command.upgrade(config, HEAD)
