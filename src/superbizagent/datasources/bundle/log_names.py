"""Log files to entities: ``mysqld-slow.log`` is of ``mysqld`` where the recording knows one."""

import re
from collections.abc import Collection, Mapping

__all__ = ["entity_of_log"]

_SUFFIXES = (
    re.compile(r"[-_.](?:slow|errors?|err|access|audit|gc|stdout|stderr|general|server|app)$"),
    re.compile(r"-[0-9a-f]{6,10}-[a-z0-9]{5}$"),  # a pod of a deployment
    re.compile(r"-[0-9]{1,3}$"),  # a pod of a stateful set, a replica
)


def entity_of_log(name: str, known: Collection[str], aliases: Mapping[str, str]) -> str:
    """Return the entity that a log file's name stands for.

    Args:
        name: the file's name without rotation and endings.
        known: names of entities that metrics and topology speak of.
        aliases: other name -> entity name.
    """
    front = [name]
    while front:
        candidate = front.pop(0)
        if candidate in aliases:
            return aliases[candidate]
        if candidate in known:
            return candidate
        front += [s for p in _SUFFIXES if (s := p.sub("", candidate)) != candidate]
    return name
