"""How much one caller may ask in a minute."""

from datetime import datetime
from ipaddress import IPv6Address, ip_address
from math import ceil

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

from superbizagent.api.config import ServiceConfig
from superbizagent.api.problems import Refused
from superbizagent.domain.protocols import Clock

__all__ = ["Rates"]


class Rates:
    """Counts the requests of the last minute, by caller; in memory, for this process."""

    def __init__(self, config: ServiceConfig, clock: Clock) -> None:
        self._clock = clock
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._any = RateLimitItemPerMinute(config.requests_per_minute)
        self._logins = RateLimitItemPerMinute(config.logins_per_minute)

    async def admit(self, token_id: str | None, client: str) -> None:
        """Count a request of a token, or of an address when there is none.

        Raises:
            Refused: 429 when there were too many.
        """
        await self._hit(self._any, token_id or _network(client))

    async def admit_login(self, client: str) -> None:
        """Count somebody who tries to log in.

        Raises:
            Refused: 429 when there were too many.
        """
        await self._hit(self._logins, "login " + _network(client))

    async def _hit(self, item: RateLimitItem, key: str) -> None:
        if await self._limiter.hit(item, key):
            return
        window = await self._limiter.get_window_stats(item, key)
        after = max(1, ceil(window.reset_time - _seconds(self._clock.now())))
        raise Refused(
            429,
            f"more than {item.amount} requests in a minute",
            headers={"Retry-After": str(min(after, 60))},
        )


def _seconds(now: datetime) -> float:
    return now.timestamp()


def _network(client: str) -> str:
    """Return whom an address is of: who has one address of IPv6 has a whole /64 of them."""
    try:
        address = ip_address(client)
    except ValueError:
        return client
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return f"{int(address) >> 64:x}::/64"
    return client
