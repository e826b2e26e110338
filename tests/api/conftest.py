"""Fixtures of the tests of the service."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from alert_service import Served, served


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def service(tmp_path: Path, anyio_backend: str) -> AsyncGenerator[Served]:
    async with served(tmp_path) as found:
        yield found
