"""What is recorded of one session, in memory, and the one way to add to it.

Private to `investigation.journal`, which decides what an effect is; this decides whether one may
be performed and writes it.
"""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from superbizagent.domain.canonical import canonical_bytes, loads
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.ids import derived_id
from superbizagent.domain.journal import Claim, EntryKind, JournalMode, RecordedEntry
from superbizagent.errors import ReplayMismatchError, SessionLostError, StorageError
from superbizagent.storage.blobs import SESSION_BYTES, PackedBlob, pack_blob
from superbizagent.storage.entries import NewEntry
from superbizagent.storage.invocations import InvocationRow
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

__all__ = ["Ledger"]

_INLINE_BYTES = 512 * 1024
"""A longer result is stored as a blob: rows stay far below a server's packet limit."""


class Ledger:
    """Entries and rows of one session.

    Args:
        storage: Where they are kept.
        session_id: Whose they are.
        mode: What to do at a key that is not recorded.
    """

    def __init__(self, storage: Storage, session_id: str, mode: JournalMode) -> None:
        self.session_id = session_id
        self.mode = mode
        self.claim: Claim | None = None
        self._storage = storage
        self._entries: dict[str, list[RecordedEntry]] = {}
        self._rows: dict[str, Mapping[str, Any]] = {}
        self._calls: dict[str, str] = {}
        self._used: dict[str, str] = {}
        self._stored_bytes = 0
        self._renewal: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def open(self, owner: Owner, renew_seconds: float) -> None:
        """Claim the session unless it is only replayed, and read what is recorded.

        Raises:
            StorageError: when there is no such session or somebody else is at work on it.
        """
        session = await self._storage.sessions.require(self.session_id)
        if session.status.is_final:
            self.mode = JournalMode.REPLAY
        if self.mode is not JournalMode.REPLAY:
            claim = await self._storage.claims.take(self.session_id, owner)
            self.claim = claim
            self._renewal = asyncio.create_task(self._renew(claim, renew_seconds))
        for entry in await self._storage.entries.load(self.session_id):
            self._remember(entry)
        for row in await self._storage.invocations.rows(self.session_id):
            self._rows[row["id"]] = row
        self._stored_bytes = await self._storage.blobs.stored_bytes(self.session_id)

    async def close(self, *, failed: bool) -> None:
        """Give the claim back.

        Args:
            failed: An error is on its way, which says more than one from here would.
        """
        if self._renewal is not None:
            self._closing.set()
            await self._renewal
        if self.claim is None:
            return
        try:
            await self._storage.claims.release(self.claim)
        except StorageError:
            if not failed:
                raise

    @property
    def budget_bytes(self) -> int:
        """What the session may still store."""
        return max(0, SESSION_BYTES - self._stored_bytes)

    def newest(self, key: str) -> RecordedEntry | None:
        """Return the last attempt at ``key``."""
        attempts = self._entries.get(key)
        return attempts[-1] if attempts else None

    def find(
        self, key: str, request_hash: str, *, newest: bool = False, again: bool = False
    ) -> RecordedEntry | None:
        """Return what is recorded at ``key`` for this request, or None when it may be performed.

        Args:
            key: The place.
            request_hash: What is asked there.
            newest: Only the last attempt counts.
            again: Another request is a new attempt in live mode too.

        Raises:
            ReplayMismatchError: when it must not be performed, or one run uses the key twice.
        """
        if self._used.setdefault(key, request_hash) != request_hash:
            raise ReplayMismatchError(
                f"key {key!r} of session {self.session_id!r} is used for two requests in one run: "
                "give each its own key"
            )
        attempts = self._entries.get(key, [])
        for entry in reversed(attempts[-1:] if newest else attempts):
            if entry.request_hash == request_hash:
                return entry
        if self.mode is JournalMode.REPLAY:
            what = "another request is recorded" if attempts else "nothing is recorded"
            raise ReplayMismatchError(
                f"session {self.session_id!r}: {what} at {key!r}; was it made by another version?"
            )
        if attempts and self.mode is JournalMode.LIVE and not again:
            raise ReplayMismatchError(
                f"session {self.session_id!r} has another request at {key!r}: resume it instead"
            )
        return None

    async def seal(self) -> None:
        """Link what was recorded at the keys that this run has come to."""
        if self.claim is not None:
            await self._storage.entries.seal(self.claim, self._used.keys())

    def attempt(self, key: str) -> int:
        """Return the number of the attempt that comes next at ``key``."""
        return len(self._entries.get(key, ())) + 1

    def row_id(self, key: str) -> str:
        """Return the id of the row that comes next at ``key``: the same on every replay."""
        attempt = self.attempt(key)
        return derived_id(self.session_id, key if attempt == 1 else f"{key}@{attempt}")

    def called(self, request_hash: str) -> str | None:
        """Return the id of the row of a call with this request, at whatever key."""
        return self._calls.get(request_hash)

    async def result(self, entry: RecordedEntry) -> Any:
        """Return the JSON that an entry recorded.

        Raises:
            IntegrityError: when it is a blob that is not what was written.
        """
        if not entry.blob_digest:
            return entry.result
        return loads(await self._storage.blobs.read(self.session_id, entry.blob_digest))

    async def invocation(self, row_id: str) -> ToolInvocation:
        """Return the recorded call with its output.

        Raises:
            ReplayMismatchError: when its row is missing.
            IntegrityError: when its output is not what was written.
        """
        row = self._rows.get(row_id)
        if row is None:
            raise ReplayMismatchError(
                f"session {self.session_id!r} has no row {row_id!r}: run `superbiz trace verify`"
            )
        return await self._storage.invocations.restore(row)

    async def write(self, entry: NewEntry) -> RecordedEntry:
        """Write an entry whose result is plain JSON and return it as recorded.

        Raises:
            SessionLostError: when another process owns the session.
            StorageError: when the database refuses.
        """
        text = canonical_bytes(entry.result)
        result = loads(text)
        blobs: tuple[PackedBlob, ...] = ()
        if len(text) > _INLINE_BYTES:
            blobs, result = (pack_blob(text),), None
        stored = NewEntry(
            session_id=entry.session_id,
            key=entry.key,
            attempt=self.attempt(entry.key),
            kind=entry.kind,
            request_hash=entry.request_hash,
            result=result,
            recorded_at=entry.recorded_at,
            row_id=entry.row_id,
            blobs=blobs,
        )
        return await self._append(stored)

    async def write_call(
        self, row: InvocationRow, request_hash: str, recorded_at: "datetime | None" = None
    ) -> None:
        """Write a call's entry, row and blobs in one transaction.

        Args:
            row: the call.
            request_hash: what was asked.
            recorded_at: None: when the call was made.

        Raises:
            SessionLostError: when another process owns the session.
            StorageError: when the database refuses.
        """
        await self._append(row.entry(request_hash, recorded_at))
        self._rows[row.columns["id"]] = row.columns

    async def _append(self, entry: NewEntry) -> RecordedEntry:
        if self.claim is None:
            raise SessionLostError(f"session {self.session_id!r} is not claimed by this process")
        await self._storage.entries.append(self.claim, entry)
        self._stored_bytes += sum(blob.stored_bytes for blob in entry.blobs)
        recorded = RecordedEntry(
            key=entry.key,
            attempt=entry.attempt,
            kind=entry.kind,
            request_hash=entry.request_hash,
            result=entry.result,
            blob_digest=entry.blobs[0].digest if entry.blobs else "",
            row_id=entry.row_id,
        )
        self._remember(recorded)
        return recorded

    def _remember(self, entry: RecordedEntry) -> None:
        self._entries.setdefault(entry.key, []).append(entry)
        if entry.kind is EntryKind.CALL:
            self._calls.setdefault(entry.request_hash, entry.row_id)

    async def _renew(self, claim: Claim, seconds: float) -> None:
        """Renew until it is lost; whoever writes next is told so by the database."""
        while not self._closing.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)
                return
            try:
                await self._storage.claims.renew(claim)
            except SessionLostError:
                return
            except StorageError:
                # Busy or short of disk: the next renewal tries again, and writes say so themselves.
                continue
