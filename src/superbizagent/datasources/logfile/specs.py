"""``--logs NAME=GLOB`` to files."""

import glob
from collections.abc import Sequence
from pathlib import Path

from superbizagent.datasources._records import service_of
from superbizagent.errors import UsageError

__all__ = ["STDIN", "expand_logs"]

STDIN = Path("-")
"""Stands for standard input."""

_STDIN_NAME = "stdin"


def expand_logs(specs: Sequence[str]) -> dict[str, tuple[Path, ...]]:
    """Return the files of each service.

    Args:
        specs: ``NAME=GLOB``, or a glob alone, whose files name their service, or ``-``.

    Raises:
        UsageError: when nothing matches.
    """
    files: dict[str, list[Path]] = {}
    for spec in specs:
        name, equals, pattern = spec.partition("=")
        if not equals or "/" in name:  # a path may hold an equals sign, a name holds no slash
            name, pattern = "", spec
        if not pattern or (equals and not name and not Path(spec).exists()):
            raise UsageError(f"--logs {spec!r} is not understood; write NAME=FILE, FILE or -")
        if pattern == "-":
            files.setdefault(name or _STDIN_NAME, []).append(STDIN)
            continue
        found = _match(pattern)
        if not found:
            raise UsageError(f"--logs {spec!r} matches no file; check the path (quote a pattern)")
        for path in found:
            files.setdefault(name or service_of(path.name), []).append(path)
    return {name: tuple(dict.fromkeys(paths)) for name, paths in files.items()}


def _match(pattern: str) -> list[Path]:
    expanded = str(Path(pattern).expanduser())
    path = Path(expanded)
    if path.exists():  # a name with brackets in it is a name first
        return [path]
    return sorted(Path(p) for p in glob.glob(expanded, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
