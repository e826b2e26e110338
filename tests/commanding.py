"""Run a command as a user types it, in this process."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line that says what went wrong; progress lines have no code at their end."""
        lines = [line for line in self.err.splitlines() if re.search(r"\[[a-z_]+\]$", line)]
        assert len(lines) == 1, self.err
        return lines[0]


Superbiz = Callable[..., Ended]
