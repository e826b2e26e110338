"""The application in this process, on a real database, asked as a client asks it."""

import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from journaling import SetClock, opened
from superbizagent.api.app import create_app
from superbizagent.api.config import ServiceConfig
from superbizagent.api.services import Services
from superbizagent.domain.session import SessionTemplate
from superbizagent.storage.store import Storage

__all__ = ["Api", "opened_api", "read"]


@dataclass
class Api:
    """A client, and what lies behind it."""

    client: httpx2.AsyncClient
    storage: Storage
    clock: SetClock
    folder: Path
    woken: list[str]

    async def get(self, path: str, status: int = 200, **query: Any) -> Any:
        """Return the data of an answer, which must have this status."""
        return read(await self.client.get(path, params=query), status)

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        """Post JSON; likewise."""
        return read(await self.client.post(path, json=body), status)

    def write(self, statement: str, *values: Any) -> None:
        """Change the database past everything, as an older version or a bad disk would."""
        with closing(sqlite3.connect(next(self.folder.glob("*.db")))) as connection, connection:
            connection.execute(statement, values)


def read(answer: httpx2.Response, status: int) -> Any:
    """Return the data of an answer, which must have this status and the envelope's shape."""
    body = json.loads(answer.content)
    assert answer.status_code == status, body
    assert set(body) == {"code", "message", "data"}
    if status >= 400:
        assert set(body["data"]) == {"error_code", "hint", "request_id"}
        assert body["data"]["hint"]
        assert body["code"] == status
    else:
        assert body["code"] == 200
    return body["data"]


@asynccontextmanager
async def opened_api(folder: Path, **parts: Any) -> AsyncGenerator[Api]:
    """Open an application on a database in ``folder``."""
    clock = SetClock()
    woken: list[str] = []
    async with opened(folder, clock) as storage:
        given = {
            "config": ServiceConfig(),
            "template": SessionTemplate(sources={"bundle": "x"}, config={}, code_version="1"),
            "version": "1",
            "wake_worker": lambda: woken.append("woken"),
        } | parts
        app = create_app(Services(storage=storage, clock=clock, **given))
        transport = httpx2.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            yield Api(client, storage, clock, folder, woken)
