"""What keeps a pod from every node, read out of the one sentence in which the scheduler says it."""

import re
from collections import Counter
from collections.abc import Iterator

from superbizagent.domain.cluster import Reading

__all__ = ["blocked_by"]

_SCHEDULERS = frozenset({"unschedulable", "event.FailedScheduling"})
_REASON = re.compile(r"(?:^|[:,.;] )(\d+) ((?:node\(s\) )?[^,]*?)(?=, \d+ |\. |\.$|, preemption|$)")
_SHORTAGE = re.compile(r"Insufficient ([\w./-]+)")
_TAINT = re.compile(r"taint \{([^:}]*)")
_OF_CONTROL = ("node-role.kubernetes.io/", "CriticalAddonsOnly")
_OF_TROUBLE = "node.kubernetes.io/"
_WORDS: tuple[tuple[str, str], ...] = (
    ("PersistentVolumeClaim", "volume"),
    ("persistentvolumeclaim", "volume"),
    ("volume", "volume"),
    ("enough free storage", "volume"),
    ("affinity", "placement"),
    ("node selector", "placement"),
    ("match Pod's", "placement"),
    ("topology spread", "placement"),
    ("node name", "placement"),
    ("free ports", "placement"),
    ("Too many pods", "placement"),
    ("were unschedulable", "cordoned"),
)
_PLAIN = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "disk"}
_ROOM = ("cpu", "memory", "disk")


def blocked_by(reading: Reading) -> Iterator[Reading]:
    """Yield what keeps most nodes from taking the pod that a reading is about, if it says so."""
    if reading.name not in _SCHEDULERS:
        return
    # What is said of evicting others repeats the reasons.
    message = re.split(r"[.,;]? *preemption: ", reading.quote, maxsplit=1)[0]
    counts: Counter[str] = Counter()
    quotes: dict[str, str] = {}
    for count, said in _REASON.findall(message.partition(" nodes are available: ")[2] or message):
        if kind := _kind_of(said):
            counts[kind] += int(count)
            quotes.setdefault(kind, f"{count} {said}")
    if not counts and (kind := _kind_of(message)):
        counts[kind], quotes[kind] = 1, message
    if not counts:
        return
    # A node that is full says so even where others fall out for reasons of their own.
    full = [kind for kind in _ROOM if kind in counts]
    chosen = max(full or counts, key=lambda kind: (counts[kind], kind != "taint"))
    yield Reading(name="blocked_by", value=chosen, at=reading.at, quote=quotes[chosen])


def _kind_of(said: str) -> str:
    if short := _SHORTAGE.search(said):
        return _PLAIN.get(short[1], "placement")
    if taint := _TAINT.search(said):
        key = taint[1].strip()
        if key.startswith(_OF_CONTROL):
            return ""
        return "node" if key.startswith(_OF_TROUBLE) else "taint"
    return next((kind for word, kind in _WORDS if word in said), "")
