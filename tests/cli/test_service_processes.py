"""The service and its worker as processes: killed, told to end, started again."""

import asyncio
import re
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from benchmarks.served import Served, ended_of, new_sessions, opened, put
from superbizagent.cli.child import WorkerProcess
from superbizagent.domain.session import SessionStatus

SLOW_START = 20.0


def is_alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def worker_of(service: Served, other_than: int | None = None) -> int:
    """Wait for the worker of a service."""
    end = time.monotonic() + SLOW_START
    while (found := service.worker()) is None or found == other_than:
        assert time.monotonic() < end, service.log.read_text()
        time.sleep(0.02)
    return found


def address_of(service: Served) -> str:
    """Wait until a service listens and return where."""
    end = time.monotonic() + SLOW_START
    while not (found := re.search(r"listening on (\S+)", service.log.read_text())):
        assert time.monotonic() < end, service.log.read_text()
        time.sleep(0.05)
    return found[1]


def gone_after(pid: int, seconds: float) -> float:
    """Wait until a process has ended; return how long that took."""
    began = time.monotonic()
    while is_alive(pid):
        assert time.monotonic() - began < seconds, "it is still there"
        time.sleep(0.02)
    return time.monotonic() - began


async def begun(service: Served) -> None:
    """Wait until a session is running."""
    async with asyncio.timeout(SLOW_START), opened(service.data) as storage:
        while True:
            if any(s.status is SessionStatus.RUNNING for s in await storage.sessions.list()):
                return
            await asyncio.sleep(0.02)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    service = Served(tmp_path / "data", {"SUPERBIZ_WORKER__CONCURRENCY": "1"})
    yield service
    with suppress(RuntimeError):  # it was never started
        service.kill_server()


def test_a_worker_ends_soon_after_its_service_was_killed_and_the_next_goes_on(
    service: Served,
) -> None:
    asyncio.run(put(service.data, new_sessions(4)))
    service.start()
    asyncio.run(begun(service))
    worker = worker_of(service)
    service.kill_server()
    gone_after(worker, 3)
    service.start()
    asyncio.run(service.idle(40))
    assert service.stop() == 0
    ended = asyncio.run(ended_of(service.data))
    assert {one.status for one in ended.values()} == {SessionStatus.COMPLETED}
    assert {one.problems for one in ended.values()} == {()}


def test_a_worker_that_was_killed_is_started_again(service: Served) -> None:
    asyncio.run(put(service.data, new_sessions(2)))
    service.start()
    asyncio.run(begun(service))
    first = worker_of(service)
    assert service.kill_worker()
    assert worker_of(service, first) != first
    asyncio.run(service.idle(55))
    assert service.stop() == 0
    ended = asyncio.run(ended_of(service.data))
    assert {one.status for one in ended.values()} == {SessionStatus.COMPLETED}
    assert service.log.read_text().count("the worker died and is started again") == 1


@pytest.mark.parametrize("drain", ["20", "0"])
def test_told_to_end_it_finishes_or_hands_back_what_runs(tmp_path: Path, drain: str) -> None:
    service = Served(
        tmp_path / "data",
        {"SUPERBIZ_WORKER__CONCURRENCY": "1", "SUPERBIZ_WORKER__DRAIN_SECONDS": drain},
    )
    asyncio.run(put(service.data, new_sessions(3)))
    service.start()
    asyncio.run(begun(service))
    worker = worker_of(service)
    assert service.stop() == 0
    assert not is_alive(worker)
    told = {one.status for one in asyncio.run(ended_of(service.data)).values()}
    running = SessionStatus.RUNNING in told
    assert running is (drain == "0")
    assert ("sessions were handed back" in service.log.read_text()) is running
    service.start()
    asyncio.run(service.idle(40))
    assert service.stop() == 0
    ended = asyncio.run(ended_of(service.data))
    assert {one.status for one in ended.values()} == {SessionStatus.COMPLETED}
    assert {one.problems for one in ended.values()} == {()}


def test_an_interrupt_ends_it_as_well(service: Served) -> None:
    service.start()
    worker = worker_of(service)
    address_of(service)
    assert service.stop(signal.SIGINT) == 0
    assert not is_alive(worker)
    assert "Traceback" not in service.log.read_text()


def test_a_source_that_is_not_there_fails_its_session_once(service: Served) -> None:
    [session] = new_sessions(1)
    sources = session.payload["sources"] | {"bundle": str(service.data / "nothing")}
    payload = session.payload | {"sources": sources}
    asyncio.run(put(service.data, [session.model_copy(update={"payload": payload})]))
    service.start()
    asyncio.run(service.idle(20))
    assert service.stop() == 0
    [ended] = asyncio.run(ended_of(service.data)).values()
    assert ended.status is SessionStatus.FAILED
    assert "nothing" in ended.error
    assert ended.problems == ()
    assert service.log.read_text().count("the session failed") == 1


def test_a_worker_that_dies_at_once_again_and_again_does_not_spin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUPERBIZ_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SUPERBIZ_WORKER__CONCURRENCY", "0")

    async def watch() -> None:
        async with WorkerProcess(drain_seconds=1) as child:
            await asyncio.sleep(5)
            child.wake()  # harmless without one

    began = time.monotonic()
    asyncio.run(watch())
    assert time.monotonic() - began < 8
    tried = capfd.readouterr().err.count("[config]")
    assert 2 <= tried <= 4  # after 0.5, 1, 2 s, and what a start takes


def test_a_module_in_the_folder_it_runs_in_is_not_taken_for_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "secrets.py").write_text("raise SystemExit('taken')\n")
    monkeypatch.setenv("SUPERBIZ_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    async def start() -> None:
        async with WorkerProcess(drain_seconds=5):
            await asyncio.sleep(2)

    asyncio.run(start())
    assert "taken" not in capfd.readouterr().err


@pytest.mark.slow
def test_a_full_disk_costs_time_only(service: Served) -> None:
    """The kernel refuses the worker to write past a size, as it does when a disk is full."""
    asyncio.run(put(service.data, new_sessions(3)))
    service.start()
    asyncio.run(begun(service))
    worker = worker_of(service)
    free = resource.prlimit(worker, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    end = time.monotonic() + SLOW_START
    while "tried again later" not in service.log.read_text():
        assert time.monotonic() < end, service.log.read_text()
        time.sleep(0.1)
    time.sleep(3)
    assert service.worker() == worker  # it lives
    resource.prlimit(worker, resource.RLIMIT_FSIZE, free)
    asyncio.run(service.idle(50))
    assert service.stop() == 0
    ended = asyncio.run(ended_of(service.data))
    assert {one.status for one in ended.values()} == {SessionStatus.COMPLETED}
    assert {one.problems for one in ended.values()} == {()}


@pytest.mark.slow
@pytest.mark.real_server
def test_a_service_whose_worker_cannot_start_says_that_it_is_not_ready(service: Served) -> None:
    service.start()
    address = address_of(service)
    end = time.monotonic() + SLOW_START
    while httpx2.get(f"{address}/readyz").status_code != 200:
        assert time.monotonic() < end, service.log.read_text()
        time.sleep(0.1)
    folder = service.data / "config" / "superbizagent"
    folder.mkdir(parents=True)
    (folder / "superbiz.toml").write_text("[worker]\ndrain_seconds = -1\n")
    assert service.kill_worker()
    time.sleep(32)
    answer = httpx2.get(f"{address}/readyz")
    assert answer.status_code == 503
    assert answer.json()["data"]["worker"] == "not seen for 30 s"
    (folder / "superbiz.toml").unlink()
    end = time.monotonic() + 40
    while httpx2.get(f"{address}/readyz").status_code != 200:
        assert time.monotonic() < end, service.log.read_text()
        time.sleep(0.2)
    assert service.stop() == 0
