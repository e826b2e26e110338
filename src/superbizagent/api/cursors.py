"""Cursors: where a page of a list ends, as text that callers hand back and do not read."""

import base64
import binascii

from pydantic import ValidationError

from superbizagent.api.problems import Refused
from superbizagent.domain.session import ListPlace

__all__ = ["CURSOR_CHARS", "cursor_of", "place_of"]

CURSOR_CHARS = 512


def cursor_of(place: ListPlace | None) -> str | None:
    """Return the cursor of a place; None for the end."""
    if place is None:
        return None
    return base64.urlsafe_b64encode(place.model_dump_json().encode()).decode().rstrip("=")


def place_of(cursor: str | None) -> ListPlace | None:
    """Return the place that a cursor stands for.

    Raises:
        Refused: 400 when no list of ours gave it.
    """
    if not cursor:
        return None
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        return ListPlace.model_validate_json(data)
    except (ValidationError, binascii.Error, ValueError, OverflowError) as error:
        raise Refused(
            400,
            "this cursor was given by no list",
            "hand `next_cursor` back as it came, or leave `cursor` out to begin anew",
            code="bad_cursor",
        ) from error
