"""Whatever the database refuses is one line that says what to do."""

import asyncio
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from journaling import SetClock, new_session, opened
from superbizagent.domain.redaction import Redactor
from superbizagent.errors import ConfigError, StorageError
from superbizagent.storage import database as database_module
from superbizagent.storage.database import Database, sqlite_url
from superbizagent.storage.store import Storage

pytestmark = pytest.mark.anyio


async def create(url: str) -> None:
    """Open a database and write one session into it."""
    async with Storage.open(url, clock=SetClock(), redactor=Redactor(b"k")) as storage:
        await new_session(storage)


def file_of(folder: Path) -> str:
    return sqlite_url(str(folder / "superbiz.db"))


async def one_line(url: str) -> str:
    with pytest.raises(StorageError) as raised:
        await create(url)
    message = str(raised.value)
    assert "\n" not in message
    assert "SELECT" not in message
    assert "Background on this error" not in message
    return message


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "superbiz.db").write_bytes(b"%PDF-1.7 something else" * 1000)
    assert "is not a database: move it away" in await one_line(file_of(tmp_path))


async def test_a_damaged_database(tmp_path: Path) -> None:
    await create(file_of(tmp_path))
    path = tmp_path / "superbiz.db"
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\x5a" * (len(data) - 4096))
    assert "is damaged: restore a copy" in await one_line(file_of(tmp_path))


async def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "does the folder exist" in await one_line(file_of(tmp_path / "missing"))


async def test_a_read_only_database(tmp_path: Path) -> None:
    await create(file_of(tmp_path))
    url = f"sqlite+aiosqlite:///file:{tmp_path}/superbiz.db?mode=ro&uri=true"
    assert "is read-only: give write permission" in await one_line(url)


async def test_a_full_disk(tmp_path: Path) -> None:
    """The engine's own limit gives the very error a full disk gives (SQLITE_FULL)."""
    async with opened(tmp_path) as storage:
        async with storage.database.write() as connection:
            pages = (await connection.execute(text("PRAGMA page_count"))).scalar_one()
            await connection.execute(text(f"PRAGMA max_page_count={pages}"))
        with pytest.raises(StorageError, match="has no room left on its disk: free some space"):
            await new_session(storage, question="why " * 100_000)
        await storage.sessions.list()  # reading goes on


async def test_a_writer_waits_for_another_process_and_then_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "BUSY_TIMEOUT_SECONDS", 0.2)
    await create(file_of(tmp_path))
    other = sqlite3.connect(tmp_path / "superbiz.db", isolation_level=None)
    async with opened(tmp_path) as storage:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(StorageError, match="is held by another process that is writing"):
            await new_session(storage, "s-2")
        assert time.monotonic() - began > 0.15
        assert len(await storage.sessions.list()) == 1  # reading does not wait
        asyncio.get_running_loop().call_later(0.05, other.rollback)
        await new_session(storage, "s-2")  # waits until the other one is done
    other.close()


async def test_reading_while_writing_sees_the_last_commit(storage: Storage) -> None:
    await new_session(storage)
    async with storage.database.write() as connection:
        await connection.execute(text("UPDATE diagnosis_session SET rounds = 7"))
        assert (await storage.sessions.require("s-1")).rounds == 0
    assert (await storage.sessions.require("s-1")).rounds == 7


async def test_a_write_holds_the_database_from_its_first_moment(storage: Storage) -> None:
    """Else it would read, be overtaken, and fail at its first write without waiting."""
    other = sqlite3.connect(storage.database.label, timeout=0, isolation_level=None)
    async with storage.database.write():
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            other.execute("BEGIN IMMEDIATE")
    async with storage.database.read():
        other.execute("BEGIN IMMEDIATE")
    other.close()


async def test_an_error_inside_a_transaction_undoes_it(storage: Storage) -> None:
    await new_session(storage)

    async def write_and_fail() -> None:
        async with storage.database.write() as connection:
            await connection.execute(text("UPDATE diagnosis_session SET rounds = 7"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_and_fail()
    assert (await storage.sessions.require("s-1")).rounds == 0


async def test_connections_are_set_up(storage: Storage) -> None:
    expected = {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1}
    # Whoever writes waits by itself: SQLite's own way to wait starves one of two.
    waits = ((storage.database.read, 5000), (storage.database.write, 0))
    for opening, busy_timeout in waits:
        async with opening() as connection:
            for pragma, value in {**expected, "busy_timeout": busy_timeout}.items():
                assert (await connection.execute(text(f"PRAGMA {pragma}"))).scalar() == value


async def test_a_database_in_memory_is_one_database() -> None:
    url = "sqlite+aiosqlite:///:memory:"
    async with Storage.open(url, clock=SetClock(), redactor=Redactor(b"k")) as storage:
        await asyncio.gather(*(new_session(storage, f"s-{n}") for n in range(5)))
        assert len(await storage.sessions.list()) == 5
        assert storage.database.label == ":memory:"


SUPPORTED = r"cannot be used: this version supports sqlite\+aiosqlite "


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("no url at all", "is no database URL"),
        ("mysql://u:pw@h:port/db", "is no database URL"),
        ("mysql://u:pw@h/db", SUPPORTED),
        ("oracle+nothing://h/db", SUPPORTED),
        ("postgresql+missing_driver://u:pw@h/db", SUPPORTED),
        ("sqlite:////data/superbiz.db", SUPPORTED),
    ],
)
def test_a_url_that_cannot_be_used_is_a_config_error(url: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as raised:
        Database(url)
    assert "pw" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_servers_label_hides_the_password() -> None:
    label = Database("mysql+asyncmy://u:hunter2@h/db").label
    assert "hunter2" not in label
    assert "h/db" in label


IMPORTS = "import superbizagent.storage, sys; print('sqlalchemy' in sys.modules)"


def test_the_package_alone_does_not_import_the_database_library() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"


async def test_a_server_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    url = f"mysql+asyncmy://u:hunter2@localhost/db?unix_socket={tmp_path}/nobody.sock"
    async with Database(url) as database:
        with pytest.raises(StorageError) as raised:
            async with database.read():
                pass
    assert "hunter2" not in str(raised.value)
    assert "\n" not in str(raised.value)


async def test_an_error_of_the_operating_system_inside_is_not_the_databases(
    storage: Storage,
) -> None:
    with pytest.raises(FileNotFoundError):
        async with storage.database.read():
            raise FileNotFoundError


async def test_nothing_but_the_one_line_is_printed(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from journaling import SetClock, new_session\n"
        "from superbizagent.domain.redaction import Redactor\n"
        "from superbizagent.errors import StorageError\n"
        "from superbizagent.storage.store import Storage\n"
        "async def main(url):\n"
        "    try:\n"
        "        async with Storage.open(url, clock=SetClock(), redactor=Redactor(b'k')) as s:\n"
        "            await new_session(s)\n"
        "    except StorageError as error:\n"
        "        print(error)\n"
        "for url in sys.argv[1:]:\n"
        "    for _ in range(10):\n"
        "        asyncio.run(main(url))\n"
    )
    (tmp_path / "superbiz.db").write_bytes(b"no database" * 1000)
    (tmp_path / "folder.db").mkdir()
    urls = [sqlite_url(str(tmp_path / name)) for name in ("superbiz.db", "folder.db", "no/file")]
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", program, *urls],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 30
