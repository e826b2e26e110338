"""Logging in and out: the page shows its token once and then a cookie that it cannot read."""

from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from superbizagent.api.access import COOKIE, principal_by_token
from superbizagent.api.envelope import Envelope, ok
from superbizagent.api.origins import refuse_other_pages
from superbizagent.api.problems import Refused, documented
from superbizagent.api.services import services_of
from superbizagent.api.watch import caller_is, client_of, concerns

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["access"])


class Login(BaseModel):
    """What a login is made with."""

    token: str = Field(
        min_length=1, max_length=256, description="A token of `superbiz token create`",
        examples=["sbz_0123456789"],
    )  # fmt: skip


class LoggedIn(BaseModel):
    """Who is logged in."""

    name: str
    permissions: list[str]
    expires_at: str = Field(description="RFC 3339, UTC")


class LoggedOut(BaseModel):
    """Nobody is."""

    logged_out: bool


@router.post(
    "/login",
    response_model=Envelope[LoggedIn],
    responses=documented(401, 403, 429, 503),
    summary="Log the page in",
)
async def login(request: Request, body: Login) -> Response:
    """Change a token into a cookie: HttpOnly, of this site alone, for a week."""
    services = services_of(request)
    refuse_other_pages(request.headers, services.config)
    await request.app.state.rates.admit_login(client_of(request))
    concerns(request, "login")
    token = await services.storage.tokens.check(body.token)
    if token is None:
        raise Refused(401, "this token is unknown, expired or revoked", "log in with another token")
    caller_is(request, principal_by_token(token))
    lasts = timedelta(days=services.config.login_days)
    ends = services.clock.now() + lasts
    if token.expires_at is not None:
        ends = min(ends, token.expires_at)
    value = await services.storage.tokens.log_in(token, lasts)
    response = ok(
        {
            "name": token.name,
            "permissions": sorted(token.permissions),
            "expires_at": ends.isoformat().replace("+00:00", "Z"),
        }
    )
    response.set_cookie(
        COOKIE, value, max_age=int(lasts.total_seconds()), path="/", httponly=True,
        samesite="strict", secure=_is_secure(request),
    )  # fmt: skip
    return response


@router.post(
    "/logout",
    response_model=Envelope[LoggedOut],
    responses=documented(403, 429, 503),
    summary="Log the page out",
)
async def logout(request: Request) -> Response:
    """Close the login of the cookie, at once and for good; harmless without one."""
    services = services_of(request)
    refuse_other_pages(request.headers, services.config)
    await request.app.state.rates.admit(None, client_of(request))
    concerns(request, "logout")
    cookie = request.cookies.get(COOKIE)
    if cookie:
        token = await services.storage.tokens.check_login(cookie)
        if token is not None:
            caller_is(request, principal_by_token(token))
            await services.storage.tokens.log_out(cookie)
    response = ok({"logged_out": True})
    response.delete_cookie(
        COOKIE, path="/", httponly=True, samesite="strict", secure=_is_secure(request)
    )
    return response


def _is_secure(request: Request) -> bool:
    """Tell whether browsers reach us by https alone, and the cookie may be kept to it."""
    public = services_of(request).config.public_url
    return request.url.scheme == "https" or public.lower().startswith("https:")
