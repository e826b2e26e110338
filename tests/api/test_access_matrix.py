"""Each route x each kind of caller, from one table: a route that is not in it fails."""

import asyncio
from collections.abc import Generator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from fastapi.routing import APIRoute, iter_route_contexts

from serving import Service, serving
from superbizagent.api.app import create_app
from superbizagent.api.config import ServiceConfig
from superbizagent.api.services import Services
from superbizagent.cli.clock import SystemClock
from superbizagent.domain.access import Permission
from superbizagent.domain.redaction import Redactor
from superbizagent.domain.session import SessionTemplate
from superbizagent.storage.database import sqlite_url
from superbizagent.storage.store import Storage

pytestmark = [pytest.mark.real_server, pytest.mark.slow]

OPEN = None
"""Asks for nothing."""

TABLE: dict[tuple[str, str], Permission | None] = {
    ("GET", "/healthz"): OPEN,
    ("GET", "/readyz"): OPEN,
    ("GET", "/metrics"): Permission.READ,
    ("GET", "/openapi.json"): Permission.READ,
    ("GET", "/api/audit"): Permission.ADMIN,
    ("POST", "/api/login"): OPEN,
    ("POST", "/api/logout"): OPEN,
    ("POST", "/api/chat"): Permission.DIAGNOSE,
    ("POST", "/api/chat_stream"): Permission.DIAGNOSE,
    ("POST", "/api/chat/clear"): Permission.DIAGNOSE,
    ("GET", "/api/chat/session/{}"): Permission.READ,
    ("POST", "/api/ai_ops"): Permission.DIAGNOSE,
    ("GET", "/api/traces"): Permission.READ,
    ("GET", "/api/traces/{}"): Permission.READ,
    ("GET", "/api/traces/{}/events"): Permission.READ,
    ("GET", "/api/traces/{}/evidence/{}"): Permission.READ,
    ("POST", "/api/sessions/{}/cancel"): Permission.DIAGNOSE,
    ("POST", "/api/sessions/{}/requeue"): Permission.DIAGNOSE,
    ("POST", "/api/sessions/{}/fork"): Permission.DIAGNOSE,
    ("POST", "/api/sessions/{}/feedback"): Permission.DIAGNOSE,
    ("GET", "/api/skills"): Permission.READ,
    ("GET", "/api/skills/{}"): Permission.READ,
    ("GET", "/api/sources"): Permission.READ,
    ("GET", "/api/incidents"): Permission.READ,
    ("GET", "/api/incidents/{}"): Permission.READ,
    ("POST", "/api/alerts/alertmanager"): Permission.INGEST,
    ("POST", "/api/alerts/grafana"): Permission.INGEST,
    ("POST", "/api/alerts/pagerduty"): Permission.INGEST,
    ("POST", "/api/changes"): Permission.INGEST,
}
"""What a route asks for; a parameter of its path is ``{}``. It may name routes to come."""

SCOPED = [p.value for p in Permission]
CALLERS = ["nobody", "wrong", *SCOPED, "revoked", "expired", "cookie"]


@dataclass
class Asked:
    """A running service with a token of each kind."""

    service: Service
    secrets: dict[str, str]
    routes: list[tuple[str, str]]

    def headers(self, caller: str) -> dict[str, str]:
        if caller == "nobody":
            return {}
        if caller == "cookie":
            return {"Cookie": f"superbiz_login={self.secrets['cookie']}", "Sec-Fetch-Site": "none"}
        return {"Authorization": f"Bearer {self.secrets[caller]}"}


async def tokens_and_routes(url: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Make a token of each kind, and list every route of the application."""
    clock = SystemClock()
    secrets = {"wrong": "sbz_" + "A" * 43}
    async with Storage.open(url, clock=clock, redactor=Redactor(bytes(32))) as storage:
        for scope in Permission:
            token, secrets[scope.value] = await storage.tokens.create(scope.value, [scope])
            if scope is Permission.READ:
                secrets["cookie"] = await storage.tokens.log_in(token, timedelta(days=1))
        _, secrets["revoked"] = await storage.tokens.create("revoked", list(Permission))
        await storage.tokens.revoke("revoked")
        over = clock.now() - timedelta(seconds=1)
        _, secrets["expired"] = await storage.tokens.create("expired", list(Permission), over)
        services = Services(
            storage=storage,
            clock=clock,
            config=ServiceConfig(),
            template=SessionTemplate.model_construct(),
            version="0",
        )
        return secrets, routes_of(create_app(services))


def routes_of(app: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for context in iter_route_contexts(app.routes):
        assert isinstance(context.original_route, APIRoute), context.path
        path = context.original_route.param_convertors
        template = str(context.path)
        for name in path:
            template = template.replace("{" + name + "}", "{}")
        found += [(method, template) for method in context.methods or ()]
    return found


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Generator[Asked]:
    data = tmp_path_factory.mktemp("access") / "data"
    with serving(data) as service:
        secrets, routes = asyncio.run(tokens_and_routes(sqlite_url(str(next(data.glob("*.db"))))))
        yield Asked(service, secrets, routes)


def expected(needed: Permission | None, caller: str) -> int | None:
    """The status of a refusal; None: let in."""
    if needed is OPEN:
        return None
    if caller in ("nobody", "wrong", "revoked", "expired"):
        return 401
    holds = "read" if caller == "cookie" else caller
    return None if holds in (needed.value, "admin") else 403


def test_every_route_is_in_the_table(asked: Asked) -> None:
    assert [route for route in asked.routes if route not in TABLE] == []


@pytest.mark.parametrize("caller", CALLERS)
def test_each_caller_gets_what_the_table_says(asked: Asked, caller: str) -> None:
    wrong: list[str] = []
    with asked.service.client(headers=asked.headers(caller)) as client:
        for method, template in asked.routes:
            if template == "/api/logout" and caller == "cookie":
                continue  # it would end the login that the others are asked with
            status, answer = ask(client, method, template.replace("{}", "unknown-1"))
            refusal = expected(TABLE[method, template], caller)
            let_in = status not in (401, 403) or template == "/api/login"
            if (refusal is None) != let_in or (refusal is not None and status != refusal):
                wrong.append(f"{method} {template}: {status}, not {refusal or 'let in'}: {answer}")
    assert wrong == []


def ask(client: httpx2.Client, method: str, path: str) -> tuple[int, str]:
    """Ask with a body that starts nothing; read no more than the head of a stream."""
    body = {"content": b"[]", "headers": {"Content-Type": "application/json"}}
    with client.stream(method, path, **(body if method == "POST" else {})) as response:
        if response.status_code in (401, 403):
            response.read()
            data = response.json()
            assert data["code"] == response.status_code
            assert set(data["data"]) == {"error_code", "hint", "request_id"}
        return response.status_code, response.headers.get("content-type", "")
