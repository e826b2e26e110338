"""Fixtures of the storage tests: a real SQLite file each."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from journaling import SetClock, opened
from superbizagent.storage.store import Storage


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def storage(tmp_path: Path, clock: SetClock, anyio_backend: str) -> AsyncGenerator[Storage]:
    async with opened(tmp_path, clock) as storage:
        yield storage
