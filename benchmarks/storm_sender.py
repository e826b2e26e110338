"""Sends a storm over keep-alive connections, one alert a request, and writes down each answer.

A process of its own, so that its work is none of the server's. Requests are due at fixed times,
whether or not the ones before were answered: waiting for a slow server counts as latency.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Answer", "Request", "send_all"]

_RETRIES = 300
"""A fifth of a second apart: a service that is started anew takes some seconds."""


@dataclass(frozen=True, slots=True)
class Request:
    """One body and when it is due, in seconds from the begin; 0 everywhere: as fast as may be."""

    due: float
    body: bytes


@dataclass(slots=True)
class Answer:
    """What became of a request."""

    status: int
    milliseconds: float
    sent_at: float
    """Seconds from the begin."""
    retries: int
    data: dict[str, Any]


async def send_all(
    port: int, path: str, requests: Sequence[Request], connections: int
) -> list[Answer]:
    """Send requests in order of their times; return the answers in the same order."""
    answers: list[Answer | None] = [None] * len(requests)
    numbers = iter(range(len(requests)))
    begun = time.perf_counter()

    async def work() -> None:
        connection = _Connection(port, path)
        for number in numbers:
            request = requests[number]
            early = request.due - (time.perf_counter() - begun)
            if early > 0:
                await asyncio.sleep(early)
            # What is due while all connections wait for an answer has waited since then.
            due = request.due or time.perf_counter() - begun
            answers[number] = await connection.post(request.body, begun, due)
        connection.close()

    await asyncio.gather(*(work() for _ in range(connections)))
    return [answer for answer in answers if answer is not None]


class _Connection:
    """One keep-alive connection, opened again when it was lost."""

    def __init__(self, port: int, path: str) -> None:
        self._port = port
        self._path = path
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes, begun: float, due: float) -> Answer:
        """Send one body; a lost connection and a 503 are tried again, as senders do."""
        sent_at = time.perf_counter() - begun
        status, text, retries = 0, b"", 0
        while retries < _RETRIES:
            try:
                status, text = await self._once(body)
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                status = 0
            if status and status != 503:
                break
            retries += 1
            await asyncio.sleep(0.2)
        took = (time.perf_counter() - begun - due) * 1000
        data: dict[str, Any] = json.loads(text)["data"] if status == 202 else {}
        return Answer(status, took, sent_at, retries, data)

    async def _once(self, body: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(
            f"POST {self._path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        fields = head.lower().split(b"content-length:")
        text = await reader.readexactly(int(fields[1].split(b"\r\n", 1)[0]))
        return status, text

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def main() -> None:
    """Send the bodies of a file, one a line, and write the answers."""
    parser = argparse.ArgumentParser(description="Send a storm of alerts.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", default="/api/alerts/alertmanager")
    parser.add_argument("--requests", type=Path, required=True, help="JSON lines: due, body")
    parser.add_argument("--answers", type=Path, required=True, help="written: JSON lines")
    parser.add_argument("--connections", type=int, default=64)
    args = parser.parse_args()
    lines = args.requests.read_bytes().splitlines()
    requests = [Request(r["due"], r["body"].encode()) for r in map(json.loads, lines)]
    found = asyncio.run(send_all(args.port, args.path, requests, args.connections))
    with args.answers.open("w", encoding="utf-8") as out:
        for a in found:
            row = [a.status, round(a.milliseconds, 3), round(a.sent_at, 4), a.retries, a.data]
            out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
