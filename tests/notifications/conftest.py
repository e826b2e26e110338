"""Channels of their own for each test."""

from collections.abc import Generator

import pytest

from channel_servers import FakeSlack, Mailbox, Webhook, running


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def slack() -> Generator[FakeSlack]:
    yield from running(FakeSlack)


@pytest.fixture
def webhook() -> Generator[Webhook]:
    yield from running(Webhook)


@pytest.fixture
def mailbox() -> Generator[Mailbox]:
    yield from running(Mailbox)
