"""``/metrics`` for Prometheus."""

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response

from superbizagent.api.access import needs
from superbizagent.api.problems import documented
from superbizagent.api.services import services_of
from superbizagent.domain.access import Permission
from superbizagent.storage.counts import count_service

__all__ = ["router"]

router = APIRouter(tags=["health"])


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    summary="Metrics in Prometheus' text format",
    dependencies=[Depends(needs(Permission.READ))],
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
