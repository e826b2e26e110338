"""The proxies between services, on real sockets."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from lab.processes import free_ports
from lab.proxy import Proxy

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def answering(text: bytes, seen: list[float]) -> Serve:
    """A server that answers each line, and notes when the line came in."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline():
            seen.append(time.monotonic())
            writer.write(text)
            await writer.drain()
        writer.close()

    return serve


async def ask(port: int) -> tuple[bytes, float]:
    """Send a line; return the answer and how long it took."""
    start = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"hello\n")
    answer = await asyncio.wait_for(reader.read(100), 10)
    writer.close()
    await writer.wait_closed()
    return answer, time.monotonic() - start


async def through_proxies() -> None:
    port, gone = free_ports(2)
    seen: list[float] = []
    old = await asyncio.start_server(answering(b"old", seen), "127.0.0.1", 0)
    new = await asyncio.start_server(answering(b"new", seen), "127.0.0.1", 0)
    proxy = Proxy(port, old.sockets[0].getsockname()[1])
    await proxy.start()
    try:
        assert (await ask(port))[0] == b"old"

        proxy.answer_delay_seconds = 0.4
        start = time.monotonic()
        answer, seconds = await ask(port)
        assert answer == b"old"
        assert seconds >= 0.4
        assert seen[-1] - start < seconds - 0.35  # the request itself was not held back

        proxy.answer_delay_seconds = 0.0
        proxy.target_port = new.sockets[0].getsockname()[1]
        assert (await ask(port))[0] == b"new"

        proxy.target_port = gone
        assert (await ask(port))[0] == b""  # closed, not left waiting
    finally:
        await proxy.stop()
        for server in (old, new):
            server.close()
            await server.wait_closed()


@pytest.mark.real_server
def test_a_proxy_delays_answers_alone_and_moves_new_connections() -> None:
    asyncio.run(through_proxies())
