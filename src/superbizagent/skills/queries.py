"""What the checks of skills ask for: pure data, from which the planner makes its calls.

The planner owns what only it knows: which labels of which source stand for an entity
(`SourceDescription.label_values`), the window, the caps. So a `CheckQuery` names series, not
entities, and one call answers many checks for every entity in scope. Its one selector covers all
names that stacks have for their roles; evaluation takes the exact alternatives, in order, out of
whatever was collected. The sweep has collected them already, unless a limit cut it.

Log checks ask for nothing here: the sweep reads all records of the services in scope, and a check
looks through their templates.
"""

import re
from collections.abc import Sequence
from itertools import chain

from superbizagent.domain.check import Place
from superbizagent.domain.cluster import NOT_WORKLOADS
from superbizagent.domain.entity import Entity
from superbizagent.domain.outputs import Topology
from superbizagent.domain.scope import Scope
from superbizagent.domain.selector import Matcher, MatchOp, Selector
from superbizagent.domain.skill import CheckQuery, Hypothesis, Skill

__all__ = ["bind", "check_queries", "entities_of", "fits", "is_kind", "superset"]

_ENTITY = "$entity"
_NAME = "__name__"
_BATCH = 50
"""Selectors in one query: their names are some 2 kB of address, which every server takes."""


def check_queries(skills: Sequence[Skill], scope: Scope) -> tuple[CheckQuery, ...]:
    """Return the metric questions of the skills' checks, together, in the files' order.

    Names are asked for once and many at a time. Hypotheses that fit no entity of the scope, and
    checks that none of its entities could answer, ask for nothing.
    """
    asked: dict[Selector, str] = {}
    for skill in skills:
        for hypothesis in skill.hypotheses:
            about = [e for e in scope.everything if fits(hypothesis, e)]
            for check in hypothesis.evidence:
                known = any(
                    entities_of(check.at, e, scope.everything, scope.topology) for e in about
                )
                key = f"{hypothesis.id}/{check.id}"
                sides = (skill.selectors.get(key, ()), skill.selectors.get(f"{key}/other", ()))
                for selector in chain(*sides) if known else ():
                    asked.setdefault(selector, f"check:{skill.name}/{key}")
    found = list(asked)
    batches = [found[k : k + _BATCH] for k in range(0, len(found), _BATCH)]
    return tuple(CheckQuery(purpose=asked[b[0]], selectors=(superset(b),)) for b in batches)


def fits(hypothesis: Hypothesis, entity: Entity) -> bool:
    """Tell whether a hypothesis can be about an entity, as far as its kind says.

    Kind ``service`` is what an entity has that nobody described, so it may be anything; to a
    hypothesis about objects of a cluster it is an object of that kind.
    """
    if entity.kind == "service" and not hypothesis.is_about_objects:
        return True
    return hypothesis.entity == "any" or is_kind(entity.kind, (hypothesis.entity,))


def is_kind(kind: str, wanted: Sequence[str]) -> bool:
    """Tell whether a kind is one of those wanted; ``workload`` is all that run containers."""
    return kind in wanted or ("workload" in wanted and kind not in NOT_WORKLOADS)


def entities_of(
    place: Place, about: Entity, known: Sequence[Entity], topology: Topology
) -> tuple[Entity, ...]:
    """Return whose telemetry a check reads.

    Without any edge in ``topology`` callees and callers are unknown: then every other entity
    counts, since a check names series that only the right one has.
    """
    if place is Place.ENTITY:
        return (about,)
    if place is Place.ANYWHERE:
        return tuple(known)
    others = tuple(e for e in known if e != about)
    if not topology.edges:
        return others
    names = {
        e.callee if place is Place.CALLEES else e.caller
        for e in topology.edges
        if about.name == (e.caller if place is Place.CALLEES else e.callee)
    }
    return tuple(e for e in others if e.name in names)


def superset(selectors: Sequence[Selector]) -> Selector:
    """Return one selector whose series include those of all ``selectors``.

    Metric names become an alternation; a label matcher stays when all share it and it is the same
    for every entity.
    """
    shared = tuple(
        m
        for m in selectors[0].matchers
        if m.label != _NAME and _ENTITY not in m.value and all(m in s.matchers for s in selectors)
    )
    names = sorted({s.name for s in selectors if s.name})
    patterns = [_name_pattern(s) for s in selectors if not s.name]
    if "" in patterns:
        return Selector(matchers=shared)
    if len(names) == 1 and not patterns:
        return Selector(name=names[0], matchers=shared)
    pattern = "|".join([*(re.escape(name) for name in names), *sorted(set(patterns))])
    by_name = Matcher(label=_NAME, op=MatchOp.REGEX, value=pattern)
    return Selector(matchers=(by_name, *shared))


def _name_pattern(selector: Selector) -> str:
    """The pattern that a selector has instead of a name, empty when it has neither."""
    given = (m for m in selector.matchers if m.label == _NAME and m.op is MatchOp.REGEX)
    return next((f"(?:{m.value})" for m in given if _ENTITY not in m.value), "")


def bind(selector: Selector, entity: Entity) -> Selector:
    """Put the entity's name where a matcher says ``$entity``."""
    if not any(_ENTITY in m.value for m in selector.matchers):
        return selector
    matchers = tuple(_bind(m, entity.name) for m in selector.matchers)
    return selector.model_copy(update={"matchers": matchers})


def _bind(matcher: Matcher, name: str) -> Matcher:
    literal = matcher.op in {MatchOp.EQUAL, MatchOp.NOT_EQUAL}
    value = matcher.value.replace(_ENTITY, name if literal else re.escape(name))
    return Matcher(label=matcher.label, op=matcher.op, value=value)
