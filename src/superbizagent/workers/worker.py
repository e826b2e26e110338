"""The worker: takes sessions from the queue and carries each to its end.

Which session is whose is decided by the claim that `run_session` takes, so several workers may
share a database. A worker that dies leaves its sessions to the next one: their rows stay in the
queue until they have ended.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from superbizagent.domain.protocols import Clock
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.errors import (
    IntegrityError,
    SessionBusyError,
    SessionLostError,
    StorageError,
    SuperbizError,
    UsageError,
)
from superbizagent.storage.owner import local_owner
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
        after: called after a session ended, whatever it came to; once more when the worker died
            over it.
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
        self._at_once = asyncio.Event()
        self._trouble = ""
        self._log = get_logger("worker")
        self._due = {self._beat: 0.0, self._sweep: 0.0}

    def wake(self) -> None:
        """Look at the queue now."""
        self._wake.set()

    def stop(self, *, at_once: bool = False) -> None:
        """Take nothing more; `work` returns when what runs has ended or was handed back.

        Args:
            at_once: hand back what runs; without it, it may go on for `drain_seconds`.
        """
        self._stopping = True
        if at_once:
            self._at_once.set()
        self._wake.set()

    async def work(self) -> None:
        """Work until `stop` is called."""
        while not self._stopping:
            try:
                await self._turn()
                self._noted("")
            except SuperbizError as error:  # locked, full, gone: it may come back
                self._noted(str(error))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _LOOK_SECONDS)
            self._wake.clear()
        await self._drain()

    def _noted(self, trouble: str) -> None:
        """Say once what is wrong, and once that it is over."""
        if trouble and trouble != self._trouble:
            self._log.error("the database does not answer", error=trouble)
        elif self._trouble and not trouble:
            self._log.warning("the database answers again")
        self._trouble = trouble

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
            if task is None:
                await self._cancel(session_id)
            elif session_id not in self._cancelled:
                self._cancelled.add(session_id)
                task.cancel()

    async def _cancel(self, session_id: str) -> None:
        """End a session that nobody has in hand; its own worker finds the document as we did."""
        try:
            await self._end(session_id, SessionStatus.CANCELLED)
            await self._end_of(session_id)
        except SessionBusyError:
            return
        except IntegrityError as error:  # nobody can end it, and others must not wait for that
            self._log.error("cannot be cancelled", session_id=session_id, error=str(error))
            await self._storage.queue.remove(session_id)
        await self._storage.state.delete(f"{CANCEL}{session_id}")
        self._cancelled.discard(session_id)

    async def _fill(self) -> None:
        free = self._config.concurrency - len(self._tasks)
        if free <= 0:
            return
        now = self._clock.monotonic()
        self._later = {name: at for name, at in self._later.items() if at > now}
        for session_id in await self._storage.queue.next(free, (*self._tasks, *self._later)):
            task = asyncio.create_task(self._one(session_id), name=session_id)
            self._tasks[session_id] = task
            task.add_done_callback(lambda _, done=session_id: self._leave(done))

    def _leave(self, session_id: str) -> None:
        del self._tasks[session_id]
        self._wake.set()

    async def _one(self, session_id: str) -> None:
        try:
            await self._carry(session_id)
            await self._end_of(session_id)
        except asyncio.CancelledError:
            if session_id not in self._cancelled:
                raise  # handed back: it stays in the queue
            # The next turn ends it: by then it is in nobody's hand.
        except Exception as error:  # noqa: BLE001 - one session must not end the worker
            self._postpone(session_id, error)

    async def _carry(self, session_id: str) -> None:
        """Run a session; when it cannot be run, end it with the reason."""
        try:
            session = await self._storage.sessions.require(session_id)
            if not session.status.is_final:
                await self._run(session)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it was, it is why the session failed
            reason = str(error)
            if isinstance(error, SuperbizError):
                self._log.error("the session failed", session_id=session_id, error=reason)
            else:
                self._log.error("internal error", session_id=session_id, exc_info=error)
                reason = f"internal error: {type(error).__name__}: {reason}"
            await self._end(session_id, SessionStatus.FAILED, reason)

    async def _end(self, session_id: str, status: SessionStatus, error: str = "") -> None:
        """End a session that has not ended and that nobody has in hand.

        Raises:
            SessionBusyError: when somebody has.
            IntegrityError: when its row cannot be read.
            StorageError: when the database refuses.
        """
        session = await self._storage.sessions.get(session_id)
        if session is None or session.status.is_final:
            return
        claim = await self._storage.claims.take(session_id, local_owner())
        try:
            with suppress(UsageError):  # it ended while we claimed it
                await self._storage.sessions.complete(claim, status, error)
        finally:
            await self._storage.claims.release(claim)

    async def _end_of(self, session_id: str) -> None:
        """Take a session out of the queue, and tell of one that has ended."""
        session = await self._storage.sessions.get(session_id)
        if self._after is not None and session is not None:
            try:
                await self._after(session)
            except StorageError:
                raise
            except Exception as error:  # noqa: BLE001 - its report stands, whoever is told of it
                self._log.error("internal error", session_id=session_id, exc_info=error)
        await self._storage.queue.remove(session_id)

    def _postpone(self, session_id: str, error: Exception) -> None:
        """Leave a session in the queue for later, and for good when it would be no better then."""
        lasting = not isinstance(error, StorageError)
        wait = math.inf if lasting else _AGAIN_SECONDS
        self._later[session_id] = self._clock.monotonic() + wait
        if isinstance(error, SessionBusyError | SessionLostError):
            self._log.info("another worker has the session", session_id=session_id)
        elif lasting:
            self._log.error("left alone", session_id=session_id, error=str(error))
        else:
            self._log.warning("tried again later", session_id=session_id, error=str(error))

    async def _drain(self) -> None:
        """Let what runs end in the time that is left, then hand it back."""
        tasks = list(self._tasks.values())
        if not tasks:
            return
        ended = asyncio.gather(*tasks, return_exceptions=True)
        hurried = asyncio.create_task(self._at_once.wait())
        await asyncio.wait(
            (ended, hurried),
            timeout=self._config.drain_seconds,
            return_when=asyncio.FIRST_COMPLETED,
        )
        hurried.cancel()
        left = [task for task in tasks if not task.done()]
        for task in left:
            task.cancel()
        await ended
        if left:
            self._log.warning("sessions were handed back", sessions=len(left))
