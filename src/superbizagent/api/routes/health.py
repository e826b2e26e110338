"""Whether the service is alive, and whether it can do its work."""

from datetime import datetime, timedelta
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

_UNSEEN = timedelta(minutes=5)
"""Several examinations of the sources."""


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
        "sources": _states(sources, services.clock.now()),
    }
    if seen:
        return ok(found)
    return json_response({"code": 503, "message": "not ready", "data": found}, 503)


def _states(stored: tuple[Any, datetime] | None, now: datetime) -> dict[str, str]:
    """Return name -> ``ok``, ``warn``, ``fails``, or ``unknown`` when nobody has looked lately.

    A source that fails is no reason to send us no alerts: they are kept, and answered later.
    """
    if stored is None:
        return {}
    old = now - stored[1] > _UNSEEN
    return {item["name"]: "unknown" if old else item["state"] for item in stored[0]["items"]}
