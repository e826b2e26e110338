"""Reads a folder or file of saved output: which sort of text each file is, and what is in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from superbizagent.datasources.kubernetes.counters import is_scrape, throttling_of
from superbizagent.datasources.kubernetes.describe import add_descriptions, is_description
from superbizagent.datasources.kubernetes.documents import YamlBudget, add_json, add_yaml
from superbizagent.datasources.kubernetes.fields import mapping, rows, text
from superbizagent.datasources.kubernetes.gathered import Gathered, LogTail, newest
from superbizagent.datasources.kubernetes.logs import telling_lines
from superbizagent.datasources.kubernetes.tables import add_tables, is_table
from superbizagent.datasources.kubernetes.terminal import Part, is_session, parts_of
from superbizagent.datasources.kubernetes.usage import is_usage, usage_of
from superbizagent.errors import NothingReadableError

__all__ = ["read_dump"]

_MOST_FILES = 20_000
_LARGEST = 512 * 1024 * 1024
"""Bytes of one file; a dump of a whole large cluster is half of it."""
_LOG_TAIL_BYTES = 1024 * 1024
"""Why a container ended stands in the last lines of its log."""
_HEAD = 4096
_YAML = re.compile(r"^(?:apiVersion|kind|items|metadata): ?", re.MULTILINE)
_LOG_SECTION = re.compile(
    r"^==== START logs for container (\S+) of pod (\S+)/(\S+) ====\n(.*?)^==== END logs ",
    re.MULTILINE | re.DOTALL,
)
_OBJECT = re.compile(r'"(?:kind|apiVersion|items|metadata)"')
_LOG_SUFFIXES = frozenset({".log", ".logs"})
_PREVIOUS = re.compile(r"[-_.]?previous$")
_NOT_OURS = frozenset({".gz", ".zip", ".tar", ".png", ".html", ".css", ".js", ".parquet", ".db"})
_DENIED = re.compile(
    r"^Error from server \((Forbidden|Unauthorized|[A-Za-z]+)\): (.*?)(?:^|\n|$)", re.MULTILINE
)
_RESOURCE = re.compile(
    r'cannot (?:list|get) resource "([a-z]+)"|^([a-z]+)(?:\.[a-z0-9.]+)? is forbidden'
)
_NO_RESOURCES = re.compile(r"^No resources found(?: in (\S+) namespace)?", re.MULTILINE)


def read_dump(path: Path) -> Gathered:
    """Return everything that could be read of a folder, or of one file.

    Raises:
        NothingReadableError: when there is no such place, or nothing in it is of a cluster.
    """
    if not path.exists():
        raise NothingReadableError(
            f"there is no {str(path)!r}; give a folder or file of saved kubectl output, or a URL"
        )
    reader = _Reader(path if path.is_dir() else path.parent)
    for file in _files(path, reader.gathered):
        reader.read(file)
    return reader.finish(path)


def _files(path: Path, gathered: Gathered) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    count = 0
    for file in sorted(path.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue  # a link may lead out of the folder that was named
        count += 1
        if count > _MOST_FILES:
            gathered.note(f"only the first {_MOST_FILES} files were read")
            return
        yield file


@dataclass(slots=True)
class _Reader:
    base: Path
    gathered: Gathered = field(default_factory=Gathered)
    budget: YamlBudget = field(default_factory=YamlBudget)
    logs: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    """Files that no object explains: taken as logs once the pods are known."""
    named_logs: list[tuple[Part, tuple[str, ...]]] = field(
        default_factory=list[tuple[Part, tuple[str, ...]]]
    )
    """Telling lines of logs whose command names the pod."""
    found: bool = False
    written: float = 0.0

    def read(self, file: Path) -> None:
        """Take one file; what cannot be read becomes a remark."""
        origin = file.relative_to(self.base).as_posix()
        if file.suffix.lower() in _NOT_OURS:
            return
        try:
            stat = file.stat()
            if stat.st_size > _LARGEST:
                self._lost(origin, f"larger than {_LARGEST >> 20} MiB and was not read")
                return
            if (file.suffix.lower() in _LOG_SUFFIXES or file.stem == "logs") and not is_session(
                _head(file)
            ):
                self.logs.append((file, origin))
                return
            data = file.read_bytes()
        except OSError as error:
            self._lost(origin, f"cannot be read: {error.strerror or error}")
            return
        if b"\0" in data[:_HEAD]:
            self._lost(origin, "is no text and was not read")
            return
        taken = False
        for part in parts_of(data.decode("utf-8", "replace").removeprefix("\ufeff")):
            self.gathered.namespace = part.namespace
            if part.log_of:
                lines = part.text.splitlines()
                self.named_logs.append((part, telling_lines(lines)))
                taken = True
            else:
                taken |= self._take(part.text, origin, file)
        self.gathered.namespace = ""
        if taken:
            self.written = max(self.written, stat.st_mtime)
        self.found |= taken

    def _take(  # noqa: PLR0911 - one branch a sort of text
        self, body: str, origin: str, file: Path
    ) -> bool:
        head = body[:_HEAD].lstrip()
        if not head:
            return False
        refused = self._refusals(body) if len(body) < 100_000 else False
        if head[0] in "{[" and _OBJECT.search(head):
            return self._json(body, origin)
        if is_usage(head):
            found = list(usage_of(body, self.gathered.namespace))
            self.gathered.usage += found
            return bool(found)
        if is_scrape(head):
            found = list(throttling_of(body))
            self.gathered.throttling += found
            return bool(found)
        first = head.split("\n", 1)[0]
        if is_description(head):
            return add_descriptions(body, origin, self.gathered)
        if any(is_table(line) for line in head.splitlines()[:20]):
            return add_tables(body, origin, self.gathered)
        if _YAML.search(head) and not first.startswith("==="):
            return add_yaml(body, origin, self.gathered, self.budget)
        if not refused:
            self.logs.append((file, origin))
        return refused

    def _json(self, body: str, origin: str) -> bool:
        """Read JSON; the dump of a whole cluster has logs between its documents."""
        if "==== START logs for container " not in body:
            return add_json(body, origin, self.gathered)
        for section in _LOG_SECTION.finditer(body):
            self._log(section[2], section[3], section[1], section[4].splitlines(), previous=False)
        rest = _LOG_SECTION.sub("", body)
        return add_json(rest, origin, self.gathered)

    def _refusals(self, body: str) -> bool:
        """Read what ``kubectl`` says instead of objects: refused, or there are none."""
        found = False
        for refusal in _DENIED.finditer(body):
            resource = _RESOURCE.search(refusal[2])
            kind = (resource[1] or resource[2]) if resource else "objects"
            denied = refusal[1] in {"Forbidden", "Unauthorized"}
            self.gathered.looked(kind, "denied" if denied else "error", refusal[2])
            found = True
        return found or _NO_RESOURCES.search(body[:_HEAD]) is not None

    def _lost(self, origin: str, why: str) -> None:
        self.gathered.note(f"{origin}: {why}")
        self.gathered.unreadable.append(origin)

    # Logs ----------------------------------------------------------------------------------------

    def finish(self, path: Path) -> Gathered:
        """Read the logs now that the pods are known, and say when the cluster was looked at."""
        self.gathered.place_strays()
        pods = {
            (raw["metadata"].get("namespace") or "", raw["metadata"]["name"])
            for raw, _ in self.gathered.of("Pod")
        }
        names = sorted(pods, key=lambda pair: (-len(pair[1]), pair))
        self._named({name: space for space, name in names})
        for file, origin in self.logs:
            self._log_file(file, origin, names)
        if not self.found:
            why = f" ({'; '.join(self.gathered.notes[:2])})" if self.gathered.notes else ""
            raise NothingReadableError(
                f"nothing in {str(path)!r} is output of kubectl that can be read{why}; save it with"
                " kubectl get all,events -A -o json"
            )
        stated = newest(self.gathered) or self.gathered.counted_back()
        # A copied file may be older than what it tells of; nothing was made after the look.
        written = datetime.fromtimestamp(self.written, UTC)
        self.gathered.taken_at = stated or max(written, self.gathered.last_made() or written)
        return self.gathered

    def _log_file(self, file: Path, origin: str, pods: Sequence[tuple[str, str]]) -> None:
        parts = file.relative_to(self.base).parts
        stem = _PREVIOUS.sub("", file.stem)
        previous = file.stem == "previous" or stem != file.stem
        words = [*reversed(parts[:-1]), stem]
        # The name of the file says which pod, else a folder on the way to it does.
        known = next((pair for pair in pods if pair[1] in stem or pair[1] in words), None)
        known = known or self._only_crashing()
        if known is None:
            pod, namespace, container = (parts[-2] if len(parts) > 1 else stem), "", ""
            if stem not in {"logs", "current", "previous"}:
                pod = stem
        else:
            namespace, pod = known
            container = stem.partition(pod)[2].strip("-_.") if pod in stem else ""
            if "logs" in parts[:-1]:
                container = parts[parts.index("logs") - 1]
        try:
            lines = _tail(file)
        except OSError as error:
            self.gathered.note(f"{origin}: cannot be read: {error.strerror or error}")
            return
        if known is not None or not pods:
            self._log(namespace, pod, container, lines, previous=previous)
        else:
            self.gathered.note(f"{origin}: no pod of this name was seen, so its log was left out")

    def _only_crashing(self) -> tuple[str, str] | None:
        """Return the one pod of which a log is worth saving, when there is just one."""
        found = [
            (text(raw, "metadata", "namespace"), text(raw, "metadata", "name"))
            for raw, _ in self.gathered.of("Pod")
            if any(mapping(s, "state", "waiting") for s in rows(raw, "status", "containerStatuses"))
        ]
        return found[0] if len(found) == 1 else None

    def _named(self, spaces: dict[str, str]) -> None:
        for part, kept in self.named_logs:
            space = part.namespace or spaces.get(part.log_of, "")
            if kept:
                tail = LogTail(space, part.log_of, part.container, part.previous, kept)
                self.gathered.logs.append(tail)

    def _log(
        self, namespace: str, pod: str, container: str, lines: Sequence[str], *, previous: bool
    ) -> None:
        kept = telling_lines(lines)
        if kept:
            self.gathered.logs.append(LogTail(namespace, pod, container, previous, kept))


def _head(file: Path) -> str:
    with file.open("rb") as stream:
        return stream.read(_HEAD).decode("utf-8", "replace")


def _tail(file: Path) -> list[str]:
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _LOG_TAIL_BYTES))
        return stream.read().decode("utf-8", "replace").splitlines()
