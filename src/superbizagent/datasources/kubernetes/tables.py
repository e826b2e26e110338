"""Tables that ``kubectl get`` prints, brought into the form of the objects that they list.

A table tells little: a pod's state in one word, an age instead of a time. Columns are found by
where their headings stand, so a cell may hold blanks.
"""

import re
from collections.abc import Iterator

from superbizagent.datasources.kubernetes.columns import free_object, plain_heading
from superbizagent.datasources.kubernetes.event_rows import event_of
from superbizagent.datasources.kubernetes.fields import Raw
from superbizagent.datasources.kubernetes.gathered import KINDS, Form, Gathered
from superbizagent.datasources.kubernetes.rows import FILLS, Cells, labels_of

__all__ = ["add_tables", "is_bare_row", "is_table"]

_COLUMN = re.compile(r"\S+(?: \S+)*")
_HEADING = re.compile(r"[A-Z][A-Z0-9 ._/()%#:@-]*")
_MARKS = str.maketrans("↑↓▲▼", "    ")
"""By which column a screen is sorted."""
_SINGLE = frozenset(
    {"NAMESPACE", "NAME", "PF", "READY", "STATUS", "RESTARTS", "AGE", "NODE", "IP",
     "CPU", "MEM", "%CPU/R", "%MEM/R", "%CPU/L", "%MEM/L", "%CPU", "%MEM"}
)  # fmt: skip
"""Headings of one word, as they may stand side by side."""
_FIRST = frozenset(
    {"NAMESPACE", "NAME", "LASTSEEN", "NS", "POD", "PODNAME", "NODE", "NODENAME", "OBJECT", "OBJ",
     "KIND", "REASON", "TYPE", "LAST", "TIME", "WHEN", "AGE", "EVENT", "TIMESTAMP", "SEEN",
     "INVOLVED", "INVOLVEDOBJECT", "DEPLOYMENT", "SERVICE", "LASTTIMESTAMP", "FIRSTSEEN", "COUNT",
     "CONTAINER", "WORKLOAD", "PVC", "CLAIM", "STATUS", "MESSAGE", "CREATED", "HOST"}
)  # fmt: skip
"""A table of objects has one of these headings; with other headings it may be of anything."""
_NAMES = frozenset({"NAMESPACE", "NAME", "POD", "NODE", "LASTSEEN", "PODNAME", "NODENAME"})
"""With these a heading may begin that is not written in capitals."""
_USAGE = re.compile(r"\s*(?:NAMESPACE +)?(?:POD +)?NAME +CPU\(cores\) +")
_PREFIXED = re.compile(r"([A-Za-z]+)(?:\.[a-z0-9.]+)?/(.+)")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.:-]{0,251}[a-z0-9])?")
_AGE = r"(?:\d+[smhdy](?:\d+[smhdy])?|<invalid>|<unknown>)"
_BARE_POD = re.compile(
    r"(?P<pre>\s*(?:[a-z0-9-]+\s+)?)(?P<name>(?:pod/)?[a-z0-9][a-z0-9.-]*)"
    r"\s+(?P<ready>\d+/\d+)\s+(?P<status>[A-Z][\w:/]*)"
    rf"\s+(?P<restarts>\d+(?: \(\S+ ago\))?)\s+(?P<age>{_AGE})(?P<rest>\s.*)?"
)
_BARE_EVENT = re.compile(
    rf"\s*(?:(?P<ns>[a-z0-9-]+)\s+)?(?P<seen>{_AGE}(?: \(x\d+ over \S+\))?)"
    r"\s+(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w+)\s+(?P<object>[A-Za-z]+(?:\.[a-z0-9.]+)?/\S+)\s+(?P<message>\S.*)"
)
_BARE_NODE = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9.-]*)\s+(?P<status>(?:Not)?Ready(?:,\w+)*)\s+(?P<roles>[\w<>,-]+)"
    rf"\s+(?P<age>{_AGE})\s+(?P<version>v\d\S+)(?:\s.*)?"
)
_BARE_DEPLOYMENT = re.compile(
    r"(?P<pre>(?:[a-z0-9-]+\s+)?)(?P<name>(?:deployment\.apps/)?[a-z0-9][a-z0-9.-]*)"
    rf"\s+(?P<ready>\d+/\d+)\s+(?P<new>\d+)\s+(?P<up>\d+)\s+(?P<age>{_AGE})(?:\s.*)?"
)
_BARE = (_BARE_POD, _BARE_EVENT, _BARE_NODE, _BARE_DEPLOYMENT)
_SHORT_KINDS = {kind.lower(): kind for kind in KINDS} | {
    "po": "Pod", "deploy": "Deployment", "sts": "StatefulSet", "ds": "DaemonSet",
    "rs": "ReplicaSet", "svc": "Service", "no": "Node", "ep": "Endpoints",
    "pvc": "PersistentVolumeClaim", "pv": "PersistentVolume",
}  # fmt: skip


def is_table(line: str) -> bool:
    """Tell whether a line is the heading of a table of objects."""
    if len(line) > 1000 or line[:1] in {"#", "{", "["}:
        return False
    if _USAGE.match(line):
        return True
    written = line.strip().translate(_MARKS)
    headings = re.split(r" {2,}|\t+", written)
    if len(headings) == 1:
        return written == "NAME"
    known = {plain_heading(h) for h in headings} & _FIRST
    if written == written.upper():
        return bool(known) and all(_HEADING.fullmatch(h) for h in headings)
    own = [plain_heading(h) for h in headings]
    return line[:1] not in {" ", "\t"} and own[0] in _NAMES and len(known) > 1 and own[1] in known


def is_bare_row(line: str) -> bool:
    """Tell whether a line is a row of pods, nodes or events, whose heading may be lost."""
    return any(row.fullmatch(line) for row in _BARE)


def add_tables(body: str, origin: str, gathered: Gathered, kind: str = "") -> bool:
    """Take every row of every table of a text; lines outside any table are passed over.

    Args:
        body: the text.
        origin: where it is from.
        gathered: takes the objects.
        kind: of the objects that were asked for, lower case, where it is known.
    """
    found = False
    strange = 0
    asked = _SHORT_KINDS.get(kind, "")
    for cells in _rows(body):
        raw = _object(cells, asked)
        if raw is None:
            strange += 1
            continue
        gathered.add(raw, Form.TABLE, origin)
        found = True
    if strange:
        gathered.note(f"{origin}: {strange} rows of a table of unknown columns were left out")
    return found


# Rows and cells ----------------------------------------------------------------------------------


def _rows(body: str) -> Iterator[Cells]:
    columns: list[tuple[str, int]] = []
    tabbed = False
    for line in body.splitlines():
        if is_table(line):
            tabbed = "\t" in line.strip()
            names = line.strip().split("\t") if tabbed else []
            columns = [(n.strip(), 0) for n in names] or list(_headings(line.translate(_MARKS)))
        elif not line.strip():
            columns = []
        elif columns and tabbed:
            parts = line.strip("\n").split("\t")
            yield dict(zip((n for n, _ in columns), (p.strip() for p in parts), strict=False))
        elif columns:
            yield _cells(line, columns)
        elif is_bare_row(line):
            yield _bare_cells(line)


def _headings(line: str) -> Iterator[tuple[str, int]]:
    """Yield headings with where they stand; some screens set them one blank apart."""
    for found in _COLUMN.finditer(line):
        words = found[0].split(" ")
        if len(words) > 1 and all(word in _SINGLE for word in words):
            yield from ((m[0], found.start() + m.start()) for m in re.finditer(r"\S+", found[0]))
        else:
            yield found[0], found.start()


def _cells(line: str, columns: list[tuple[str, int]]) -> Cells:
    starts = [start for _, start in columns]
    if all(line[start - 1 : start] in {"", " "} for start in starts[1:]):
        ends = [*starts[1:], len(line)]
        cut = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        if not any("  " in cell for cell in cut[:-1]):  # else they stand below no heading
            return {name: cell for (name, _), cell in zip(columns, cut, strict=True)}
    words = line.split()
    if len(words) == len(columns):
        return {name: word for (name, _), word in zip(columns, words, strict=True)}
    # Rows that came while somebody watched stand as wide as they are, whatever the heading.
    parts = re.split(r" {2,}", line.strip(), maxsplit=len(columns) - 1)
    return {name: part for (name, _), part in zip(columns, parts, strict=False)}


def _bare_cells(line: str) -> Cells:
    event = _BARE_EVENT.fullmatch(line)
    if event is not None:
        return {
            "NAMESPACE": event["ns"] or "", "LAST SEEN": event["seen"], "TYPE": event["type"],
            "REASON": event["reason"], "OBJECT": event["object"], "MESSAGE": event["message"],
        }  # fmt: skip
    node = _BARE_NODE.fullmatch(line)
    if node is not None:
        return {"NAME": node["name"], "STATUS": node["status"], "ROLES": node["roles"],
                "AGE": node["age"], "VERSION": node["version"]}  # fmt: skip
    made = _BARE_DEPLOYMENT.fullmatch(line)
    if made is not None:
        return {"NAMESPACE": made["pre"].strip(), "NAME": made["name"], "READY": made["ready"],
                "UP-TO-DATE": made["new"], "AVAILABLE": made["up"], "AGE": made["age"]}  # fmt: skip
    pod = _BARE_POD.fullmatch(line)
    if pod is None:
        return {}
    rest = (pod["rest"] or "").split()
    return {
        "NAMESPACE": pod["pre"].strip(), "NAME": pod["name"], "READY": pod["ready"],
        "STATUS": pod["status"], "RESTARTS": pod["restarts"], "AGE": pod["age"],
        "NODE": rest[1] if len(rest) > 1 else "",
        "LABELS": rest[-1] if rest and "=" in rest[-1] else "",
    }  # fmt: skip


# Objects -----------------------------------------------------------------------------------------


def _object(cells: Cells, asked: str) -> Raw | None:
    """Return the object of a row; its kind stands before its name, or its columns tell."""
    event = event_of(cells)
    if event is not None:
        return event
    name = cells.get("NAME", "")
    prefixed = _PREFIXED.fullmatch(name)
    kind = _SHORT_KINDS.get(prefixed[1].lower(), "") if prefixed else ""
    if prefixed and kind:
        name = prefixed[2]
    kind = kind or next((k for k, needs in _TELLING if needs <= cells.keys()), "") or asked
    kind = kind or next((k for k, needs in _PLAIN if needs <= cells.keys()), "")
    fill = FILLS.get(kind)
    if not kind or not name or (fill is not None and not fill.needs <= cells.keys()):
        return free_object(cells, kind)
    if not _NAME.fullmatch(name):
        return None
    named: Raw = {
        "name": name,
        "namespace": cells.get("NAMESPACE", ""),
        "age": cells.get("AGE", ""),
        "labels": labels_of(cells.get("LABELS", "")),
    }
    read = fill.read(cells) if fill is not None else {}
    return read | {"kind": kind, "metadata": named | read.get("metadata", {})}


_TELLING: tuple[tuple[str, frozenset[str]], ...] = (
    ("Pod", frozenset({"READY", "STATUS", "RESTARTS"})),
    ("DaemonSet", frozenset({"DESIRED", "CURRENT", "READY", "AVAILABLE"})),
    ("Deployment", frozenset({"UP-TO-DATE", "AVAILABLE"})),
    ("ReplicaSet", frozenset({"DESIRED", "CURRENT", "READY"})),
    ("CronJob", frozenset({"SCHEDULE", "SUSPEND"})),
    ("Job", frozenset({"COMPLETIONS", "DURATION"})),
    ("Service", frozenset({"TYPE", "CLUSTER-IP", "PORT(S)"})),
    ("Node", frozenset({"STATUS", "ROLES", "VERSION"})),
    ("PersistentVolumeClaim", frozenset({"STATUS", "VOLUME", "CAPACITY"})),
    ("PersistentVolume", frozenset({"CAPACITY", "STATUS", "CLAIM"})),
    ("ResourceQuota", frozenset({"REQUEST", "LIMIT"})),
    ("EndpointSlice", frozenset({"ADDRESSTYPE", "ENDPOINTS"})),
    ("Endpoints", frozenset({"ENDPOINTS", "AGE"})),
    ("StorageClass", frozenset({"PROVISIONER", "RECLAIMPOLICY"})),
    ("HorizontalPodAutoscaler", frozenset({"REFERENCE", "MINPODS"})),
    ("Ingress", frozenset({"HOSTS", "PORTS"})),
    ("Secret", frozenset({"TYPE", "DATA"})),
    ("ServiceAccount", frozenset({"SECRETS", "AGE"})),
)
"""Columns that tell the kind of a table, the most telling first."""
_PLAIN: tuple[tuple[str, frozenset[str]], ...] = (
    ("ConfigMap", frozenset({"NAME", "DATA", "AGE"})),
    ("StatefulSet", frozenset({"NAME", "READY", "AGE"})),
    ("Namespace", frozenset({"NAME", "STATUS", "AGE"})),
)
"""Columns that tell the kind where nothing else does."""
