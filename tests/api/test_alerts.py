"""Webhooks: what is stored of a delivery, and what is answered."""

import json
from pathlib import Path
from typing import Any

import pytest

from alert_service import Served, alert, body_of, served
from superbizagent.domain.access import Permission

pytestmark = pytest.mark.anyio

PAGE: dict[str, Any] = {
    "event": {
        "event_type": "incident.triggered",
        "occurred_at": "2026-07-06T10:00:00Z",
        "data": {
            "id": "P1",
            "incident_key": "k1",
            "title": "HighLatency on checkout",
            "urgency": "high",
            "service": {"summary": "Shop"},
            "created_at": "2026-07-06T10:00:00Z",
        },
    }
}


async def test_an_alert_is_stored_before_it_is_acknowledged(service: Served) -> None:
    told = await service.take(body_of(alert(service="checkout", severity="critical")))
    assert len(told["alert_ids"]) == 1
    assert told["incident_id"] == told["incident_ids"][0]
    assert told["session_id"] is None
    assert told["duplicates"] == 0
    ((incident, name, status, times),) = await service.rows(
        "SELECT incident_id, name, status, times FROM alert"
    )
    assert (incident, name, status, times) == (told["incident_id"], "HighLatency", "firing", 1)
    assert service.woken == 1


async def test_what_is_not_critical_wakes_nobody(service: Served) -> None:
    await service.take(body_of(alert(service="checkout")))
    assert service.woken == 0


async def test_the_same_body_again_changes_nothing_but_the_count(service: Served) -> None:
    body = body_of(alert(service="checkout"))
    first = await service.take(body)
    again = [await service.take(body) for _ in range(3)]
    assert {one["alert_ids"][0] for one in again} == set(first["alert_ids"])
    assert [one["duplicates"] for one in again] == [1, 1, 1]
    assert await service.rows("SELECT times FROM webhook_delivery") == [(4,)]
    assert await service.rows("SELECT times FROM alert") == [(4,)]
    assert await service.rows("SELECT kind FROM incident_event") == [("opened",)]


async def test_alerts_of_one_body_may_be_of_several_incidents(service: Served) -> None:
    told = await service.take(body_of(alert(service="a"), alert(service="b"), alert(service="a")))
    assert len(told["incident_ids"]) == 2
    assert len(told["alert_ids"]) == 2


async def test_life_of_an_incident(service: Served) -> None:
    for minutes, status in enumerate(("firing", "resolved", "firing", "resolved", "firing"), 1):
        at = f"2026-07-06T10:0{minutes}:00Z"
        ends = {"endsAt": at} if status == "resolved" else {}
        start = f"2026-07-06T10:0{(minutes + 1) // 2 * 2 - 1}:00Z"
        await service.take(body_of(alert(service="a", status=status, startsAt=start, **ends)))
        service.clock.pass_(400)
    rows = await service.rows("SELECT kind FROM incident_event ORDER BY at, event_id")
    kinds = [kind for (kind,) in rows]
    assert kinds[:4] == ["opened", "resolved", "reopened", "resolved"]
    assert sorted(kinds[4:]) == ["flapping", "reopened"]
    assert await service.rows("SELECT status, session_count FROM incident") == [("firing", 0)]


async def test_a_resolved_alert_may_overtake_its_firing(service: Served) -> None:
    gone = alert(service="a", status="resolved", endsAt="2026-07-06T09:59:30Z")
    first = await service.take(body_of(gone))
    late = await service.take(body_of(alert(service="a")))
    assert late["incident_ids"] == first["incident_ids"]
    assert await service.rows("SELECT status FROM alert") == [("resolved",)]


async def test_grafana_and_pagerduty_are_read(service: Served) -> None:
    told = await service.take(
        body_of(alert(service="a")) | {"title": "[FIRING:1]", "orgId": 1, "version": "1"}, "grafana"
    )
    assert told["incident_id"]
    page = await service.take(PAGE, "pagerduty")
    assert page["alert_ids"]
    assert await service.rows("SELECT DISTINCT sender FROM alert ORDER BY 1") == [
        ("grafana",),
        ("pagerduty",),
    ]
    ping = {"event": {"event_type": "pagey.ping", "data": {"message": "Hello from PagerDuty"}}}
    assert (await service.take(ping, "pagerduty"))["alert_ids"] == []


@pytest.mark.parametrize("body", [b"", b"nonsense", b"{", b"[1, 2", b"\xff\xfe\x00", b"null", b"7"])
async def test_what_cannot_be_read_is_kept_and_refused(service: Served, body: bytes) -> None:
    response = await service.post(body)
    assert response.status_code == 422
    assert response.json()["data"]["hint"]
    ((notes, count),) = await service.rows("SELECT notes, alert_count FROM webhook_delivery")
    assert "no alert could be read" in notes
    assert count == 0


async def test_an_empty_group_is_no_error(service: Served) -> None:
    assert (await service.take({"version": "4", "alerts": []}))["notes"] == ["it holds no alert"]


@pytest.mark.parametrize(
    "text",
    [
        "Ünïcödé 服务 😀",
        "'; DROP TABLE alert; --",
        'x" OR 1=1 --',
        "a\u0000b",
        "\ud800 half",
        "%s %(x)s {0} \\u0000",
        "line\nbreak\r\nX-Header: 1",
        "x" * 5000,
    ],
)
async def test_labels_of_any_text_are_stored(service: Served, text: str) -> None:
    told = await service.take(body_of(alert(text, service=text, pod=text, fingerprint=text)))
    found = await service.get(f"/api/incidents/{told['incident_id']}")
    clean = text.replace("\u0000", "\ufffd").encode("utf-8", "replace").decode()
    label = found["alerts"][0]["labels"]["pod"]
    assert label == clean.replace("? half", "\ufffd half")
    assert found["services"] == [label]
    # Cut, not refused: the table is still there and holds the alert.
    assert await service.rows("SELECT count(*) FROM alert") == [(1,)]


async def test_odd_values_are_no_obstacle(service: Served) -> None:
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    odd = alert(service="a") | {
        "values": {"B": 10**30, "C": deep},
        "fingerprint": "f" * 4000,
        "labels": {"alertname": "A", "n": 7, "flag": True, "none": None, "list": [1]},
    }
    told = await service.take({"alerts": [odd, 5, None, "x"]})
    assert len(told["alert_ids"]) == 1
    assert any("no objects" in note for note in told["notes"])
    ((fingerprint,),) = await service.rows("SELECT fingerprint FROM alert")
    assert len(fingerprint) <= 128


async def test_secrets_are_stored_nowhere(service: Served, tmp_path: Path) -> None:
    access = "AKIAIOSFODNN7EXAMPLE"
    hidden = "hunter2hunter2"
    note = {"description": f"login with {access} failed, password={hidden}"}
    await service.take(body_of(alert(service="a", annotations=note)) | {"api_token": hidden})
    for table in ("alert", "webhook_delivery", "incident"):
        told = json.dumps(await service.rows(f"SELECT * FROM {table}"))  # noqa: S608 - a constant
        assert access not in told
        assert hidden not in told


async def test_huge_bodies_are_refused(tmp_path: Path) -> None:
    async with served(tmp_path, max_body_bytes=10_000) as service:
        response = await service.post(body_of(alert(x="y" * 20_000)))
        assert response.status_code == 413
        assert await service.rows("SELECT count(*) FROM webhook_delivery") == [(0,)]
        await service.take(body_of(alert(x="y" * 5_000)))


async def test_a_large_body_is_stored_whole(service: Served) -> None:
    told = await service.take(body_of(*(alert(service=f"s{k}") for k in range(2000))))
    assert len(told["alert_ids"]) == 2000
    assert await service.rows("SELECT count(*), sum(times) FROM alert") == [(2000, 2000)]


async def test_clocks_may_jump(service: Served) -> None:
    first = await service.take(body_of(alert(service="a")))
    service.clock.pass_(-7200)
    back = await service.take(body_of(alert("Other", service="a")))
    service.clock.pass_(7300)
    on = await service.take(body_of(alert("Third", service="a", startsAt="2038-01-01T00:00:00Z")))
    assert first["incident_ids"] == back["incident_ids"] == on["incident_ids"]
    assert any("future" in note for note in on["notes"])


async def test_who_may_hand_in_alerts(service: Served) -> None:
    tokens = service.storage.tokens
    _, ingest = await tokens.create("am", {Permission.INGEST})
    _, read = await tokens.create("ui", {Permission.READ})
    body = body_of(alert(service="a"))
    assert (await service.post(body)).status_code == 401
    assert (await service.post(body, Authorization="Bearer nonsense")).status_code == 401
    assert (await service.post(body, Authorization=f"Bearer {read}")).status_code == 403
    assert (await service.post(body, Authorization=f"Bearer {ingest}")).status_code == 202
    assert (await service.client.get("/api/incidents")).status_code == 401
    await tokens.revoke("am")
    service.clock.pass_(3)
    assert (await service.post(body, Authorization=f"Bearer {ingest}")).status_code == 401
    assert await service.rows("SELECT count(*) FROM alert") == [(1,)]
