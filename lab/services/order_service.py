"""The order service: products, orders and a sales report on MariaDB behind a connection pool."""

import argparse
import asyncio
import logging
import math
import random
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel, Field
from sqlalchemy import text

from lab.services.control import Switches, serve_control
from lab.services.pool import ConnectionPool, PoolTimeoutError
from lab.services.telemetry import (
    APP_ERRORS,
    BUILD_INFO,
    RequestTelemetry,
    configure_logging,
    watch_loop_lag,
)

_VERSION = "2.14.3"
_POOL_SIZE = 10
_POOL_TIMEOUT_SECONDS = 2.0
_LOW_STOCK = 20
_RESTOCK_TO = 600
_PAYMENT_SECONDS = 0.04
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
    "SELECT a.sku, COUNT(*) AS orders, COUNT(DISTINCT a.customer_id) AS customers,"
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


class Orders:
    """The service's work on the database."""

    def __init__(self, pool: ConnectionPool, switches: Switches) -> None:
        self._pool = pool
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
        """Pay for and store an order in one transaction; None when the product does not exist."""
        async with self._pool.connection("place_order") as connection, connection.begin():
            row = (await connection.execute(_PRODUCT, {"sku": order.sku})).mappings().first()
            if row is None:
                return None
            await self._pay()
            await connection.execute(_TAKE_STOCK, {"sku": order.sku, "quantity": order.quantity})
            discount = Decimal("0.975") if order.quantity >= 5 else Decimal(1)
            values = {**order.model_dump(), "total": row["price"] * order.quantity * discount}
            order_id = int((await connection.execute(_INSERT_ORDER, values)).lastrowid)
            left = int(row["stock"]) - order.quantity
            if left < _LOW_STOCK:
                _logger.warning(
                    "stock low sku=%s left=%d reordered=%d", order.sku, left, _RESTOCK_TO
                )
                await connection.execute(_RESTOCK, {"sku": order.sku, "stock": _RESTOCK_TO})
        return order_id

    async def _pay(self) -> None:
        seconds = _PAYMENT_SECONDS * math.exp(random.gauss(0, 0.4))
        seconds += self._switches.payment_delay_seconds * random.uniform(0.8, 1.2)
        await asyncio.sleep(seconds)


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


def create_app(pool: ConnectionPool, switches: Switches) -> FastAPI:
    """Build the service."""
    orders = Orders(pool, switches)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        lag = asyncio.create_task(watch_loop_lag())
        yield
        lag.cancel()
        await pool.close()

    async def stamp(request: Request) -> None:
        request.state.start = time.perf_counter()

    app = FastAPI(lifespan=lifespan, dependencies=[Depends(stamp)])
    app.add_middleware(RequestTelemetry, logger=_logger)

    @app.exception_handler(PoolTimeoutError)
    async def pool_timeout(request: Request, error: PoolTimeoutError) -> Response:
        return _pool_timeout(pool, request, error)

    _add_routes(app, orders)
    return app


def _add_routes(app: FastAPI, orders: Orders) -> None:
    @app.get("/healthz")
    async def healthz() -> PlainTextResponse:
        return PlainTextResponse("ok")

    @app.get("/metrics")
    async def metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

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
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--control-port", type=int, required=True)
    parser.add_argument("--database-url", required=True)
    args = parser.parse_args()
    configure_logging()
    switches = Switches()
    serve_control(switches, args.control_port)
    pool = ConnectionPool(
        args.database_url, name="orders", size=_POOL_SIZE, timeout_seconds=_POOL_TIMEOUT_SECONDS
    )
    BUILD_INFO.labels(_VERSION).set(1)
    _logger.info(
        "starting version=%s pool_max=%d pool_timeout_ms=%d",
        _VERSION,
        _POOL_SIZE,
        _POOL_TIMEOUT_SECONDS * 1000,
    )
    uvicorn.run(
        create_app(pool, switches),
        host="127.0.0.1",
        port=args.port,
        log_config=None,
        access_log=False,
    )


if __name__ == "__main__":
    main()
