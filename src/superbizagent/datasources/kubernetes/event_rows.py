"""Rows of events, in the columns of ``kubectl`` or in columns that somebody chose."""

import re

from superbizagent.datasources.kubernetes.columns import plain_heading
from superbizagent.datasources.kubernetes.fields import Raw, age
from superbizagent.datasources.kubernetes.gathered import KINDS
from superbizagent.datasources.kubernetes.rows import Cells, value_of

__all__ = ["event_of", "hash_of", "said_event"]

_SEEN = ("LASTSEEN", "LAST", "LASTTIMESTAMP", "SEEN", "TIME", "WHEN", "TIMESTAMP", "AGE", "CREATED",
         "EVENTTIME", "FIRSTSEEN")  # fmt: skip
_ABOUT = ("OBJECT", "OBJ", "INVOLVED", "INVOLVEDOBJECT", "WHO", "TARGET", "RESOURCE")
_NAMED = ("INVOLVEDNAME", "OBJECTNAME", "NAME", "POD", "PODNAME")
_KIND = ("KIND", "INVOLVEDKIND", "OBJECTKIND")
_REASON = ("REASON", "WHY")
_MESSAGE = ("MESSAGE", "MSG", "NOTE")
_PREFIXED = re.compile(r"([A-Za-z]+)(?:\.[a-z0-9.]+)?/(.+)")
_KINDS = {kind.lower(): kind for kind in KINDS}
_DATED = re.compile(r"\d{4}-\d\d-\d\dT")
_NORMAL = frozenset(
    {"Scheduled", "Pulled", "Pulling", "Created", "Started", "Killing", "SuccessfulCreate",
     "SuccessfulDelete", "ScalingReplicaSet", "SandboxChanged", "Completed", "SawCompletedJob",
     "NodeReady", "NodeHasSufficientMemory", "NodeHasNoDiskPressure", "SuccessfulAttachVolume",
     "Provisioning", "ProvisioningSucceeded", "ExternalProvisioning", "WaitForFirstConsumer",
     "RegisteredNode", "Starting", "LeaderElection", "NotTriggerScaleUp", "TriggeredScaleUp",
     "SuccessfulRescale", "NodeHasSufficientPID", "NodeAllocatableEnforced", "AddedInterface"}
)  # fmt: skip
"""Reasons of events that are no warning, for rows that do not say the type."""


def event_of(cells: Cells) -> Raw | None:
    """Return the event of a row, None when the row is of something else."""
    own = {plain_heading(name): value for name, value in cells.items()}
    reason, message = value_of(own, _REASON), value_of(own, _MESSAGE)
    about = value_of(own, _ABOUT)
    written = about or value_of(own, _NAMED)
    if not reason or not message or not written or " " in reason:
        return None
    if not about and not _is_of_events(own):
        return None  # pods with a column for why they wait
    prefixed = _PREFIXED.fullmatch(written)
    kind = prefixed[1] if prefixed else value_of(own, _KIND)
    name = prefixed[2] if prefixed else written
    namespace = value_of(own, ("NAMESPACE", "NS"))
    return said_event(
        kind=_KINDS.get(kind.lower(), kind.capitalize()),
        name=name.partition(" ")[0],
        namespace=namespace,
        reason=reason,
        message=message,
        seen=value_of(own, _SEEN),
        type_of=value_of(own, ("TYPE",)) or ("Normal" if reason in _NORMAL else "Warning"),
    )


def _is_of_events(own: Cells) -> bool:
    """Tell whether columns say when something was seen, or how often, as those of events do."""
    seen = value_of(own, _SEEN).partition(" ")[0]
    return bool({"TYPE", "COUNT"} & own.keys() or value_of(own, _KIND)) or (
        "STATUS" not in own
        and "PHASE" not in own
        and (age(seen) is not None or _DATED.match(seen) is not None)
    )


def said_event(  # noqa: PLR0913 - the fields of an event
    *,
    kind: str,
    name: str,
    namespace: str,
    reason: str,
    message: str,
    seen: str = "",
    type_of: str = "Warning",
) -> Raw:
    """Return an event in the API's form.

    Args:
        kind: of the object that it is about; empty: unknown.
        name: of that object.
        namespace: of that object, empty when it is not said.
        reason: one word.
        message: a sentence.
        seen: a time, or how long ago that was.
        type_of: ``Warning`` or ``Normal``.
    """
    unique = f"{name}.{reason}.{hash_of(message):x}"
    raw: Raw = {
        "kind": "Event",
        "metadata": {"name": unique, "namespace": namespace},
        "involvedObject": {
            "kind": kind,
            "namespace": "" if kind == "Node" else namespace,
            "name": name,
        },
        "reason": reason,
        "type": type_of,
        "message": message,
    }
    seen = seen.partition(" (")[0].strip()
    raw["lastTimestamp" if _DATED.match(seen) else "lastSeen"] = seen
    return raw


def hash_of(message: str) -> int:
    """A number that is the same for the same text in every process."""
    value = 0
    for character in message:
        value = (value * 31 + ord(character)) % 0xFFFFFFFF
    return value
