"""The application: its routes, what stands before them, and how errors are answered."""

from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware

from superbizagent.api.config import ServiceConfig, is_loopback
from superbizagent.api.metrics import Metrics
from superbizagent.api.problems import install_handlers
from superbizagent.api.request_ids import RequestIds
from superbizagent.api.routes import ai_ops, catalogue, chat, health, metrics, sessions, traces
from superbizagent.api.services import Services

__all__ = ["create_app"]

_ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    chat.router,
    ai_ops.router,
    traces.router,
    sessions.router,
    catalogue.router,
    metrics.router,
)


def create_app(services: Services) -> FastAPI:
    """Build the application around its parts."""
    app = FastAPI(
        title="superbizagent",
        version=services.version,
        description="Alerts and questions in, diagnoses out whose every statement cites evidence.",
        max_body_size=services.config.max_body_bytes,
        strict_content_type=False,  # senders of webhooks leave the content type out
        docs_url=None,  # that page loads its scripts from a host that nobody configured
        redoc_url=None,
    )
    app.state.services = services
    install_handlers(app)
    for router in _ROUTERS:
        app.include_router(router)
    app.state.metrics = Metrics()
    app.add_middleware(app.state.metrics.middleware)
    app.add_middleware(RequestIds)
    app.add_middleware(
        TrustedHostMiddleware, allowed_hosts=_hosts(services.config), www_redirect=False
    )
    return app


def _hosts(config: ServiceConfig) -> list[str]:
    """Names in the `Host` header that are answered.

    On loopback there may be no token, and then a page elsewhere must not reach us by a name of
    its own that resolves to this machine. Beyond it everybody shows a token.
    """
    if not is_loopback(config.host):
        return ["*"]
    public = urlsplit(config.public_url).hostname
    return ["localhost", "127.0.0.1", "[::1]", *([public] if public else []), *config.allowed_hosts]
