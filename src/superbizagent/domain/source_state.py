"""How a source answered when it was last examined."""

from typing import Literal

from superbizagent.domain.model import Model
from superbizagent.domain.vitals import Vitals
from superbizagent.domain.window import Instant

__all__ = ["SourceState"]


class SourceState(Model):
    """One source, as `superbiz doctor` and the service show it."""

    name: str
    kind: str
    place: str
    """Address without credentials, or folder."""
    state: Literal["ok", "warn", "fails"]
    said: str
    """In a few words: version, how much it holds, age of the newest; or why it does not answer."""
    advice: str = ""
    vitals: Vitals | None = None
    examined_at: Instant
