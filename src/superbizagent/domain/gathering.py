"""How much may be asked of somebody's production."""

from superbizagent.domain.model import Model

__all__ = ["Caps"]


class Caps(Model):
    """Limits of one session; what they cut is reported as a fact."""

    max_series: int = 5000
    """Series over all queries: ten times what a wide service exposes, one second to score."""
    max_points: int = 600
    """Samples a series: an hour at 6 s, finer than any alert rule."""
    max_queries: int = 60
    max_samples: int = 20_000_000
    concurrency: int = 4
    """Queries under way at once: a dashboard asks for more."""
