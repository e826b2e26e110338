"""Ask every source once what it holds, before the scope is fixed.

The answers are recorded, so that a replay, or a resume after the sources moved on, frames the
diagnosis the same way.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from superbizagent.domain.alert import Alert
from superbizagent.domain.learnt import LearntNormal
from superbizagent.domain.outputs import Topology, joined_topology
from superbizagent.domain.protocols import DataSource, RuleLister, TopologyReader
from superbizagent.domain.rule import AlertRule, rules_of
from superbizagent.domain.source import SourceDescription, Survey
from superbizagent.errors import DataSourceError, NothingReadableError

__all__ = ["ReadLearnt", "nothing_learnt", "survey_sources"]


ReadLearnt = Callable[[], Awaitable[LearntNormal | None]]
"""Reads how the system of a session is while nothing is wrong."""


async def nothing_learnt() -> LearntNormal | None:
    """Know nothing of any system."""
    return None


async def survey_sources(
    sources: Sequence[DataSource],
    alerts: Sequence[Alert] = (),
    read_learnt: ReadLearnt = nothing_learnt,
) -> Survey:
    """Describe all sources at once, and find the rules of the alerts in question.

    Args:
        sources: of the session.
        alerts: those of the incident; a recording adds its own.
        read_learnt: reads what was learnt of the system.

    Raises:
        NothingReadableError: when no source could be described; says why for each.
    """
    answers = await asyncio.gather(*(_describe(source) for source in sources))
    described = tuple(a for a in answers if isinstance(a, SourceDescription))
    failed = tuple(a for a in answers if isinstance(a, str))
    if not described:
        raise NothingReadableError("; ".join(failed) or "no data source was given; see --help")
    found = [await _topology(source) for source in sources]
    topologies = [t for t in found if t is not None]
    asked = (*alerts, *(a for source in described for a in source.alerts))
    rules = await asyncio.gather(*(_rules(source, asked) for source in sources))
    return Survey(
        sources=described,
        topology=joined_topology(topologies),
        failed=failed,
        rules=tuple(rule for found in rules for rule in found),
        learnt=await read_learnt(),
    )


async def _describe(source: DataSource) -> SourceDescription | str:
    try:
        return await source.describe()
    except DataSourceError as error:
        return f"{source.name}: {error}"


async def _rules(source: DataSource, alerts: Sequence[Alert]) -> tuple[AlertRule, ...]:
    """Rules that the alerts may be of: a large server has thousands of others."""
    if not alerts or not isinstance(source, RuleLister):
        return ()
    try:
        return rules_of(await source.list_rules(), alerts)
    except DataSourceError:
        return ()  # many servers that speak the API have no rules; the report says what is missing


async def _topology(source: DataSource) -> Topology | None:
    if not isinstance(source, TopologyReader):
        return None
    try:
        answer = await source.get_topology()
    except DataSourceError:
        return None  # the evidence call of the same name records why
    return answer.output if isinstance(answer.output, Topology) else None
