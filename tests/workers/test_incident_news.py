"""What is news of an incident: its diagnosis ended, or it is over. Each end is weighed once."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from journaling import SetClock, new_session, opened
from notices import NOW
from superbizagent.domain.alert import AlertStatus
from superbizagent.domain.grouping import IncidentState
from superbizagent.domain.notification import IncidentFacts
from superbizagent.domain.report import Report
from superbizagent.errors import StorageError
from superbizagent.notifications.config import NotifyConfig
from superbizagent.notifications.policy import Ruling
from superbizagent.storage.service_tables import incident, notification
from superbizagent.storage.store import Storage
from superbizagent.workers.announcing import Announcer
from superbizagent.workers.incident_news import IncidentNews
from tests.investigation.incidents import Diagnosed, load_skills, pool_incident

pytestmark = pytest.mark.anyio

ENDED = NOW - timedelta(minutes=1)
STATE = IncidentState(
    incident_id="i-1",
    name="PoolExhausted",
    core="orders",
    severity="critical",
    alert_count=2,
    opened_at=NOW - timedelta(hours=1),
    started_at=NOW - timedelta(hours=1),
    last_new_at=NOW - timedelta(hours=1),
)
OVER = STATE.model_copy(update={"status": AlertStatus.RESOLVED, "resolved_at": ENDED})


class Weighing(Announcer):
    """An announcer that remembers what it was to weigh, and may refuse."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage.notifications, NotifyConfig(), storage.clock)
        self.heard: list[tuple[IncidentFacts, str]] = []
        self.refuses = 0

    async def announce(
        self, report: Report, facts: IncidentFacts, session_id: str
    ) -> dict[str, Ruling]:
        if self.refuses:
            self.refuses -= 1
            raise StorageError("the database is locked")
        self.heard.append((facts, session_id))
        return {}


@pytest.fixture
async def storage(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Storage]:
    async with opened(tmp_path, SetClock(NOW)) as storage:
        yield storage


@lru_cache
def report() -> dict[str, Any]:
    made = Diagnosed.of(pool_incident(), load_skills()).verified().report
    return made.model_dump(mode="json")


async def diagnosed(storage: Storage, state: IncidentState) -> None:
    """An incident with a session that has a report, of which somebody was told."""
    await new_session(storage, "s-1", incident_id=state.incident_id, report=report())
    async with storage.database.write() as connection:
        await storage.incidents.put_in(connection, [state], [], NOW)
        mine = incident.c.incident_id == state.incident_id
        await connection.execute(update(incident).where(mine).values(session_id="s-1"))
        row: dict[str, Any] = {
            "notification_id": f"n-{state.incident_id}",
            "incident_id": state.incident_id,
            "session_id": "s-1",
            "channel": "slack",
            "kind": "first",
            "status": "sent",
            "attempts": 1,
            "notice": {},
            "error": "",
            "created_at": NOW,
        }
        await connection.execute(insert(notification), row)


async def test_a_session_of_an_incident_is_told_with_what_is_known_of_it(storage: Storage) -> None:
    await diagnosed(storage, STATE)
    weighing = Weighing(storage)
    news = IncidentNews(storage, weighing, storage.clock)
    await news.of_session(await storage.sessions.require("s-1"))
    assert weighing.heard == [(IncidentFacts.of(STATE), "s-1")]
    assert await news.of_resolved() == 0  # it lasts


@pytest.mark.parametrize(
    "fields",
    [{"report": "made"}, {"incident_id": "i-1"}, {"incident_id": "nobody", "report": "made"}],
    ids=["no incident", "no report", "an incident that is gone"],
)
async def test_other_sessions_are_told_to_nobody(storage: Storage, fields: dict[str, Any]) -> None:
    fields = {name: report() if name == "report" else value for name, value in fields.items()}
    session = await new_session(storage, "s-2", **fields)
    weighing = Weighing(storage)
    await IncidentNews(storage, weighing, storage.clock).of_session(session)
    assert weighing.heard == []


async def test_a_report_of_another_version_stops_nothing(storage: Storage) -> None:
    await diagnosed(storage, STATE)
    session = await new_session(storage, "s-2", incident_id="i-1", report={"of": "old"})
    weighing = Weighing(storage)
    await IncidentNews(storage, weighing, storage.clock).of_session(session)
    assert weighing.heard == []


async def test_an_end_is_weighed_once(storage: Storage) -> None:
    await diagnosed(storage, OVER)
    weighing = Weighing(storage)
    news = IncidentNews(storage, weighing, storage.clock)
    assert [await news.of_resolved() for _ in range(3)] == [1, 0, 0]
    assert [facts.resolved_at for facts, _ in weighing.heard] == [ENDED]


async def test_an_end_that_the_database_refused_is_weighed_again(storage: Storage) -> None:
    await diagnosed(storage, OVER)
    weighing = Weighing(storage)
    weighing.refuses = 1
    news = IncidentNews(storage, weighing, storage.clock)
    with pytest.raises(StorageError):
        await news.of_resolved()
    assert await news.of_resolved() == 1
    assert len(weighing.heard) == 1
