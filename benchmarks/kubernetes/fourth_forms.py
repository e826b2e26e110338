"""Forms of output that only the fourth set of saved clusters uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import described_parts, tables
from benchmarks.kubernetes.objects import Json, meta

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def kept(text: str, *words: str, without: tuple[str, ...] = (), head: bool = False) -> str:
    """Return the lines that `grep` or `grep -v` leaves; `head` keeps the column heads."""
    rows = text.splitlines()
    found = [
        row
        for row in rows[head:]
        if (not words or any(w in row for w in words)) and not any(w in row for w in without)
    ]
    return "\n".join([*rows[:head], *found]) + "\n"


def last_events(c: Cluster, item: Json) -> str:
    """Return the end of a description, which is all that people often copy."""
    return described_parts.events(c, item)


def tailed(text: str, lines: int) -> str:
    """Return `| tail -n LINES`, with the column heads gone."""
    return "\n".join(text.splitlines()[-lines:]) + "\n"


def wrapped(text: str, width: int) -> str:
    """Break lines as a narrow terminal does when its screen is copied."""
    rows = (
        row[at : at + width] for row in text.splitlines() for at in range(0, len(row) or 1, width)
    )
    return "\n".join(rows) + "\n"


def mailed(*parts: tuple[str, str]) -> str:
    """Return a mail: what somebody writes, and under it output without prompt or fence."""
    return "\n".join(f"{told}\n\n{text.rstrip()}\n" for told, text in parts)


def issue(title: str, *parts: tuple[str, str]) -> str:
    """Return an issue by a template: bold questions, answers as fenced text or plain words."""
    lines = [f"## {title}", ""]
    for asked, text in parts:
        body = f"```\n{text.rstrip()}\n```" if "\n" in text else text
        lines += [f"**{asked}**", "", body, ""]
    return "\n".join(lines)


def taken(c: Cluster, steps: list[tuple[str, str]], user: str) -> str:
    """Return a terminal's session with a root prompt and times of the day between the steps."""
    lines: list[str] = []
    for index, (command, text) in enumerate(steps):
        at = c.ago(f"{20 * (len(steps) - index)}s").strftime("%H:%M:%S")
        lines += [f"[{at}] {user}# {command}", text.rstrip()]
    return "\n".join(lines) + "\n"


def attachments(c: Cluster) -> str:
    """Return `kubectl get volumeattachment`."""
    rows = [["NAME", "ATTACHER", "PV", "NODE", "ATTACHED", "AGE"]]
    for item in tables.ordered(c.of("VolumeAttachment")):
        spec = item["spec"]
        held, on = spec["source"]["persistentVolumeName"], str(item["status"]["attached"]).lower()
        old = tables.age(c, meta(item)["creationTimestamp"])
        rows.append([meta(item)["name"], spec["attacher"], held, spec["nodeName"], on, old])
    return tables.render(rows)


def secret(namespace: str, name: str, **sizes: int) -> str:
    """Return `kubectl describe secret`: the keys with their sizes, never the values."""
    rows = [f"{key + ':':<{max(map(len, sizes)) + 3}}{sizes[key]} bytes" for key in sorted(sizes)]
    head = f"Name:         {name}\nNamespace:    {namespace}\nLabels:       <none>\n"
    return head + "Annotations:  <none>\n\nType:  Opaque\n\nData\n====\n" + "\n".join(rows) + "\n"


def journal(c: Cluster, host: str, unit: str, *rows: tuple[str, str]) -> str:
    """Return `journalctl -u UNIT`; rows are the age of a line and its text."""
    return "".join(f"{c.ago(ago):%b %d %H:%M:%S} {host} {unit}: {text}\n" for ago, text in rows)
