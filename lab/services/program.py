"""What the programs of the services share: arguments, routes for monitoring, the server."""

import argparse
import logging
import os
import threading
import time
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from lab.services.appetite import Appetite
from lab.services.control import Switches, serve_control
from lab.services.telemetry import BUILD_INFO, RequestTelemetry, configure_logging

__all__ = ["arguments", "serve"]

_SECONDS_WITHOUT_KEY = 3.0
"""How long a program lives that lacks a configuration key."""


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the arguments that every service takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--control-port", type=int, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--segments", type=int, default=10, help="customer segments it knows")
    parser.add_argument("--peer", default="", help="what it calls the service that it calls")
    parser.add_argument("--peer-url", default="")
    parser.add_argument("--database-url", default="")
    parser.add_argument("--pool", default="")
    parser.add_argument("--receipts", default="")
    parser.add_argument("--missing-key", default="", help="configuration that it lacks and needs")
    return parser


def _monitored(app: FastAPI, logger: logging.Logger, switches: Switches) -> FastAPI:
    """Add health, metrics and request telemetry to an application."""
    app.add_middleware(Appetite, switches=switches)
    app.add_middleware(RequestTelemetry, logger=logger)

    @app.get("/healthz")
    async def healthz() -> PlainTextResponse:
        return PlainTextResponse("ok")

    @app.get("/metrics")
    async def metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return app


def serve(
    args: argparse.Namespace, logger: logging.Logger, build: Callable[[Switches], FastAPI]
) -> None:
    """Run a service until it is told to stop."""
    configure_logging()
    logger.info("starting version=%s", args.version)
    if args.missing_key:
        threading.Thread(target=_end_for_want_of, args=(args.missing_key, logger)).start()
    switches = Switches()
    serve_control(switches, args.control_port)
    BUILD_INFO.labels(args.version).set(1)
    uvicorn.run(
        _monitored(build(switches), logger, switches),
        host="127.0.0.1",
        port=args.port,
        log_config=None,
        access_log=False,
    )


def _end_for_want_of(key: str, logger: logging.Logger) -> None:
    time.sleep(_SECONDS_WITHOUT_KEY)
    logger.critical("fatal: config key %r is missing", key)
    os._exit(1)
