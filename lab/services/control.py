"""The lab's hand on a running service: switches set over a port of their own.

The listener runs in a thread of its own, so that a starved event loop can still be released. It
logs nothing and is not scraped: an observer of the service sees only the effects.
"""

import json
import threading
from dataclasses import dataclass, fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["Switches", "serve_control"]


@dataclass(kw_only=True)
class Switches:
    """Behaviour that can be changed while the service runs; zero is normal."""

    transaction_pause_seconds: float = 0.0
    """Mean time that an order's transaction idles before its first write."""
    unreturned_share: float = 0.0
    """Share of database connections that are not given back."""
    busy_seconds: float = 0.0
    """Processor time that each request takes on top."""
    spinning_threads: float = 0.0
    """Threads that burn processor time, beside all requests."""
    kept_bytes: float = 0.0
    """Memory that each request keeps for good."""
    receipt_bytes: float = 0.0
    """Size of an order's receipt on disk; above zero, receipts are no longer deleted."""


def serve_control(switches: Switches, port: int) -> ThreadingHTTPServer:
    """Accept `POST /` with a JSON object of switch values on a loopback port, in the background."""
    known = {field.name for field in fields(switches)}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name is fixed by http.server
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            values: dict[str, float] = json.loads(body)
            unknown = values.keys() - known
            if not unknown:
                for name, value in values.items():
                    setattr(switches, name, value)
            self.send_response(400 if unknown else 204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so there
            """Stay silent: nothing of the lab may show in the service's log."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, name="control", daemon=True).start()
    return server
