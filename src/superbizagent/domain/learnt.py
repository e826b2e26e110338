"""What a system is like while nothing is wrong, learnt from its own history."""

from datetime import datetime, timedelta

from superbizagent.domain.model import Model
from superbizagent.domain.window import Instant, Window

__all__ = ["LEAST_WINDOWS", "SURPRISE", "WHOLE", "Band", "LearntLength", "LearntNormal"]

LEAST_WINDOWS = 50
"""Fewer say nothing of what happens in one window of forty."""
WHOLE = ""
"""In place of an entity: the system as a whole."""
SURPRISE = "surprise"
"""Signal that holds how far the farthest of all others is above its usual."""

_STALE = timedelta(days=30)
"""Releases and load have changed a system by then."""
_LEAST_SPREAD = 0.5
"""Of a signal that is always the same: evidence is a logarithm, half of it is a factor of 1.6."""


class Band(Model):
    """How one signal of one entity was over the windows that were learnt from."""

    entity: str = WHOLE
    """Entity path."""
    signal: str
    """``strength``, a family of series such as ``lat``, or `SURPRISE`."""
    samples: int
    median: float
    q95: float
    q975: float
    largest: float

    def unusual(self, value: float) -> float:
        """Return how far a value is above the usual: 0 at the median, about 1 at the 95 % one."""
        return (value - self.median) / (self.q95 - self.median + _LEAST_SPREAD)


class LearntLength(Model):
    """What was learnt from windows of one length."""

    length: timedelta
    windows: int
    bands: tuple[Band, ...]

    def band(self, entity: str, signal: str) -> Band | None:
        """Return how a signal was, None when there was none."""
        return next((b for b in self.bands if b.entity == entity and b.signal == signal), None)

    @property
    def entities(self) -> frozenset[str]:
        """Paths of the entities that had data."""
        return frozenset(b.entity for b in self.bands if b.entity != WHOLE)


class LearntNormal(Model):
    """The learnt normal state of one system."""

    system: str
    """The data sources it was learnt from, by their addresses."""
    learnt_at: Instant
    span: Window
    """From the start of the first window to the end of the last."""
    left_out: int = 0
    """Windows in which alerts fired or a cause was found."""
    lengths: tuple[LearntLength, ...]
    """Shortest first."""

    def nearest(self, length: timedelta) -> LearntLength:
        """Return what was learnt from windows of about this length."""
        wanted = max(length.total_seconds(), 1.0)

        def ratio(known: LearntLength) -> float:
            seconds = max(known.length.total_seconds(), 1.0)
            return max(seconds / wanted, wanted / seconds)

        return min(self.lengths, key=ratio)

    def is_stale(self, now: datetime) -> bool:
        """Tell whether it was learnt too long ago to speak of the system of today."""
        return now - self.learnt_at > _STALE

    def of(self, entities: frozenset[str]) -> "LearntNormal":
        """Return the same without the bands of entities that are not among these."""
        kept = frozenset({WHOLE, *entities})
        lengths = tuple(
            known.model_copy(update={"bands": tuple(b for b in known.bands if b.entity in kept)})
            for known in self.lengths
        )
        return self.model_copy(update={"lengths": lengths})
