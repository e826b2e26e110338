"""What ``kubectl top pods`` prints: how much processor each container uses now."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from superbizagent.datasources.kubernetes.fields import quantity

__all__ = ["Usage", "is_usage", "usage_of"]

_HEADING = re.compile(r"(?:NAMESPACE +)?(?:POD +)?NAME +CPU\(cores\) +MEMORY\(bytes\)")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of one container, or of a whole pod where none is named."""

    namespace: str
    pod: str
    container: str
    cores: float


def is_usage(head: str) -> bool:
    """Tell whether a text begins as the table of used resources does."""
    return _HEADING.match(head) is not None


def usage_of(body: str, namespace: str) -> Iterator[Usage]:
    """Yield what the rows say; one that cannot be read is passed over.

    Args:
        body: the table.
        namespace: of rows that name none.
    """
    lines = body.strip().splitlines()
    names = lines[0].split()
    for line in lines[1:]:
        cells = dict(zip(names, line.split(), strict=False))
        cores = quantity(cells.get("CPU(cores)", ""))
        pod = cells.get("POD") or cells.get("NAME", "")
        if pod and cores is not None:
            container = cells["NAME"] if "POD" in cells else ""
            yield Usage(cells.get("NAMESPACE", namespace), pod, container, cores)
