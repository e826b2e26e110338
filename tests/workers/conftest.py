"""Fixtures of the worker's tests: a real SQLite file each."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from superbizagent.domain.redaction import Redactor
from superbizagent.storage.database import sqlite_url
from superbizagent.storage.store import Storage
from working import ShiftedClock


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> ShiftedClock:
    return ShiftedClock()


@pytest.fixture
async def storage(
    tmp_path: Path, clock: ShiftedClock, anyio_backend: str
) -> AsyncGenerator[Storage]:
    url = sqlite_url(str(tmp_path / "superbiz.db"))
    async with Storage.open(url, clock=clock, redactor=Redactor(b"k" * 32)) as storage:
        yield storage
