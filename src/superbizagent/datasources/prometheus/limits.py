"""How much one session takes from a server, over all its questions."""

from dataclasses import dataclass

__all__ = ["Budget", "Limits"]

_SHARE = 4
"""One question gets at most this part of what is left, so that no service starves the others."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps of one session at one server."""

    max_samples: int = 20_000_000
    concurrency: int = 4
    timeout_seconds: float = 25.0
    """Of one query: two of them fit into a diagnosis."""
    survey_seconds: float = 10.0
    """For the first look at what a server holds, and for its list of alerts."""
    max_body_bytes: int = 192 * 1024 * 1024
    """Of one answer: 5,000 series of 600 samples take about 100 MB of JSON."""


class Budget:
    """Counts the samples that came in.

    Args:
        max_samples: over all questions.
    """

    def __init__(self, max_samples: int) -> None:
        self._left = max(max_samples, 0)

    def series(self, wanted: int, points: int) -> int:
        """Return how many series of ``points`` samples the next question may bring."""
        return min(wanted, self._left // _SHARE // max(points, 1))

    def take(self, samples: int) -> None:
        """Count what came in."""
        self._left = max(self._left - samples, 0)
