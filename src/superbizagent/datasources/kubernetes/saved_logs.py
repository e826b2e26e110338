"""Which container a saved log is of: the command says it, the name of the file, or a folder."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from superbizagent.datasources.kubernetes.fields import mapping, rows, text
from superbizagent.datasources.kubernetes.gathered import Gathered, LogTail
from superbizagent.datasources.kubernetes.logs import telling_lines
from superbizagent.datasources.kubernetes.names import maker_of
from superbizagent.datasources.kubernetes.plain import plain_text
from superbizagent.datasources.kubernetes.terminal import Part

__all__ = ["SavedLogs"]

_TAIL_BYTES = 1024 * 1024
"""Why a container ended stands in the last lines of its log."""
_PREVIOUS = re.compile(r"[-_.]?(?:previous|prev|--previous|-p)$")
_PLAIN_NAMES = frozenset({"logs", "log", "current", "previous"})
_PREFIXED = re.compile(r"^\[pod/([a-z0-9.-]+)/([a-z0-9.-]+)\] ?(.*)$")
_MAKERS = ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicaSet")
_WORD = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class _Owner:
    namespace: str
    pod: str
    container: str = ""


@dataclass(slots=True)
class SavedLogs:
    """Logs that wait until the pods are known."""

    base: Path
    gathered: Gathered
    files: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    """Files that no object explains, with their place below the folder."""
    parts: list[tuple[Part, str, tuple[str, ...]]] = field(
        default_factory=list[tuple[Part, str, tuple[str, ...]]]
    )
    """What commands printed, the pod, and the telling lines."""

    def take(self, part: Part) -> None:
        """Take a log that a command printed."""
        lines = part.text.splitlines()
        for pod, own in _by_pod(lines).items():
            kept = telling_lines(own)
            if kept:
                self.parts.append((part, pod, kept))

    def assign(self) -> None:
        """Give each log to its pod."""
        pods = {
            (raw["metadata"].get("namespace") or "", raw["metadata"]["name"])
            for raw, _ in self.gathered.of("Pod")
        }
        names = sorted(pods, key=lambda pair: (-len(pair[1]), pair))
        for part, pod, kept in self.parts:
            self._of_command(part, pod, kept, names)
        for file, origin in self.files:
            self._of_file(file, origin, names)

    def _of_command(
        self, part: Part, pod: str, kept: tuple[str, ...], names: Sequence[tuple[str, str]]
    ) -> None:
        name = pod or part.name
        known = [p for p in names if p[1] == name and part.namespace in {"", p[0]}]
        if not known and not pod:  # deploy/orders, or -l app=orders: of one of its pods
            made = [p for p in names if maker_of(p[1]).endswith(f"/{name}")]
            known = [p for p in made if part.namespace in {"", p[0]}]
        space, own = known[0] if known else (part.namespace, name)
        if own:
            tail = LogTail(space, own, part.container, part.previous, kept)
            self.gathered.logs.append(tail)

    def _of_file(self, file: Path, origin: str, pods: Sequence[tuple[str, str]]) -> None:
        stem = _PREVIOUS.sub("", file.stem)
        previous = file.stem == "previous" or stem != file.stem
        owner = self._owner(file, stem, pods)
        try:
            lines = _tail(file)
        except OSError as error:
            self.gathered.note(f"{origin}: cannot be read: {error.strerror or error}")
            return
        if owner is None:
            self.gathered.note(f"{origin}: no pod of this name was seen, so its log was left out")
            return
        kept = telling_lines(lines)
        if kept:
            tail = LogTail(owner.namespace, owner.pod, owner.container, previous, kept)
            self.gathered.logs.append(tail)

    def _owner(self, file: Path, stem: str, pods: Sequence[tuple[str, str]]) -> _Owner | None:
        """Return whose log a file is: its name says which pod, else a folder on the way to it."""
        parts = file.relative_to(self.base).parts
        words = [*reversed(parts[:-1]), stem]
        known = next((p for p in pods if p[1] in stem or p[1] in words), None)
        if known is not None:
            return _Owner(*known, container=self._container(*known, stem, parts))
        made = self._of_maker(stem, pods)
        if made is not None:
            return made
        known = self._only_crashing()
        if known is not None:
            return _Owner(*known)
        if pods:
            return None
        folder = parts[-2] if len(parts) > 1 else stem
        return _Owner("", folder if stem in _PLAIN_NAMES else stem)

    def _container(self, space: str, pod: str, stem: str, parts: Sequence[str]) -> str:
        if "logs" in parts[:-1]:
            return parts[parts.index("logs") - 1]
        rest = stem.partition(pod)[2].strip("-_.") if pod in stem else ""
        raw = self.gathered.get("Pod", space, pod) or {}
        names = [
            text(c, "name")
            for kind in ("containers", "initContainers")
            for c in rows(raw, "spec", kind)
        ]
        ends = [n for n in names if n and rest.endswith(n)]
        return max(ends, key=len) if ends else rest

    def _of_maker(self, stem: str, pods: Sequence[tuple[str, str]]) -> _Owner | None:
        """The pod whose maker a file is named after, or one that is gone of a known maker."""
        makers = [
            (text(raw, "metadata", "name"), text(raw, "metadata", "namespace"))
            for raw, _ in self.gathered.of(*_MAKERS)
        ]
        makers += [(maker_of(pod).rpartition("/")[2], space) for space, pod in pods]
        for name, space in sorted(set(makers), key=lambda pair: (-len(pair[0]), pair)):
            place = _place_of(name, stem)
            if name and place >= 0:
                rest = _WORD.match(stem[place:])
                own = [p for s, p in pods if s == space and maker_of(p).endswith(f"/{name}")]
                is_whole = rest is not None and maker_of(rest[0]).endswith(f"/{name}")
                pod = rest[0] if is_whole and rest else own[0] if own else name
                return _Owner(space, pod)
        return None

    def _only_crashing(self) -> tuple[str, str] | None:
        """Return the one pod of which a log is worth saving, when there is just one."""
        found = [
            (text(raw, "metadata", "namespace"), text(raw, "metadata", "name"))
            for raw, _ in self.gathered.of("Pod")
            if any(mapping(s, "state", "waiting") for s in _statuses(raw))
        ]
        return found[0] if len(found) == 1 else None


def _statuses(raw: dict[str, object]) -> Iterator[dict[str, object]]:
    yield from rows(raw, "status", "initContainerStatuses")
    yield from rows(raw, "status", "containerStatuses")


def _place_of(name: str, stem: str) -> int:
    """Where a name stands in a stem as a word of its own; -1: nowhere."""
    found = re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", stem)
    return found.start() if found else -1


def _by_pod(lines: Sequence[str]) -> dict[str, list[str]]:
    """Sort lines that say their pod by it; the others are of the pod that was asked for."""
    found: dict[str, list[str]] = {}
    for line in lines:
        told = _PREFIXED.match(line)
        found.setdefault(told[1] if told else "", []).append(told[3] if told else line)
    return found


def _tail(file: Path) -> list[str]:
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _TAIL_BYTES))
        return (plain_text(stream.read()) or "").splitlines()
