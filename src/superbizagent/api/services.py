"""What the routes work with; the composition root builds it, the application carries it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request

from superbizagent.api.callers import CallerCache
from superbizagent.api.config import ServiceConfig
from superbizagent.api.intake.writer import Intake
from superbizagent.api.streams.poller import JournalPoller
from superbizagent.domain.protocols import Clock
from superbizagent.domain.session import SessionTemplate
from superbizagent.storage.store import Storage

__all__ = ["Services", "services_of"]


def _nobody() -> None:
    """Wake nobody: the worker looks by itself once a second."""


def _no_skill(_: str) -> None:
    """Know no playbook."""


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that a request may need."""

    storage: Storage
    clock: Clock
    config: ServiceConfig
    template: SessionTemplate
    version: str
    intake: Intake | None = None
    """Stores alerts while its `running` block lasts; None: alerts are not taken."""
    callers: CallerCache = field(default_factory=CallerCache)
    skills: tuple[dict[str, Any], ...] = ()
    """The playbooks as they are listed."""
    read_skill: Callable[[str], dict[str, Any] | None] = _no_skill
    """Returns one with its text and checks, None when there is none of that name."""
    poller: JournalPoller = field(init=False)
    wake_worker: Callable[[], None] = _nobody
    """Called after something was queued and committed."""
    language: str = "auto"
    """Setting of the language of reports."""
    locale: str = "en"
    timezone: str = "UTC"

    def __post_init__(self) -> None:
        """Make the one reader of the journal."""
        poller = JournalPoller(self.storage.feed, self.storage.sessions)
        object.__setattr__(self, "poller", poller)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Keep running what has to while the block lasts: the writer of alerts."""
        async with AsyncExitStack() as stack:
            if self.intake is not None:
                await stack.enter_async_context(self.intake.running())
            yield


def services_of(request: Request) -> Services:
    """Return the parts of the application that a request came to."""
    return request.app.state.services
