"""Everything that may be quoted, and where a quote stands in it."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from superbizagent.analysis.claims.evidence.looks import service_path
from superbizagent.domain.evidence import Evidence, ToolInvocation
from superbizagent.domain.fact import Fact
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import AlertList, ChangeList
from superbizagent.domain.scope import Scope

__all__ = ["Text", "Texts", "fold", "texts_of"]

_ELISION = re.compile(r"…|\.\.\.|\[…\]|\[\.\.\.\]")
_UNPRINTED = frozenset({"Cc", "Cf"})


def fold(text: str) -> str:
    """Return a text as quotes are compared: full-width forms as ASCII, one space for any run."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(
            " " if c.isspace() else c for c in text if c.isspace() or not _is_unprinted(c)
        )
    elif not text.isprintable():
        text = "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)
    return " ".join(text.split())


def _is_unprinted(char: str) -> bool:
    return unicodedata.category(char) in _UNPRINTED


@dataclass(frozen=True, slots=True)
class Text:
    """One quotable text."""

    id: str
    """A fact's, or ``E8.l12`` for a stored log line that no fact has."""
    entity: str
    content: str


class Texts:
    """Texts that are searched as one."""

    def __init__(self, items: Sequence[Text]) -> None:
        self.items = tuple(items)

    def __iter__(self) -> Iterator[Text]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        """All contents, a line each, and where each begins."""
        starts: list[int] = []
        parts: list[str] = []
        at = 0
        for item in self.items:
            part = fold(item.content)
            starts.append(at)
            parts.append(part)
            at += len(part) + 1
        return "\n".join(parts), starts

    def find(self, content: str, entities: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the ids of the texts that hold a quote, in call order; all with the text, once.

        ``…`` and ``...`` stand for anything between two parts that follow each other in one text.
        Time is linear in the texts: a text is left at its first miss and never entered twice.
        """
        parts = [p for p in (fold(part) for part in _ELISION.split(content)) if p]
        if not parts:
            return ()
        wanted = None if entities is None else frozenset(entities)
        return tuple(
            dict.fromkeys(
                item.id for item in self._hits(parts) if wanted is None or item.entity in wanted
            )
        )

    def _hits(self, parts: Sequence[str]) -> Iterator[Text]:
        whole, starts = self._folded
        at = whole.find(parts[0])
        while at >= 0:
            number = bisect_right(starts, at) - 1
            end = starts[number + 1] - 1 if number + 1 < len(starts) else len(whole)
            if _follow(whole, parts[1:], at + len(parts[0]), end):
                yield self.items[number]
            at = whole.find(parts[0], end)


def _follow(whole: str, parts: Sequence[str], start: int, end: int) -> bool:
    for part in parts:
        at = whole.find(part, start, end)
        if at < 0:
            return False
        start = at + len(part)
    return True


def texts_of(
    evidence: Evidence, facts: Sequence[Fact], scope: Scope, owner_of: Callable[[Fact], str]
) -> Texts:
    """Return quotes and texts of facts, then what outputs hold beside them.

    Alert annotations, change summaries and stored log lines without a fact stand under the id of
    the nearest fact, and lines under their own.
    """
    items: dict[tuple[str, str], Text] = {}

    def add(item: Text) -> None:
        if item.content:
            items.setdefault((item.id, item.content), item)

    for fact in facts:
        owner = owner_of(fact)
        add(Text(fact.id, owner, fact.quote))
        if isinstance(fact.value, str) and fact.statistic in {"message", "summary", "line"}:
            add(Text(fact.id, owner, fact.value))
        if fact.name.startswith(("alert:", "change:")):
            add(Text(fact.id, owner, fact.name.partition(":")[2]))
    for row in evidence.invocations:
        for item in _of_output(row, facts, scope):
            add(item)
    return Texts(tuple(items.values()))


def _of_output(row: ToolInvocation, facts: Sequence[Fact], scope: Scope) -> Iterator[Text]:
    mine = {f.place: f for f in reversed(facts) if f.call == row.number}
    match row.output:
        case LogDigest() as digest:
            for k, line in enumerate(digest.lines):
                yield Text(f"E{row.number}.l{k}", service_path(line.service, scope), line.text)
        case AlertList(alerts=alerts):
            for k, alert in enumerate(alerts):
                fact = mine.get(f"alert/{k}")
                for content in (*alert.annotations.values(), *alert.labels.values()):
                    yield Text(fact.id if fact else f"E{row.number}", _owner(fact), content)
        case ChangeList(changes=changes):
            for k, change in enumerate(changes):
                fact = mine.get(f"change/{k}")
                for content in (change.summary, change.revision, change.author):
                    yield Text(fact.id if fact else f"E{row.number}", _owner(fact), content)
        case _:
            pass


def _owner(fact: Fact | None) -> str:
    return fact.entity if fact else ""
