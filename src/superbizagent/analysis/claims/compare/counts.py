"""How many there are: entities, pods, alerts, changes, causes, series, files, counted by code.

No fact holds such a number; it is the length of a list that the session has.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from superbizagent.analysis.claims.compare._bands import share_of
from superbizagent.analysis.claims.compare._classes import (
    Member,
    members,
    moved,
    on_topic,
)
from superbizagent.analysis.claims.compare._findings import abnormal, of_entities
from superbizagent.analysis.claims.compare._held import refuted, supported
from superbizagent.analysis.claims.compare._speech import Speech, speech
from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.evidence.ground import Ground
from superbizagent.analysis.claims.mentions import Clause, Form, Quantity, WordKind
from superbizagent.domain.logs import LogDigest
from superbizagent.domain.outputs import AlertList, ChangeList, Topology
from superbizagent.domain.plan import ToolName

__all__ = ["count_of"]

_NOUNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(said, re.IGNORECASE))
    for name, said in (
        (
            "series",
            r"(?:time )?series\b|metrics?\b|indicators?\b|[条个项]?\s?(?:(?:时间)?序列|指标)",
        ),
        ("alert", r"alerts?\b|alarms?\b|[条个]?\s?(?:告警|报警|警报)(?!日志)"),
        (
            "change",
            r"(?:config )?changes?\b|deployments?\b|releases?\b|[次个]?\s?(?:变更|发布|部署)",
        ),
        (
            "hypothesis",
            r"hypothes[ei]s\b|explanations?\b|theor(?:y|ies)\b|[个种条]?\s?(?:假设|解释)",
        ),
        ("candidate", r"candidates?\b|suspects?\b|(?:candidate|possible) causes?\b|[个种]?\s?候选"),
        ("finding", r"findings?\b|anomal(?:y|ies)\b|deviations?\b|[处项]\s?异常"),
        ("file", r"log files?\b|files?\b|[个份]?\s?日志文件"),
        ("edge", r"edges?\b|call relations?\b|[条个]?\s?调用关系"),
        ("look", r"queries by|tool calls?\b|evidence calls?\b|次取证"),
        ("pod", r"(?:pods?|containers?)\b|个?\s?(?:pod|容器)"),
        ("instance", r"(?:instances?|replicas?)\b|个?\s?(?:实例|副本)"),
        (
            "database",
            r"databases?\b|[个套]?\s?数据库",
        ),
        ("host", r"(?:nodes?|hosts?|machines?)\b|[个台]?\s?(?:节点|主机|机器)"),
        ("entity", r"(?:entities|components)\b|个?\s?(?:实体|组件)"),
        (
            "service",
            r"(?:micro-?)?services?\b|[个项]?\s?微?服务",
        ),
    )
)
_OF_IT = re.compile(
    r" ?(?:connection|session|thread|call|quer|request|error|restart)|连接|会话|线程|器"
)
"""Behind a noun of the table it is another: "ten database connections"."""
_BETWEEN = re.compile(
    r"\s*(?:(?:of|the|its|their|our|different|distinct|other|affected|abnormal|examined|failing|"
    r"known|backend|error|latency|and|new|related|slow|unhealthy|异常|的|错误|和|延迟|[条个项]"
    r"(?=错误|延迟))\s*){0,5}",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"affect|abnormal|anomal|\bfail|\bslow|\berror|unhealthy|degrad|impact|out of|deviat|flagged"
    r"|misbehav|strayed|\bhit\b|\bdown\b|\bburn|异常|受影响|失败|变慢|偏离|出错|报错|故障的",
    re.IGNORECASE,
)
_CALM = re.compile(
    r"\bnormal|\bcalm|\bhealthy|\bquiet|unaffected|正常|健康|未受影响", re.IGNORECASE
)
_REFUTED = re.compile(
    r"refut|ruled? out|reject|discard|excluded|fell|排除|否定|否决|不成立", re.IGNORECASE
)
_SUPPORTED = re.compile(
    r"support|held up|holds? up|confirm|survive|stands?\b|成立|证实", re.IGNORECASE
)
_NOT_ONE = re.compile(r"\bnot (?:even )?(?:a single |one)|\bnone of", re.IGNORECASE)
_FELT = re.compile(
    r" ?(?:of the )?[条个项]?\s?(?:error|latency|errors|错误|延迟)(?: and |和|与|、)", re.IGNORECASE
)
_OWN = frozenset({"pod", "replica", "host", "process", "user", "log", "alert", "dependency"})

_INNER = re.compile(r"^[^一-鿿]*")
"""In front of the noun that stands between the numbers of a part: 919 条时间序列中有 45."""
_BEFORE = re.compile(
    r"(时间序列|序列|指标|服务|实例|告警|变更|副本|节点)(?:一共|总共|共|只|仅)?(?:有|为|是)?\s*$"
)
_KINDS_OF = {
    "entity": (("service", "database", "host"), ("service", "database")),
    "service": (("service",), ("service", "database"), ("service", "database", "host")),
}
"""A database is a service to who counts what is affected."""

Counts = dict[int, tuple[str, ...]]
"""Each count that the noun may stand for, with the facts that say so."""


class Group(NamedTuple):
    """Counts of one class: of all its things, and of those that the sentence speaks of."""

    all: Counts
    some: Counts = {}  # noqa: RUF012 - never changed


def count_of(view: View, quantity: Quantity) -> tuple[str, ...] | None:
    """Hold the number of things of a class against how many the session knows.

    Returns:
        None when the number counts nothing of that sort: it is for others to judge. The ids of
        facts, or ``analysis`` where the length of a list is the fact, when it is as many. An empty
        tuple when it is of that sort and the session knows another number.
    """
    if quantity.unit or quantity.form not in {Form.VALUE, Form.PART}:
        return None
    noun = _noun_of(view, quantity)
    if not noun:
        return None
    return _Count(view, quantity, noun).judged()


def _noun_of(view: View, quantity: Quantity) -> str:
    """The class that stands right behind the number."""
    skipped = _BETWEEN.match(view.text, quantity.end)
    for at in (quantity.end, skipped.end() if skipped else quantity.end):
        begin = at + (view.text[at : at + 1] == " ")
        for name, said in _NOUNS:
            match = said.match(view.text, begin)
            if match:
                return "" if _OF_IT.match(view.text, match.end()) else name
    # "two of the three services": both numbers count the noun behind the second.
    if quantity.form is Form.PART:
        within = (quantity.noun, _INNER.sub("", quantity.text))
        return next((n for n, said in _NOUNS if any(map(said.match, within))), "")
    return _noun_before(view, quantity)


def _noun_before(view: View, quantity: Quantity) -> str:
    """The class that stands before a Chinese number: 异常的序列只有一条."""
    before = _BEFORE.search(view.text, 0, quantity.start)
    if before is None:
        return ""
    return next((name for name, said in _NOUNS if said.match(before[1])), "")


@dataclass(frozen=True)
class _Count:
    view: View
    quantity: Quantity
    noun: str

    @property
    def ground(self) -> Ground:
        return self.view.ground

    @cached_property
    def clause(self) -> Clause:
        return self.view.clause_of(self.quantity)

    @cached_property
    def said(self) -> Speech:
        return speech(self.view, self.clause.start, self.clause.end)

    @cached_property
    def text(self) -> str:
        """The words around the number, up to the numbers before and behind it."""
        others = [q for q in self.view.statement.quantities if q is not self.quantity]
        before = [q.end for q in others if q.end <= self.quantity.start]
        behind = [q.start for q in others if q.start >= self.quantity.end]
        start = max([self.clause.start, *before])
        return self.view.text[start : min([self.clause.end, *behind])]

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Entities that the clause itself names, or the text is about."""
        names = [n for n in self.view.statement.names if self.clause.holds(n)]
        return tuple(dict.fromkeys(p for n in names for p in n.entities))

    def judged(self) -> tuple[str, ...] | None:
        readers: dict[str, Callable[[], Iterator[Group]]] = {
            "series": self._series,
            "hypothesis": self._hypotheses,
        }
        groups = list(readers.get(self.noun, self._listed)())
        if not groups:
            return None
        if self.quantity.form is Form.PART:
            return self._part(groups)
        for group in groups:
            ids = self._one(group.some or group.all, self.quantity.value)
            if ids:
                return ids
        return ()

    def _one(self, counts: Counts, value: float) -> tuple[str, ...]:
        is_part = self.quantity.form is Form.PART
        for count, ids in counts.items():
            if count == value if is_part else self.quantity.accepts(float(count)):
                return ids or ("analysis",)
        return ()

    def _part(self, groups: Sequence[Group]) -> tuple[str, ...] | None:
        """``3 of 5``: the part counts those of which it is said, the whole all of them."""
        whole = self.quantity.whole
        if whole is None:
            return None
        alone = bool(_NOT_ONE.search(self.view.text, self.clause.start, self.quantity.start + 4))
        if not alone and not any(group.some for group in groups):
            return None  # nothing says which of them are meant
        for group in groups:
            all_of_them = self._one(group.all, whole)
            # "not one of 710 series" counts the 710 alone.
            some = all_of_them if alone else self._one(group.some, self.quantity.value)
            if all_of_them and some:
                return (*some, *all_of_them)
        return ()

    # What is listed -------------------------------------------------------------------------------

    def _listed(self) -> Iterator[Group]:
        analysis = self.ground.analysis
        match self.noun:
            case "alert":
                yield Group(self._of_outputs(ToolName.LIST_ALERTS))
            case "change":
                yield Group(self._of_outputs(ToolName.LIST_CHANGES))
            case "edge":
                yield Group(self._of_outputs(ToolName.GET_TOPOLOGY))
            case "file":
                yield Group(self._of_outputs(ToolName.SEARCH_LOGS))
            case "candidate":
                standing = sum(c.score > 0 for c in analysis.candidates)
                yield Group({len(analysis.candidates): (), standing: ()})
            case "finding":
                yield Group({len(of_entities(abnormal(self.ground), self.named)): ()})
            case "look":
                yield Group({len(self.ground.looks): ()})
            case _:
                yield from self._members()

    def _of_outputs(self, tool: ToolName) -> Counts:
        total: set[object] = set()
        ids: list[str] = []
        for row in self.ground.evidence.invocations:
            if row.tool is not tool:
                continue
            ids.append(f"E{row.number}.1")
            match row.output:
                case AlertList(alerts=alerts):
                    total |= {
                        (row.number, k) for k, a in enumerate(alerts) if self._is_of(a.labels)
                    }
                case ChangeList(changes=changes):
                    own = (k for k, c in enumerate(changes) if self._is_of({"entity": c.entity}))
                    total |= {(row.number, k) for k in own}
                case Topology(edges=edges):
                    total |= {(e.caller, e.callee) for e in edges}
                case LogDigest(files=files):
                    total |= {f.path for f in files}
                case _:
                    pass
        return {len(total): tuple(i for i in ids if self.ground.fact(i) is not None)}

    def _is_of(self, labels: Mapping[str, str]) -> bool:
        names = {path.rsplit("/", 1)[-1] for path in self.named}
        return not names or not names.isdisjoint(labels.values())

    def _hypotheses(self) -> Iterator[Group]:
        results = self.ground.analysis.hypotheses
        some: Counts = {}
        if _REFUTED.search(self.text):
            some[len(refuted(self.ground))] = ()
        if _SUPPORTED.search(self.text):
            some[len(supported(self.ground))] = ()
        # "Of three explanations put to the test only one held up": both numbers, one clause.
        yield Group({len(results): ()}, some if self._is_part() else {})
        if some:
            yield Group(some)

    # Entities, pods -------------------------------------------------------------------------------

    def _members(self) -> Iterator[Group]:
        owners = self.named if self.noun in {"pod", "instance"} else ()
        for kinds in _KINDS_OF.get(self.noun, ((self.noun,),)):
            known = [m for kind in kinds for m in members(self.ground, kind, owners)]
            if known:
                yield Group({len(known): ()}, self._of_them(known))
        if not self._says_trouble():
            yield from self._of_topology()

    def _says_trouble(self) -> bool:
        """Tell whether it counts those in which something is wrong, not "free of errors"."""
        scopes = self.view.statement.words_of(WordKind.SCOPE, self.clause)
        absent = self.view.statement.words_of(WordKind.ABSENCE, self.clause)
        if absent or any(w.value == "none" for w in scopes):
            return False
        return bool(_TROUBLE.search(self.text))

    def _of_them(self, known: Sequence[Member]) -> Counts:
        hurt = sum(self._hurt(m) for m in known)
        if self._says_trouble():
            denied = self.view.statement.words_of(WordKind.NEGATION, self.clause)
            return {len(known) - hurt if denied else hurt: ()}
        return {len(known) - hurt: ()} if _CALM.search(self.text) else {}

    def _hurt(self, member: Member) -> bool:
        said = self.said if self.said.asked(_OWN) else None
        if said is not None and moved(self.ground, member, said, _OWN):
            return True
        if said is not None and on_topic(self.ground, member, said, _OWN):
            return False
        if member.entity:
            return bool(of_entities(abnormal(self.ground), (member.entity,)))
        return any(self.ground.stored.direction[k] not in {"", "flat"} for k in member.series)

    def _of_topology(self) -> Iterator[Group]:
        """Nodes of the call graph; callers and callees of a named one."""
        topology = self.ground.scope.topology
        nodes = {n.name for n in topology.nodes}
        nodes |= {name for e in topology.edges for name in (e.caller, e.callee)}
        if self.noun in {"service", "host"} and nodes:
            yield Group({len(nodes): ()})
        for path in self.named:
            name = path.rsplit("/", 1)[-1]
            callers = {e.caller for e in topology.edges if e.callee == name}
            near = (topology.callees(name), callers, topology.downstream(name))
            yield Group({len(found): () for found in near})

    # Series ---------------------------------------------------------------------------------------

    def _series(self) -> Iterator[Group]:
        """Series that were read and those that left their band, of all or of some entities."""
        looks = [k for k in self.ground.looks if not k.partial]
        paths = self.view.entities(self.clause)
        scope = tuple(e.path for e in self.ground.scope.entities)
        groups: list[tuple[str, ...]] = [] if self.named else [(), scope]
        for some in (*groups, *((p,) for p in paths), paths):
            calls = [k.number for k in looks if not some or not set(some).isdisjoint(k.entities)]
            known = self._sum_of("series_examined", calls)
            hurt = self._sum_of("series_abnormal", calls)
            # "Some of the 232 series" says how many there are.
            of_all = share_of(self.view, self.clause) not in {"", "counted"}
            said = (self._says_trouble() and not of_all) or self._is_part()
            if not _FELT.match(self.view.text, self.quantity.end):
                yield Group(known, hurt if said else {})
            # Those about errors and latency.
            yield Group(self._sum_of("symptom_series_examined", calls))

    def _is_part(self) -> bool:
        return self.quantity.form is Form.PART

    def _sum_of(self, name: str, calls: list[int]) -> Counts:
        own = [f for f in self.ground.facts if f.name == name and f.call in calls]
        values = [int(f.value) for f in own if isinstance(f.value, int | float)]
        return {sum(values): tuple(f.id for f in own)} if own else {}
