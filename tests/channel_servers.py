"""Channels that run here: a Slack, a webhook receiver and a mail server, over real sockets."""

import contextlib
import email
import email.policy
import json
import socketserver
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar, cast

Server = TypeVar("Server", "FakeSlack", "Webhook", "Mailbox")

TOKEN = "xoxb-1-secret"  # noqa: S105 - of a server that runs here


@dataclass(frozen=True)
class Fault:
    """What a server answers instead."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    wait_seconds: float = 0.0
    after: bool = False
    """The server does what was asked, and only its answer is this one."""


def refused(error: str, **more: Any) -> Fault:
    """How Slack says no: with status 200."""
    return Fault(body=json.dumps({"ok": False, "error": error, **more}).encode())


class _Server:
    """Takes JSON by POST; `faults` are answered first, one a request."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.asked: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        """Path, body and headers of each request."""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Fault:
        raise NotImplementedError

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                body, headers = json.loads(raw), {k.lower(): v for k, v in self.headers.items()}
                server.asked.append((self.path, body, headers))
                fault = server.faults.pop(0) if server.faults else None
                good = None
                if fault is None or fault.after:
                    good = server.answer(self.path, body, headers)
                self._reply(fault or cast("Fault", good))

            def _reply(self, reply: Fault) -> None:
                time.sleep(reply.wait_seconds)
                with contextlib.suppress(OSError):  # who asked may be gone
                    self.send_response(reply.status)
                    self.send_header("content-length", str(len(reply.body)))
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(reply.body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
                pass

        return Handler


@dataclass
class Message:
    """What people see in a channel."""

    ts: str
    text: str
    blocks: list[dict[str, Any]]
    thread: list[str] = field(default_factory=list[str])
    edits: int = 0

    @property
    def shown(self) -> str:
        """The characters of its rich text, links among them."""
        elements = [
            e for b in self.blocks for section in b["elements"] for e in section["elements"]
        ]
        return "".join(e.get("text") or e.get("url", "") for e in elements)


class FakeSlack(_Server):
    """Speaks `chat.postMessage` and `chat.update` for one channel that the bot is in."""

    def __init__(self, channel: str = "C0DEMO") -> None:
        self.channel = channel
        self.messages: list[Message] = []
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}/api"

    def answer(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Fault:
        if headers.get("authorization") != f"Bearer {TOKEN}":
            return refused("invalid_auth")
        if body.get("channel") not in (self.channel, f"#{self.channel}"):
            return refused("channel_not_found")
        assert headers["content-type"].startswith("application/json")
        assert body["text"]
        act = {"/api/chat.postMessage": self._post, "/api/chat.update": self._update}[path]
        return act(body)

    def _post(self, body: dict[str, Any]) -> Fault:
        ts = f"{1700000000 + len(self.asked)}.000100"
        if "thread_ts" not in body:
            self.messages.append(Message(ts, body["text"], body["blocks"]))
            return self._done(ts)
        parent = self._found(body["thread_ts"])
        if parent is None:
            return refused("thread_not_found")
        parent.thread.append(body["text"])
        return self._done(ts)

    def _update(self, body: dict[str, Any]) -> Fault:
        message = self._found(body["ts"])
        if message is None:
            return refused("message_not_found")
        message.text, message.blocks = body["text"], body["blocks"]
        message.edits += 1
        return self._done(message.ts)

    def _found(self, ts: str) -> Message | None:
        return next((m for m in self.messages if m.ts == ts), None)

    def _done(self, ts: str) -> Fault:
        return Fault(body=json.dumps({"ok": True, "channel": self.channel, "ts": ts}).encode())


class Webhook(_Server):
    """Takes whatever is posted."""

    def __init__(self) -> None:
        super().__init__()
        self.url = f"json://hook-user:hook-secret@127.0.0.1:{self.port}/path-secret"

    def answer(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Fault:
        return Fault()


class Mailbox:
    """A mail server that keeps what it is given, or refuses it with ``refusal``."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refusal = ""
        mailbox = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._say("220 mail.test")
                while line := self.rfile.readline().decode().strip():
                    verb = line.split()[0].upper()
                    if verb == "DATA":
                        self._say("354 go on")
                        mailbox.mails.append(self._read())
                    if verb == "MAIL" and mailbox.refusal:
                        self._say(mailbox.refusal)
                        continue
                    self._say("221 bye" if verb == "QUIT" else "250 ok")
                    if verb == "QUIT":
                        return

            def _say(self, text: str) -> None:
                self.wfile.write(f"{text}\r\n".encode())

            def _read(self) -> EmailMessage:
                lines: list[bytes] = []
                while (line := self.rfile.readline()) != b".\r\n":
                    lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
                return email.message_from_bytes(b"".join(lines), policy=email.policy.default)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        port = self._server.server_address[1]
        self.url = f"mailto://127.0.0.1:{port}?from=bot@shop.test&to=oncall@shop.test"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def running(make: Callable[[], Server]) -> Generator[Server]:
    """A server for a fixture."""
    server = make()
    try:
        yield server
    finally:
        server.stop()
