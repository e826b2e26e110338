"""The service's application around a database of its own, without a socket."""

import json
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from journaling import SetClock, opened
from superbizagent.analysis.incidents.grouper import Grouper
from superbizagent.api.app import create_app
from superbizagent.api.config import SenderSecrets, ServiceConfig
from superbizagent.api.intake.writer import Intake
from superbizagent.api.services import Services
from superbizagent.domain.intake import IntakeConfig
from superbizagent.domain.session import SessionTemplate
from superbizagent.settings import Settings
from superbizagent.storage.store import Storage

TEMPLATE = SessionTemplate(sources={}, config={}, code_version="test")
LABELS = Settings.model_fields["entity_labels"].default


def grouper(new_id: Callable[[], str]) -> Grouper:
    return Grouper(IntakeConfig(), LABELS, new_id)


class Served:
    """A client of the application, and what is behind it."""

    def __init__(self, client: httpx2.AsyncClient, storage: Storage, clock: SetClock) -> None:
        self.client = client
        self.storage = storage
        self.clock = clock
        self.woken = 0

    async def post(
        self, body: bytes | dict[str, Any], sender: str = "alertmanager", **headers: str
    ) -> httpx2.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post(f"/api/alerts/{sender}", content=content, headers=told)

    async def take(self, body: bytes | dict[str, Any], sender: str = "alertmanager") -> Any:
        """Post what is accepted, and return what was answered."""
        response = await self.post(body, sender)
        assert response.status_code == 202, response.text
        return response.json()["data"]

    async def get(self, path: str, **query: Any) -> Any:
        response = await self.client.get(path, params=query)
        assert response.status_code == 200, response.text
        return response.json()["data"]

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        async with self.storage.database.read() as connection:
            return [tuple(row) for row in await connection.exec_driver_sql(query)]


@asynccontextmanager
async def served(
    folder: Path,
    clock: SetClock | None = None,
    secrets: SenderSecrets | None = None,
    **config: Any,
) -> AsyncGenerator[Served]:
    clock = clock or SetClock()
    async with opened(folder, clock) as storage:
        found: list[Served] = []

        def wake() -> None:
            found[0].woken += 1

        services = Services(
            storage=storage,
            clock=clock,
            config=ServiceConfig(senders=secrets or SenderSecrets(), **config),
            template=TEMPLATE,
            version="test",
            intake=Intake(storage, clock, grouper, wake),
        )
        transport = httpx2.ASGITransport(app=create_app(services), raise_app_exceptions=False)
        async with (
            services.running(),
            httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            found.append(Served(client, storage, clock))
            yield found[0]


def alert(name: str = "HighLatency", **fields: Any) -> dict[str, Any]:
    """One alert of a body; labels by their names, the rest as `status`, `startsAt`, `endsAt`."""
    own = {k: fields.pop(k) for k in ("status", "startsAt", "endsAt", "annotations") if k in fields}
    return {
        "status": "firing",
        "labels": {"alertname": name, "severity": "warning", **fields},
        "annotations": {},
        "startsAt": "2026-07-06T09:59:00Z",
        "generatorURL": "http://prometheus.example/graph",
        **own,
    }


def body_of(*alerts: dict[str, Any]) -> dict[str, Any]:
    return {"version": "4", "receiver": "superbiz", "status": "firing", "alerts": list(alerts)}


def partition(rows: Iterable[tuple[str, str]]) -> set[frozenset[str]]:
    """Members of each group, from pairs of member and group."""
    groups: dict[str, set[str]] = {}
    for member, group in rows:
        groups.setdefault(group, set()).add(member)
    return {frozenset(some) for some in groups.values()}
