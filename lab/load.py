"""Open-loop load on the storefront: seeded, with the small troubles every healthy system has.

Open loop means that requests leave at their time whether or not earlier ones were answered, so a
slow service feels the pressure that real customers would put on it.
"""

import asyncio
import random
from dataclasses import dataclass

import httpx2

__all__ = ["Load", "Noise"]

_MOST_IN_FLIGHT = 400
_SKUS = 300
_CUSTOMERS = 20_000


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Ranges, in seconds, of what a healthy system sees now and then."""

    burst_every: tuple[float, float] = (240.0, 420.0)
    burst_lasts: tuple[float, float] = (25.0, 45.0)
    burst_factor: float = 2.0
    report_every: tuple[float, float] = (60.0, 120.0)
    """A sales report: one statement of about 0.6 s over the orders of six weeks."""
    sitemap_every: tuple[float, float] = (45.0, 90.0)
    """A sitemap: some processor time in the web service."""


class Load:
    """Sends requests for as long as its `run` task lives."""

    def __init__(self, url: str, *, rate: float, seed: int, noise: Noise | None = None) -> None:
        """Prepare the load.

        Args:
            url: Base URL of the storefront.
            rate: Requests a second.
            seed: Of the random order of requests and noise.
            noise: None for an even load without bursts and reports.
        """
        self.bursts_allowed = True
        self._url = url
        self._rate = rate
        self._factor = 1.0
        self._noise = noise
        self._random = random.Random(seed)
        self._noise_random = random.Random(seed + 1)
        self._in_flight: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Send requests until cancelled."""
        limits = httpx2.Limits(max_connections=_MOST_IN_FLIGHT, max_keepalive_connections=40)
        async with httpx2.AsyncClient(
            base_url=self._url, timeout=15.0, limits=limits, trust_env=False
        ) as client:
            tasks = [asyncio.create_task(self._send_all(client))]
            if self._noise is not None:
                tasks.append(asyncio.create_task(self._bursts(self._noise)))
                tasks.append(asyncio.create_task(self._reports(client, self._noise)))
                tasks.append(asyncio.create_task(self._sitemaps(client, self._noise)))
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in [*tasks, *self._in_flight]:
                    task.cancel()

    async def _send_all(self, client: httpx2.AsyncClient) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += self._random.expovariate(self._rate * self._factor)
            await asyncio.sleep(max(0.0, due - loop.time()))
            if len(self._in_flight) < _MOST_IN_FLIGHT:
                self._start(client, *self._next_request())

    def _start(
        self,
        client: httpx2.AsyncClient,
        method: str,
        path: str,
        body: dict[str, object] | None = None,
    ) -> None:
        task = asyncio.create_task(_send(client, method, path, body))
        self._in_flight.add(task)
        task.add_done_callback(self._in_flight.discard)

    def _next_request(self) -> tuple[str, str, dict[str, object] | None]:
        draw = self._random.random()
        # An exponential draw makes a few products far more popular than the rest.
        number = min(_SKUS, 1 + int(self._random.expovariate(1 / 40)))
        sku = f"SKU-{number:04}"
        customer = self._random.randint(1, _CUSTOMERS)
        quantity = self._random.choices((1, 2, 3, 5), (60, 30, 9, 1))[0]
        if draw < 0.50:
            return "POST", "/checkout", {"customer_id": customer, "sku": sku, "quantity": quantity}
        if draw < 0.505:
            return "POST", "/checkout", {"customer_id": customer, "sku": sku, "quantity": 99}
        if draw < 0.515:
            return "GET", f"/products/OLD-{number:04}", None
        if draw < 0.80:
            return "GET", f"/products/{sku}", None
        return "GET", f"/account/{customer}/orders", None

    def surge(self, factor: float) -> None:
        """Send so many times as many requests from now on; 1 ends it."""
        self.bursts_allowed = factor == 1.0
        self._factor = factor

    async def _bursts(self, noise: Noise) -> None:
        while True:
            await asyncio.sleep(self._noise_random.uniform(*noise.burst_every))
            if self.bursts_allowed:
                self._factor = noise.burst_factor
            await asyncio.sleep(self._noise_random.uniform(*noise.burst_lasts))
            if self._factor == noise.burst_factor:
                self._factor = 1.0

    async def _reports(self, client: httpx2.AsyncClient, noise: Noise) -> None:
        while True:
            await asyncio.sleep(self._noise_random.uniform(*noise.report_every))
            self._start(client, "GET", "/admin/sales")

    async def _sitemaps(self, client: httpx2.AsyncClient, noise: Noise) -> None:
        while True:
            await asyncio.sleep(self._noise_random.uniform(*noise.sitemap_every))
            self._start(client, "GET", "/sitemap.xml")


async def _send(
    client: httpx2.AsyncClient, method: str, path: str, body: dict[str, object] | None
) -> None:
    try:
        await client.request(method, path, json=body)
    except httpx2.HTTPError:
        return  # the customer gives up; the services have already measured it
