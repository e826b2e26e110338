"""``diagnosis_session``: the only way a session is created, moved on, ended or judged."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError as DuplicateKeyError
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.canonical import canonical_bytes, digest, loads
from superbizagent.domain.entity import Entity
from superbizagent.domain.journal import Claim, EntryKind
from superbizagent.domain.protocols import Clock
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.session import (
    DamagedSession,
    DiagnosisSession,
    SessionFilter,
    SessionOutcome,
    SessionStatus,
    may_become,
)
from superbizagent.errors import StorageError, UsageError
from superbizagent.storage.claims import check_claim, no_session
from superbizagent.storage.crash_points import reach
from superbizagent.storage.database import Database
from superbizagent.storage.entries import NewEntry, append_linked
from superbizagent.storage.raw_rows import damaged, read_rows
from superbizagent.storage.session_queries import listed
from superbizagent.storage.session_rows import read_session, read_sessions
from superbizagent.storage.tables import (
    diagnosis_session,
    journal_entry,
    session_entity,
)

__all__ = ["SEAL_KEY", "SessionRepository", "evaluation_prefix"]

SEAL_KEY = "session/sealed"
"""Journal key of the entry that covers a finished session's own columns."""

_table = diagnosis_session
_COMPUTED = ("aiops_gate", "rule_grade", "verifier_verdict")


def evaluation_prefix(name: str) -> str:
    """Return what the journal keys of one ``self_evaluation`` key start with."""
    return f"evaluation/{name}/"


class SessionRepository:
    """Creates, reads, moves and ends sessions."""

    def __init__(
        self, database: Database, clock: Clock, redactor: Redactor, integrity_key: bytes | None
    ) -> None:
        self._database = database
        self._clock = clock
        self._redactor = redactor
        self._key = integrity_key

    async def create(self, session: DiagnosisSession) -> DiagnosisSession:
        """Store a new session and return it as stored: question and payload redacted.

        Raises:
            UsageError: when the id is taken.
            StorageError: when the database refuses.
        """
        with self.refused_twice(session.session_id):
            async with self._database.write() as connection:
                return await self.insert(connection, session)

    @contextmanager
    def refused_twice(self, session_id: str) -> Generator[None]:
        """Say of an id that is taken what can be done.

        Raises:
            UsageError: when it is.
        """
        try:
            yield
        except StorageError as error:
            if isinstance(error.__cause__, DuplicateKeyError):
                raise UsageError(
                    f"session {session_id!r} exists already: choose another id or leave it out"
                ) from error
            raise

    async def insert(
        self, connection: AsyncConnection, session: DiagnosisSession
    ) -> DiagnosisSession:
        """Store a new session within a transaction of the caller; see `create`."""
        stored = session.model_copy(
            update={
                "question": self._redactor.text(session.question),
                "payload": self._redactor.json(session.payload),
                "self_evaluation": {},
            }
        )
        await connection.execute(insert(_table), _to_row(stored))
        return stored

    async def get(self, session_id: str) -> DiagnosisSession | None:
        """Return a session, or None.

        Raises:
            IntegrityError: when its row cannot be read.
        """
        async with self._database.read() as connection:
            return await read_session(connection, session_id)

    async def require(self, session_id: str) -> DiagnosisSession:
        """Return a session.

        Raises:
            StorageError: when there is none.
            IntegrityError: when its row cannot be read.
        """
        session = await self.get(session_id)
        if session is None:
            raise no_session(session_id)
        return session

    async def list(self, wanted: SessionFilter | None = None) -> tuple[DiagnosisSession, ...]:
        """Return sessions, newest first.

        Raises:
            IntegrityError: when a row among them cannot be read.
        """
        found = await self.scan(wanted)
        for one in found:
            if isinstance(one, DamagedSession):
                raise damaged(_table, one.session_id, one.column)
        return tuple(one for one in found if isinstance(one, DiagnosisSession))

    async def scan(
        self, wanted: SessionFilter | None = None
    ) -> tuple[DiagnosisSession | DamagedSession, ...]:
        """Return sessions, newest first; a row that cannot be read does not hide the others."""
        async with self._database.read() as connection:
            names = await listed(connection, wanted or SessionFilter())
            return await read_sessions(connection, names)

    async def resolve(self, prefix: str) -> str:
        """Return the one session id that starts with ``prefix``; ``last`` is the newest.

        Raises:
            StorageError: when none does, or several.
        """
        query = select(_table.c.session_id).order_by(_table.c.created_at.desc())
        if prefix == "last":
            query = query.limit(1)
        else:
            query = query.where(_table.c.session_id.startswith(prefix, autoescape=True)).limit(3)
        async with self._database.read() as connection:
            found = (await connection.execute(query)).scalars().all()
            if not found:  # a session whose row is gone can still be verified
                orphans = select(journal_entry.c.session_id).distinct()
                mine = journal_entry.c.session_id == prefix
                found = (await connection.execute(orphans.where(mine))).scalars().all()
        if prefix in found:
            return prefix
        if not found:
            raise no_session(prefix)
        if len(found) > 1:
            raise StorageError(f"several sessions start with {prefix!r}: give more of the id")
        return found[0]

    async def start(self, claim: Claim) -> None:
        """Move a session to running; a session that runs already (resumed) stays as it is.

        Raises:
            UsageError: when it has ended.
            SessionLostError: when the claim does not hold.
        """
        now = self._clock.now()
        async with self._database.write() as connection:
            await check_claim(connection, claim)
            row = await _locked(connection, claim.session_id)
            _check_move(claim.session_id, row["status"], SessionStatus.RUNNING)
            await _set(
                connection,
                claim.session_id,
                status=SessionStatus.RUNNING.value,
                started_at=row["started_at"] or now,
                updated_at=now,
            )

    async def move(self, session_id: str, status: SessionStatus, error: str = "") -> None:
        """Move a session that nobody works on: requeue, pause, cancel, fail.

        Raises:
            UsageError: when it may not go there from where it is.
            StorageError: when there is no such session.
        """
        now = self._clock.now()
        async with self._database.write() as connection:
            row = await _locked(connection, session_id)
            _check_move(session_id, row["status"], status)
            ended: dict[str, Any] = {"finished_at": now} if status.is_final else {}
            if error:
                ended["error"] = self._redactor.text(error)
            await _set(connection, session_id, status=status.value, updated_at=now, **ended)
            if status.is_final:
                await self._seal(connection, session_id, now)

    async def redefine(
        self, session_id: str, payload: dict[str, Any], **columns: Any
    ) -> DiagnosisSession:
        """Say anew what a session is about, before anything was done for it.

        Args:
            session_id: which one.
            payload: what it is about.
            columns: any of ``language, parent_session_id``.

        Raises:
            UsageError: when it has begun.
            StorageError: when there is no such session.
        """
        async with self._database.write() as connection:
            row = await _locked(connection, session_id)
            if row["started_at"] is not None or row["status"] != SessionStatus.QUEUED.value:
                raise UsageError(f"session {session_id!r} has begun: start a new one")
            values = _plain({"payload": self._redactor.json(payload), **columns})
            await _set(connection, session_id, updated_at=self._clock.now(), **values)
        return await self.require(session_id)

    async def describe(
        self, claim: Claim, entities: dict[str, tuple[Entity, ...]], **columns: Any
    ) -> None:
        """Store what is known before the end: scope, plan, skill, rounds, and the entities.

        Args:
            claim: The right to write.
            entities: Role (``scope``, ``neighbour``, ``cause``) to the entities that have it.
            columns: Any of ``scope, plan, selected_skill, rounds``.
        """
        async with self._database.write() as connection:
            await check_claim(connection, claim)
            await _set(connection, claim.session_id, updated_at=self._clock.now(), **columns)
            await _replace_entities(connection, claim.session_id, entities)

    async def store_outcome(self, claim: Claim, outcome: SessionOutcome) -> None:
        """Write what a session has come to; it goes on running until `complete`.

        Evaluators run between the two, so that they find the report readable and a process that
        dies among them leaves a session that is resumed, not one that ended unjudged.

        Raises:
            UsageError: when it has ended before.
            SessionLostError: when the claim does not hold.
        """
        values = {k: v for k, v in outcome.model_dump().items() if v is not None}
        async with self._database.write() as connection:
            await check_claim(connection, claim)
            row = await _locked(connection, claim.session_id)
            _check_move(claim.session_id, row["status"], SessionStatus.RUNNING)
            now = self._clock.now()
            await _set(connection, claim.session_id, updated_at=now, **_plain(values))

    async def complete(
        self, claim: Claim, status: SessionStatus = SessionStatus.COMPLETED, error: str = ""
    ) -> None:
        """End a session, seal its columns and link all that waits, in one step.

        Raises:
            UsageError: when it has ended before.
            SessionLostError: when the claim does not hold.
        """
        now = self._clock.now()
        async with self._database.write() as connection:
            await check_claim(connection, claim)
            row = await _locked(connection, claim.session_id)
            _check_move(claim.session_id, row["status"], status)
            await _set(
                connection,
                claim.session_id,
                status=status.value,
                error=self._redactor.text(error),
                updated_at=now,
                finished_at=now,
            )
            await self._seal(connection, claim.session_id, now)
            reach("complete.before_commit")
        reach("complete.after_commit")

    async def merge_self_evaluation(self, session_id: str, key: str, value: Any) -> None:
        """Set one key of ``self_evaluation``; every other key stays as it is.

        Read, merged and written in one transaction that holds the session's row, so that
        evaluators may write at the same time. The write is an entry of the journal; the value
        that stands there already is not written again.

        Raises:
            StorageError: when there is no such session or the database refuses.
        """
        value = loads(canonical_bytes(value))
        async with self._database.write() as connection:
            row = await _locked(connection, session_id)
            if key in row["self_evaluation"] and row["self_evaluation"][key] == value:
                return
            merged = {**row["self_evaluation"], key: value}
            await _set(connection, session_id, self_evaluation=merged)
            entry = NewEntry(
                session_id=session_id,
                key=await _next_key(connection, session_id, evaluation_prefix(key)),
                kind=EntryKind.EVALUATION,
                request_hash=digest(key),
                result={"key": key, "value": value},
                recorded_at=self._clock.now(),
            )
            await append_linked(connection, entry, self._key)
            reach("evaluation.before_commit")
        reach("evaluation.after_commit")

    async def _seal(self, connection: AsyncConnection, session_id: str, now: datetime) -> None:
        row = await _locked(connection, session_id)
        entry = NewEntry(
            session_id=session_id,
            key=SEAL_KEY,
            kind=EntryKind.SESSION,
            request_hash=digest(session_id),
            result={"status": row["status"], "report_digest": row["report_digest"]},
            recorded_at=now,
            table=_table,
            row=row,
            row_id=session_id,
            entities=await read_rows(connection, session_entity, session_id),
        )
        await append_linked(connection, entry, self._key)


def _to_row(session: DiagnosisSession) -> dict[str, Any]:
    return _plain(session.model_dump(exclude=set(_COMPUTED)))


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Make enums and JSON documents plain: what is stored is what is read back."""
    return {
        k: loads(canonical_bytes(v)) if isinstance(v, dict | str) else v for k, v in values.items()
    }


async def _locked(connection: AsyncConnection, session_id: str) -> dict[str, Any]:
    query = select(_table).where(_table.c.session_id == session_id).with_for_update()
    try:
        row = (await connection.execute(query)).mappings().first()
    except (ValueError, TypeError):  # no date, no JSON
        await read_session(connection, session_id)
        raise
    if row is None:
        raise no_session(session_id)
    return dict(row)


async def _set(connection: AsyncConnection, session_id: str, **values: Any) -> None:
    await connection.execute(
        update(_table).where(_table.c.session_id == session_id).values(**values)
    )


async def _next_key(connection: AsyncConnection, session_id: str, prefix: str) -> str:
    query = select(func.count()).where(
        journal_entry.c.session_id == session_id,
        journal_entry.c.key.startswith(prefix, autoescape=True),
    )
    number = (await connection.execute(query)).scalar_one() + 1
    return f"{prefix}{number:04d}"


async def _replace_entities(
    connection: AsyncConnection, session_id: str, entities: dict[str, tuple[Entity, ...]]
) -> None:
    for role, members in entities.items():
        await connection.execute(
            session_entity.delete().where(
                session_entity.c.session_id == session_id, session_entity.c.role == role
            )
        )
        rows = [
            {"session_id": session_id, "path": e.path, "role": role, "name": e.name, "kind": e.kind}
            for e in dict.fromkeys(members)
        ]
        if rows:
            await connection.execute(insert(session_entity), rows)


def _check_move(session_id: str, now: str, then: SessionStatus) -> None:
    if not may_become(SessionStatus(now), then) or SessionStatus(now).is_final:
        raise UsageError(
            f"session {session_id!r} is {now} and cannot become {then.value}: start a new one"
        )
