"""How fast the lab's monitoring runs.

Quick for tests, production-like for the examples, in between for recorded sets of incidents.
"""

from dataclasses import dataclass

__all__ = ["CASES", "FAST", "RECORD", "Timing"]


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Intervals of scraping and alerting, in whole seconds."""

    scrape_seconds: int
    evaluation_seconds: int
    pending_seconds: int
    """The `for` of the alert rules."""
    window_seconds: int
    """The range of `rate()` in the alert rules."""


FAST = Timing(scrape_seconds=1, evaluation_seconds=1, pending_seconds=5, window_seconds=10)
RECORD = Timing(scrape_seconds=5, evaluation_seconds=5, pending_seconds=60, window_seconds=60)
CASES = Timing(scrape_seconds=5, evaluation_seconds=5, pending_seconds=15, window_seconds=30)
