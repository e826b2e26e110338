"""What the routes work with; the composition root builds it, the application carries it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request

from superbizagent.api.config import ServiceConfig
from superbizagent.domain.protocols import Clock
from superbizagent.domain.session import SessionTemplate
from superbizagent.storage.store import Storage

__all__ = ["Services", "services_of"]


def _nobody() -> None:
    """Wake nobody: the worker looks by itself once a second."""


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that a request may need."""

    storage: Storage
    clock: Clock
    config: ServiceConfig
    template: SessionTemplate
    version: str
    skills: tuple[dict[str, Any], ...] = ()
    """The playbooks as they are listed."""
    wake_worker: Callable[[], None] = _nobody
    """Called after something was queued and committed."""
    language: str = "auto"
    timezone: str = "UTC"
    lifespans: tuple[Any, ...] = field(default=())


def services_of(request: Request) -> Services:
    """Return the parts of the application that a request came to."""
    return request.app.state.services
