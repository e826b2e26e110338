"""Who is asking, and may they: a bearer token, a login of the page, or anybody on loopback."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials

from superbizagent.api.problems import Refused
from superbizagent.api.services import Services, services_of
from superbizagent.domain.access import ANYBODY, ApiToken, Permission, Principal

__all__ = ["COOKIE", "Caller", "needs", "principal_of", "still_allowed"]

COOKIE = "superbiz_login"

_bearer = HTTPBearer(auto_error=False, description="A token of `superbiz token create`")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="Set by /api/login")


async def principal_of(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    cookie: Annotated[str | None, Security(_cookie)],
) -> Principal:
    """Return who is asking.

    Raises:
        Refused: 401 when nobody can be told.
    """
    services = services_of(request)
    token = await _token(services, bearer, cookie)
    if token is not None:
        return Principal(name=token.name, token_id=token.token_id, permissions=token.permissions)
    if bearer is None and cookie is None and not await services.storage.tokens.any():
        return ANYBODY
    raise Refused(
        401,
        "this token is unknown, expired or revoked" if bearer or cookie else "no token was sent",
        headers={"WWW-Authenticate": "Bearer"},
    )


async def _token(
    services: Services, bearer: HTTPAuthorizationCredentials | None, cookie: str | None
) -> ApiToken | None:
    if bearer is not None:
        return await services.storage.tokens.check(bearer.credentials)
    return await services.storage.tokens.check_login(cookie) if cookie else None


async def still_allowed(services: Services, caller: Principal) -> bool:
    """Tell whether a caller would still be let in: asked by what stays open for long."""
    if caller.token_id is None:
        return not await services.storage.tokens.any()
    return await services.storage.tokens.is_active(caller.token_id)


Caller = Annotated[Principal, Depends(principal_of)]


def needs(permission: Permission) -> Callable[..., Awaitable[Principal]]:
    """Return the dependency of a route that asks for a permission."""

    async def check(caller: Caller) -> Principal:
        if not caller.may(permission):
            raise Refused(403, f"the token {caller.name!r} has no permission {permission.value!r}")
        return caller

    return check
