"""What can be said of a source before anything is diagnosed with it."""

from datetime import timedelta

from pydantic import Field

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant

__all__ = ["Vitals"]


class Vitals(Model):
    """How a source is doing right now."""

    version: str = ""
    counts: dict[str, int] = Field(default_factory=dict)
    """What it holds -> how many: ``series``, ``streams``, ``labels``, ``services``, ``alerts``."""
    scrape_interval: timedelta | None = None
    newest_at: Instant | None = None
    """Time of its newest sample or line."""
    clock_ahead_seconds: float | None = None
    """By which its clock is ahead of this machine's; None when it does not tell."""
    notes: tuple[str, ...] = ()
    """What is degraded; gravest first."""
