"""Parameters that more than one route takes."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator

__all__ = ["LooseTime", "Time", "WrittenOut"]


def _written_out(value: Any) -> Any:
    """Refuse a number: pydantic guesses from its size whether it counts seconds or less."""
    if not isinstance(value, datetime | str) or not str(value)[:5].endswith("-"):
        raise ValueError("write RFC 3339, such as 2026-05-06T12:00:00Z")
    return value


WrittenOut = BeforeValidator(_written_out)
"""Of an instant that comes as text, and never as a number."""

Time = Annotated[AwareDatetime, WrittenOut]
"""An instant with its zone, as RFC 3339."""

LooseTime = Annotated[datetime, WrittenOut]
"""An instant as RFC 3339; the zone may be left out."""
