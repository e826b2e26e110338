"""The payment service: charges a customer, and owns no data."""

import asyncio
import logging
import math
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from pydantic import BaseModel, Field

from lab.services.control import Switches
from lab.services.program import arguments, serve
from lab.services.segments import SegmentTable
from lab.services.telemetry import watch_loop_lag

_CHARGE_SECONDS = 0.03
_logger = logging.getLogger("payments.api")


class Charge(BaseModel):
    """Body of `POST /charges`."""

    customer_id: int = Field(ge=1)
    amount: float = Field(gt=0)


def create_app(segments: int) -> FastAPI:
    """Build the service."""
    table = SegmentTable(segments)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        lag = asyncio.create_task(watch_loop_lag())
        yield
        lag.cancel()

    app = FastAPI(lifespan=lifespan)

    @app.post("/charges", status_code=201)
    async def charge(body: Charge) -> dict[str, float]:
        fee = body.amount * (1 - table.rate_of(body.customer_id))
        await asyncio.sleep(_CHARGE_SECONDS * math.exp(random.gauss(0, 0.4)))
        return {"charged": round(fee, 2)}

    return app


def main() -> None:
    """Run the service until it is told to stop."""
    args = arguments().parse_args()

    def build(_: Switches) -> FastAPI:
        return create_app(args.segments)

    serve(args, _logger, build)


if __name__ == "__main__":
    main()
