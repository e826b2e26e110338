"""The causes and effects that a sentence names: who is said to have done what to whom."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from superbizagent.analysis.claims.compare.view import View
from superbizagent.analysis.claims.mentions import Clause, Mention, Word, WordKind

__all__ = ["Edge", "Span", "edges_of"]

Span = tuple[int, int]

_ACTS = re.compile(
    # A verb with an object says that its subject did it: "the retries doubled the load on B".
    r"\b(?:slow(?:ed|s)|fill(?:ed|s)|drain(?:ed|s)|exhaust(?:ed|s)|block(?:ed|s)|saturate[ds]|"
    r"overload(?:ed|s)|stall(?:ed|s)|broke|double[ds]|tripled|create[ds]|kept|keeps|jammed|"
    r"clogged|flooded|killed|crashed|cut|used up|ate up|tied up|held up|backed up into|"
    r"(?:is|are|was|were) behind|(?:is|are|was|were) to blame for|"
    r"produce[ds]|degrade[ds]|starve[ds]|overwhelmed|choked|dragged down|took down|brought down)"
    r"(?= (?:down )?(?:the|all|every|everything|connections|[a-z]+-[a-z0-9-]+|[A-Z]\w+)\b)"
    r"|\b(?:made|makes|making|force[ds]|lets?)"
    r"(?= (?:it|them|the|its|their|read-only|[a-z]+-[a-z]|[A-Z]))"
    r"|\bbroke(?= (?!out\b|down\b)[a-z])|\bheld everything up|\bwent? down with"
    r"|(?<!被)(?:拖慢|拖垮|拖累|占满|耗尽|打满|压垮|塞满|撑爆|堵住|吃光|用光|挤占)了(?=[^，。；,;])"
    r"|(?:上线|发布|部署)后(?=[^，。；,;仍没未]{0,30}(?:开始|堆积|变慢|激增|升))"
)
_ROOTS = re.compile(
    r"\b(?:leading|prime|main|chief|likely|likeliest|probable) "
    r"(?:suspect|culprit|explanation|cause)"
    r"|\bblame (?!game)(?:it on |this on )?"
    r"|best explanation|\bmost likely (?!to\b)|(?:was|is|were|are) the bottleneck|\branked first\b"
    r"|\b(?:explains?|behind) (?:this|the) (?:incident|outage|fault|failures?|problem)"
    r"|\b(?:was|is) (?:the problem|to blame)\b"
    r"|(?:最|较|很)?可能(?:的根因)?(?:是|在)|首要嫌疑|(?:是|为)瓶颈",
    re.IGNORECASE,
)
"""Other words for "root cause": one side of the edge is the incident itself."""
_INCIDENT = re.compile(r"\bincident\b|\boutage\b|\btrouble\b|故障|事故", re.IGNORECASE)
"""The incident itself is something, though no concept."""
_STOP = re.compile(r"[,;，；]")
_RANKED = re.compile(r"\branked first\b|排名第一|首位", re.IGNORECASE)
_WEAK = frozenset(
    "made makes making lets let force forces forced left so thus hence drive drives drove driving "
    "affects affecting produce produces produced explains explain explained since accordingly "
    "thereby prompt prompts prompted create creates created 令 让 把 被 受 由 是 在于 带来 影响到 "
    "in,turn as,a,result therefore consequently 因此 所以 因而 于是 由此".replace(",", " ").split()
) | {"in turn", "as a result"}
"""Words that name a cause only between two things that can go wrong."""
_NO_EDGE = re.compile(
    r"\b(?:excluded?|ruled out|cleared|can be closed|makes? up|made up|made of|made by|is made)\b"
    r"|排除|划掉|可以关闭"
)
_ALERTED = re.compile(r"\s*(?:了|an?|the)?\s*(?:[A-Z][a-z]+(?:[A-Z][A-Za-z0-9]+)+|alert|告警|报警)")
_TRIGGERS = re.compile(r"trigger(?:s|ed|ing)?|触发", re.IGNORECASE)
"""A threshold triggers an alert: that is how alerts work, no cause of trouble."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One cause with its effect; spans of the sentence."""

    word: Word
    cause: Span
    effect: Span | None
    """None: a root cause is named, its effect is the incident."""
    weak: bool = False
    """Said by a word that has other uses."""
    ranked: bool = False
    """Said of a rank, not of the truth: "is ranked first"."""


def edges_of(view: View) -> tuple[Edge, ...]:
    """Return the edges of a sentence in text order."""
    words = sorted(_words(view), key=lambda w: w.start)
    found: list[Edge] = []
    for k, word in enumerate(words):
        if _TRIGGERS.fullmatch(word.text) and _ALERTED.match(view.text, word.end):
            continue
        before = words[k - 1].end if k else 0
        after = words[k + 1].start if k + 1 < len(words) else len(view.text)
        edge = _edge(view, word, before, after)
        if edge is not None and not _NO_EDGE.search(view.text, word.start, _end(edge)):
            found.append(edge)
    return tuple(found)


def _end(edge: Edge) -> int:
    return max(edge.cause[1], edge.effect[1] if edge.effect else 0)


def _words(view: View) -> Iterator[Word]:
    """Words of cause, other words for a root cause, and verbs that act on something."""
    text = view.text
    roots = [Word(*m.span(), m[0], WordKind.CAUSE, "root") for m in _ROOTS.finditer(text)]
    # One clause names one root cause: "the most likely cause is" has two words for it.
    clauses = {view.clause_of(w) for w in roots}
    yield from {view.clause_of(w): w for w in roots}.values()
    said = view.statement.words_of(WordKind.CAUSE)
    taken = [w for w in said if not (w.value == "root" and view.clause_of(w) in clauses)]
    taken = [w for w in taken if not any(_overlap(w, r) for r in roots)]
    yield from taken
    free = [*taken, *roots, *view.statement.quotes, *view.statement.names]
    for match in _ACTS.finditer(text):
        word = Word(*match.span(), match[0], WordKind.CAUSE, "forward")
        if not any(_overlap(w, word) for w in free):
            yield word


def _overlap(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _edge(view: View, word: Word, before: int, after: int) -> Edge | None:
    clause = view.clause_of(word)
    weak = word.text.lower().removeprefix("which ") in _WEAK
    if word.value == "root":
        ranked = bool(_RANKED.search(view.text, clause.start, clause.end))
        # "X with a network delay, which Y then feels": what follows is another thing.
        named = [n.end for n in view.statement.names if clause.holds(n)]
        stop = _STOP.search(view.text, max(word.end, min(named, default=0)), clause.end)
        return Edge(word, (clause.start, stop.start() if stop else clause.end), None, ranked=ranked)
    left = _left(view, clause, word.start, before)
    right = _right(view, clause, word.end, after)
    if word.value == "backward" and left is None and right is not None:
        left = _next(view, clause)  # "Because A failed, B waited."
        if left is None and clause.start == 0:
            return Edge(word, right, None)  # 是 A 导致的
    if left is None or right is None:
        return None
    cause, effect = (right, left) if word.value == "backward" else (left, right)
    if _is_incident(view, *effect):
        return Edge(word, cause, None)  # "the outage was triggered by X" names a root cause
    return Edge(word, cause, effect, weak)


def _is_incident(view: View, start: int, end: int) -> bool:
    """Tell whether a side names nothing but the incident."""
    statement = view.statement
    said = (*statement.names, *statement.words_of(WordKind.CONCEPT))
    own = [m for m in said if start <= m.start < end and not _INCIDENT.match(m.text)]
    return not own and bool(_INCIDENT.search(view.text, start, end))


def _left(view: View, clause: Clause, end: int, least: int) -> Span | None:
    """What stands before the word; where that only points back, the clause before as well."""
    start = max(clause.start, least)
    if _says_something(view, start, end):
        return start, end
    earlier = [c for c in view.statement.clauses if c.end <= clause.start]
    for other in reversed(earlier):
        if _says_something(view, other.start, other.end):
            return other.start, end
    return None


def _right(view: View, clause: Clause, start: int, most: int) -> Span | None:
    end = min(clause.end, most)
    if _says_something(view, start, end):
        return start, end
    later = [c for c in view.statement.clauses if c.start >= clause.end]
    for other in later[:1]:
        if _says_something(view, other.start, other.end):
            return start, other.end
    rest = view.text[start:end].strip(" .。")
    return (start, end) if rest else None


def _next(view: View, clause: Clause) -> Span | None:
    later = [c for c in view.statement.clauses if c.start >= clause.end]
    return (later[0].start, later[0].end) if later else None


def _says_something(view: View, start: int, end: int) -> bool:
    statement = view.statement
    if any(start <= n.start < end for n in statement.names):
        return True
    if _INCIDENT.search(view.text, start, end):
        return True
    concepts = statement.words_of(WordKind.CONCEPT)
    return any(start <= w.start < end for w in concepts)
