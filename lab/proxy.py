"""TCP proxies in front of the services: they delay answers, and move callers to another process.

Only answers are delayed. A client may send the head and the body of a request apart; with the
second part late, the time would pass inside the callee, and the callee would look slow.
"""

import asyncio
import contextlib

__all__ = ["Proxy"]

_CHUNK_BYTES = 64 * 1024


class Proxy:
    """Passes connections on from one loopback port to another."""

    def __init__(self, port: int, target_port: int) -> None:
        """Prepare a proxy.

        Args:
            port: Where it listens.
            target_port: Where new connections go; may change while it runs.
        """
        self.port = port
        self.target_port = target_port
        self.answer_delay_seconds = 0.0
        """Held back before each packet of an answer."""
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def stop(self) -> None:
        """Stop listening and drop every connection."""
        if self._server is None:
            return
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await self._connect(reader, writer)
        await _close(writer)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_connection("127.0.0.1", self.target_port)
        ways = [
            asyncio.create_task(self._pump(reader, requests, delayed=False)),
            asyncio.create_task(self._pump(answers, writer, delayed=True)),
        ]
        try:
            # The end of one way is the end of both: neither HTTP nor MySQL half-closes.
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            await _close(requests)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, delayed: bool
    ) -> None:
        while data := await reader.read(_CHUNK_BYTES):
            if delayed and self.answer_delay_seconds > 0:
                await asyncio.sleep(self.answer_delay_seconds)
            writer.write(data)
            await writer.drain()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await writer.wait_closed()
