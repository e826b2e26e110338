"""Engines and transactions: one writer, readers beside it, one line for everything that fails.

SQLite allows one writer at a time, and a transaction that reads before it writes fails at once
when another one wrote in between, whatever the time-out. So every write takes the one writer
connection and begins with ``BEGIN IMMEDIATE``, which does wait; reads use connections of their own
and see the last commit (WAL). On a server both kinds come from one pool.
"""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any, Self

import orjson
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidRequestError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool
from sqlalchemy.util import await_only

from superbizagent.errors import ConfigError, StorageError
from superbizagent.storage.database_file import make_private, read_only_url
from superbizagent.storage.transactions import transaction

__all__ = ["BUSY_TIMEOUT_SECONDS", "Database", "sqlite_url"]

BUSY_TIMEOUT_SECONDS = 5.0
"""How long a writer waits for another process; our longest transaction is far below."""
_LOOK_SECONDS = 0.004
"""How often it looks meanwhile whether the other one is done."""

_ADVICE = (
    ("readonly", "is read-only: give write permission or point SUPERBIZ_DATABASE_URL elsewhere"),
    ("read-only", "is read-only: give write permission or point SUPERBIZ_DATABASE_URL elsewhere"),
    ("disk is full", "has no room left on its disk: free some space and try again"),
    ("disk i/o", "cannot be read or written on its disk: check the disk, free some space"),
    ("locked", "is held by another process that is writing: wait for it or stop it"),
    ("not a database", "is not a database: move it away or point SUPERBIZ_DATABASE_URL elsewhere"),
    ("refused", "cannot be reached: is the server running, is SUPERBIZ_DATABASE_URL right?"),
    ("connect call failed", "cannot be reached: is the server running, is the URL right?"),
    ("malformed", "is damaged: restore a copy or move the file away"),
    ("unable to open", "cannot be opened: does the folder exist and may we write there?"),
)  # fmt: skip


def sqlite_url(path: str) -> str:
    """Return the URL of a SQLite file."""
    return URL.create("sqlite+aiosqlite", database=path).render_as_string()


class Database:
    """One database and its connections.

    Args:
        url: SQLAlchemy URL with an async driver, e.g. ``sqlite+aiosqlite:////data/superbiz.db``.
        reading: Nothing will be written, so a file that cannot be written will do.

    Raises:
        ConfigError: when the URL cannot be read or its driver is not installed.
    """

    def __init__(self, url: str, *, reading: bool = False) -> None:
        try:
            self.url = make_url(url)
        except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
            raise ConfigError(f"SUPERBIZ_DATABASE_URL is no database URL: {error}") from error
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._engine_url = (read_only_url(self.url) if reading else None) or self.url
        self._in_memory = self.is_sqlite and self.url.database in {None, "", ":memory:"}
        self._writer_lock = asyncio.Lock()
        self._writer = self._engine(writer=True)
        shared = self._in_memory or not self.is_sqlite
        self._reader = self._writer if shared else self._engine(writer=False)

    @property
    def label(self) -> str:
        """The database as it may be shown: no password."""
        return self.url.database or ":memory:" if self.is_sqlite else str(self.url)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def probe(self) -> None:
        """Open the file of an embedded database once, before any connection is made.

        When its first connection cannot be opened, the async driver leaves a thread behind that
        prints a traceback once the event loop is closed.

        Raises:
            StorageError: when the file cannot be opened or is no database.
        """
        if not self.is_sqlite or self._in_memory:
            return
        try:
            await asyncio.to_thread(_open_once, self._writer.sync_engine, self.url.database or "")
        except sqlite3.Error as error:
            raise self._explain(error) from error

    async def close(self) -> None:
        """Close every connection."""
        await self._writer.dispose()
        if self._reader is not self._writer:
            await self._reader.dispose()

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[AsyncConnection]:
        """One transaction that may write; commits when the block ends without an error.

        Raises:
            StorageError: in one line, when the database refuses.
        """
        lock = self._writer_lock if self.is_sqlite else _Open()
        async with lock, self._guarded(self._writer) as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncConnection]:
        """One transaction that only reads: a consistent view of the last commit.

        Raises:
            StorageError: in one line, when the database refuses.
        """
        lock = self._writer_lock if self._in_memory else _Open()
        async with lock, self._guarded(self._reader) as connection:
            yield connection

    @asynccontextmanager
    async def _guarded(self, engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
        connected = False
        try:
            async with transaction(engine) as connection:
                connected = True
                yield connection
        except (DBAPIError, PoolTimeoutError, sqlite3.Error) as error:
            raise self._explain(error) from error
        except OSError as error:  # what some drivers raise when nobody listens
            if connected:
                raise
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> StorageError:
        cause = error.orig if isinstance(error, DBAPIError) else error
        text = " ".join(str(cause).split())
        for sign, advice in _ADVICE:
            if sign in text.lower():
                return StorageError(f"database {self.label!r} {advice}")
        return StorageError(f"database {self.label!r} refused: {text[:300]}")

    def _engine(self, *, writer: bool) -> AsyncEngine:
        options: dict[str, Any] = {
            # SQLAlchemy's own serialiser writes NaN, which no database's JSON accepts.
            "json_serializer": lambda value: orjson.dumps(value, option=_JSON).decode(),  # pyright: ignore[reportUnknownLambdaType] - any JSON value
            "json_deserializer": orjson.loads,
            "hide_parameters": True,  # an error in a log shows no value
        }
        if self._in_memory:
            options["poolclass"] = StaticPool
        elif self.is_sqlite and writer:
            options |= {"pool_size": 1, "max_overflow": 0}
        if not self.is_sqlite:
            options["pool_pre_ping"] = True
        try:
            engine = create_async_engine(self._engine_url, **options)
        except (ArgumentError, InvalidRequestError, ModuleNotFoundError) as error:
            raise ConfigError(
                f"SUPERBIZ_DATABASE_URL cannot be used: this version supports {_SUPPORTED}, not"
                f" {self.url.drivername}; other databases will come as extras"
            ) from error
        if self.is_sqlite:
            _prepare_sqlite(engine, writer=writer or self._in_memory)
        return engine


_SUPPORTED = "sqlite+aiosqlite (sqlite+aiosqlite:////data/superbiz.db)"

_JSON = orjson.OPT_NON_STR_KEYS | orjson.OPT_UTC_Z


class _Open:
    """A lock that never waits: a server does its own locking."""

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _open_once(engine: Engine, path: str) -> None:
    if not path.startswith("file:"):
        make_private(Path(path))
    arguments: Any
    options: Any
    arguments, options = engine.dialect.create_connect_args(engine.url)
    with closing(sqlite3.connect(*arguments, **options)) as connection:
        connection.execute("PRAGMA schema_version")  # reads the first page


def _begin_writing(connection: Connection) -> None:
    """Begin to write as soon as no other process does.

    SQLite's own way to wait sleeps longer each time, up to a tenth of a second: beside a process
    that writes often, the other one would come last again and again.
    """
    for _ in range(int(BUSY_TIMEOUT_SECONDS / _LOOK_SECONDS)):
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except OperationalError as error:
            if "locked" not in str(error.orig):
                raise
            await_only(asyncio.sleep(_LOOK_SECONDS))
        else:
            return
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _prepare_sqlite(engine: AsyncEngine, *, writer: bool) -> None:
    """Set each new connection up, and begin every transaction by hand."""

    def connect(connection: Any, _record: object) -> None:
        # None: the driver must not begin transactions on its own, it would begin deferred ones.
        connection.isolation_level = None
        # Bytes that are no UTF-8 were never written: read, they differ; refused, they would stop
        # the check that looks for such rows.
        connection.driver_connection.text_factory = _text
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={0 if writer else int(BUSY_TIMEOUT_SECONDS * 1000)}")
        # A database on a read-only medium keeps the mode it has; the first write says so.
        with suppress(sqlite3.OperationalError):
            cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    def begin(connection: Connection) -> None:
        if writer:
            _begin_writing(connection)
        else:
            connection.exec_driver_sql("BEGIN")

    event.listen(engine.sync_engine, "connect", connect)
    event.listen(engine.sync_engine, "begin", begin)
