"""The only lock: one row says who works on a session.

An owner renews its row; a row that was not renewed for a minute may be taken over, which raises
``attempt``. Whoever writes to a session proves in the same transaction that the row is still its
own, so an owner that was merely slow cannot write beside its successor.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError as DuplicateKeyError
from sqlalchemy.ext.asyncio import AsyncConnection

from superbizagent.domain.journal import Claim
from superbizagent.domain.protocols import Clock
from superbizagent.domain.session import SessionStatus
from superbizagent.errors import SessionBusyError, SessionLostError, StorageError
from superbizagent.storage.crash_points import reach
from superbizagent.storage.database import Database
from superbizagent.storage.owner import Owner
from superbizagent.storage.tables import diagnosis_session, session_claim

__all__ = ["RENEW_SECONDS", "TAKEOVER_SECONDS", "ClaimRepository", "check_claim"]

RENEW_SECONDS = 10.0

TAKEOVER_SECONDS = 60.0
"""Six missed renewals: longer than any pause of a process that is still alive and well."""


class ClaimRepository:
    """Takes, renews and gives back claims."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._watched: dict[str, tuple[object, float]] = {}

    async def take(self, session_id: str, owner: Owner) -> Claim:
        """Claim a session that exists.

        Raises:
            SessionBusyError: when somebody else is at work on it.
            StorageError: when it does not exist.
        """
        now = self._clock.now()
        query = select(session_claim).where(session_claim.c.session_id == session_id)
        async with self._database.write() as connection:
            row = (await connection.execute(query.with_for_update())).mappings().first()
            if row is None:
                claim = Claim(session_id=session_id, owner=owner.name, attempt=1)
                await _insert(connection, claim, now)
            else:
                age = (now - row["heartbeat_at"]).total_seconds()
                gone = not row["owner"] or owner.is_gone(row["owner"])
                silent = age < 0 and self._is_silent(session_id, row)
                if age < TAKEOVER_SECONDS and not gone and not silent:
                    raise _busy(session_id, row["owner"])
                claim = Claim(session_id=session_id, owner=owner.name, attempt=row["attempt"] + 1)
                await connection.execute(
                    update(session_claim)
                    .where(
                        session_claim.c.session_id == session_id,
                        session_claim.c.attempt == row["attempt"],
                    )
                    .values(owner=owner.name, attempt=claim.attempt, heartbeat_at=now)
                )
        reach("claim.taken")
        return claim

    def _is_silent(self, session_id: str, row: Mapping[Any, Any]) -> bool:
        """Tell whether a beat from the future has not moved for `TAKEOVER_SECONDS` of watching.

        A clock that was set back would make it seem young for as long.
        """
        seen, now = (row["attempt"], row["heartbeat_at"]), self._clock.monotonic()
        before, since = self._watched.get(session_id, (None, now))
        if before != seen:
            self._watched[session_id] = (seen, now)
            return False
        return now - since >= TAKEOVER_SECONDS

    async def renew(self, claim: Claim) -> None:
        """Say that the owner is alive.

        Raises:
            SessionLostError: when another process has taken the session over.
        """
        async with self._database.write() as connection:
            await check_claim(connection, claim)
            await self._touch(connection, claim, claim.owner)

    async def release(self, claim: Claim) -> None:
        """Give a claim back, so that the next owner need not wait; harmless when it was lost."""
        async with self._database.write() as connection:
            await self._touch(connection, claim, "")

    async def orphans(self) -> tuple[str, ...]:
        """Return the running sessions that nobody has renewed for `TAKEOVER_SECONDS`.

        One that was given back is none of them: whoever gave it back means to go on with it.
        """
        limit = self._clock.now() - timedelta(seconds=TAKEOVER_SECONDS)
        query = (
            select(diagnosis_session.c.session_id)
            .outerjoin(session_claim)
            .where(
                diagnosis_session.c.status == SessionStatus.RUNNING.value,
                (session_claim.c.session_id.is_(None))
                | ((session_claim.c.owner != "") & (session_claim.c.heartbeat_at < limit)),
            )
            .order_by(diagnosis_session.c.created_at)
        )
        async with self._database.read() as connection:
            return tuple((await connection.execute(query)).scalars())

    async def _touch(self, connection: AsyncConnection, claim: Claim, owner: str) -> None:
        await connection.execute(
            update(session_claim)
            .where(
                session_claim.c.session_id == claim.session_id,
                session_claim.c.owner == claim.owner,
                session_claim.c.attempt == claim.attempt,
            )
            .values(owner=owner, heartbeat_at=self._clock.now())
        )


async def check_claim(connection: AsyncConnection, claim: Claim) -> None:
    """Prove inside a write transaction that a claim still holds.

    Raises:
        SessionLostError: when it does not.
    """
    query = select(session_claim.c.owner, session_claim.c.attempt).where(
        session_claim.c.session_id == claim.session_id
    )
    # A shared lock: appends of one owner run side by side, a taker waits for their end.
    row = (await connection.execute(query.with_for_update(read=True))).first()
    if row is None or (row.owner, row.attempt) != (claim.owner, claim.attempt):
        taker = row.owner if row is not None and row.owner else "nobody"
        raise SessionLostError(
            f"session {claim.session_id!r} was taken over by {taker!r}: this process stops here"
        )


async def _insert(connection: AsyncConnection, claim: Claim, now: object) -> None:
    try:
        await connection.execute(
            insert(session_claim).values(
                session_id=claim.session_id,
                owner=claim.owner,
                attempt=claim.attempt,
                heartbeat_at=now,
            )
        )
    except DuplicateKeyError as error:
        if "FOREIGN KEY" in str(error.orig).upper():
            raise no_session(claim.session_id) from error
        raise _busy(claim.session_id, "another process") from error


def no_session(session_id: str) -> StorageError:
    """The error for a session that does not exist."""
    return StorageError(
        f"there is no session {session_id!r}: `superbiz trace list` shows those there are"
    )


def _busy(session_id: str, owner: str) -> SessionBusyError:
    return SessionBusyError(
        f"session {session_id!r} is being worked on by {owner!r}: wait for it, or "
        f"{TAKEOVER_SECONDS:.0f} s after it has died"
    )
