"""How much may be asked of somebody's production."""

from superbizagent.domain.model import Model

__all__ = ["Caps", "RunConfig"]


class Caps(Model):
    """Limits of one session; what they cut is reported as a fact."""

    max_series: int = 5000
    """Series of one query: ten times what a wide service exposes, one second to score."""
    max_points: int = 600
    """Samples a series: an hour at 6 s, finer than any alert rule."""
    max_queries: int = 60
    """Queries of one session: what a person with a dashboard sends in some minutes."""
    max_samples: int = 20_000_000
    """Samples over all queries to one live system: 160 MB as 8-byte numbers."""
    concurrency: int = 4
    """Queries under way at once: a dashboard asks for more."""


class RunConfig(Model):
    """The settings that decide what a diagnosis comes to; recorded, so that a replay uses them."""

    entity_labels: tuple[str, ...]
    caps: Caps = Caps()
    deadline_seconds: float = 60.0
    max_rounds: int = 2
    fail_off_target: bool = False
