"""``api_token`` and ``web_login``: who may come in. Secrets are stored as their digests alone.

A secret has 256 bits of chance, so a plain SHA-256 of it cannot be searched back: nothing slow
is needed, and each request costs one indexed read.
"""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select, update

from superbizagent.domain.access import ApiToken, Permission, Principal
from superbizagent.domain.audit import AuditAction
from superbizagent.domain.protocols import Clock
from superbizagent.errors import UsageError
from superbizagent.storage.audit import note_command
from superbizagent.storage.database import Database
from superbizagent.storage.ids import new_id
from superbizagent.storage.service_tables import api_token, web_login

__all__ = ["TOKEN_PREFIX", "TokenRepository", "digest_of"]

TOKEN_PREFIX = "sbz_"  # noqa: S105 - what every token begins with, so that scanners find lost ones
"""Begins every token, so that scanners of secrets find one that was lost."""

_USED_EVERY = timedelta(minutes=1)
"""How exactly it is known when a token was used: a write for each request would cost too much."""


def digest_of(secret: str) -> str:
    """Return what is stored of a secret."""
    return "sha256:" + hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class TokenRepository:
    """Creates, checks, lists and revokes tokens; opens and closes logins of the page."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def create(
        self,
        name: str,
        permissions: Collection[Permission],
        expires_at: datetime | None = None,
    ) -> tuple[ApiToken, str]:
        """Store a new token; return it and its secret, which is not known again afterwards.

        Raises:
            UsageError: when an active token has this name.
        """
        now = self._clock.now()
        if any(known.name == name for known in await self.active()):
            raise UsageError(f"there is a token {name!r} already: revoke it, or take another name")
        secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
        token = ApiToken(
            token_id=new_id(now),
            name=name,
            permissions=frozenset(permissions),
            created_at=now,
            expires_at=expires_at,
        )
        row = token.model_dump() | {
            "digest": digest_of(secret),
            "permissions": sorted(token.permissions),
        }
        async with self._database.write() as connection:
            await connection.execute(insert(api_token), row)
            await note_command(connection, now, AuditAction.TOKEN_CREATED, name)
        return token, secret

    async def check(self, secret: str) -> ApiToken | None:
        """Return the token that a secret is of; None when there is none, or it is over."""
        query = select(api_token).where(api_token.c.digest == digest_of(secret))
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return await self._alive(_token(dict(row)) if row else None)

    async def list(self) -> tuple[ApiToken, ...]:
        """Return every token, newest first."""
        query = select(api_token).order_by(api_token.c.created_at.desc())
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(_token(dict(row)) for row in rows)

    async def active(self) -> tuple[ApiToken, ...]:
        """Return the tokens that are neither revoked nor expired."""
        now = self._clock.now()
        return tuple(token for token in await self.list() if _is_active(token, now))

    async def any(self) -> bool:
        """Tell whether there ever was a token: from then on everybody has to show one.

        A token that is revoked counts: revoking the last one must not open the door.
        """
        async with self._database.read() as connection:
            query = select(api_token.c.token_id).limit(1)
            return (await connection.execute(query)).first() is not None

    async def revoke(self, name: str) -> ApiToken:
        """End a token by its name or id, and the logins that were made with it.

        Raises:
            UsageError: when no active token is called so.
        """
        now = self._clock.now()
        for token in await self.active():
            if name in (token.name, token.token_id):
                mine = api_token.c.token_id == token.token_id
                async with self._database.write() as connection:
                    await connection.execute(update(api_token).where(mine).values(revoked_at=now))
                    await connection.execute(
                        delete(web_login).where(web_login.c.token_id == token.token_id)
                    )
                    await note_command(connection, now, AuditAction.TOKEN_REVOKED, token.name)
                return token
        raise UsageError(f"there is no active token {name!r}: `superbiz token list` shows them")

    async def log_in(self, token: ApiToken, lasts: timedelta) -> str:
        """Open a login of the page; return the value of its cookie."""
        now = self._clock.now()
        value = secrets.token_urlsafe(32)
        row = {
            "digest": digest_of(value),
            "token_id": token.token_id,
            "created_at": now,
            "expires_at": now + lasts,
        }
        async with self._database.write() as connection:
            await connection.execute(delete(web_login).where(web_login.c.expires_at < now))
            await connection.execute(insert(web_login), row)
        return value

    async def check_login(self, value: str) -> ApiToken | None:
        """Return the token that a login was made with; None when it is over."""
        query = (
            select(api_token)
            .join(web_login)
            .where(
                web_login.c.digest == digest_of(value), web_login.c.expires_at > self._clock.now()
            )
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return await self._alive(_token(dict(row)) if row else None)

    async def holds(self, caller: Principal) -> bool:
        """Tell whether what let a caller in still would.

        For what lasts longer than a request, such as an event stream: a token that is revoked or
        over, and a login that was closed, end it.
        """
        if caller.token_id is None:
            return not await self.any()
        now = self._clock.now()
        query = select(api_token).where(api_token.c.token_id == caller.token_id)
        if caller.login is not None:
            query = query.join(web_login).where(
                web_login.c.digest == caller.login, web_login.c.expires_at > now
            )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return row is not None and _is_active(_token(dict(row)), now)

    async def log_out(self, value: str) -> None:
        """Close a login; harmless when there is none."""
        async with self._database.write() as connection:
            await connection.execute(
                delete(web_login).where(web_login.c.digest == digest_of(value))
            )

    async def _alive(self, token: ApiToken | None) -> ApiToken | None:
        now = self._clock.now()
        if token is None or not _is_active(token, now):
            return None
        if token.last_used_at is None or now - token.last_used_at > _USED_EVERY:
            mine = api_token.c.token_id == token.token_id
            async with self._database.write() as connection:
                await connection.execute(update(api_token).where(mine).values(last_used_at=now))
        return token


def _is_active(token: ApiToken, now: datetime) -> bool:
    return token.revoked_at is None and (token.expires_at is None or token.expires_at > now)


def _token(row: dict[str, Any]) -> ApiToken:
    del row["digest"]
    return ApiToken.model_validate(row)
