"""The audit log as requests write it: gathered, and stored a few times a second.

What changes something is stored before its answer begins: whoever got an answer stands in the log.
What only reads, and what senders hand in, may be lost with a process that is killed, but for the
last half second alone; equal ones of that time are one entry that counts.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress

from superbizagent.domain.audit import AuditAction, AuditEntry
from superbizagent.errors import StorageError
from superbizagent.storage.audit import AuditRepository
from superbizagent.telemetry import get_logger

__all__ = ["AuditTrail", "action_of"]

_EVERY = 0.5
"""Seconds between two transactions of what may wait."""

_MOST = 10_000
"""Entries kept while the database cannot be written; further ones go to our log lines."""

_ACTIONS: Mapping[tuple[str, str], AuditAction] = {
    ("GET", "/api/traces"): AuditAction.READ_TRACES,
    ("GET", "/api/traces/{}"): AuditAction.READ_TRACE,
    ("GET", "/api/traces/{}/events"): AuditAction.READ_TRACE,
    ("GET", "/api/traces/{}/evidence/{}"): AuditAction.READ_EVIDENCE,
    ("GET", "/api/chat/session/{}"): AuditAction.READ_CONVERSATION,
    ("GET", "/api/incidents"): AuditAction.READ_INCIDENT,
    ("GET", "/api/incidents/{}"): AuditAction.READ_INCIDENT,
    ("GET", "/api/audit"): AuditAction.READ_AUDIT,
    ("POST", "/api/chat"): AuditAction.CHAT,
    ("POST", "/api/chat_stream"): AuditAction.CHAT,
    ("POST", "/api/chat/clear"): AuditAction.CLEAR_CHAT,
    ("POST", "/api/ai_ops"): AuditAction.START_DIAGNOSIS,
    ("POST", "/api/sessions/{}/cancel"): AuditAction.CANCEL,
    ("POST", "/api/sessions/{}/requeue"): AuditAction.REQUEUE,
    ("POST", "/api/sessions/{}/fork"): AuditAction.FORK,
    ("POST", "/api/sessions/{}/feedback"): AuditAction.FEEDBACK,
    ("POST", "/api/alerts/alertmanager"): AuditAction.INGEST,
    ("POST", "/api/alerts/grafana"): AuditAction.INGEST,
    ("POST", "/api/alerts/pagerduty"): AuditAction.INGEST,
    ("POST", "/api/changes"): AuditAction.INGEST,
    ("POST", "/api/login"): AuditAction.LOGIN,
    ("POST", "/api/logout"): AuditAction.LOGOUT,
}
"""Routes, with each parameter of the path as ``{}``."""


def action_of(method: str, template: str, status: int) -> AuditAction | None:
    """Return what a request did; None when nobody needs to know.

    Args:
        method: of the request.
        template: path of its route, each parameter as ``{}``; empty when there is none.
        status: of its answer.
    """
    if status in (401, 403):
        return AuditAction.DENIED
    if status == 429 or not template.startswith("/api/"):
        return None
    other = AuditAction.READ if method in ("GET", "HEAD") else AuditAction.CHANGE
    return _ACTIONS.get(("GET" if method == "HEAD" else method, template), other)


_MAY_WAIT = frozenset(
    {AuditAction.INGEST, AuditAction.DENIED, *(a for a in AuditAction if a.startswith("read"))}
)


class AuditTrail:
    """Takes entries in, and stores them while its `running` block lasts."""

    def __init__(self, repository: AuditRepository) -> None:
        self.repository = repository
        self._waiting: list[AuditEntry] = []
        self._writing = asyncio.Lock()
        self._log = get_logger("audit")

    async def add(self, entry: AuditEntry) -> None:
        """Take an entry in; return once it is stored if it is of a change."""
        if len(self._waiting) >= _MOST:
            self._log.error("not stored", **entry.model_dump(mode="json"))
            return
        self._waiting.append(entry)
        if entry.action not in _MAY_WAIT:
            await self.flush()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Store what waits, again and again and once more at the end."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await self.flush()

    async def flush(self) -> None:
        """Store what waits; it waits on when the database refuses."""
        async with self._writing:
            batch, self._waiting = self._waiting, []
            try:
                await self.repository.write(_folded(batch))
            except (StorageError, asyncio.CancelledError) as error:
                self._waiting = batch + self._waiting
                if isinstance(error, asyncio.CancelledError):
                    raise
                self._log.error("cannot be written", entries=len(batch), error=str(error))

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(_EVERY)
            await self.flush()


def _folded(entries: Iterable[AuditEntry]) -> list[AuditEntry]:
    """Make equal entries one that counts; it keeps the id of its first request."""
    found: dict[tuple[object, ...], AuditEntry] = {}
    for number, entry in enumerate(entries):
        alone = number if entry.action not in _MAY_WAIT else None
        key = (entry.token_id, entry.actor, entry.action, entry.target, entry.status, entry.client)
        first = found.get((*key, alone))
        times = entry.times + (first.times if first else 0)
        found[(*key, alone)] = (first or entry).model_copy(update={"times": times})
    return list(found.values())
