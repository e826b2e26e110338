"""The state of the database, looked at without creating or upgrading anything."""

from pathlib import Path

from sqlalchemy import func, inspect, select
from sqlalchemy.engine import Connection, make_url

from superbizagent.domain.model import Model
from superbizagent.errors import StorageError
from superbizagent.storage.database import Database
from superbizagent.storage.schema import HEAD, REVISIONS, revision_of
from superbizagent.storage.tables import diagnosis_session

__all__ = ["DatabaseCondition", "database_condition"]


class DatabaseCondition(Model):
    """What is known of a database."""

    label: str
    """As it may be shown: no password."""
    exists: bool = False
    size_bytes: int = 0
    """Of the file, 0 for a server."""
    schema_version: str = ""
    """Empty: it holds none of our tables yet."""
    known_version: str = HEAD
    """The schema of this version of the program."""
    sessions: int = 0
    problem: str = ""
    """Why it cannot be used, and what to do; empty when it can."""

    @property
    def is_old(self) -> bool:
        """The next command that writes upgrades it."""
        return bool(self.schema_version) and self.schema_version != self.known_version


async def database_condition(url: str) -> DatabaseCondition:
    """Look at a database; what is wrong with it is a value.

    Raises:
        ConfigError: when the URL is no database URL.
    """
    database = Database(url, reading=True)
    name = make_url(url).database or ""
    path = Path(name) if database.is_sqlite and name not in {"", ":memory:"} else None
    if path is not None and not path.is_file():
        return DatabaseCondition(label=database.label)
    size = path.stat().st_size if path is not None else 0
    found = DatabaseCondition(label=database.label, exists=True, size_bytes=size)
    try:
        async with database as opened:
            await opened.probe()
            async with opened.read() as connection:
                revision = await connection.run_sync(revision_of)
                if revision is not None and revision not in REVISIONS:
                    update = {"schema_version": revision, "problem": _newer(revision)}
                    return found.model_copy(update=update)
                sessions = await connection.run_sync(_sessions)
    except StorageError as error:
        return found.model_copy(update={"problem": str(error)})
    return found.model_copy(update={"schema_version": revision or "", "sessions": sessions})


def _newer(revision: str) -> str:
    return (
        f"written by a newer superbizagent (schema {revision}, this version knows {HEAD});"
        " upgrade superbizagent or use another database"
    )


def _sessions(connection: Connection) -> int:
    if not inspect(connection).has_table(diagnosis_session.name):
        return 0
    return connection.execute(select(func.count()).select_from(diagnosis_session)).scalar_one()
