"""How much one session takes from a Loki."""

from dataclasses import dataclass

__all__ = ["LokiLimits"]


@dataclass(frozen=True, slots=True)
class LokiLimits:
    """Caps of one session at one server."""

    max_lines: int = 200_000
    """Lines of one search: what an hour of a busy shop writes at level info."""
    page_lines: int = 5000
    """Lines of one request; Loki's own default limit."""
    max_bytes: int = 192 * 1024 * 1024
    """Of all answers of one search, uncompressed: 200,000 lines of 400 bytes are 80 MB."""
    max_body_bytes: int = 64 * 1024 * 1024
    """Of one answer: 5,000 lines of 12 kB."""
    max_requests: int = 120
    """Of one search: 200,000 lines are 40 full pages."""
    read_seconds: float = 30.0
    """Of one search: half of a diagnosis."""
    timeout_seconds: float = 25.0
    """Of one request."""
    survey_seconds: float = 10.0
    """For the first look at what a server holds."""
    concurrency: int = 4
    """Requests at once of the first look; lines are read one page after another."""
