"""Receiver of Alertmanager's webhook: keeps the raw bodies and lets the runner wait for one."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["Notification", "WebhookReceiver"]


@dataclass(frozen=True, kw_only=True)
class Notification:
    """One webhook body and when it came."""

    received_at: float
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        """The decoded body."""
        return json.loads(self.body)

    @property
    def firing(self) -> list[str]:
        """Names of the firing alerts in the message."""
        return [a["labels"]["alertname"] for a in self.message["alerts"] if a["status"] == "firing"]


class WebhookReceiver:
    """HTTP listener on a loopback port; every body is also written to a folder."""

    def __init__(self, port: int, folder: Path) -> None:
        self.notifications: list[Notification] = []
        folder.mkdir(parents=True, exist_ok=True)
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # the name is fixed by http.server
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                notification = Notification(received_at=time.time(), body=body)
                receiver.notifications.append(notification)
                number = len(receiver.notifications)
                (folder / f"{number:03}.json").write_bytes(body)
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so there
                """Stay silent: the bodies on disk are the log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self._server.serve_forever, name="webhook", daemon=True).start()

    def stop(self) -> None:
        """Close the port."""
        self._server.shutdown()
        self._server.server_close()

    def first(self, matches: Callable[[Notification], bool]) -> Notification | None:
        """Return the first notification that matches."""
        return next((n for n in self.notifications if matches(n)), None)

    async def wait(
        self, matches: Callable[[Notification], bool], *, deadline_seconds: float
    ) -> Notification | None:
        """Wait for a notification that matches; None at the deadline."""
        end = time.monotonic() + deadline_seconds
        # The bodies come in on another thread, so there is no asyncio event to wait for.
        while (found := self.first(matches)) is None and time.monotonic() < end:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        return found
