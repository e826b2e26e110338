"""``/metrics`` for Prometheus."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Security
from fastapi.responses import PlainTextResponse, Response
from fastapi.security import APIKeyCookie, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials

from superbizagent.api.access import COOKIE, needs, principal_of
from superbizagent.api.config import is_loopback
from superbizagent.api.problems import documented
from superbizagent.api.services import services_of
from superbizagent.domain.access import Permission
from superbizagent.storage.counts import count_service

__all__ = ["router"]

router = APIRouter(tags=["health"])

_bearer = HTTPBearer(auto_error=False)
_cookie = APIKeyCookie(name=COOKIE, auto_error=False)


async def _may_scrape(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    cookie: Annotated[str | None, Security(_cookie)],
) -> None:
    """Ask for a token where other machines reach us; on loopback a scraper needs none."""
    if not is_loopback(services_of(request).config.host):
        await needs(Permission.READ)(await principal_of(request, bearer, cookie))


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    summary="Metrics in Prometheus' text format",
    dependencies=[Depends(_may_scrape)],
    responses=documented(401, 403, 503),
)
async def metrics(request: Request) -> Response:
    """Count requests, sessions, the queue, alerts, notifications, and when the worker was seen."""
    services = services_of(request)
    counts = await count_service(services.storage.database)
    return Response(
        request.app.state.metrics.text(counts, services.clock.now()),
        media_type="text/plain; version=0.0.4; charset=utf-8",
    )
