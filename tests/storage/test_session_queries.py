"""No filter of the list reads sessions it does not show: what the database says it will do."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from journaling import SetClock, new_session, opened
from superbizagent.domain.session import SessionFilter
from superbizagent.storage.store import Storage

pytestmark = pytest.mark.anyio

PLACE = {"created_at": "2026-07-06T10:00:00Z", "session_id": "s-1"}


@pytest.fixture
async def storage(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Storage]:
    async with opened(tmp_path, SetClock()) as storage:
        yield storage


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"channel": "CHAT"},
        {"status": "failed"},
        {"verdict": "likely"},
        {"gate": "PASS"},
        {"channel": "CHAT", "verdict": "likely", "gate": "FAIL", "status": "completed"},
        {"tool": "query_metrics"},
        {"service": "orders"},
        {"service": "orders", "gate": "PASS"},
        {"conversation_id": "c"},
        {"incident_id": "i"},
        {"since": "2026-07-06T10:00:00Z", "until": "2026-07-07T10:00:00Z"},
        {"behind": PLACE},
        {"behind": PLACE, "verdict": "likely"},
    ],
    ids=str,
)
async def test_every_filter_is_answered_by_an_index(
    storage: Storage, wanted: dict[str, Any]
) -> None:
    await new_session(storage)
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, values))

    engine = storage.database._reader.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    await storage.traces.page(SessionFilter.model_validate(wanted))
    event.remove(engine, "before_cursor_execute", note)
    assert asked
    async with storage.database.read() as connection:
        for statement, values in asked:
            plan = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
            steps = [str(row.detail) for row in plan.all()]
            scans = [step for step in steps if re.match(r"SCAN (?!anon_)\w+_\w+", step)]
            whole = [step for step in scans if "USING COVERING INDEX" not in step]
            assert whole == [], (statement, steps)
