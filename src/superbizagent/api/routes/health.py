"""Whether the service is alive, and whether it can do its work."""

from datetime import timedelta
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from superbizagent.api.envelope import Envelope, json_response, ok
from superbizagent.api.services import services_of
from superbizagent.storage.service_state import SOURCES, WORKER

__all__ = ["router"]

router = APIRouter(tags=["health"])

_SILENT = timedelta(seconds=30)
"""Three heartbeats of the worker."""


@router.get("/healthz", response_model=Envelope[dict[str, str]], summary="The process is alive")
async def healthz(request: Request) -> Response:
    """Answer without touching anything else."""
    return ok({"status": "ok", "version": services_of(request).version})


@router.get(
    "/readyz",
    response_model=Envelope[dict[str, Any]],
    summary="Database, worker and sources can be used",
    responses={503: {"description": "Something is missing; the same shape says what"}},
)
async def readyz(request: Request) -> Response:
    """Ask the database, and read what the worker last said of itself and of the sources."""
    services = services_of(request)
    worker = await services.storage.state.get(WORKER)
    sources = await services.storage.state.get(SOURCES)
    seen = worker is not None and services.clock.now() - worker[1] <= _SILENT
    found: dict[str, Any] = {
        "database": "ok",
        "worker": "ok" if seen else "not seen for 30 s",
        "sources": sources[0] if sources else {},
    }
    if seen:
        return ok(found)
    return json_response({"code": 503, "message": "not ready", "data": found}, 503)
