"""Lines of the kubelet's journal that say what became of a pod, as the events that it also sends.

Both forms are read: the sentences of old versions, and keys with quoted values.
"""

import re
from collections.abc import Iterator

from superbizagent.datasources.kubernetes.event_rows import said_event
from superbizagent.datasources.kubernetes.fields import Raw
from superbizagent.datasources.kubernetes.gathered import Form, Gathered

__all__ = ["add_journal", "is_journal"]

_LINE = re.compile(
    r"^.*(?:kubelet(?:\[\d+\])?: |[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \w+\.go:\d+\] ).*$",
    re.MULTILINE,
)
_STARTING = re.compile(
    r'failed to \\*"(?:Start|Create)Container\\*" for \\*"(?P<part>[\w.-]+)\\*" with '
    r"(?P<reason>\w+): (?P<said>.*)"
)
_WHOSE = (
    re.compile(r'\bpod="(?P<space>[a-z0-9-]+)/(?P<name>[a-z0-9.-]+)"'),
    re.compile(r"\b(?P<name>[a-z0-9][a-z0-9.-]*)_(?P<space>[a-z0-9-]+)\([0-9a-f-]{4,36}\)"),
    re.compile(r'\bpod \\*"(?:(?P<space>[a-z0-9-]+)/)?(?P<name>[a-z0-9.-]+)\\*"'),
)
_MOUNTING = re.compile(r"(?:MountVolume|UnmountVolume|MapVolume)\.\w+ failed for .*")
_UNATTACHED = re.compile(r"[Uu]nable to attach or mount volumes.*")
_PROBING = re.compile(
    r'"?Probe failed"? probeType="(?P<kind>\w+)".*?(?:output=(?P<said>.*))?$'
    r'|(?P<old>Liveness|Readiness|Startup) probe for "[^"]+" failed \(failure\): (?P<told>.*)'
)
_EVICTED = re.compile(r"[Ee]viction manager: pods? .*evicted|pod is evicted successfully")
_SANDBOX = re.compile(r"[Ff]ailed to create pod sandbox.*|CreatePodSandbox\w* for pod .* failed.*")
_KILLED = re.compile(r"Memory cgroup out of memory: Kill(?:ed)? process \d+ \([^)\n]+\).*")
_QUOTES = re.compile(r'\\+"')
_PULLS = frozenset({"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"})


def is_journal(body: str) -> bool:
    """Tell whether a text holds lines of a kubelet that say something of a pod."""
    return bool(_KILLED.search(body)) or any(_event(line[0], "") for line in _LINE.finditer(body))


def add_journal(body: str, origin: str, gathered: Gathered) -> bool:
    """Take what the lines of a journal say of pods; return whether any did."""
    found = False
    for line in _KILLED.finditer(body):
        # The kernel knows processes, not pods: it is of the pod that is not well.
        told = said_event(kind="Pod", name="", namespace="", reason="OOMKilling", message=line[0])
        gathered.nameless.append(told)
        found = True
    for line in _LINE.finditer(body):
        raw = _event(line[0], gathered.namespace)
        if raw is not None:
            gathered.add(raw, Form.TABLE, origin)
            found = True
    return found


def _event(line: str, namespace: str) -> Raw | None:
    whose = next((m for p in _WHOSE if (m := p.search(line))), None)
    if whose is None:
        return None
    for reason, message in _told(line):
        return said_event(
            kind="Pod",
            name=whose["name"],
            namespace=whose["space"] or namespace,
            reason=reason,
            message=_QUOTES.sub('"', message).strip().strip('"'),
        )
    return None


def _told(line: str) -> Iterator[tuple[str, str]]:
    """Yield reason and message of the event that stands for a line."""
    if found := _STARTING.search(line):
        if found["reason"] == "CrashLoopBackOff":
            yield "BackOff", f"Back-off restarting failed container {found['part']}"
        pulls = found["reason"] in _PULLS
        said = f"Failed to pull image: {found['said']}" if pulls else f"Error: {found['said']}"
        yield "Failed", f"{said} ({found['reason']})"
    if found := _PROBING.search(line):
        kind = found["kind"] or found["old"]
        yield "Unhealthy", f"{kind} probe failed: {found['said'] or found['told'] or ''}"
    if found := _MOUNTING.search(line) or _UNATTACHED.search(line):
        yield "FailedMount", found[0]
    if found := _SANDBOX.search(line):
        yield "FailedCreatePodSandBox", found[0]
    if _EVICTED.search(line):
        yield "Evicted", line.rpartition("] ")[2]
