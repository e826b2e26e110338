"""Forms of output that only the fifth set of saved clusters uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kubernetes import tables
from benchmarks.kubernetes.objects import Json, meta

if TYPE_CHECKING:
    from benchmarks.kubernetes.cluster import Cluster


def ticket(*parts: tuple[str, str]) -> str:
    """Return a ticket in Jira's markup: a sentence, then output in a block without format."""
    return "\n".join(
        f"{told}\n{{noformat}}\n{text.rstrip()}\n{{noformat}}\n" if text else f"{told}\n"
        for told, text in parts
    )


def chat(c: Cluster, *lines: tuple[str, str, str]) -> str:
    """Return a chat: the age of a message, who wrote it, its text (output in back quotes)."""
    return "".join(f"[{c.ago(ago):%H:%M}] {who}: {text.rstrip()}\n" for ago, who, text in lines)


def quoted(text: str) -> str:
    """Return output as people paste it into a chat."""
    return f"```\n{text.rstrip()}\n```"


def prefixed(pod: Json, box: str, text: str) -> str:
    """Return `kubectl logs --prefix`."""
    lead = f"[pod/{meta(pod)['name']}/{box}] "
    return "".join(f"{lead}{line}\n" for line in text.splitlines())


def stern(pod: Json, box: str, text: str) -> str:
    """Return the lines that stern prints: the pod, the container, the line."""
    return "".join(f"{meta(pod)['name']} {box} {line}\n" for line in text.splitlines())


def used(c: Cluster, namespace: str, known: dict[str, tuple[int, int]]) -> str:
    """Return `kubectl top pods`; `known` is what pods of a workload use, in m and Mi."""
    rows = [["NAME", "CPU(cores)", "MEMORY(bytes)"]]
    for pod in tables.ordered(c.of("Pod", namespace)):
        if pod["status"]["phase"] != "Running":
            continue
        name = meta(pod)["name"]
        cpu, memory = 4 + c.rng.randrange(90), 40 + c.rng.randrange(150)
        for stem, (much, more) in known.items():
            if name.startswith(stem):
                cpu, memory = much + c.rng.randrange(3), more + c.rng.randrange(9)
        rows.append([name, f"{cpu}m", f"{memory}Mi"])
    return tables.render(rows)
