"""What all descriptions share: labels, dates, events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes.objects import Json, meta, moment
from benchmarks.kubernetes.tables import seen, when

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def pairs(values: Json | None, indent: int, sign: str = "=") -> str:
    """Write labels or annotations one below the other, `indent` columns in."""
    if not values:
        return "<none>"
    gap = "\n" + " " * indent
    return gap.join(f"{key}{sign}{values[key]}" for key in sorted(values))


def date(at: str) -> str:
    """Write a time as `kubectl describe` does."""
    return moment(at).strftime("%a, %d %b %Y %H:%M:%S +0000")


def events(c: Cluster, item: Json) -> str:
    """Return the Events section of a description."""
    uid, name = meta(item)["uid"], meta(item)["name"]
    own = [
        e
        for e in c.events
        if e["involvedObject"]["kind"] == item["kind"]
        and (e["involvedObject"]["uid"] == uid or e["involvedObject"]["uid"] == name)
    ]
    if not own:
        return "Events:          <none>\n"
    rows = [
        ["Type", "Reason", "Age", "From", "Message"],
        ["----", "------", "----", "----", "-------"],
    ]
    for e in sorted(own, key=lambda e: moment(when(e)[1])):
        by = e["source"].get("component") or e["reportingComponent"]
        rows.append(
            [e["type"], e["reason"], seen(c, e), by, e["message"].replace("\n", "\n" + " " * 4)]
        )
    widths = [max(len(r[i]) for r in rows) + 2 for i in range(4)]
    lines = ["  " + "".join(f"{r[i]:<{widths[i]}}" for i in range(4)) + r[4] for r in rows]
    return "Events:\n" + "\n".join(lines) + "\n"
