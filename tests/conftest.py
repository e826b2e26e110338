"""No test reaches a network; a test that talks to a server it started itself says so."""

import os
import socket
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

# The same examples on every run: a finding becomes a test of its own, not a red run now and then.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=200)
settings.register_profile("fast", derandomize=True, deadline=None, max_examples=25)
settings.load_profile("ci" if os.environ.get("CI") else "fast")

LOOPBACK = ("127.", "::1", "localhost")


def allowed(family: int, address: Any, *, loopback: bool) -> bool:
    """Whether a test may connect there: sockets of the file system, and its own servers."""
    if family not in (socket.AF_INET, socket.AF_INET6):
        return True
    return loopback and str(address[0]).startswith(LOOPBACK)


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection; tests marked ``real_server`` may use the loopback interface."""
    loopback = request.node.get_closest_marker("real_server") is not None

    def guard(name: str) -> Callable[..., Any]:
        real = getattr(socket.socket, name)

        def connect(self: socket.socket, address: Any, *more: Any) -> Any:
            if not allowed(self.family, address, loopback=loopback):
                pytest.fail(f"a test tried to connect to {address!r}")
            return real(self, address, *more)

        return connect

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, guard(name))
