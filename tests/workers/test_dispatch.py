"""From incidents to sessions: what is started, what waits and says why, what is left alone."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from alert_service import TEMPLATE, Served, alert, body_of, served
from journaling import opened
from superbizagent.domain.intake import IntakeConfig, StormConfig
from superbizagent.domain.session import DiagnosisSession, SessionStatus
from superbizagent.storage.incidents import IncidentRepository
from superbizagent.storage.store import Storage
from superbizagent.workers import dispatch
from superbizagent.workers.dispatch import Dispatcher, Reader
from superbizagent.workers.topology import learn_calls

pytestmark = pytest.mark.anyio


@pytest.fixture
async def service(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Served]:
    async with served(tmp_path) as found:
        yield found


def dispatcher(storage: Storage, **storm: Any) -> Dispatcher:
    return Dispatcher(
        storage,
        storage.clock,
        TEMPLATE,
        intake=IntakeConfig(),
        storm=StormConfig(**storm),
        reader=Reader(),
    )


async def sessions(service: Served) -> list[DiagnosisSession]:
    return list(reversed(await service.storage.sessions.list()))


async def end(service: Served, session_id: str) -> None:
    await service.storage.sessions.move(session_id, SessionStatus.CANCELLED)


async def waiting(service: Served, incident_id: str) -> str | None:
    found = await service.get(f"/api/incidents/{incident_id}")
    return found["waiting"] and found["waiting"]["code"]


async def test_a_critical_incident_is_diagnosed_at_once(service: Served) -> None:
    told = await service.take(body_of(alert(service="a", severity="critical")))
    assert await dispatcher(service.storage).dispatch() == 1
    (session,) = await sessions(service)
    assert session.incident_id == told["incident_id"]
    (one,) = session.payload["incident"]["alerts"]
    assert one["labels"]["service"] == "a"
    assert await service.rows("SELECT session_id, priority FROM session_queue") == [
        (session.session_id, 2)
    ]
    again = await service.take(body_of(alert(service="a", severity="critical")))
    assert again["session_id"] == session.session_id
    assert await dispatcher(service.storage).dispatch() == 0
    found = await service.get(f"/api/incidents/{told['incident_id']}")
    assert [one["status"] for one in found["sessions"]] == ["queued"]
    assert found["events"][-1]["details"]["reason"]["code"] == "first"


async def test_others_are_left_alone_first(service: Served) -> None:
    told = await service.take(body_of(alert(service="a")))
    work = dispatcher(service.storage)
    assert await work.dispatch() == 0
    assert await waiting(service, told["incident_id"]) == "settling"
    service.clock.pass_(59)
    assert await work.dispatch() == 0
    service.clock.pass_(2)
    assert await work.dispatch() == 1
    assert await waiting(service, told["incident_id"]) is None


async def test_what_resolves_meanwhile_is_recorded(service: Served) -> None:
    told = await service.take(body_of(alert(service="a")))
    service.clock.pass_(30)
    gone = alert(service="a", status="resolved", endsAt="2026-07-06T10:00:20Z")
    await service.take(body_of(gone))
    work = dispatcher(service.storage)
    service.clock.pass_(60)
    assert [await work.dispatch() for _ in range(3)] == [0, 0, 0]
    found = await service.get("/api/incidents", skipped=1)
    assert [one["skipped"] for one in found["incidents"]] == ["settled"]
    whole = await service.get(f"/api/incidents/{told['incident_id']}")
    assert [one["kind"] for one in whole["events"]] == ["opened", "resolved", "skipped"]
    assert "60 s" in whole["events"][-1]["details"]["reason"]["en"]
    # It fires again: now it is news.
    await service.take(body_of(alert(service="a", startsAt="2026-07-06T10:02:00Z")))
    service.clock.pass_(120)
    assert await work.dispatch() == 1


async def test_the_gravest_go_first_and_a_storm_is_bounded(service: Served) -> None:
    for k in range(12):
        severity = "critical" if k % 2 else "warning"
        await service.take(body_of(alert(service=f"s{k}", severity=severity)))
    service.clock.pass_(61)
    work = dispatcher(service.storage, max_concurrent=3, max_in_window=8)
    assert await work.dispatch() == 3
    assert await service.rows("SELECT DISTINCT priority FROM session_queue") == [(2,)]
    started = 3
    for _ in range(10):
        for one in await sessions(service):
            if not one.status.is_final:
                await end(service, one.session_id)
        started += await work.dispatch()
    assert started == 8
    rows = await service.rows(
        "SELECT severity, waiting FROM incident WHERE session_count = 0 ORDER BY severity"
    )
    assert [severity for severity, _ in rows] == ["warning"] * 4
    assert all('"storm"' in told for _, told in rows)


async def test_an_incident_that_grows_is_diagnosed_again(service: Served) -> None:
    told = await service.take(body_of(alert(service="a", severity="critical")))
    work = dispatcher(service.storage)
    await work.dispatch()
    (first,) = await sessions(service)
    more = [alert(f"A{k}", service="a") for k in range(9)]
    await service.take(body_of(*more))
    assert await work.dispatch() == 0  # it is being diagnosed
    await end(service, first.session_id)
    assert await work.dispatch() == 0
    assert await waiting(service, told["incident_id"]) in {"incident_cooldown", "service_cooldown"}
    service.clock.pass_(901)
    assert await work.dispatch() == 1
    second = (await sessions(service))[-1]
    assert len(second.payload["incident"]["alerts"]) == 10
    assert second.incident_id == first.incident_id
    assert second.session_id != first.session_id


async def test_of_many_alerts_the_gravest_are_taken(
    service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "_MOST_ALERTS", 5)
    many = [alert(f"A{k}", service="a") for k in range(20)]
    await service.take(body_of(*many, alert("Worst", service="a", severity="critical")))
    await dispatcher(service.storage).dispatch()
    (session,) = await sessions(service)
    incident = session.payload["incident"]
    assert len(incident["alerts"]) == 5
    assert incident["alerts"][0]["labels"]["alertname"] == "Worst"
    assert incident["notes"][0].startswith("16 more alerts")


async def test_two_workers_start_each_incident_once(service: Served, tmp_path: Path) -> None:
    for k in range(6):
        await service.take(body_of(alert(service=f"s{k}", severity="critical")))
    async with opened(tmp_path, service.clock) as other:
        some = (dispatcher(s, max_concurrent=20) for s in (service.storage, other) * 3)
        started = await asyncio.gather(*(one.dispatch() for one in some))
    assert sum(started) == 6
    rows = await service.rows("SELECT incident_id, count(*) FROM diagnosis_session GROUP BY 1")
    assert [count for _, count in rows] == [1] * 6


async def test_what_is_cut_off_leaves_nothing(
    service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.take(body_of(alert(service="a", severity="critical")))

    async def die(self: IncidentRepository, *arguments: Any) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(IncidentRepository, "start_in", die)
        with pytest.raises(asyncio.CancelledError):
            await dispatcher(service.storage).dispatch()
    for table in ("diagnosis_session", "session_queue"):
        assert await service.rows(f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608 - constants
    assert await dispatcher(service.storage).dispatch() == 1


async def test_a_session_that_was_deleted_blocks_nothing(service: Served) -> None:
    await service.take(body_of(alert(service="a", severity="critical")))
    work = dispatcher(service.storage, max_concurrent=1)
    await work.dispatch()
    async with service.storage.database.write() as connection:
        await connection.exec_driver_sql("DELETE FROM diagnosis_session")
    await service.take(body_of(alert(service="b", severity="critical")))
    assert await work.dispatch() == 1


async def test_calls_are_learnt_from_finished_sessions(service: Served) -> None:
    session = TEMPLATE.new("s-1", await _incident(service)).model_copy(
        update={
            "scope": {
                "topology": {"edges": [{"caller": "web", "callee": "orders"}, {"caller": ""}]},
                "sources": [{"name": "jaeger"}],
            }
        }
    )
    assert await learn_calls(service.storage, session) == 2
    assert await service.storage.edges.all() == {("web", "orders")}
    assert await learn_calls(service.storage, session.model_copy(update={"scope": None})) == 0


async def _incident(service: Served) -> Any:
    from superbizagent.domain.incident import Incident

    return Incident(received_at=service.clock.now())
