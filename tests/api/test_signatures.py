"""Signed webhooks: right, forged, old, replayed."""

import hashlib
import hmac
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pydantic import SecretStr

from alert_service import Served, alert, body_of, served
from superbizagent.api.config import SenderSecrets
from superbizagent.domain.access import Permission

pytestmark = pytest.mark.anyio

KEY = "s3cret of the sender"
BODY = json.dumps(body_of(alert(service="a"))).encode()
SIGNATURE = "X-Grafana-Alerting-Signature"


def signed(text: bytes, key: str = KEY) -> str:
    return hmac.new(key.encode(), text, hashlib.sha256).hexdigest()


@pytest.fixture
async def service(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Served]:
    secrets = SenderSecrets(grafana=SecretStr(KEY), pagerduty=SecretStr(KEY))
    async with served(tmp_path, secrets=secrets) as found:
        yield found


async def send(service: Served, sender: str, body: bytes, **headers: str) -> int:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    response = await service.client.post(f"/api/alerts/{sender}", content=body, headers=told)
    assert KEY not in response.text
    return response.status_code


async def test_grafana_signs_the_body(service: Served) -> None:
    right = {"X_Grafana_Alerting_Signature": signed(BODY)}
    assert await send(service, "grafana", BODY, **right) == 202
    assert await send(service, "grafana", BODY, **right) == 202  # replayed: counted
    assert await service.rows("SELECT times FROM webhook_delivery") == [(2,)]
    assert await send(service, "grafana", BODY + b" ", **right) == 401
    assert await send(service, "grafana", BODY) == 401
    for wrong in (signed(BODY, "other"), "", "zz", signed(b"")):
        assert await send(service, "grafana", BODY, X_Grafana_Alerting_Signature=wrong) == 401
    assert await service.rows("SELECT times FROM webhook_delivery") == [(2,)]


async def test_a_sender_without_a_secret_needs_none(service: Served) -> None:
    assert await send(service, "alertmanager", BODY) == 202


async def test_a_token_stands_for_a_signature(service: Served) -> None:
    _, token = await service.storage.tokens.create("grafana", {Permission.INGEST})
    assert await send(service, "grafana", BODY, Authorization=f"Bearer {token}") == 202
    assert await send(service, "grafana", BODY, X_Grafana_Alerting_Signature=signed(BODY)) == 202


async def test_pagerduty_lists_its_signatures(service: Served) -> None:
    page = json.dumps(
        {"event": {"event_type": "incident.triggered", "data": {"id": "P1", "title": "x"}}}
    ).encode()
    right = f"v1={signed(page)}"
    for given in (right, f"v1={signed(page, 'old')},{right}", f"{right}, v1=00"):
        assert await send(service, "pagerduty", page, X_PagerDuty_Signature=given) == 202
    for given in ("", "v1=", f"v1={signed(page, 'old')}", f"v0={signed(page)}"):
        assert await send(service, "pagerduty", page, X_PagerDuty_Signature=given) == 401


async def test_a_signed_time_is_of_now(tmp_path: Path) -> None:
    secrets = SenderSecrets(grafana=SecretStr(KEY), grafana_timestamp_header="X-Signed-At")
    async with served(tmp_path, secrets=secrets) as service:
        now = int(service.clock.now().timestamp())

        async def at(stamp: str, text: bytes | None = None) -> int:
            right = signed(text if text is not None else stamp.encode() + b":" + BODY)
            headers = {"X_Grafana_Alerting_Signature": right, "X_Signed_At": stamp}
            return await send(service, "grafana", BODY, **headers)

        assert await at(str(now)) == 202
        assert await at(str(now - 299)) == 202
        assert await at(str(now - 302)) == 401
        assert await at(str(now + 400)) == 401
        assert await at("yesterday") == 401
        assert await at("") == 401
        assert await at(str(now), BODY) == 401  # the time is not signed
        service.clock.pass_(600)
        assert await at(str(now)) == 401  # replayed later
