"""Which system a command is about: by the addresses of what it reads metrics from."""

from collections.abc import Iterable

from superbizagent.cli.live import kind_of
from superbizagent.cli.sources import SourceSpec
from superbizagent.domain.canonical import digest_bytes
from superbizagent.settings import Settings

__all__ = ["system_of"]

_LONGEST = 200
"""Characters of the column that it is stored in."""


def system_of(spec: SourceSpec, settings: Settings, names: Iterable[str] | None = None) -> str:
    """Return the name under which the normal state of these sources is learnt; empty for none.

    Args:
        spec: the sources.
        settings: tell the kinds of live systems.
        names: those that are read; None: all.
    """
    if spec.bundle:
        return _short(f"bundle {spec.bundle}")
    read = set(spec.live) if names is None else set(names) & set(spec.live)
    servers = [n for n in read if kind_of(n, settings) == "prometheus"]
    return _short(" + ".join(sorted(spec.live[name] for name in servers)))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:100]} … {digest_bytes(name.encode())[:24]}"
