"""Named places in the durable code at which a test may stop the process.

A place costs one call and does nothing unless a test has installed a hook.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["CRASH_POINTS", "installed", "reach"]

CRASH_POINTS = (
    "claim.taken",
    "effect.before_perform",
    "effect.after_perform",
    "append.before_entry",
    "append.after_entry",
    "append.after_row",
    "append.after_blob",
    "append.before_commit",
    "append.after_commit",
    "seal.before_link",
    "seal.after_link",
    "seal.after_commit",
    "evaluation.before_commit",
    "evaluation.after_commit",
    "complete.before_commit",
    "complete.after_commit",
)
"""Every place there is; `reach` refuses others."""

_hooks: list[Callable[[str], None]] = []


def reach(name: str) -> None:
    """Tell an installed hook that ``name`` is reached.

    Raises:
        ValueError: for a name that `CRASH_POINTS` does not list.
    """
    if name not in CRASH_POINTS:
        raise ValueError(f"no crash point {name!r}")
    for hook in _hooks:
        hook(name)


@contextmanager
def installed(hook: Callable[[str], None]) -> Generator[None]:
    """Call ``hook`` at every place inside the block."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.remove(hook)
