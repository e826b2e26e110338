"""Tests of the worker run on asyncio alone."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
