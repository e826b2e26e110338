"""Fixtures of the tests of the worker."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
