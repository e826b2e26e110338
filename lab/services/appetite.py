"""What a service can be made to use beyond its work: processor time and memory."""

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING

from lab.services.control import Switches

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Appetite"]

_MOST_KEPT_BYTES = 600 * 1024 * 1024
"""The machine has to live on."""
_SPINNING_NICENESS = -10
"""A thread that burns time on a busy machine gets its share only with some priority."""


class Appetite:
    """ASGI middleware that takes what the switches say, on each request and beside them."""

    def __init__(self, app: "ASGIApp", *, switches: Switches) -> None:
        self._app = app
        self._switches = switches
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._spinning: list[threading.Thread] = []
        threading.Thread(target=self._keep_spinning, name="worker", daemon=True).start()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Take memory and processor time, then run the wrapped application."""
        if scope["type"] == "http" and scope["path"] not in {"/metrics", "/healthz"}:
            self._keep(int(self._switches.kept_bytes))
            _burn(self._switches.busy_seconds)
        await self._app(scope, receive, send)

    def _keep(self, size: int) -> None:
        if size <= 0:
            self._kept.clear()
            self._kept_bytes = 0
        elif self._kept_bytes + size <= _MOST_KEPT_BYTES:
            self._kept.append(b"\x01" * size)  # zeros would not take real pages
            self._kept_bytes += size

    def _keep_spinning(self) -> None:
        while True:
            time.sleep(0.2)
            self._spinning = [thread for thread in self._spinning if thread.is_alive()]
            for place in range(len(self._spinning), int(self._switches.spinning_threads)):
                thread = threading.Thread(target=self._spin, args=(place,), daemon=True)
                thread.start()
                self._spinning.append(thread)

    def _spin(self, place: int) -> None:
        # Without the right to it, on an idle machine, the thread gets its share as well.
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _SPINNING_NICENESS)
        while self._switches.spinning_threads > place:
            _burn(0.05)


def _burn(seconds: float) -> None:
    """Use processor time, of this thread, for ``seconds``."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(500))
