"""A small diagnosis on a real SQLite file, for the tests of storage, journal and crashes."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.entity import Entity
from superbizagent.domain.evidence import ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.journal import JournalMode
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.session import DiagnosisSession, SessionOutcome
from superbizagent.domain.source import Answer, EvidenceStatus
from superbizagent.investigation.journal import PLAIN, Journal
from superbizagent.storage.database import sqlite_url
from superbizagent.storage.owner import Owner
from superbizagent.storage.store import Storage

START = datetime(2026, 7, 6, 10, 0, 0, 123456, tzinfo=UTC)


FIRST = Owner("first")


class SetClock:
    """Stands still until it is moved."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def pass_(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def made(folder: Path) -> Path:
    """The folder, created when it is not there."""
    folder.mkdir(exist_ok=True)
    return folder


@asynccontextmanager
async def opened(
    folder: Path, clock: SetClock | None = None, integrity_key: bytes | None = None
) -> AsyncGenerator[Storage]:
    """The database of a folder."""
    url = sqlite_url(str(made(folder) / "superbiz.db"))
    async with Storage.open(
        url,
        clock=clock or SetClock(),
        redactor=Redactor(b"k" * 32),
        integrity_key=integrity_key,
    ) as storage:
        yield storage


async def new_session(storage: Storage, session_id: str = "s-1", **fields: Any) -> DiagnosisSession:
    """A queued session."""
    at = storage.clock.now()
    session = DiagnosisSession(session_id=session_id, created_at=at, updated_at=at, **fields)
    return await storage.sessions.create(session)


def planned(number: int, **fields: Any) -> PlannedCall:
    """The call ``E<number>``, with an input of its own unless one is given."""
    base: dict[str, Any] = {
        "number": number,
        "tool": ToolName.QUERY_METRICS,
        "source": "bundle",
        "input": {"selector": f"metric_{number}"},
        "purpose": "context",
    }
    return PlannedCall(**(base | fields))


def series(number: int, points: int = 20, count: int = 2) -> SeriesSet:
    """Noise that differs by call, so that no two outputs share a blob."""
    times = np.arange(points, dtype=np.int64) * 15_000
    rng = np.random.default_rng(number)
    return SeriesSet.of(
        ({"__name__": f"metric_{number}", "pod": f"p{k}"}, times, rng.random(points))
        for k in range(count)
    )


def read_maximum(call: ToolInvocation) -> tuple[Fact, ...]:
    """One fact: the largest value of the first series."""
    if not isinstance(call.output, SeriesSet) or not len(call.output):
        return ()
    value = float(call.output[0].values.max())
    name = str(call.output[0])
    return (Fact(id=f"E{call.number}.1", name=name, statistic="max", value=value),)


class Source:
    """Answers with noise and counts how often each call was really made."""

    def __init__(self, on_call: Callable[[int], None] = lambda _: None) -> None:
        self.made: dict[int, int] = {}
        self._on_call = on_call

    async def ask(self, call: PlannedCall) -> Answer:
        self._on_call(call.number)
        self.made[call.number] = self.made.get(call.number, 0) + 1
        # the later call of a batch ends first, so order of ending is not order of keys
        await asyncio.sleep(0.001 * (9 - call.number % 9))
        output = series(call.number)
        return Answer(status=EvidenceStatus.OK, output=output, stats={"series": len(output)})


async def _gather(journal: Journal, source: Source, batch: Sequence[PlannedCall]) -> list[Any]:
    """Make the calls of one round side by side; the facts come in the order of the calls."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(
                journal.call(call, lambda c=call: source.ask(c), read_facts=read_maximum)
            )
            for call in batch
        ]
    done = [task.result() for task in tasks]
    await journal.seal()
    return [fact.model_dump(mode="json") for call in done for fact in call.facts]


async def diagnose(
    storage: Storage,
    source: Source,
    *,
    session_id: str = "s-1",
    mode: JournalMode = JournalMode.LIVE,
    owner: Owner = FIRST,
    calls: int = 4,
    version: str = "1",
) -> bytes:
    """A diagnosis in small: describe, two rounds of parallel calls, a report, its judgement.

    Returns:
        The report's bytes, which hold every fact and the time that was read.
    """
    async with Journal(storage, session_id, owner, mode) as journal:
        await journal.start()
        await journal.versions({"code": version})
        at = await journal.instant("scope")

        async def describe() -> dict[str, Any]:
            return {"services": ["order-service"], "password": "hunter2x9"}

        known = await journal.effect("scope/describe", {"source": "bundle"}, describe, PLAIN)
        await journal.describe({"scope": (Entity(name="order-service"),)}, rounds=2)
        facts: list[Any] = []
        for round_ in (1, 2):
            batch = [
                planned(number, round=round_)
                for number in range(1 + (round_ - 1) * calls, 1 + round_ * calls)
            ]
            facts += await _gather(journal, source, batch)
            await journal.stage(f"analyse/{round_:02d}", facts)
        report: dict[str, Any] = {"at": at.isoformat(), "known": known, "facts": facts}
        await journal.stage("report", report)
        await journal.store_outcome(
            SessionOutcome(final_report=f"# Report\n{len(facts)} facts", report=report)
        )
        judged_at = await journal.instant("judge")
        verdict = {"verdict": "PASS", "evaluated_at": judged_at.isoformat()}
        await journal.evaluate("aiops_rule_evaluation", verdict)
        await journal.evaluate("rule_evaluation", {"grade": "HIGH", "score": 96})
        await journal.complete()
    return canonical_bytes(report)
