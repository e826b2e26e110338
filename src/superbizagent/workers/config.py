"""Settings of the worker. Light: it is read by every command."""

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["WorkerConfig"]


class WorkerConfig(BaseModel):
    """How much is done at once, and how it ends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    concurrency: int = Field(default=2, ge=1, le=64)
    """Diagnoses at once; each computes on one core."""
    drain_seconds: float = Field(default=20.0, ge=0)
    """How long running diagnoses may go on at shutdown; then they are handed back."""
    learn_daily: bool = True
    """Learn the normal state of the live sources anew once a day."""
