"""Who is asking, and may they: a bearer token, a login of the page, or anybody on loopback."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials

from superbizagent.api.origins import SAFE_METHODS, refuse_other_pages
from superbizagent.api.problems import Refused
from superbizagent.api.services import Services, services_of
from superbizagent.api.watch import caller_is, client_of
from superbizagent.domain.access import ANYBODY, ApiToken, Permission, Principal
from superbizagent.storage.tokens import digest_of

__all__ = [
    "COOKIE",
    "Bearer",
    "Caller",
    "needs",
    "principal_by_token",
    "principal_of",
    "still_allowed",
]

COOKIE = "superbiz_login"

_NOT_COUNTED = "/api/alerts/"
"""Senders of a storm are bounded by the queue of their webhooks."""

_bearer = HTTPBearer(auto_error=False, description="A token of `superbiz token create`")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)]
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="Set by /api/login")


async def principal_of(
    request: Request,
    bearer: Bearer,
    cookie: Annotated[str | None, Security(_cookie)],
) -> Principal:
    """Return who is asking, and count the request.

    Raises:
        Refused: 401 when nobody can be told, 403 for a page of another address, 429 when there
            were too many requests.
    """
    services = services_of(request)
    by_page = bearer is None and bool(cookie)
    token = await _token(services, bearer, cookie)
    found: Principal | None = None
    if token is not None:
        found = principal_by_token(token, cookie if by_page else None)
    elif bearer is None and not cookie and not await services.storage.tokens.any():
        found = ANYBODY
    if found is not None:
        caller_is(request, found)
    if not request.url.path.startswith(_NOT_COUNTED):
        await request.app.state.rates.admit(found and found.token_id, client_of(request))
    if found is None:
        raise Refused(
            401,
            "this token is unknown, expired or revoked"
            if bearer or cookie
            else "no token was sent",
            headers={"WWW-Authenticate": "Bearer"},
        )
    if bearer is None and request.method not in SAFE_METHODS:
        refuse_other_pages(request.headers, services.config, proven=by_page)
    return found


def principal_by_token(token: ApiToken, cookie: str | None = None) -> Principal:
    """Return whom a token is of, and the login it came by."""
    return Principal(
        name=token.name,
        token_id=token.token_id,
        login=digest_of(cookie) if cookie else None,
        permissions=token.permissions,
    )


async def _token(
    services: Services, bearer: HTTPAuthorizationCredentials | None, cookie: str | None
) -> ApiToken | None:
    if bearer is not None:
        return await services.storage.tokens.check(bearer.credentials)
    return await services.storage.tokens.check_login(cookie) if cookie else None


async def still_allowed(services: Services, caller: Principal) -> bool:
    """Tell whether a caller would still be let in: asked by what stays open for long."""
    return await services.storage.tokens.holds(caller)


Caller = Annotated[Principal, Depends(principal_of)]


def needs(permission: Permission) -> Callable[..., Awaitable[Principal]]:
    """Return the dependency of a route that asks for a permission."""

    async def check(caller: Caller) -> Principal:
        if not caller.may(permission):
            raise Refused(403, f"the token {caller.name!r} has no permission {permission.value!r}")
        return caller

    return check
