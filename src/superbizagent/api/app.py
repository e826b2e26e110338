"""The application: its routes, what stands before them, and how errors are answered."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from fastapi import APIRouter, FastAPI

from superbizagent.api.access import still_allowed
from superbizagent.api.audit import AuditTrail
from superbizagent.api.description import describe
from superbizagent.api.doors import Doors
from superbizagent.api.metrics import Metrics
from superbizagent.api.problems import install_handlers
from superbizagent.api.rates import Rates
from superbizagent.api.request_ids import RequestIds
from superbizagent.api.routes import (
    ai_ops,
    alerts,
    audit,
    catalogue,
    changes,
    chat,
    health,
    incidents,
    login,
    metrics,
    sessions,
    traces,
)
from superbizagent.api.services import Services
from superbizagent.api.streams.places import Places
from superbizagent.api.watch import Watch

__all__ = ["create_app"]

_ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    alerts.router,
    changes.router,
    incidents.router,
    login.router,
    audit.router,
    chat.router,
    ai_ops.router,
    traces.router,
    sessions.router,
    catalogue.router,
    metrics.router,
)


def create_app(services: Services) -> FastAPI:
    """Build the application around its parts."""
    trail = AuditTrail(services.storage.audit)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with trail.running():
            yield

    app = FastAPI(
        title="superbizagent",
        version=services.version,
        description="Alerts and questions in, diagnoses out whose every statement cites evidence.",
        strict_content_type=False,  # senders of webhooks leave the content type out
        lifespan=lifespan,
        openapi_url=None,  # a route of its own asks for a token
        docs_url=None,  # that page loads its scripts from a host that nobody configured
        redoc_url=None,
    )
    app.state.services = services
    app.state.audit = trail
    app.state.places = Places(
        services.config.max_streams,
        partial(still_allowed, services),
        services.poller.wake_watchers,
    )
    app.state.rates = Rates(services.config, services.clock)
    install_handlers(app)
    for router in _ROUTERS:
        # Not of the whole application: there its plain text would stand in for our own answers.
        app.include_router(router, max_body_size=services.config.max_body_bytes)
    describe(app)
    # From the inside to the outside.
    app.add_middleware(Doors, config=services.config)
    app.add_middleware(Watch, trail=trail, clock=services.clock)
    app.state.metrics = Metrics()
    app.add_middleware(app.state.metrics.middleware)
    app.add_middleware(RequestIds)
    return app
