"""Reads a folder or file of saved output: which sort of text each file is, and what is in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from superbizagent.datasources.kubernetes.boxed import unboxed
from superbizagent.datasources.kubernetes.counters import (
    Throttling,
    share_of_stat,
    throttling_of,
)
from superbizagent.datasources.kubernetes.describe import add_descriptions
from superbizagent.datasources.kubernetes.documents import YamlBudget, add_json, add_yaml
from superbizagent.datasources.kubernetes.gathered import Gathered, LogTail
from superbizagent.datasources.kubernetes.journal import add_journal, is_journal
from superbizagent.datasources.kubernetes.logs import telling_lines
from superbizagent.datasources.kubernetes.moments import taken_at
from superbizagent.datasources.kubernetes.pieces import add_piece
from superbizagent.datasources.kubernetes.plain import plain_text, without_stamps
from superbizagent.datasources.kubernetes.saved_logs import SavedLogs
from superbizagent.datasources.kubernetes.sections import Section, Sort, sections_of
from superbizagent.datasources.kubernetes.spoken import add_spoken
from superbizagent.datasources.kubernetes.statements import add_statements, is_statement
from superbizagent.datasources.kubernetes.tables import add_tables
from superbizagent.datasources.kubernetes.terminal import Part, is_session, parts_of
from superbizagent.datasources.kubernetes.usage import is_usage, usage_of
from superbizagent.errors import NothingReadableError

__all__ = ["read_dump"]

_MOST_FILES = 20_000
_LARGEST = 512 * 1024 * 1024
"""Bytes of one file; a dump of a whole large cluster is half of it."""
_HEAD = 64 * 1024
_LOG_SECTION = re.compile(
    r"^==== START logs for container (\S+) of pod (\S+)/(\S+) ====\n(.*?)^==== END logs ",
    re.MULTILINE | re.DOTALL,
)
_DESCRIBED = re.compile(
    r"desc(?:ribed?)?[-_.](?:(po|pods?|no|nodes?|svc|service)[-_.])?([a-z0-9][a-z0-9.-]*?)"
    r"(?:\.(?:txt|log|md|out|yaml))?$"
)
_LOG_SUFFIXES = frozenset({".log", ".logs"})
_NOT_OURS = frozenset({".gz", ".zip", ".tar", ".png", ".html", ".css", ".js", ".parquet", ".db"})
_DENIED = re.compile(
    r"^Error from server \((Forbidden|Unauthorized|[A-Za-z]+)\): (.*?)(?:^|\n|$)", re.MULTILINE
)
_RESOURCE = re.compile(
    r'cannot (?:list|get) resource "([a-z]+)"|^([a-z]+)(?:\.[a-z0-9.]+)? is forbidden'
)
_NO_RESOURCES = re.compile(r"^No resources found(?: in (\S+) namespace)?", re.MULTILINE)


def read_dump(path: Path, told: Sequence[str] = ()) -> Gathered:
    """Return everything that could be read of a folder, or of one file.

    Args:
        path: the folder or file.
        told: namespaces that whoever asks named; used where no text says where objects are.

    Raises:
        NothingReadableError: when there is no such place, or nothing in it is of a cluster.
    """
    if not path.exists():
        raise NothingReadableError(
            f"there is no {str(path)!r}; give a folder or file of saved kubectl output, or a URL"
        )
    base = path if path.is_dir() else path.parent
    gathered = Gathered(told=tuple(told))
    reader = _Reader(base, gathered, SavedLogs(base, gathered))
    for file in _files(path, gathered):
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
    gathered: Gathered
    logs: SavedLogs
    budget: YamlBudget = field(default_factory=YamlBudget)
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
            if _is_log(file):
                self.logs.files.append((file, origin))
                return
            body = plain_text(file.read_bytes())
        except OSError as error:
            self._lost(origin, f"cannot be read: {error.strerror or error}")
            return
        if body is None:
            self._lost(origin, "is no text and was not read")
            return
        taken = False
        for part in parts_of(unboxed(without_stamps(body))):
            self.gathered.namespace = part.namespace
            taken |= self._part(part, origin)
        self.gathered.namespace = ""
        if taken:
            self.written = max(self.written, stat.st_mtime)
        elif body.strip():
            self.logs.files.append((file, origin))
        self.found |= taken

    def _part(self, part: Part, origin: str) -> bool:
        if part.is_log:
            self.logs.take(part)
            return bool(part.text.strip())
        if part.kind == "pod" and part.verb == "get" and not part.filtered:
            self.gathered.listed.add("*" if part.everywhere else part.namespace)
        taken = False
        for section in sections_of(part.text):
            taken |= self._section(section, part, origin)
        return taken

    def _section(self, section: Section, part: Part, origin: str) -> bool:  # noqa: PLR0911 - one a sort
        body = section.text
        match section.sort:
            case Sort.JSON:
                return self._json(body, origin)
            case Sort.YAML:
                return add_yaml(body, origin, self.gathered, self.budget)
            case Sort.DESCRIPTION | Sort.FRAGMENT:
                about = (part.kind, part.name) if part.verb == "describe" else _about(origin)
                return add_descriptions(body, origin, self.gathered, *about)
            case Sort.TABLE if is_usage(body.lstrip()):
                found = list(usage_of(body, self.gathered.namespace))
                self.gathered.usage += found
                return bool(found)
            case Sort.TABLE | Sort.ROWS:
                kind = part.kind if part.verb == "get" else ""
                return add_tables(body, origin, self.gathered, kind)
            case Sort.SCRAPE:
                throttled = list(throttling_of(body))
                self.gathered.throttling += throttled
                return bool(throttled)
            case Sort.PIECE:
                return add_piece(body, origin, self.gathered, part.kind, part.name)
            case Sort.STAT:
                return self._stat(body, part, origin)
            case Sort.WORDS:
                return self._words(body, part, origin)

    def _json(self, body: str, origin: str) -> bool:
        """Read JSON; the dump of a whole cluster has logs between its documents."""
        if "==== START logs for container " not in body:
            return add_json(body, origin, self.gathered)
        for section in _LOG_SECTION.finditer(body):
            kept = telling_lines(section[4].splitlines())
            if kept:
                tail = LogTail(section[2], section[3], section[1], previous=False, lines=kept)
                self.gathered.logs.append(tail)
        rest = _LOG_SECTION.sub("", body)
        return add_json(rest, origin, self.gathered)

    def _stat(self, body: str, part: Part, origin: str) -> bool:
        """Read the kernel's counters; the command says whose they are, else the file's name."""
        share = share_of_stat(body)
        pod = part.name or Path(origin).stem
        if share is None:
            return False
        self.gathered.throttling.append(
            Throttling(self.gathered.namespace, pod, part.container, share)
        )
        return True

    def _words(self, body: str, part: Part, origin: str) -> bool:
        """Read what ``kubectl`` says instead of objects: refused, not there, or there are none."""
        if len(body) > 1_000_000:
            return False
        found = False
        for refusal in _DENIED.finditer(body):
            resource = _RESOURCE.search(refusal[2])
            kind = (resource[1] or resource[2]) if resource else "objects"
            denied = refusal[1] in {"Forbidden", "Unauthorized"}
            self.gathered.looked(kind, "denied" if denied else "error", refusal[2])
            found = True
        found |= add_spoken(body, origin, self.gathered)
        found |= add_journal(body, origin, self.gathered)
        if is_statement(body):
            about = part.name if part.verb == "rollout" else ""
            found |= add_statements(body, origin, self.gathered, about)
        return found or _NO_RESOURCES.search(body[:_HEAD]) is not None

    def _lost(self, origin: str, why: str) -> None:
        self.gathered.note(f"{origin}: {why}")
        self.gathered.unreadable.append(origin)

    def finish(self, path: Path) -> Gathered:
        """Read the logs now that the pods are known, and say when the cluster was looked at."""
        self.gathered.place_nameless()
        self.gathered.name_strays()
        self.gathered.place_strays()
        self.logs.assign()
        if not self.found:
            why = f" ({'; '.join(self.gathered.notes[:2])})" if self.gathered.notes else ""
            raise NothingReadableError(
                f"nothing in {str(path)!r} is output of kubectl that can be read{why}; save it with"
                " kubectl get all,events -A -o json"
            )
        self.gathered.taken_at = taken_at(self.gathered, self.written)
        return self.gathered


def _about(origin: str) -> tuple[str, str]:
    """Kind and name of what a file is named after that holds a description: ``describe-urn-0``."""
    told = _DESCRIBED.search(Path(origin).name)
    return (_shortened(told[1] or ""), told[2]) if told else ("", "")


def _shortened(kind: str) -> str:
    return {"po": "pod", "no": "node", "svc": "service", "pods": "pod", "nodes": "node"}.get(
        kind, kind or "pod"
    )


def _is_log(file: Path) -> bool:
    """Tell whether a file is named like a log and holds nothing that ``kubectl`` lists or says."""
    if file.suffix.lower() not in _LOG_SUFFIXES and file.stem != "logs":
        return False
    with file.open("rb") as stream:
        head = without_stamps(plain_text(stream.read(_HEAD)) or "")
    if is_session(head) or is_statement(head) or is_journal(head):
        return False
    first = next(sections_of(head), None)
    return first is None or first.sort in {Sort.WORDS, Sort.SCRAPE}
