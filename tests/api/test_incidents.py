"""Incidents as they are listed and read; changes as they are reported."""

from typing import Any

import pytest

from alert_service import Served, alert, body_of

pytestmark = pytest.mark.anyio


async def test_incidents_are_listed_newest_first_and_paged(service: Served) -> None:
    made: list[str] = []
    for k in range(5):
        made.insert(0, (await service.take(body_of(alert(service=f"s{k}"))))["incident_id"])
        service.clock.pass_(1)
    first = await service.get("/api/incidents", limit=2)
    second = await service.get("/api/incidents", limit=2, before=first["next"])
    third = await service.get("/api/incidents", limit=2, before=second["next"])
    found = [one["incident_id"] for page in (first, second, third) for one in page["incidents"]]
    assert found == made
    assert third["next"] is None
    assert first["incidents"][0]["title"] == "HighLatency: s4"


async def test_filters(service: Served) -> None:
    await service.take(body_of(alert(service="pay", severity="critical")))
    service.clock.pass_(60)
    await service.take(body_of(alert(service="payments")))
    await service.take(body_of(alert("Watchdog", severity="none")))
    gone = {"status": "resolved", "endsAt": "2026-07-06T10:00:00Z"}
    await service.take(body_of(alert(service="old") | gone))

    async def titles(**query: Any) -> set[str]:
        found = await service.get("/api/incidents", **query)
        return {one["title"].partition(": ")[2] or one["title"] for one in found["incidents"]}

    assert await titles() == {"pay", "payments", "old"}
    assert await titles(service="pay") == {"pay"}
    assert await titles(service="p%") == set()
    assert await titles(severity="critical") == {"pay"}
    assert await titles(status="resolved") == {"old"}
    assert await titles(since="2026-07-06T10:00:30Z") == {"payments", "old"}
    assert await titles(until="2026-07-06T10:00:30Z") == {"pay"}
    assert await titles(skipped=1) == {"Watchdog"}
    skipped = await service.get("/api/incidents", skipped=1)
    assert skipped["incidents"][0]["skipped"] == "heartbeat"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/incidents?before=nothing", 400),
        ("/api/incidents?limit=0", 422),
        ("/api/incidents?since=2026-01-01T00:00:00", 422),
        ("/api/incidents?status=gone", 422),
        ("/api/incidents/nothing", 404),
        ("/api/incidents/..%2Fetc%2Fpasswd", 404),
    ],
)
async def test_wrong_questions_are_told(service: Served, path: str, status: int) -> None:
    response = await service.client.get(path)
    assert response.status_code == status
    assert response.json()["data"]["hint"]


async def test_an_incident_says_why_each_alert_is_there(service: Served) -> None:
    first = await service.take(body_of(alert(service="a", severity="critical")))
    service.clock.pass_(1)
    await service.take(body_of(alert("ErrorRate", service="a")))
    service.clock.pass_(1)
    await service.take(body_of(alert("Throttled", service="a", severity="info")))
    found = await service.get(f"/api/incidents/{first['incident_id']}")
    reasons = [one["reason"]["code"] for one in found["alerts"]]
    assert reasons == ["new", "same_service", "recorded"]
    assert found["alerts"][1]["reason"]["en"].startswith("It is about a")
    assert "a" in found["alerts"][1]["reason"]["zh"]
    assert found["alerts"][2]["skipped"]["code"] == "severity"
    assert [one["kind"] for one in found["events"]] == ["opened"]
    assert found["alerts_left_out"] == 0
    assert found["sessions"] == []


async def test_changes_are_stored_once(service: Served) -> None:
    change = {"service": "checkout", "at": "2026-07-06T09:55:00Z", "kind": "deploy", "title": "v2"}
    told: list[Any] = []
    for content in (change, [change, {"app": "cart", "version": 7}]):
        response = await service.client.post("/api/changes", json=content)
        assert response.status_code == 202
        told.append(response.json()["data"])
    assert told[0]["change_ids"][0] == told[1]["change_ids"][0]
    assert [one["duplicates"] for one in told] == [0, 1]
    rows = await service.rows("SELECT service, kind FROM change_event ORDER BY service")
    assert rows == [("cart", "change"), ("checkout", "deploy")]


@pytest.mark.parametrize("body", [b"", b"nothing", b"[]", b"{}", b'{"at": "x", "service": "a"}'])
async def test_what_is_no_change_is_refused(service: Served, body: bytes) -> None:
    response = await service.client.post("/api/changes", content=body)
    assert response.status_code == 422
    assert await service.rows("SELECT count(*) FROM change_event") == [(0,)]
