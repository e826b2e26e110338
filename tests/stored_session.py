"""A session on a real SQLite file, with rows written by the journal, for tests of persisting."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from superbizagent.domain.alert import Alert
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.incident import Channel, Incident
from superbizagent.domain.outputs import AlertList
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.scope import Scope
from superbizagent.domain.session import DiagnosisSession, SessionOutcome
from superbizagent.domain.source import Answer, EvidenceStatus
from superbizagent.domain.window import Window, Windows
from superbizagent.investigation.journal import Journal
from superbizagent.storage.database import sqlite_url
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage

START = datetime(2026, 7, 6, 10, 0, tzinfo=UTC)


class SteppingClock:
    """Moves on by a second at every reading."""

    def __init__(self) -> None:
        self.readings = 0

    def now(self) -> datetime:
        self.readings += 1
        return START + timedelta(hours=1, seconds=self.readings)

    def monotonic(self) -> float:
        return float(self.readings)


@asynccontextmanager
async def open_storage(folder: Path) -> AsyncGenerator[Storage]:
    """Storage on a file in ``folder``; opens what an earlier call left there."""
    url = sqlite_url(str(folder / "superbiz.db"))
    async with Storage.open(url, clock=SteppingClock(), redactor=Redactor(b"k" * 32)) as storage:
        yield storage


@asynccontextmanager
async def running(
    storage: Storage, session_id: str = "s-1", channel: Channel = Channel.AIOPS
) -> AsyncGenerator[Journal]:
    """A running session of this process."""
    if await storage.sessions.get(session_id) is None:
        session = DiagnosisSession(
            session_id=session_id, channel=channel, created_at=START, updated_at=START
        )
        await storage.sessions.create(session)
    async with Journal(storage, session_id, Owner("test")) as journal:
        await journal.start()
        yield journal


async def add_row(
    journal: Journal,
    number: int,
    tool: ToolName,
    facts: Sequence[Mapping[str, Any]] = (),
    status: EvidenceStatus = EvidenceStatus.OK,
) -> ToolInvocation:
    """Make one evidence call whose output gave these facts."""
    planned = PlannedCall(
        number=number, tool=tool, source="test", input={"call": number}, purpose="sweep"
    )

    async def perform() -> Answer:
        alerts = AlertList(alerts=(Alert(labels={"alertname": f"A{number}"}),))
        return Answer(status=status, output=alerts if status is EvidenceStatus.OK else None)

    def read(_: ToolInvocation) -> tuple[Fact, ...]:
        return tuple(Fact.model_validate(fact) for fact in facts)

    return await journal.call(planned, perform, read_facts=read)


def scope_of(*alerts: Alert, channel: Channel = Channel.AIOPS) -> Scope:
    """The scope of a session about these alerts."""
    window = Window(start=START, end=START + timedelta(minutes=10))
    incident = Incident(channel=channel, alerts=alerts, received_at=START)
    return Scope(incident=incident, windows=Windows(incident=window, baselines=()))


def outcome(text: str | None) -> SessionOutcome:
    """How a run ended whose report is ``text``."""
    return SessionOutcome(final_report=text, verdict="likely")
