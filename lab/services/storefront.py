"""The storefront: what customers call. It owns no data and asks the order service."""

import argparse
import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, Histogram, generate_latest

from lab.services.telemetry import (
    APP_ERRORS,
    BUILD_INFO,
    DURATION_BUCKETS,
    RequestTelemetry,
    configure_logging,
    watch_loop_lag,
)

_VERSION = "5.2.0"
_UPSTREAM = "order-service"
_UPSTREAM_TIMEOUT_SECONDS = 5.0
_logger = logging.getLogger("storefront.web")

_CLIENT_DURATION = Histogram(
    "http_client_request_duration_seconds",
    "Duration of HTTP client requests.",
    ["http_request_method", "server_address", "http_response_status_code", "error_type"],
    buckets=DURATION_BUCKETS,
)


class OrderClient:
    """Calls the order service, measures each call and turns its failures into ours."""

    def __init__(self, url: str) -> None:
        self._client = httpx2.AsyncClient(
            base_url=url,
            timeout=_UPSTREAM_TIMEOUT_SECONDS,
            limits=httpx2.Limits(max_connections=400, max_keepalive_connections=50),
            trust_env=False,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def forward(self, method: str, path: str, *, body: bytes | None = None) -> Response:
        """Pass a request on and return the answer the customer gets."""
        start = time.perf_counter()
        headers = {"content-type": "application/json"} if body is not None else {}
        try:
            answer = await self._client.request(method, path, content=body, headers=headers)
        except httpx2.HTTPError as error:
            kind = type(error).__name__
            seconds = time.perf_counter() - start
            self._failed(method, path, kind, seconds, status="")
            return JSONResponse({"error": "try again later"}, status_code=504)
        seconds = time.perf_counter() - start
        if answer.status_code >= 500:
            self._failed(
                method, path, str(answer.status_code), seconds, status=str(answer.status_code)
            )
            return JSONResponse({"error": "try again later"}, status_code=502)
        _CLIENT_DURATION.labels(method, _UPSTREAM, str(answer.status_code), "").observe(seconds)
        return Response(answer.content, answer.status_code, media_type="application/json")

    def _failed(self, method: str, path: str, kind: str, seconds: float, *, status: str) -> None:
        _CLIENT_DURATION.labels(method, _UPSTREAM, status, kind).observe(seconds)
        APP_ERRORS.labels(kind if not status else "UpstreamError").inc()
        _logger.error(
            "upstream call failed peer=%s method=%s path=%s error=%s duration_ms=%d",
            _UPSTREAM,
            method,
            path,
            kind,
            round(seconds * 1000),
        )


def create_app(order_service_url: str) -> FastAPI:
    """Build the service."""
    orders = OrderClient(order_service_url)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        lag = asyncio.create_task(watch_loop_lag())
        yield
        lag.cancel()
        await orders.close()

    app = FastAPI(lifespan=lifespan)
    app.add_middleware(RequestTelemetry, logger=_logger)
    _add_routes(app, orders)
    return app


def _add_routes(app: FastAPI, orders: OrderClient) -> None:
    @app.get("/healthz")
    async def healthz() -> PlainTextResponse:
        return PlainTextResponse("ok")

    @app.get("/metrics")
    async def metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    @app.get("/products/{sku}")
    async def product(sku: str) -> Response:
        return await orders.forward("GET", f"/products/{sku}")

    @app.get("/account/{customer_id}/orders")
    async def account_orders(customer_id: int) -> Response:
        return await orders.forward("GET", f"/orders?customer_id={customer_id}")

    @app.post("/checkout")
    async def checkout(request: Request) -> Response:
        return await orders.forward("POST", "/orders", body=await request.body())

    @app.get("/admin/sales")
    async def sales() -> Response:
        return await orders.forward("GET", "/reports/sales")


def main() -> None:
    """Run the service until it is told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--order-service-url", required=True)
    args = parser.parse_args()
    configure_logging()
    BUILD_INFO.labels(_VERSION).set(1)
    _logger.info(
        "starting version=%s upstream=%s timeout_ms=%d",
        _VERSION,
        _UPSTREAM,
        _UPSTREAM_TIMEOUT_SECONDS * 1000,
    )
    uvicorn.run(
        create_app(args.order_service_url),
        host="127.0.0.1",
        port=args.port,
        log_config=None,
        access_log=False,
    )


if __name__ == "__main__":
    main()
