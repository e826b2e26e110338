"""One row is the only lock."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from journaling import SetClock, new_session, opened
from superbizagent.domain.session import SessionStatus
from superbizagent.errors import SessionLostError, StorageError
from superbizagent.storage.owner import Owner, has_ended, local_owner
from superbizagent.storage.store import Storage

pytestmark = pytest.mark.anyio


async def test_a_claim_is_held_for_a_minute_after_its_last_renewal(
    storage: Storage, clock: SetClock
) -> None:
    await new_session(storage)
    claim = await storage.claims.take("s-1", Owner("a"))
    clock.pass_(59)
    with pytest.raises(StorageError, match="is being worked on by 'a'"):
        await storage.claims.take("s-1", Owner("b"))
    await storage.claims.renew(claim)
    clock.pass_(59)
    with pytest.raises(StorageError):
        await storage.claims.take("s-1", Owner("b"))
    clock.pass_(1)
    taken = await storage.claims.take("s-1", Owner("b"))
    assert (taken.owner, taken.attempt) == ("b", 2)
    with pytest.raises(SessionLostError, match="taken over by 'b'"):
        await storage.claims.renew(claim)


async def test_the_same_owner_coming_back_does_not_own_its_old_claim(
    storage: Storage, clock: SetClock
) -> None:
    await new_session(storage)
    old = await storage.claims.take("s-1", Owner("a"))
    clock.pass_(60)
    await storage.claims.take("s-1", Owner("a"))
    with pytest.raises(SessionLostError):
        await storage.claims.renew(old)


async def test_a_released_claim_is_free_at_once(storage: Storage) -> None:
    await new_session(storage)
    claim = await storage.claims.take("s-1", Owner("a"))
    await storage.claims.release(claim)
    with pytest.raises(SessionLostError, match="taken over by 'nobody'"):
        await storage.claims.renew(claim)
    successor = await storage.claims.take("s-1", Owner("b"))
    await storage.claims.release(claim)  # too late, and harmless
    await storage.claims.renew(successor)


async def test_a_dead_owner_is_followed_at_once(storage: Storage) -> None:
    await new_session(storage)
    await storage.claims.take("s-1", Owner("dead"))
    heir = Owner("heir", is_gone=lambda name: name == "dead")
    assert (await storage.claims.take("s-1", heir)).attempt == 2
    with pytest.raises(StorageError):
        await storage.claims.take("s-1", heir)


async def test_of_many_that_want_it_one_gets_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as storage:
        await new_session(storage)

    async def take(name: str) -> int:
        async with opened(tmp_path) as storage:
            return (await storage.claims.take("s-1", Owner(name))).attempt

    takers = (take(str(n)) for n in range(6))
    results = await asyncio.gather(*takers, return_exceptions=True)
    assert [r for r in results if isinstance(r, int)] == [1]
    assert sum(isinstance(r, StorageError) for r in results) == 5


async def test_orphans_are_running_sessions_that_nobody_renews(
    storage: Storage, clock: SetClock
) -> None:
    for name in ("alive", "dead", "released", "queued"):
        await new_session(storage, name)
    for name in ("dead", "released", "alive"):
        claim = await storage.claims.take(name, Owner(name))
        await storage.sessions.start(claim)
        if name == "released":
            await storage.claims.release(claim)
        clock.pass_(40)
    assert await storage.claims.orphans() == ("dead",)  # what was released is gone on with by hand
    await storage.sessions.move("dead", SessionStatus.QUEUED)
    assert await storage.claims.orphans() == ()


def test_a_process_is_known_by_host_number_and_start() -> None:
    mine = local_owner()
    host, pid, start = mine.name.split("/")
    assert (host, int(pid)) == (socket.gethostname(), os.getpid())
    assert mine.is_gone is has_ended
    assert not has_ended(mine.name)
    assert has_ended(f"{host}/{pid}/{int(start) + 1}")  # the number was given to another


def test_a_process_that_ended_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        stat = Path(f"/proc/{child.pid}/stat").read_text()
        name = f"{socket.gethostname()}/{child.pid}/{stat.rpartition(')')[2].split()[19]}"
        assert not has_ended(name)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, not yet buried
        assert has_ended(name)
    assert has_ended(name)


@pytest.mark.parametrize(
    "name", ["", "me", "elsewhere.example/1/2", "{host}/x/1", "{host}/1", "{host}/1/0"]
)
def test_of_any_other_owner_nothing_is_known(name: str) -> None:
    assert not has_ended(name.format(host=socket.gethostname()))
