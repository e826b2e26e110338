"""The service process: builds the application, listens, and keeps one worker running."""

import asyncio
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from superbizagent import __version__
from superbizagent.api.config import ServiceConfig, is_loopback
from superbizagent.cli.child import WorkerProcess
from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import (
    load_skills,
    open_storage,
    run_config,
    session_template,
    settings_for,
)
from superbizagent.cli.live import LiveFlags, live_addresses
from superbizagent.cli.sources import SourceSpec
from superbizagent.errors import ConfigError, UsageError
from superbizagent.settings import Settings, local_timezone
from superbizagent.storage.store import Storage
from superbizagent.telemetry import configure_logging

if TYPE_CHECKING:
    from superbizagent.api.services import Services

__all__ = ["run_service"]


def run_service(flags: Mapping[str, Any]) -> int:
    """Serve until SIGTERM or SIGINT.

    Raises:
        ConfigError: when the extra is missing or a setting is wrong.
        UsageError: when it would listen beyond loopback without a token, or the port is taken.
    """
    if importlib.util.find_spec("uvicorn") is None:
        raise ConfigError(
            "the service needs more packages; install them: pip install 'superbizagent[service]'"
        )
    settings = settings_for()
    configure_logging(settings.log_level, json=settings.log_json)
    given = {name: flags[name] for name in ("host", "port") if flags.get(name) is not None}
    config = settings.service.model_copy(update=given)
    asyncio.run(_serve(settings, config, flags.get("recording")))
    return 0


async def _serve(settings: Settings, config: ServiceConfig, recording: Path | None) -> None:
    import uvicorn

    from superbizagent.api.app import create_app
    from superbizagent.cli.http_server import Server

    async with open_storage(settings) as storage:
        if not is_loopback(config.host) and not await storage.tokens.active():
            raise UsageError(
                f"{config.host} can be reached from other machines, and there is no token;"
                " create one first: superbiz token create NAME --scope admin"
            )
        async with WorkerProcess(settings.worker.drain_seconds) as child:
            services = _services(settings, config, storage, recording, child)
            server = Server(
                uvicorn.Config(
                    create_app(services),
                    host=config.host,
                    port=config.port,
                    log_config=None,
                    lifespan="on",
                    server_header=False,
                    timeout_graceful_shutdown=5,
                )
            )
            try:
                await server.serve()
            except SystemExit as error:  # what uvicorn does when it cannot listen
                raise UsageError(
                    f"cannot listen on {config.host} port {config.port}; choose another --port"
                ) from error


def _services(
    settings: Settings,
    config: ServiceConfig,
    storage: Storage,
    recording: Path | None,
    child: WorkerProcess,
) -> "Services":
    from superbizagent.api.services import Services

    spec = (
        SourceSpec(bundle=str(recording.absolute()), log_tz=settings.log_tz)
        if recording
        else SourceSpec(
            live=live_addresses(LiveFlags(), settings, configured=True), log_tz=settings.log_tz
        )
    )
    return Services(
        storage=storage,
        clock=SystemClock(),
        config=config,
        template=session_template(spec.model_dump(mode="json"), run_config(settings)),
        version=__version__,
        skills=tuple(s.metadata.model_dump(mode="json") for s in load_skills(settings).skills),
        wake_worker=child.wake,
        language=settings.lang,
        timezone=settings.timezone or local_timezone(),
    )
