"""The label of a recorded incident: what was broken, how and when. Read for scoring alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from superbizagent.domain.canonical import loads
from superbizagent.domain.finding import FaultKind
from superbizagent.domain.payload import read_instant
from superbizagent.errors import UsageError

__all__ = ["LABEL_FILE", "Label", "kinds_of_fault", "read_label"]

LABEL_FILE = "label.json"

# What sets of injected faults call them, by words in the name; the first row that fits decides.
_KINDS: tuple[tuple[frozenset[str], FaultKind], ...] = (
    (frozenset({"cpu"}), FaultKind.CPU),
    (frozenset({"mem", "memory", "oom", "leak"}), FaultKind.MEMORY),
    (frozenset({"disk", "io", "iops"}), FaultKind.DISK),
    (frozenset({"loss", "corrupt", "partition"}), FaultKind.NETWORK_LOSS),
    (frozenset({"delay"}), FaultKind.NETWORK_DELAY),
    (frozenset({"net", "network"}), FaultKind.NETWORK_DELAY),
    (frozenset({"return"}), FaultKind.WRONG_RESULT),
    (frozenset({"exception", "error", "code", "bug"}), FaultKind.CODE_ERROR),
    (frozenset({"kill", "killed", "pause", "restart", "crash"}), FaultKind.RESTART),
)


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of one case."""

    causes: frozenset[str]
    """Names of the entities of which each is a right answer; not empty."""
    fault: str
    """As the set calls it; empty: it does not say."""
    inject_time: datetime | None
    end_time: datetime | None
    alert_time: datetime | None
    """When the case's own alert fired."""
    entry: str
    """Service that users see; empty: unknown."""
    alert_metric: str
    normal: str
    """Folder of the shared normal telemetry; empty: none."""

    @property
    def kind(self) -> FaultKind | None:
        """The kind of fault, None when the name of the fault tells none."""
        return kinds_of_fault(self.fault)


def kinds_of_fault(fault: str) -> FaultKind | None:
    """Return the kind that a set's own name of a fault stands for.

    ``latency`` and ``availability`` are what users feel of a fault, and tell no kind.
    """
    name = fault.strip().lower()
    if name in set(FaultKind):
        return FaultKind(name)
    words = set(name.replace("-", "_").replace(" ", "_").split("_"))
    return next((kind for members, kind in _KINDS if words & members), None)


def read_label(folder: Path) -> Label:
    """Read ``label.json`` of a case.

    Raises:
        UsageError: when it is not there, cannot be read, or names no cause.
    """
    try:
        value: Any = loads((folder / LABEL_FILE).read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"{LABEL_FILE} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(value, Mapping):
        raise UsageError(f"{LABEL_FILE} holds no JSON object")
    body = cast("Mapping[str, Any]", value)
    causes = body.get("root_causes") or [body.get("root_cause")]
    names = cast("list[Any]", causes) if isinstance(causes, list) else [causes]
    known = frozenset(n for n in names if isinstance(n, str) and n)
    if not known:
        raise UsageError(f"{LABEL_FILE} names no cause: give root_cause or root_causes")
    return Label(
        causes=known,
        fault=str(body.get("fault") or ""),
        inject_time=read_instant(body.get("inject_time")),
        end_time=read_instant(body.get("end_time")),
        alert_time=read_instant(body.get("alert_time")),
        entry=str(body.get("entry") or ""),
        alert_metric=str(body.get("alert_metric") or ""),
        normal=_name(body.get("normal")),
    )


def _name(value: Any) -> str:
    """Return a name, never a path: a label must not make us read elsewhere."""
    text = str(value or "")
    return text if text not in {".", ".."} and Path(text).name == text else ""
