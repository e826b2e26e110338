"""Who was let in a moment ago: a storm must not ask the database for each of its alerts."""

from superbizagent.domain.access import Principal

__all__ = ["CallerCache"]

_SECONDS = 2.0
"""How much longer a token that was revoked is taken for alerts and changes."""
_MOST = 1000


class CallerCache:
    """Remembers for two seconds who showed what. Refusals are not remembered."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, Principal]] = {}

    def get(self, shown: str, now: float) -> Principal | None:
        """Return who showed this, None when that is not known or too long ago.

        Args:
            shown: what was shown: the header, or nothing.
            now: seconds of a clock that never goes back.
        """
        found = self._known.get(shown)
        return found[1] if found is not None and now < found[0] else None

    def put(self, shown: str, principal: Principal, now: float) -> None:
        """Remember who showed this."""
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[shown] = (now + _SECONDS, principal)
