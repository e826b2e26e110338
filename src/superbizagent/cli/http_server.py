"""The HTTP server of the service: says where it listens, and lets the rest end after it."""

import asyncio
import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager

import click
import uvicorn

__all__ = ["Server"]


class Server(uvicorn.Server):
    """Uvicorn's, as one of several things in a process."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say where: with port 0 nobody else knows."""
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            host = self.config.host
            host = f"[{host}]" if ":" in host else host
            click.echo(f"superbiz: listening on http://{host}:{port}", err=True)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """End at SIGTERM and SIGINT; a second one, when we have ended, ends the process at once.

        Uvicorn's own raises the signal anew when it has ended, and the process would be gone
        before its worker has.
        """
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGTERM, signal.SIGINT)
        for number in numbers:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)
