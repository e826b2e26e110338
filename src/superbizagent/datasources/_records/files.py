"""Which files are logs, of which service, in which order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LogInput", "find_log_files", "order_inputs", "service_of"]

_ROTATION = re.compile(
    r"[._-](?:[0-9]{1,4}|[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[-_T.]?[0-9]{2}[-_.:]?[0-9]{2}"
    r"(?:[-_.:]?[0-9]{2})?)?|old|bak|gz|log|txt|out|err|jsonl|ndjson|json)$",
    re.IGNORECASE,
)
_ENDINGS = (".log", ".jsonl", ".ndjson", ".gz", ".txt", ".err", ".out")
_NUMBERED = re.compile(r"\.(?:log|jsonl|ndjson|txt|err|out)[._-][\w.:-]+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LogInput:
    """One file to read."""

    path: Path
    label: str
    """How reports name it: relative to the source, ``/`` separated."""
    service: str


def service_of(name: str) -> str:
    """Return the service a file name speaks of: ``order.log.2.gz`` is of ``order``."""
    stem = name
    while (shorter := _ROTATION.sub("", stem)) and shorter != stem:
        stem = shorter
    return stem


def find_log_files(folder: Path, label: str) -> list[LogInput]:
    """Return the log files below a folder, each service's oldest first.

    Raises:
        OSError: when the folder cannot be listed.
    """
    found = [
        LogInput(path, f"{label}/{path.relative_to(folder).as_posix()}", service_of(path.name))
        for path in folder.rglob("*")
        if path.is_file() and _is_log(path.name)
    ]
    return order_inputs(found)


def _is_log(name: str) -> bool:
    lower = name.lower()
    return not name.startswith(".") and (
        lower.endswith(_ENDINGS) or _NUMBERED.search(lower) is not None
    )


def order_inputs(inputs: Iterable[LogInput]) -> list[LogInput]:
    """Order by service, then oldest first: ``.log.2`` was written before ``.log.1``."""
    return sorted(inputs, key=lambda i: (i.service, -_rotation_number(i.path.name), i.label))


def _rotation_number(name: str) -> int:
    numbers = re.findall(r"[._-]([0-9]{1,4})(?=\.|$)", name)
    return int(numbers[-1]) if numbers else 0
