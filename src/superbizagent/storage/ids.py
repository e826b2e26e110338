"""New ids of rows: by the time, so that later ones sort behind, and by chance."""

import secrets
from datetime import datetime

from superbizagent.domain.ids import uuid7
from superbizagent.domain.window import to_ms

__all__ = ["new_id"]


def new_id(at: datetime) -> str:
    """Return the id of something that comes to be at a time, a UUIDv7."""
    return uuid7(to_ms(at), secrets.token_bytes(10))
