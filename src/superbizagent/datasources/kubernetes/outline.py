"""The indented ``Key: value`` text of ``kubectl describe`` as a tree, without its meaning."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["Node", "bare_event_rows", "is_event_row", "moment", "outline", "pairs", "table"]

_ENTRY = re.compile(r"( *)([^:]{1,200}?):(?:\s+(.*))?$")
_COLUMN = re.compile(r"\S+(?: \S+)*")


_EVENT_ROW = re.compile(
    r"\s*(?P<Type>Normal|Warning)\s+(?P<Reason>[A-Z]\w+)\s+"
    r"(?P<Age>(?:\d+[smhd](?:\d+[smhd])?|<unknown>)(?: \(x\d+ over \w+\))?)\s+"
    r"(?P<From>[a-z][\w., -]*?)\s{2,}(?P<Message>\S.*)"
)


@dataclass(slots=True)
class Node:
    """One key with its value, and what is indented below it."""

    key: str
    value: str = ""
    children: list["Node"] = field(default_factory=list["Node"])
    lines: list[str] = field(default_factory=list[str])
    """Everything indented below it, as it stands: for tables."""

    def child(self, key: str) -> "Node":
        """The first child of this key, an empty one when there is none."""
        return next((c for c in self.children if c.key == key), Node(key))

    def text(self, *keys: str) -> str:
        """The value at a path of keys, empty when there is none."""
        node = self
        for key in keys:
            node = node.child(key)
        return "" if node.value in {"<none>", "<unset>", "<unknown>"} else node.value


def outline(lines: Sequence[str]) -> Node:
    """Return a tree whose root holds the entries of the margin."""
    root = Node("")
    stack: list[tuple[int, Node]] = [(-1, root)]
    for line in lines:
        found = _ENTRY.match(line)
        indent = len(line) - len(line.lstrip(" "))
        for depth, node in stack:
            if depth < indent:
                node.lines.append(line)
        if found is None:
            continue
        while stack[-1][0] >= indent:
            stack.pop()
        node = Node(found[2].strip(), (found[3] or "").strip())
        stack[-1][1].children.append(node)
        if len(stack) < 30:  # deeper text is no description
            stack.append((indent, node))
    return root


def table(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a table whose first line holds the headings, by where these stand."""
    body = [line for line in lines if line.strip()]
    if not body:
        return
    columns = [(m[0], m.start()) for m in _COLUMN.finditer(body[0])]
    ends = [start for _, start in columns[1:]] + [10**6]
    for line in body[1:]:
        if set(line.strip()) <= {"-", " "}:
            continue
        yield {
            name: line[start:end].strip() for (name, start), end in zip(columns, ends, strict=True)
        }


def is_event_row(line: str) -> bool:
    """Tell whether a line is a row of a description's events."""
    return _EVENT_ROW.fullmatch(line) is not None


def bare_event_rows(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of events whose heading is lost, by the headings that they had."""
    for line in lines:
        if found := _EVENT_ROW.fullmatch(line):
            yield found.groupdict()


def pairs(node: Node) -> dict[str, str]:
    """Return labels or a selector: one a line, the first beside the key, or all in one line."""
    written = [node.value, *node.lines]
    found = [p.strip().partition("=") for line in written for p in line.split(",")]
    return {name: value for name, sign, value in found if sign}


def moment(written: str) -> str:
    """Return a time as ``describe`` writes it in ISO form, empty for another text."""
    try:
        found = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError):
        return ""
    when: datetime = found if found.tzinfo else found.replace(tzinfo=UTC)
    return when.isoformat()
