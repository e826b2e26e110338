"""The service process: builds the application, listens, and keeps one worker running."""

import asyncio
import gc
import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from superbizagent import __version__
from superbizagent.api.config import ServiceConfig, is_loopback
from superbizagent.cli.child import WorkerProcess
from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import (
    load_skills,
    open_storage,
    settings_for,
)
from superbizagent.cli.service_template import service_template
from superbizagent.cli.skill_cards import skill_card, skill_document
from superbizagent.errors import ConfigError, UsageError
from superbizagent.settings import Settings, local_timezone, locale_language
from superbizagent.skills import SkillCatalogue
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
    from superbizagent.api.protocol import listening
    from superbizagent.cli.http_server import Server

    async with open_storage(settings) as storage:
        if not is_loopback(config.host) and not await storage.tokens.active():
            raise UsageError(
                f"{config.host} can be reached from other machines, and there is no token;"
                " create one first: superbiz token create NAME --scope admin"
            )
        async with WorkerProcess(settings.worker.drain_seconds, recording) as child:
            services = _services(settings, config, storage, recording, child)
            server = Server(
                uvicorn.Config(
                    create_app(services),
                    host=config.host,
                    port=config.port,
                    log_config=None,
                    lifespan="on",
                    **listening(config),
                )
            )
            # What was loaded stays: looking through it for garbage takes a tenth of a second each
            # time, in which nobody is answered.
            gc.collect()
            gc.freeze()
            try:
                async with services.running():
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
    from superbizagent.analysis.incidents.grouper import Grouper
    from superbizagent.api.intake.writer import Intake
    from superbizagent.api.services import Services

    def make_grouper(new_id: Callable[[], str]) -> Grouper:
        return Grouper(settings.intake, settings.entity_labels, new_id)

    skills = load_skills(settings)
    return Services(
        storage=storage,
        clock=SystemClock(),
        config=config,
        template=service_template(settings, recording),
        version=__version__,
        intake=Intake(storage, SystemClock(), make_grouper, child.wake),
        skills=tuple(skill_card(skill) for skill in skills.skills),
        read_skill=lambda name: _read_skill(skills, name),
        wake_worker=child.wake,
        language=settings.lang,
        locale=locale_language(),
        timezone=settings.timezone or local_timezone(),
    )


def _read_skill(skills: SkillCatalogue, name: str) -> dict[str, Any] | None:
    skill = skills.get(name)
    return skill_document(skill, skills.read_body(name)) if skill is not None else None
