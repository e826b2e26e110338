"""The order service: products, orders and a sales report on MariaDB behind a connection pool."""

import asyncio
import json
import logging
import random
import time
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from lab.services.control import Switches
from lab.services.pool import ConnectionPool, PoolTimeoutError
from lab.services.program import arguments, serve
from lab.services.segments import SegmentTable
from lab.services.telemetry import APP_ERRORS, watch_loop_lag
from lab.services.upstream import Upstream, UpstreamError

_POOL_SIZE = 10
_POOL_TIMEOUT_SECONDS = 2.0
_PAYMENT_TIMEOUT_SECONDS = 3.0
_LOW_STOCK = 20
_RESTOCK_TO = 600
_RECEIPT_BYTES = 20_000
_RECEIPTS_KEPT = 50
_logger = logging.getLogger("orders.api")

_PRODUCT = text("SELECT sku, price, stock FROM products WHERE sku = :sku")
_TAKE_STOCK = text("UPDATE products SET stock = stock - :quantity WHERE sku = :sku")
_RESTOCK = text("UPDATE products SET stock = :stock WHERE sku = :sku")
_INSERT_ORDER = text(
    "INSERT INTO orders (customer_id, sku, quantity, total, created_at)"
    " VALUES (:customer_id, :sku, :quantity, :total, NOW(3))"
)
_CUSTOMER_ORDERS = text(
    "SELECT id, sku, quantity, total FROM orders WHERE customer_id = :customer_id"
    " ORDER BY id DESC LIMIT 20"
)
_SALES = text(
    "SET STATEMENT max_statement_time = 4 FOR"
    " SELECT a.sku, COUNT(*) AS orders, COUNT(DISTINCT a.customer_id) AS customers,"
    " SUM(a.total) AS revenue, COUNT(DISTINCT b.customer_id) AS returning_customers"
    " FROM orders a LEFT JOIN orders b ON b.customer_id = a.customer_id AND b.id > a.id"
    " WHERE a.created_at > NOW() - INTERVAL 45 DAY"
    " GROUP BY a.sku ORDER BY revenue DESC LIMIT 20"
)


class NewOrder(BaseModel):
    """Body of `POST /orders`."""

    customer_id: int = Field(ge=1)
    sku: str
    quantity: int = Field(ge=1, le=10)


class Receipts:
    """Writes a file for each order, and deletes all but the latest."""

    def __init__(self, folder: str, switches: Switches) -> None:
        self._folder = Path(folder) if folder else None
        self._switches = switches
        self._kept: deque[Path] = deque()

    def write(self, order_id: int) -> None:
        """Write the receipt of an order.

        Raises:
            OSError: when the disk is full.
        """
        if self._folder is None:
            return
        keeps_all = self._switches.receipt_bytes > 0
        size = int(self._switches.receipt_bytes) if keeps_all else _RECEIPT_BYTES
        while not keeps_all and len(self._kept) >= _RECEIPTS_KEPT:
            self._kept.popleft().unlink(missing_ok=True)
        path = self._folder / f"receipt-{order_id}.pdf"
        self._kept.append(path)
        path.write_bytes(b"\x01" * size)


class Orders:
    """The service's work on the database."""

    def __init__(
        self,
        pool: ConnectionPool,
        payments: Upstream,
        receipts: Receipts,
        table: SegmentTable,
        switches: Switches,
    ) -> None:
        self._pool = pool
        self._payments = payments
        self._receipts = receipts
        self._table = table
        self._switches = switches

    async def product(self, sku: str) -> dict[str, object] | None:
        """Return a product, or None when there is none of that name."""
        async with self._pool.connection("get_product") as connection:
            row = (await connection.execute(_PRODUCT, {"sku": sku})).mappings().first()
        return None if row is None else {**row, "price": str(row["price"])}

    async def customer_orders(self, customer_id: int) -> list[dict[str, object]]:
        """Return a customer's latest orders."""
        async with self._pool.connection("list_orders") as connection:
            rows = (
                (await connection.execute(_CUSTOMER_ORDERS, {"customer_id": customer_id}))
                .mappings()
                .all()
            )
        return [{**row, "total": str(row["total"])} for row in rows]

    async def sales(self) -> list[dict[str, object]]:
        """Return the best-selling products of the last weeks."""
        async with self._pool.connection("sales_report") as connection:
            rows = (await connection.execute(_SALES)).mappings().all()
        return [{**row, "revenue": str(row["revenue"])} for row in rows]

    async def place(self, order: NewOrder) -> int | None:
        """Pay for and store an order; None when the product does not exist.

        Raises:
            UpstreamError: when it could not be paid.
            OSError: when its receipt could not be written.
        """
        found = await self.product(order.sku)
        if found is None:
            return None
        rate = Decimal(1) - Decimal(str(self._table.rate_of(order.customer_id)))
        total = round(Decimal(str(found["price"])) * order.quantity * rate, 2)
        charge = {"customer_id": order.customer_id, "amount": float(total)}
        await self._payments.call("POST", "/charges", body=json.dumps(charge).encode())
        order_id = await self._store(order, total)
        self._receipts.write(order_id)
        return order_id

    async def _store(self, order: NewOrder, total: Decimal) -> int:
        """Store an order in one transaction and take its stock."""
        async with self._pool.connection("place_order") as connection, connection.begin():
            row = (await connection.execute(_PRODUCT, {"sku": order.sku})).mappings().one()
            pause = self._switches.transaction_pause_seconds
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))
            await connection.execute(_TAKE_STOCK, {"sku": order.sku, "quantity": order.quantity})
            values = {**order.model_dump(), "total": total}
            order_id = int((await connection.execute(_INSERT_ORDER, values)).lastrowid)
            left = int(row["stock"]) - order.quantity
            if left < _LOW_STOCK:
                _logger.warning(
                    "stock low sku=%s left=%d reordered=%d", order.sku, left, _RESTOCK_TO
                )
                await connection.execute(_RESTOCK, {"sku": order.sku, "stock": _RESTOCK_TO})
        return order_id


def _pool_timeout(pool: ConnectionPool, request: Request, error: PoolTimeoutError) -> Response:
    APP_ERRORS.labels("TimeoutError").inc()
    reason = str(error).split(" (Background", 1)[0]
    _logger.error(
        "Connection is not available, request timed out after %dms: %s %s"
        " method=%s path=%s status=503",
        round((time.perf_counter() - request.state.start) * 1000),
        reason,
        pool.describe(),
        request.method,
        request.url.path,
    )
    return JSONResponse({"error": "service unavailable"}, status_code=503)


def _database_error(request: Request, error: DBAPIError) -> Response:
    APP_ERRORS.labels(type(error).__name__).inc()
    _logger.error(
        "statement failed method=%s path=%s status=500: %s",
        request.method,
        request.url.path,
        error.orig,
    )
    return JSONResponse({"error": "internal server error"}, status_code=500)


def create_app(pool: ConnectionPool, orders: Orders, payments: Upstream) -> FastAPI:
    """Build the service."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        watches = [asyncio.create_task(watch_loop_lag()), asyncio.create_task(pool.return_all())]
        yield
        for watch in watches:
            watch.cancel()
        await payments.close()
        await pool.close()

    async def stamp(request: Request) -> None:
        request.state.start = time.perf_counter()

    app = FastAPI(lifespan=lifespan, dependencies=[Depends(stamp)])

    @app.exception_handler(PoolTimeoutError)
    async def pool_timeout(request: Request, error: PoolTimeoutError) -> Response:
        return _pool_timeout(pool, request, error)

    @app.exception_handler(DBAPIError)
    async def database_error(request: Request, error: DBAPIError) -> Response:
        return _database_error(request, error)

    @app.exception_handler(UpstreamError)
    async def not_paid(_: Request, error: UpstreamError) -> Response:
        return JSONResponse({"error": "payment failed"}, status_code=error.status)

    _add_routes(app, orders)
    return app


def _add_routes(app: FastAPI, orders: Orders) -> None:
    @app.get("/products/{sku}")
    async def get_product(sku: str) -> dict[str, object]:
        product = await orders.product(sku)
        if product is None:
            raise HTTPException(404, "unknown product")
        return product

    @app.get("/orders")
    async def list_orders(customer_id: Annotated[int, Query(ge=1)]) -> list[dict[str, object]]:
        return await orders.customer_orders(customer_id)

    @app.post("/orders", status_code=201)
    async def place_order(order: NewOrder) -> dict[str, int]:
        order_id = await orders.place(order)
        if order_id is None:
            raise HTTPException(404, "unknown product")
        return {"id": order_id}

    @app.get("/reports/sales")
    async def sales() -> list[dict[str, object]]:
        return await orders.sales()


def main() -> None:
    """Run the service until it is told to stop."""
    args = arguments().parse_args()

    def build(switches: Switches) -> FastAPI:
        pool = ConnectionPool(
            args.database_url,
            name=args.pool,
            size=_POOL_SIZE,
            timeout_seconds=_POOL_TIMEOUT_SECONDS,
            switches=switches,
        )
        payments = Upstream(
            args.peer_url,
            name=args.peer,
            timeout_seconds=_PAYMENT_TIMEOUT_SECONDS,
            logger=_logger,
        )
        receipts = Receipts(args.receipts, switches)
        table = SegmentTable(args.segments)
        _logger.info("pool_max=%d pool_timeout_ms=%d", _POOL_SIZE, _POOL_TIMEOUT_SECONDS * 1000)
        return create_app(pool, Orders(pool, payments, receipts, table, switches), payments)

    serve(args, _logger, build)


if __name__ == "__main__":
    main()
