"""The journal as the pipeline uses it: every effect is recorded once and read back ever after.

A key is a place in the course of a diagnosis that is known before the effect starts
(``gather/01/0004``), so calls that run side by side never compete for an order. What is recorded
at a key is returned without performing it again; what is not is performed, written in one
transaction and then returned *as it was stored*, so a live run and its replay see the same bytes.
Called by `pipeline` and by the stages that have effects: scope, gather, finalise.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self, TypeVar

from superbizagent.domain.canonical import digest
from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.journal import EntryKind, JournalMode
from superbizagent.domain.plan import PlannedCall
from superbizagent.domain.session import DiagnosisSession, SessionOutcome, SessionStatus
from superbizagent.domain.source import Answer, EvidenceStatus
from superbizagent.errors import DataSourceError, ReplayMismatchError
from superbizagent.investigation.journal.codec import INSTANT, PLAIN, Codec, typed
from superbizagent.investigation.journal.ledger import Ledger
from superbizagent.investigation.journal.output import packed_output, store_output
from superbizagent.storage.claims import RENEW_SECONDS
from superbizagent.storage.crash_points import reach
from superbizagent.storage.entries import NewEntry
from superbizagent.storage.invocations import InvocationRow
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage

__all__ = ["PLAIN", "Codec", "Journal", "JournalMode", "typed"]

T = TypeVar("T")


def _no_facts(_: ToolInvocation) -> tuple[Fact, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something is recorded, and as the answer to what."""

    key: str
    kind: EntryKind
    request_hash: str
    newest: bool = False
    again: bool = False


class Journal:
    """The record of one session; use it as ``async with Journal(...) as journal``.

    Args:
        storage: Where it is kept.
        session_id: A session that exists.
        owner: Who claims the session; not asked for on replay.
        mode: What happens at a key that is not recorded. A session that has ended is replayed,
            whatever the mode.
        renew_seconds: How often the claim is renewed.

    Raises:
        StorageError: on entry, when there is no such session or somebody else is at work on it.
    """

    def __init__(
        self,
        storage: Storage,
        session_id: str,
        owner: Owner,
        mode: JournalMode = JournalMode.LIVE,
        *,
        renew_seconds: float = RENEW_SECONDS,
    ) -> None:
        self.session_id = session_id
        self._storage = storage
        self._clock = storage.clock
        self._owner = owner
        self._renew_seconds = renew_seconds
        self._ledger = Ledger(storage, session_id, mode)
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @property
    def mode(self) -> JournalMode:
        """What happens at a key that is not recorded."""
        return self._ledger.mode

    async def __aenter__(self) -> Self:
        await self._ledger.open(self._owner, self._renew_seconds)
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        await self._ledger.close(failed=kind is not None)

    # -- effects -----------------------------------------------------------------------------

    async def effect(
        self, key: str, request: Any, perform: Callable[[], Awaitable[T]], codec: Codec[T]
    ) -> T:
        """Return what is recorded at ``key``, or perform it and record it.

        Args:
            key: Place in the diagnosis, e.g. ``scope/describe/01``.
            request: Plain JSON or a model: what is asked. Another request at the same key is
                another effect.
            perform: Does it. What it raises is passed on, and nothing is recorded.
            codec: To JSON and back.

        Raises:
            ReplayMismatchError: on replay, when it was not recorded or for another request.
            SessionLostError: when another process owns the session.
            StorageError: when the database refuses.
        """
        return await self._effect(_Place(key, EntryKind.EFFECT, digest(request)), perform, codec)

    async def instant(self, key: str) -> datetime:
        """Return the recorded time at ``key``; live: now, to the microsecond."""

        async def now() -> datetime:
            return self._clock.now()

        place = _Place(f"instant/{key}", EntryKind.INSTANT, digest(key))
        return await self._effect(place, now, INSTANT)

    async def stage(self, name: str, value: Any) -> str:
        """Record the digest of what a stage returned, so that a replay proves it equal.

        Returns:
            The digest.

        Raises:
            ReplayMismatchError: when it is another value than the one recorded.
        """
        proof = digest(value)
        recorded = self._ledger.newest(f"stage/{name}")
        if self.mode is JournalMode.REPLAY and recorded and recorded.request_hash != proof:
            raise ReplayMismatchError(
                f"stage {name!r} of session {self.session_id!r} gives {proof}, recorded is "
                f"{recorded.request_hash}: was it made by another version?"
            )

        async def proved() -> str:
            return proof

        place = _Place(f"stage/{name}", EntryKind.STAGE, proof, newest=True)
        return await self._effect(place, proved, PLAIN)

    async def versions(self, current: Mapping[str, str]) -> dict[str, str]:
        """Record the digests of code, settings, skills and checks; return those recorded last.

        Never a mismatch: on replay the caller compares and says what differs.
        """
        key = "start/versions"
        if self.mode is JournalMode.REPLAY:
            recorded = self._ledger.newest(key)
            return dict(recorded.result) if recorded else {}

        async def these() -> dict[str, str]:
            return dict(current)

        proof = digest(dict(current))
        place = _Place(key, EntryKind.VERSIONS, proof, newest=True, again=True)
        return await self._effect(place, these, PLAIN)

    async def call(
        self,
        planned: PlannedCall,
        perform: Callable[[], Awaitable[Answer]],
        *,
        read_facts: Callable[[ToolInvocation], tuple[Fact, ...]] = _no_facts,
        agent: str = "rules",
        origin: str = "LOCAL",
    ) -> ToolInvocation:
        """Make one evidence call, or return the one that is recorded.

        The output is redacted before anything is read out of it. A `DataSourceError` or a time-out
        is a result like any other. The same tool, source and input a second time in a session is
        an entry that points to the first call, which is returned with its own number.

        Args:
            planned: What is called; its key is the place.
            perform: Does it.
            read_facts: Pure; reads facts out of the call with its stored, redacted output.
            agent: Who asked.
            origin: ``LOCAL`` or ``MCP``.

        Raises:
            ReplayMismatchError: on replay, when it was not recorded or with another input.
            SessionLostError: when another process owns the session.
            IntegrityError: when a recorded output is not what was written.
            StorageError: when the database refuses.
        """
        planned = self._redacted(planned)
        request = digest(
            {"tool": planned.tool.value, "source": planned.source, "input": planned.input}
        )
        recorded = self._ledger.find(planned.key, request)
        if recorded is not None:
            return await self._ledger.invocation(recorded.row_id)
        async with self._locks[request]:
            earlier = self._ledger.called(request)
            if earlier is not None:
                return await self._repeat(planned.key, request, earlier)
            frame = await self._perform(planned, perform)
            frame = frame.model_copy(update={"agent": agent, "origin": origin})
            return await self._keep(frame, request, read_facts)

    async def reuse(
        self, number: int, row: str, load: Callable[[], Awaitable[ToolInvocation]]
    ) -> ToolInvocation:
        """Take over a call of another session as evidence of this one.

        It is one row with the same number, facts and blob, and says where it is from.

        Args:
            number: of the call, ``n`` of ``E<n>``.
            row: id of its row there.
            load: Reads it as it is stored there: redacted, with its output.

        Raises:
            ReplayMismatchError: on replay, when it was not recorded.
            SessionLostError: when another process owns the session.
            IntegrityError: when a recorded output is not what was written.
            StorageError: when the database refuses.
        """
        key = f"reuse/{number:04d}"
        recorded = self._ledger.find(key, digest(row))
        if recorded is not None:
            return await self._ledger.invocation(recorded.row_id)
        own = {"id": self._ledger.row_id(key), "session_id": self.session_id, "reused_from": row}
        taken = (await load()).model_copy(update=own)
        blob = await asyncio.to_thread(packed_output, taken)
        stored = InvocationRow(taken, key=key, attempt=self._ledger.attempt(key), output=blob)
        await self._ledger.write_call(stored, digest(row), self._clock.now())
        return stored.restore(taken.output)

    async def seal(self) -> None:
        """Link all that was recorded since the last time, in key order; call it after a batch."""
        await self._ledger.seal()

    # -- the session itself; none of these writes on replay -----------------------------------

    async def start(self) -> None:
        """Say that the session is being worked on."""
        if (claim := self._ledger.claim) is not None:
            await self._storage.sessions.start(claim)

    async def describe(self, entities: dict[str, tuple[Entity, ...]], **columns: Any) -> None:
        """Store scope, plan, skill or rounds while the session runs, and who it is about."""
        if (claim := self._ledger.claim) is not None:
            await self._storage.sessions.describe(claim, entities, **columns)

    async def store_outcome(self, outcome: SessionOutcome) -> None:
        """Store the report; from now on evaluators can read it."""
        if (claim := self._ledger.claim) is not None:
            await self._storage.sessions.store_outcome(claim, outcome)

    async def evaluate(self, key: str, value: Any) -> None:
        """Set one key of ``self_evaluation``, leaving every other as it is."""
        if self._ledger.claim is not None:
            await self._storage.sessions.merge_self_evaluation(self.session_id, key, value)

    async def complete(
        self, status: SessionStatus = SessionStatus.COMPLETED, error: str = ""
    ) -> None:
        """End the session and seal it."""
        if (claim := self._ledger.claim) is not None:
            await self._storage.sessions.complete(claim, status, error)

    async def session(self) -> DiagnosisSession:
        """Return the session as it is stored."""
        return await self._storage.sessions.require(self.session_id)

    async def rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the session's evidence rows as they are stored, columns by name."""
        return await self._storage.invocations.rows(self.session_id)

    # -- parts ---------------------------------------------------------------------------------

    async def _effect(
        self, place: _Place, perform: Callable[[], Awaitable[T]], codec: Codec[T]
    ) -> T:
        recorded = self._ledger.find(
            place.key, place.request_hash, newest=place.newest, again=place.again
        )
        if recorded is None:
            at = self._clock.now()
            reach("effect.before_perform")
            value = await perform()
            reach("effect.after_perform")
            entry = NewEntry(
                session_id=self.session_id,
                key=place.key,
                kind=place.kind,
                request_hash=place.request_hash,
                result=self._storage.redactor.json(codec.dump(value)),
                recorded_at=at,
            )
            recorded = await self._ledger.write(entry)
        return codec.load(await self._ledger.result(recorded))

    def _redacted(self, planned: PlannedCall) -> PlannedCall:
        redactor = self._storage.redactor
        return planned.model_copy(
            update={
                "input": redactor.json(planned.input),
                "purpose": redactor.text(planned.purpose),
            }
        )

    async def _perform(
        self, planned: PlannedCall, perform: Callable[[], Awaitable[Answer]]
    ) -> ToolInvocation:
        """Make a call and return it with its output as it came: not redacted yet."""
        started_at, began = self._clock.now(), self._clock.monotonic()
        reach("effect.before_perform")
        answer = await _answer(perform)
        reach("effect.after_perform")
        return ToolInvocation(
            id=self._ledger.row_id(planned.key),
            session_id=self.session_id,
            call=planned,
            status=answer.status,
            truncated=answer.truncated,
            attempts=answer.attempts,
            warnings=answer.warnings,
            error=answer.error,
            started_at=started_at,
            duration=timedelta(seconds=self._clock.monotonic() - began),
            output=answer.output,
            stats=answer.stats,
        )

    async def _keep(
        self,
        call: ToolInvocation,
        request: str,
        read_facts: Callable[[ToolInvocation], tuple[Fact, ...]],
    ) -> ToolInvocation:
        """Redact a call, read its facts, write it, and return it as it was written."""
        # In a thread: a large output takes a second of encoding; the claim is renewed meanwhile.
        stored = await asyncio.to_thread(
            store_output, call, self._storage.redactor, self._ledger.budget_bytes
        )
        seen = stored.call
        facts = await asyncio.to_thread(read_facts, seen)
        row = InvocationRow(
            seen.model_copy(update={"facts": facts}),
            key=call.call.key,
            attempt=self._ledger.attempt(call.call.key),
            output=stored.blob,
        )
        await self._ledger.write_call(row, request)
        return row.restore(seen.output)

    async def _repeat(self, key: str, request: str, row_id: str) -> ToolInvocation:
        entry = NewEntry(
            session_id=self.session_id,
            key=key,
            kind=EntryKind.DUPLICATE,
            request_hash=request,
            result={"row": row_id},
            recorded_at=self._clock.now(),
            row_id=row_id,
        )
        await self._ledger.write(entry)
        return await self._ledger.invocation(row_id)


async def _answer(perform: Callable[[], Awaitable[Answer]]) -> Answer:
    try:
        return await perform()
    except TimeoutError as error:
        return Answer(status=EvidenceStatus.TIMEOUT, error=str(error) or "timed out")
    except DataSourceError as error:
        return Answer(status=EvidenceStatus.ERROR, error=str(error))
