"""Who works on a session: a name for this process that another one can check.

``host/pid/start``: the start time tells a process from a later one with the same number.
"""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Owner", "has_ended", "local_owner"]


def _never(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Owner:
    """A name, and what it knows of others: whether one has surely ended, and may be followed."""

    name: str
    is_gone: Callable[[str], bool] = _never


def local_owner() -> Owner:
    """Return the owner that stands for this process."""
    pid = os.getpid()
    return Owner(f"{socket.gethostname()}/{pid}/{_started(pid) or 0}", has_ended)


def has_ended(name: str) -> bool:
    """Tell whether an owner was a process of this host that has surely ended.

    False whenever that cannot be told: another host, another system, a name of another form.
    """
    host, _, rest = name.partition("/")
    pid, _, start = rest.partition("/")
    if host != socket.gethostname() or not pid.isdigit() or not start.isdigit() or start == "0":
        return False
    return _started(int(pid)) != int(start)


def _started(pid: int) -> int | None:
    """Return when a process started, in ticks since boot; None when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The command's name stands in parentheses and may hold anything; field 22 is the start,
    # 3 is the state, Z a process that is dead but not yet waited for.
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else int(fields[19])
