"""The worker process: builds what it needs, and works until it is told to stop."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from superbizagent.cli.clock import SystemClock
from superbizagent.cli.compose import load_skills, open_storage, settings_for
from superbizagent.cli.keeping import housekeeper
from superbizagent.cli.notifying import slack_token
from superbizagent.cli.running import run_stored
from superbizagent.cli.service_template import service_template
from superbizagent.domain.incident import report_language
from superbizagent.domain.session import DiagnosisSession
from superbizagent.errors import ConfigError
from superbizagent.notifications.channels import notifiers
from superbizagent.notifications.delivery import Delivery
from superbizagent.settings import Settings, local_timezone, locale_language
from superbizagent.storage.store import Storage
from superbizagent.telemetry import configure_logging, get_logger
from superbizagent.workers.announcing import Announcer
from superbizagent.workers.dispatch import Dispatcher, Reader
from superbizagent.workers.incident_news import IncidentNews
from superbizagent.workers.topology import learn_calls
from superbizagent.workers.worker import Worker

__all__ = ["run_worker"]

_SWITCH_SECONDS = 0.0005
_NICE = 10


def run_worker(flags: Mapping[str, Any]) -> int:
    """Work until SIGTERM or SIGINT, or, as a child, until standard input ends."""
    settings = settings_for()
    configure_logging(settings.log_level, json=settings.log_json)
    child = bool(flags.get("child"))
    # Analysis computes for seconds; whoever hands in an alert waits for the few milliseconds of a
    # transaction, in the service and here, and comes first.
    sys.setswitchinterval(_SWITCH_SECONDS)
    os.nice(_NICE if child else 0)
    asyncio.run(_work(settings, flags.get("recording"), child=child))
    return 0


async def _work(settings: Settings, recording: Path | None, *, child: bool) -> None:
    skills = load_skills(settings)
    async with open_storage(settings) as storage:

        async def run(session: DiagnosisSession) -> None:
            await run_stored(storage, session, skills, settings, take_firing=True)

        news = _news(storage, settings)

        async def after(session: DiagnosisSession) -> None:
            await learn_calls(storage, session)
            await news.of_session(session)

        told = bool(settings.notify.channels)
        dispatcher = _dispatcher(storage, settings, recording)
        worker = Worker(
            storage,
            run,
            SystemClock(),
            settings.worker,
            after=after,
            each_turn=(dispatcher.dispatch, *((news.of_resolved,) if told else ())),
        )
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, worker.stop)
        beside = [asyncio.create_task(housekeeper(storage, settings, recording).keep())]
        if told:
            beside.append(asyncio.create_task(_delivery(storage, settings).run()))
        if child:
            beside.append(asyncio.create_task(_listen(worker)))
        try:
            await worker.work()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)


def _news(storage: Storage, settings: Settings) -> IncidentNews:
    clock = SystemClock()
    public = settings.service.public_url
    announcer = Announcer(storage.notifications, settings.notify, clock, public)
    return IncidentNews(storage, announcer, clock)


def _delivery(storage: Storage, settings: Settings) -> Delivery:
    """Return what delivers messages; a channel that cannot be used stops no diagnosis."""

    def wrong(name: str, error: ConfigError) -> None:
        get_logger("worker").error("no messages go there", channel=name, error=str(error))

    channels = notifiers(settings.notify, slack_token, wrong)
    attempts = settings.notify.max_attempts
    return Delivery(storage.notifications, channels, SystemClock(), attempts)


def _dispatcher(storage: Storage, settings: Settings, recording: Path | None) -> Dispatcher:
    language = report_language(settings.lang, "", locale_language())
    return Dispatcher(
        storage,
        SystemClock(),
        service_template(settings, recording),
        intake=settings.intake,
        storm=settings.storm,
        reader=Reader(language=language, timezone=settings.timezone or local_timezone()),
    )


async def _listen(worker: Worker) -> None:
    """Wake the worker at each line of standard input; its end is the end of our parent."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    while await reader.readline():
        worker.wake()
    worker.stop(at_once=True)  # nobody waits for us, and our successor may be there already
