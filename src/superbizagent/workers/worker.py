"""The worker: takes sessions from the queue and carries each to its end.

Which session is whose is decided by the claim that `run_session` takes, so several workers may
share a database. A worker that dies leaves its sessions to the next one's sweep.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from superbizagent.domain.protocols import Clock
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.errors import SessionLostError, StorageError, SuperbizError, UsageError
from superbizagent.storage.service_state import CANCEL, WORKER
from superbizagent.storage.store import Storage
from superbizagent.telemetry import get_logger
from superbizagent.workers.config import WorkerConfig

__all__ = ["Runner", "Worker"]

Runner = Callable[[DiagnosisSession], Awaitable[None]]
"""Runs one session to its end, or goes on with it."""

_LOOK_SECONDS = 1.0
"""How often the queue is looked at when nobody wakes the worker."""
_BEAT_SECONDS = 10.0
_SWEEP_SECONDS = 15.0
_AGAIN_SECONDS = 15.0
"""After which a session is tried again that another worker holds, or our database refused."""


class Worker:
    """Runs sessions until it is told to stop.

    Args:
        storage: where sessions are.
        run: runs one.
        clock: the time.
        config: how many at once, and how long they may go on after `stop`.
        after: called after a session ended, whatever it came to.
        each_turn: called once a second, before sessions are taken; each for itself.
    """

    def __init__(  # noqa: PLR0913 - what it does, and beside it
        self,
        storage: Storage,
        run: Runner,
        clock: Clock,
        config: WorkerConfig,
        *,
        after: Runner | None = None,
        each_turn: Sequence[Callable[[], Awaitable[object]]] = (),
    ) -> None:
        self._storage = storage
        self._run = run
        self._clock = clock
        self._config = config
        self._after = after
        self._each_turn = tuple(each_turn)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._cancelled: set[str] = set()
        self._later: dict[str, float] = {}
        self._wake = asyncio.Event()
        self._stopping = False
        self._log = get_logger("worker")
        self._due = {self._beat: 0.0, self._sweep: 0.0}

    def wake(self) -> None:
        """Look at the queue now."""
        self._wake.set()

    def stop(self) -> None:
        """Take nothing more; `work` returns when what runs has ended or was handed back."""
        self._stopping = True
        self._wake.set()

    async def work(self) -> None:
        """Work until `stop` is called."""
        while not self._stopping:
            try:
                await self._turn()
            except StorageError as error:  # locked, full, gone: it may come back
                self._log.error("the database does not answer", error=str(error))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _LOOK_SECONDS)
            self._wake.clear()
        await self._drain()

    async def _turn(self) -> None:
        now = self._clock.monotonic()
        for task, every in ((self._sweep, _SWEEP_SECONDS), (self._beat, _BEAT_SECONDS)):
            if now >= self._due[task]:
                await task()
                self._due[task] = now + every
        await self._give_up_cancelled()
        for work in self._each_turn:
            try:
                await work()
            except StorageError:
                raise
            except Exception as error:  # noqa: BLE001 - queued sessions must not wait for that
                self._log.error("internal error", exc_info=error)
        await self._fill()

    async def _sweep(self) -> None:
        if found := await self._storage.queue.sweep():
            self._log.warning("sessions were left and are taken up again", sessions=found)

    async def _beat(self) -> None:
        await self._storage.state.set(WORKER, {"running": sorted(self._tasks)})

    async def _give_up_cancelled(self) -> None:
        for session_id in await self._storage.state.named(CANCEL):
            task = self._tasks.get(session_id)
            if task is not None:
                self._cancelled.add(session_id)
                task.cancel()
            else:
                await self._end_cancelled(session_id)

    async def _fill(self) -> None:
        free = self._config.concurrency - len(self._tasks)
        if free <= 0:
            return
        now = self._clock.monotonic()
        self._later = {name: at for name, at in self._later.items() if at > now}
        for session_id in await self._storage.queue.next(free, (*self._tasks, *self._later)):
            task = asyncio.create_task(self._one(session_id), name=session_id)
            self._tasks[session_id] = task
            task.add_done_callback(lambda _, done=session_id: self._tasks.pop(done, None))

    async def _one(self, session_id: str) -> None:
        try:
            session = await self._storage.sessions.require(session_id)
            if not session.status.is_final:
                await self._run(session)
            await self._storage.queue.remove(session_id)
        except asyncio.CancelledError:
            if session_id not in self._cancelled:
                raise  # handed back: it stays in the queue
            await self._end_cancelled(session_id)
        except SessionLostError:
            self._log.warning("another worker took the session over", session_id=session_id)
        except SuperbizError as error:
            await self._failed(session_id, error)
        except Exception as error:  # noqa: BLE001 - one session must not end the worker
            self._log.error("internal error", session_id=session_id, exc_info=error)
            await self._failed(session_id, error)
        await self._ended(session_id)
        self._wake.set()

    async def _ended(self, session_id: str) -> None:
        if self._after is None:
            return
        session = await self._storage.sessions.get(session_id)
        if session is not None and session.status.is_final:
            await self._after(session)

    async def _end_cancelled(self, session_id: str) -> None:
        with suppress(UsageError):  # it had ended before
            await self._storage.sessions.move(session_id, SessionStatus.CANCELLED)
        await self._storage.queue.remove(session_id)
        await self._storage.state.delete(f"{CANCEL}{session_id}")
        self._cancelled.discard(session_id)

    async def _failed(self, session_id: str, error: Exception) -> None:
        """End a session that cannot be run; one that another worker has in hand is left to it."""
        self._log.error("the session failed", session_id=session_id, error=str(error))
        session = await self._storage.sessions.get(session_id)
        if session is None or session.status.is_final:
            await self._storage.queue.remove(session_id)
            return
        if isinstance(error, StorageError):
            self._later[session_id] = self._clock.monotonic() + _AGAIN_SECONDS
            return  # it stays queued and is tried again
        await self._storage.sessions.move(session_id, SessionStatus.FAILED, str(error))
        await self._storage.queue.remove(session_id)

    async def _drain(self) -> None:
        """Let what runs end in the time that is left, then hand it back."""
        tasks = list(self._tasks.values())
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=self._config.drain_seconds)
        for task in left:
            task.cancel()
        if left:
            self._log.warning("sessions were handed back", sessions=len(left))
            await asyncio.wait(left)
