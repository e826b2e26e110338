"""The data folder: nobody else's business, and readable where it cannot be written."""

import asyncio
import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

import variants
from commanding import Superbiz
from diagnosing import diagnose
from superbizagent.storage.database import Database, sqlite_url
from superbizagent.storage.installation import KEY_NAME

SIDE_FILES = ("superbiz.db-wal", "superbiz.db-shm")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o277])
def umask(request: pytest.FixtureRequest) -> Generator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


# -- modes -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("umask")
def test_folder_database_and_key_are_the_owners_alone(superbiz: Superbiz, tmp_path: Path) -> None:
    assert superbiz("trace", "list").code == 0
    data = tmp_path / "data"
    assert mode(data) == 0o700
    assert {path.name: mode(path) for path in data.iterdir()} == {
        "superbiz.db": 0o600,
        KEY_NAME: 0o600,
    }


@pytest.mark.usefixtures("umask")
def test_files_beside_the_database_are_the_owners_alone(tmp_path: Path) -> None:
    async def while_open() -> dict[str, int]:
        async with Database(sqlite_url(str(tmp_path / "superbiz.db"))) as database:
            await database.probe()
            async with database.write() as connection:
                await connection.exec_driver_sql("CREATE TABLE t (a)")
            return {name: mode(tmp_path / name) for name in SIDE_FILES}

    assert asyncio.run(while_open()) == dict.fromkeys(SIDE_FILES, 0o600)


def test_a_folder_that_is_there_keeps_its_mode(superbiz: Superbiz, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o750)
    data.chmod(0o750)
    superbiz("trace", "list")
    assert mode(data) == 0o750


def test_a_crash_leaves_the_folder_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from superbizagent.cli.crash import report_crash

    monkeypatch.setenv("SUPERBIZ_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    report_crash(ZeroDivisionError())
    assert mode(tmp_path / "data") == 0o700


# -- reading where nothing can be written ------------------------------------------------------

READING = (
    "trace list",
    "trace list --json",
    "trace show s",
    "trace verify last",
    "trace export s",
    "explain s E1",
    "replay s",
)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one diagnosis, and no installation key: it is not needed for reading."""
    folder = tmp_path_factory.mktemp("complete")
    bundle = variants.copy(variants.POOL, folder / "incident")
    variants.thinned(bundle, 30)
    diagnose(bundle, folder / "data", session_id="s")
    (folder / "data" / KEY_NAME).unlink()
    return folder / "data"


def mounted_read_only(data: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in a mount namespace of its own, where ``data`` cannot be written."""
    where = shlex.quote(str(data))
    mount = f"mount --bind {where} {where} && mount -o remount,ro,bind {where}"
    environment = os.environ | {
        "SUPERBIZ_DATA_DIR": str(data),
        "XDG_CONFIG_HOME": str(data.parent / "config"),
    }
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", f"{mount} || exit 77\n{script}"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def commands(*lines: str) -> str:
    """A program that runs command lines in one process and says how each ended."""
    program = (
        "import sys\n"
        "from superbizagent.cli.app import run\n"
        f"for line in {list(lines)!r}:\n"
        "    try:\n"
        "        run(line.split())\n"
        "    except SystemExit as ended:\n"
        "        print('ENDED', line, ended.code, file=sys.stderr)\n"
    )
    return shlex.join([sys.executable, "-c", program])


def needs_mounts() -> None:
    if shutil.which("unshare") is None or (
        subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode
    ):
        if os.environ.get("CI"):
            pytest.fail("unshare --mount is not allowed here")
        pytest.skip("unshare --mount is not allowed here")


@pytest.mark.slow
def test_commands_that_read_work_on_a_read_only_mount(complete: Path) -> None:
    needs_mounts()
    before = sorted(path.name for path in complete.iterdir())
    done = mounted_read_only(complete, commands(*READING))
    ended = [line for line in done.stderr.splitlines() if line.startswith("ENDED")]
    assert ended == [f"ENDED {line} 0" for line in READING], done.stderr
    assert "intact: " in done.stdout
    assert "same bytes: " in done.stdout
    assert sorted(path.name for path in complete.iterdir()) == before


def test_commands_that_write_say_so_in_one_line(complete: Path) -> None:
    needs_mounts()
    done = mounted_read_only(complete, commands("demo -q"))
    said, ended = done.stderr.splitlines()
    assert said.startswith("superbiz: the key ")
    assert said.endswith("[storage]")
    assert ended == "ENDED demo -q 1"


def test_what_another_process_has_not_written_back_is_read_too(tmp_path: Path) -> None:
    """A WAL with content must not be left out, so the file is not taken for immutable then."""
    needs_mounts()
    url = sqlite_url(str(tmp_path / "superbiz.db"))
    program = (
        "import asyncio, sys\n"
        "from superbizagent.storage.database import Database\n"
        "async def main():\n"
        "    async with Database(sys.argv[1], reading=True) as database:\n"
        "        async with database.read() as connection:\n"
        "            print((await connection.exec_driver_sql('SELECT a FROM t')).scalar())\n"
        "asyncio.run(main())\n"
    )

    async def write_and_read() -> subprocess.CompletedProcess[str]:
        async with Database(url) as database:
            async with database.write() as connection:
                await connection.exec_driver_sql("CREATE TABLE t (a)")
                await connection.exec_driver_sql("INSERT INTO t VALUES (42)")
            script = shlex.join([sys.executable, "-c", program, url])
            return await asyncio.to_thread(mounted_read_only, tmp_path, script)

    done = asyncio.run(write_and_read())
    assert done.stdout == "42\n", done.stderr
