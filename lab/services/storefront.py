"""The storefront: what customers call. It owns no data and asks the service of the orders."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from lab.services.control import Switches
from lab.services.program import arguments, serve
from lab.services.telemetry import watch_loop_lag
from lab.services.upstream import Upstream, UpstreamError

_UPSTREAM_TIMEOUT_SECONDS = 5.0
_SITEMAP_PAGES = 12_000
_logger = logging.getLogger("web.api")


async def _forward(
    orders: Upstream, method: str, path: str, *, body: bytes | None = None
) -> Response:
    """Pass a request on and return the answer the customer gets."""
    try:
        answer = await orders.call(method, path, body=body)
    except UpstreamError as error:
        return JSONResponse({"error": "try again later"}, status_code=error.status)
    return Response(answer.content, answer.status_code, media_type="application/json")


def create_app(orders: Upstream) -> FastAPI:
    """Build the service."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        lag = asyncio.create_task(watch_loop_lag())
        yield
        lag.cancel()
        await orders.close()

    app = FastAPI(lifespan=lifespan)
    _add_routes(app, orders)
    return app


def _add_routes(app: FastAPI, orders: Upstream) -> None:
    @app.get("/products/{sku}")
    async def product(sku: str) -> Response:
        return await _forward(orders, "GET", f"/products/{sku}")

    @app.get("/account/{customer_id}/orders")
    async def account_orders(customer_id: int) -> Response:
        return await _forward(orders, "GET", f"/orders?customer_id={customer_id}")

    @app.post("/checkout")
    async def checkout(request: Request) -> Response:
        return await _forward(orders, "POST", "/orders", body=await request.body())

    @app.get("/admin/sales")
    async def sales() -> Response:
        return await _forward(orders, "GET", "/reports/sales")

    @app.get("/sitemap.xml")
    async def sitemap() -> Response:
        pages = "".join(f"<url><loc>/products/{n}</loc></url>" for n in range(_SITEMAP_PAGES))
        return Response(f"<urlset>{pages}</urlset>", media_type="application/xml")


def main() -> None:
    """Run the service until it is told to stop."""
    args = arguments().parse_args()

    def build(_: Switches) -> FastAPI:
        return create_app(
            Upstream(
                args.peer_url,
                name=args.peer,
                timeout_seconds=_UPSTREAM_TIMEOUT_SECONDS,
                logger=_logger,
            )
        )

    serve(args, _logger, build)


if __name__ == "__main__":
    main()
