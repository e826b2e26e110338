"""Parameters that more than one route takes."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator

__all__ = ["LooseTime", "Time"]


def _written_out(value: Any) -> Any:
    """Refuse a number: pydantic guesses from its size whether it counts seconds or less."""
    if isinstance(value, str) and not value[:5].endswith("-"):
        raise ValueError("write RFC 3339, such as 2026-05-06T12:00:00Z")
    return value


Time = Annotated[AwareDatetime, BeforeValidator(_written_out)]
"""An instant with its zone, as RFC 3339."""

LooseTime = Annotated[datetime, BeforeValidator(_written_out)]
"""An instant as RFC 3339; the zone may be left out."""
