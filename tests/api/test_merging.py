"""Incidents of callers that complained before the cause did become one with it, or stay whole."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alert_service import TEMPLATE, Served, alert, body_of, grouper, served
from journaling import SetClock, opened
from superbizagent.api.intake import writer
from superbizagent.api.intake.placing import Placer
from superbizagent.api.intake.reading import read_delivery
from superbizagent.api.intake.writer import Intake
from superbizagent.domain.canonical import canonical_bytes
from superbizagent.domain.grouping import IncidentState
from superbizagent.domain.ids import derived_id
from superbizagent.domain.incident_record import Sender
from superbizagent.domain.intake import IntakeConfig, StormConfig
from superbizagent.errors import StorageError
from superbizagent.storage.alerts import AlertRepository
from superbizagent.storage.incidents import IncidentRepository
from superbizagent.workers.dispatch import Dispatcher, Reader

pytestmark = pytest.mark.anyio

CALLS = [("web", "orders"), ("app", "orders"), ("orders", "db"), ("mail", "smtp")]
CALLER = body_of(alert("HighLatency", service="web"))
OTHER = body_of(alert("HighLatency", service="app"))
CAUSE = body_of(alert("KubePodCrashLooping", service="orders"))
NAMES = {"HighLatency/web", "HighLatency/app", "KubePodCrashLooping/orders", "Watchdog/"}
QUIET = body_of(alert("Watchdog", severity="none"))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits a second of real time."""
    monkeypatch.setattr(writer, "_REGROUP_SECONDS", 0.01)
    monkeypatch.setattr(writer, "_GATHER_SECONDS", 0)


@asynccontextmanager
async def knowing(folder: Path, clock: SetClock | None = None) -> AsyncGenerator[Served]:
    """A service that knows who calls whom from its start."""
    clock = clock or SetClock()
    async with opened(folder, clock) as storage:
        await storage.edges.put(CALLS, "test", clock.now())
    async with served(folder, clock) as found:
        yield found


@pytest.fixture
async def known(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Served]:
    async with knowing(tmp_path) as found:
        yield found


async def looked(service: Served) -> None:
    """Wait until it was looked at which incidents are one: that is done between two batches."""
    service.clock.pass_(1)
    for _ in range(2):
        await service.take(QUIET)


async def caused(service: Served) -> str:
    """Another caller complains, then the cause: it joins that one, for they call each other."""
    service.clock.pass_(5)
    other = await service.take(OTHER)
    cause = await service.take(CAUSE)
    assert cause["incident_ids"] == other["incident_ids"]
    return cause["incident_ids"][0]


async def both(service: Served) -> tuple[str, str]:
    """Let a caller complain, then another with the cause, and wait until that was looked at."""
    caller = (await service.take(CALLER))["incident_ids"][0]
    cause = await caused(service)
    assert cause != caller
    await looked(service)
    return caller, cause


async def dispatch(service: Served) -> int:
    template, clock = TEMPLATE, service.clock
    intake, storm, reader = IntakeConfig(), StormConfig(max_concurrent=9), Reader()
    made = Dispatcher(service.storage, clock, template, intake=intake, storm=storm, reader=reader)
    return await made.dispatch()


async def test_a_caller_that_complained_first_is_one_with_the_cause(known: Served) -> None:
    caller, cause = await both(known)
    page = await known.get("/api/incidents")
    (listed,) = page["incidents"]
    assert listed["incident_id"] == cause
    assert listed["alert_count"] == 3
    assert listed["services"] == ["app", "orders", "web"]
    assert listed["merged_into"] is None
    whole = await known.get(f"/api/incidents/{cause}")
    reasons = {one["labels"]["service"]: one["reason"]["code"] for one in whole["alerts"]}
    assert reasons == {"web": "explained", "app": "new", "orders": "called_by_core"}
    took = whole["events"][-1]
    assert (took["kind"], took["details"]["merged_from"]) == ("merged", caller)
    assert took["details"]["reason"]["en"].startswith(f"It took 1 alert(s) of {caller}")
    known.clock.pass_(61)
    assert await dispatch(known) == 1
    assert (await known.get(f"/api/incidents/{cause}"))["session_count"] == 1


async def test_the_id_of_a_merged_incident_stays_valid(known: Served) -> None:
    caller, cause = await both(known)
    old = await known.get(f"/api/incidents/{caller}")
    assert old["merged_into"] == cause
    assert (old["alerts"], old["alert_count"], old["status"]) == ([], 0, "resolved")
    gone = old["events"][-1]
    assert (gone["kind"], gone["details"]["merged_into"]) == ("merged", cause)
    assert cause in gone["details"]["reason"]["zh"]
    again = await known.take(CALLER)
    assert again["incident_ids"] == [cause]
    assert again["duplicates"] == 1


async def test_a_moved_alert_keeps_its_id_and_lives_on(known: Served) -> None:
    first = await known.take(CALLER)
    await both(known)
    over = alert("HighLatency", service="web", status="resolved", endsAt="2026-07-06T10:01:00Z")
    told = await known.take(body_of(over))
    assert told["alert_ids"] == first["alert_ids"]
    query = f"SELECT status, times FROM alert WHERE alert_id = '{told['alert_ids'][0]}'"  # noqa: S608
    assert await known.rows(query) == [("resolved", 3)]
    await consistent(known, NAMES)


async def test_what_is_diagnosed_already_stays(known: Served) -> None:
    caller = (await known.take(CALLER))["incident_ids"][0]
    known.clock.pass_(61)
    assert await dispatch(known) == 1
    cause = await caused(known)
    await looked(known)
    for name, count in ((caller, 1), (cause, 2)):
        found = await known.get(f"/api/incidents/{name}")
        assert (found["merged_into"], found["alert_count"]) == (None, count)


async def test_a_diagnosis_that_begins_in_between_is_not_lost(known: Served) -> None:
    """What the database would not allow on SQLite: both looked before either wrote."""
    caller = (await known.take(CALLER))["incident_ids"][0]
    record = await known.storage.incidents.get(caller)
    assert record is not None
    known.clock.pass_(61)
    assert await dispatch(known) == 1
    with pytest.raises(StorageError, match="began while"):
        await merge(known, record.state, derived_id("another", "incident"))
    assert (await known.get(f"/api/incidents/{caller}"))["merged_into"] is None


async def merge(service: Served, state: IncidentState, successor: str) -> None:
    async with service.storage.database.write() as connection:
        at = service.clock.now()
        await service.storage.incidents.merge_in(connection, [(state, successor)], at)


async def test_what_somebody_was_told_of_stays(known: Served) -> None:
    caller = (await known.take(CALLER))["incident_ids"][0]
    async with known.storage.database.write() as connection:
        await connection.exec_driver_sql(
            "INSERT INTO notification (notification_id, incident_id, session_id, channel, kind,"
            " status, attempts, notice, error, created_at)"
            " SELECT 'n', incident_id, 's', 'c', 'k', 'sent', 1, '{}', '', created_at FROM incident"
        )
    await caused(known)
    await looked(known)
    assert (await known.get(f"/api/incidents/{caller}"))["merged_into"] is None


async def test_a_restart_does_not_bring_it_back(tmp_path: Path) -> None:
    clock = SetClock()
    async with knowing(tmp_path, clock) as first:
        caller, cause = await both(first)
    async with served(tmp_path, clock) as second:
        assert (await second.take(CALLER))["incident_ids"] == [cause]
        more = await second.take(body_of(alert("HighErrorRate", service="web")))
        assert more["incident_ids"] == [cause]
        assert (await second.get(f"/api/incidents/{caller}"))["merged_into"] == cause
        await consistent(second, NAMES | {"HighErrorRate/web"})


@pytest.mark.parametrize(
    ("owner", "method"),
    [
        (IncidentRepository, "kept_in"),
        (AlertRepository, "move_in"),
        (IncidentRepository, "merge_in"),
    ],
)
async def test_cut_off_in_between_nothing_is_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, method: str
) -> None:
    real = getattr(owner, method)
    cut = 0

    async def written_and_cut(*args: Any) -> Any:
        nonlocal cut
        found = await real(*args)
        if method == "kept_in" and cut == 0:
            cut += 1
            return found  # the look at the start, when nothing is there
        cut += 1
        raise StorageError("cut off")

    clock = SetClock()
    with monkeypatch.context() as patched:
        patched.setattr(owner, method, written_and_cut)
        async with knowing(tmp_path, clock) as first:
            caller, cause = await both(first)
            rows = await first.rows(
                "SELECT DISTINCT incident_id FROM alert WHERE name != 'Watchdog'"
            )
            assert set(rows) == {(caller,), (cause,)}
            assert await first.rows("SELECT 1 FROM incident_event WHERE kind = 'merged'") == []
            await consistent(first, NAMES)
    assert cut > 0
    async with served(tmp_path, clock) as second:
        await looked(second)
        assert (await second.get(f"/api/incidents/{caller}"))["merged_into"] == cause
        await consistent(second, NAMES)


async def test_an_error_of_the_look_does_not_keep_alerts_out(
    known: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Placer, *args: Any) -> Any:
        raise RuntimeError("never seen before")

    with monkeypatch.context() as patched:
        patched.setattr(Placer, "regroup", fail)
        caller, cause = await both(known)
    await looked(known)
    assert (await known.get(f"/api/incidents/{caller}"))["merged_into"] == cause


async def test_alerts_of_another_process_are_merged_too(tmp_path: Path) -> None:
    async with knowing(tmp_path) as one, opened(tmp_path, one.clock) as storage:
        caller = (await one.take(CALLER))["incident_ids"][0]
        one.clock.pass_(5)
        await one.take(OTHER)
        other = Intake(storage, one.clock, grouper, lambda: None)
        async with other.running():
            redactor, now = storage.redactor, one.clock.now()
            body = canonical_bytes(CAUSE)
            told = await other.take(read_delivery(Sender.ALERTMANAGER, body, now, redactor))
        await looked(one)
        assert (await one.get(f"/api/incidents/{caller}"))["merged_into"] == told.incident_ids[0]
        await consistent(one, NAMES)


async def consistent(service: Served, posted: set[str]) -> None:
    """Each alert is in one incident that was not merged, which counts it; merged ones are empty."""
    rows = await service.rows(
        "SELECT a.name || '/' || coalesce(json_extract(a.body, '$.labels.service'), ''),"
        " a.incident_id, json_extract(a.state, '$.incident_id'), i.merged_into"
        " FROM alert a JOIN incident i ON i.incident_id = a.incident_id"
    )
    assert sorted(name for name, *_ in rows) == sorted(posted)
    assert all(column == state and merged is None for _, column, state, merged in rows)
    incidents = await service.rows(
        "SELECT incident_id, merged_into, alert_count, session_count, closed_at IS NULL,"
        " (SELECT count(*) FROM alert a WHERE a.incident_id = incident.incident_id) FROM incident"
    )
    left = {name for name, merged, *_ in incidents if merged is None}
    for _, merged, counted, sessions, is_open, held in incidents:
        assert counted == held
        assert (merged is None) == (held > 0)
        assert merged is None or (merged in left and not sessions and not is_open)


STEPS = ["web", "app", "orders", "orders/own", "db/own", "mail", "smtp/own", "dispatch", "restart"]


async def live(folder: Path, steps: list[str]) -> None:
    """Alerts of services in an order, diagnoses and restarts between; checked after each life."""
    clock, posted, ids = SetClock(), set[str](), set[str]()
    lives = "\n".join(steps).split("restart")
    for number, life in enumerate(lives):
        make = served if number else knowing
        async with make(folder, clock) as service:
            for step in life.split():
                clock.pass_(20)
                if step == "dispatch":
                    await dispatch(service)
                    continue
                name = "KubePodCrashLooping" if step.endswith("/own") else "HighLatency"
                about = step.removesuffix("/own")
                told = await service.take(body_of(alert(name, service=about)))
                posted.add(f"{name}/{about}")
                ids |= {*told["alert_ids"]}
                await service.get(f"/api/incidents/{told['incident_ids'][0]}")
            await looked(service)
            await consistent(service, posted | {"Watchdog/"})
            found = {name for (name,) in await service.rows("SELECT alert_id FROM alert")}
            assert ids <= found


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.sampled_from(STEPS), min_size=3, max_size=9))
async def test_no_alert_is_lost_or_in_two_incidents(steps: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        await live(Path(folder), steps)


@pytest.mark.parametrize("steps", [*permutations(["web", "app", "orders/own"])])
async def test_order_and_restarts_change_nothing(tmp_path: Path, steps: tuple[str, ...]) -> None:
    await live(tmp_path, [*steps[:2], "restart", steps[2]])
    async with opened(tmp_path) as storage, storage.database.read() as connection:
        query = "SELECT count(DISTINCT incident_id) FROM alert WHERE name != 'Watchdog'"
        assert (await connection.exec_driver_sql(query)).scalar() == 1
