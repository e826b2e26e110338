"""The real clock, read nowhere else."""

import time
from datetime import UTC, datetime

__all__ = ["SystemClock"]


class SystemClock:
    """Implements `domain.protocols.Clock`."""

    def now(self) -> datetime:
        """Return the current time."""
        return datetime.now(UTC)  # noqa: TID251 - this is the home

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()
