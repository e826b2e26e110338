"""Playbooks, sources, metrics and readiness over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from api_client import Api, opened_api
from journaling import new_session
from superbizagent.domain.access import Permission
from superbizagent.domain.session import DiagnosisSession
from superbizagent.storage.service_state import SOURCES, WORKER

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def source(**fields: Any) -> dict[str, Any]:
    base = {"name": "prometheus", "kind": "prometheus", "place": "http://p", "state": "ok"}
    return {**base, "said": "newest 3 s ago", "examined_at": "2026-07-06T10:00:00Z"} | fields


async def test_playbooks_are_listed_and_shown(tmp_path: Path) -> None:
    skills = ({"name": "pool", "description": "d"},)
    async with opened_api(
        tmp_path, skills=skills, read_skill={"pool": {"name": "pool", "body": "b"}}.get
    ) as api:
        assert (await api.get("/api/skills"))["items"] == [dict(skills[0])]
        assert (await api.get("/api/skills/pool"))["body"] == "b"
        assert "GET /api/skills" in (await api.get("/api/skills/nothing", 404))["hint"]


async def test_sources_are_shown_as_they_were_last_found(tmp_path: Path) -> None:
    async with opened_api(tmp_path) as api:
        assert await api.get("/api/sources") == {"items": [], "examined_at": None}
        items = [source(), source(name="loki", state="fails", said="refused")]
        await api.storage.state.set(SOURCES, {"items": items})
        await api.storage.state.set(WORKER, {})
        found = await api.get("/api/sources")
        assert found["items"] == items
        assert found["examined_at"] == "2026-07-06T10:00:00.123456Z"
        ready = await api.get("/readyz")
        assert ready["sources"] == {"prometheus": "ok", "loki": "fails"}
        api.clock.pass_(301)
        await api.storage.state.set(WORKER, {})
        ready = await api.get("/readyz")
        assert ready["sources"] == {"prometheus": "unknown", "loki": "unknown"}
        api.clock.pass_(31)
        assert (await api.client.get("/readyz")).status_code == 503


async def scraped(api: Api) -> dict[str, float]:
    text = (await api.client.get("/metrics")).text
    pairs = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


async def test_metrics_count_requests_by_route_and_what_is_stored(tmp_path: Path) -> None:
    async with opened_api(tmp_path) as api:
        await new_session(api.storage, "s-1")
        queued = DiagnosisSession(
            session_id="s-2", created_at=api.clock.at, updated_at=api.clock.at
        )
        await api.storage.queue.put(queued)
        await api.storage.state.set(WORKER, {})
        api.clock.pass_(7)
        await api.get("/api/traces/s-1")
        await api.get("/api/traces/s-9", 404)
        for path in ("/nothing/1", "/nothing/2", "/api/traces/s-1/other"):
            await api.get(path, 404)
        found = await scraped(api)
        requests = 'superbiz_http_requests_total{method="GET",route="%s",status="%d"}'
        assert found[requests % ("/api/traces/{session_id}", 200)] == 1
        assert found[requests % ("/api/traces/{session_id}", 404)] == 1
        assert found[requests % ("unmatched", 404)] == 3
        assert not any("nothing" in name or "s-1" in name for name in found)
        assert found['superbiz_sessions{status="queued",verdict=""}'] == 2
        assert found["superbiz_queue_length"] == 1
        assert found["superbiz_queue_oldest_seconds"] == 7
        assert found["superbiz_worker_seen_seconds"] == 7
        assert found["superbiz_alerts"] == 0
        assert found["process_resident_memory_bytes"] > 1e6


async def test_metrics_need_a_token_as_soon_as_there_is_one(tmp_path: Path) -> None:
    async with opened_api(tmp_path) as api:
        assert (await api.client.get("/metrics")).status_code == 200
        _, reader = await api.storage.tokens.create("reader", [Permission.READ])
        _, sender = await api.storage.tokens.create("sender", [Permission.INGEST])
        for secret, status in (("", 401), (sender, 403), (reader, 200)):
            headers = {"Authorization": f"Bearer {secret}"} if secret else {}
            assert (await api.client.get("/metrics", headers=headers)).status_code == status


async def test_reading_and_acting_need_their_permissions(tmp_path: Path) -> None:
    async with opened_api(tmp_path) as api:
        await new_session(api.storage)
        _, reader = await api.storage.tokens.create("reader", [Permission.READ])
        _, doer = await api.storage.tokens.create("doer", [Permission.DIAGNOSE])
        reads = ("/api/traces", "/api/traces/s-1", "/api/skills", "/api/sources")
        for secret, status in (("", 401), (doer, 403), (reader, 200)):
            headers = {"Authorization": f"Bearer {secret}"} if secret else {}
            for path in reads:
                assert (await api.client.get(path, headers=headers)).status_code == status
        for secret, status in (("", 401), (reader, 403), (doer, 200)):
            headers = {"Authorization": f"Bearer {secret}"} if secret else {}
            answer = await api.client.post("/api/sessions/s-1/requeue", headers=headers)
            assert answer.status_code == status
