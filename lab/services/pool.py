"""A measured connection pool: SQLAlchemy's, with OpenTelemetry's metrics and log lines."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from prometheus_client import Counter, Gauge, Histogram
from sqlalchemy import event
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from lab.services.control import Switches
from lab.services.telemetry import DURATION_BUCKETS, RateLimit

if TYPE_CHECKING:
    from sqlalchemy.pool import QueuePool

__all__ = ["ConnectionPool", "PoolTimeoutError"]

_logger = logging.getLogger("db.pool")
_SLOW_ACQUIRE_SECONDS = 1.0
_LONG_USE_SECONDS = 2.0
_REPEAT_SECONDS = 2.0
_SLOW_STATEMENT_SECONDS = 0.5
_RECYCLE_SECONDS = 60

_COUNT = Gauge("db_client_connection_count", "Connections by state.", ["pool_name", "state"])
_MAX = Gauge("db_client_connection_max", "Most connections allowed.", ["pool_name"])
_PENDING = Gauge(
    "db_client_connection_pending_requests", "Callers waiting for a connection.", ["pool_name"]
)
_TIMEOUTS = Counter(
    "db_client_connection_timeouts", "Waits that ended without a connection.", ["pool_name"]
)
_WAIT = Histogram(
    "db_client_connection_wait_time_seconds",
    "Time to obtain a connection.",
    ["pool_name"],
    buckets=DURATION_BUCKETS,
)
_USE = Histogram(
    "db_client_connection_use_time_seconds",
    "Time between obtaining and returning a connection.",
    ["pool_name"],
    buckets=DURATION_BUCKETS,
)
_OPERATION = Histogram(
    "db_client_operation_duration_seconds",
    "Duration of statements.",
    ["db_operation_name"],
    buckets=DURATION_BUCKETS,
)


class ConnectionPool:
    """Hands out connections of one engine and measures who waits and who holds."""

    def __init__(
        self, url: str, *, name: str, size: int, timeout_seconds: float, switches: Switches
    ) -> None:
        self._engine: AsyncEngine = create_async_engine(
            url,
            pool_size=size,
            max_overflow=0,
            pool_timeout=timeout_seconds,
            pool_recycle=_RECYCLE_SECONDS,
        )
        self._switches = switches
        self._unreturned: list[AsyncConnection] = []
        self._pool = cast("QueuePool", self._engine.sync_engine.pool)
        self._name = name
        self._size = size
        self._waiting = 0
        self._slow_acquires = RateLimit(_REPEAT_SECONDS)
        self._long_uses = RateLimit(_REPEAT_SECONDS)
        _MAX.labels(name).set(size)
        _PENDING.labels(name).set_function(lambda: self._waiting)
        _COUNT.labels(name, "used").set_function(self._pool.checkedout)
        _COUNT.labels(name, "idle").set_function(self._pool.checkedin)
        _TIMEOUTS.labels(name)
        self._measure_statements()

    def describe(self) -> str:
        """Return the pool's state as the fields of a log line."""
        active = self._pool.checkedout()
        return f"pool_active={active} pool_max={self._size} waiting_threads={self._waiting}"

    @asynccontextmanager
    async def connection(self, purpose: str) -> AsyncGenerator[AsyncConnection, None]:
        """Lend a connection for the block.

        Raises:
            PoolTimeoutError: when none comes free in time.
        """
        start = time.perf_counter()
        connection = await self._acquire()
        acquired = time.perf_counter()
        self._report_wait(acquired - start)
        try:
            yield connection
        finally:
            held = time.perf_counter() - acquired
            if random.random() < self._switches.unreturned_share:
                self._unreturned.append(connection)
            else:
                _USE.labels(self._name).observe(held)
                self._report_use(purpose, held)
                await connection.close()

    async def return_all(self) -> None:
        """Watch for ever whether what was not returned may be returned."""
        while True:
            await asyncio.sleep(0.5)
            while self._unreturned and self._switches.unreturned_share <= 0:
                await self._unreturned.pop().close()

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()

    async def _acquire(self) -> AsyncConnection:
        start = time.perf_counter()
        self._waiting += 1
        try:
            return await self._engine.connect()
        except PoolTimeoutError:
            _TIMEOUTS.labels(self._name).inc()
            raise
        finally:
            self._waiting -= 1
            _WAIT.labels(self._name).observe(time.perf_counter() - start)

    def _report_wait(self, seconds: float) -> None:
        if seconds < _SLOW_ACQUIRE_SECONDS:
            return
        suppressed = self._slow_acquires.take()
        if suppressed is not None:
            _logger.warning(
                "Connection acquired after %dms %s suppressed=%d",
                round(seconds * 1000),
                self.describe(),
                suppressed,
            )

    def _report_use(self, purpose: str, seconds: float) -> None:
        if seconds < _LONG_USE_SECONDS:
            return
        suppressed = self._long_uses.take()
        if suppressed is not None:
            _logger.warning(
                "Connection held for %dms by %s %s suppressed=%d",
                round(seconds * 1000),
                purpose,
                self.describe(),
                suppressed,
            )

    def _measure_statements(self) -> None:
        engine = self._engine.sync_engine

        # SQLAlchemy passes connection, cursor, statement, parameters, context, executemany.
        def before(*args: Any) -> None:
            args[4].statement_start = time.perf_counter()

        def after(*args: Any) -> None:
            seconds = time.perf_counter() - args[4].statement_start
            verb = str(args[2]).split(None, 1)[0].upper()
            _OPERATION.labels(verb).observe(seconds)
            if seconds >= _SLOW_STATEMENT_SECONDS:
                _logger.warning("slow statement %s took %dms", verb, round(seconds * 1000))

        event.listen(engine, "before_cursor_execute", before)
        event.listen(engine, "after_cursor_execute", after)
