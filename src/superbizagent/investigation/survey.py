"""Ask every source once what it holds, before the scope is fixed.

The answers are recorded, so that a replay, or a resume after the sources moved on, frames the
diagnosis the same way.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from superbizagent.domain.outputs import Topology
from superbizagent.domain.protocols import DataSource, TopologyReader
from superbizagent.domain.source import SourceDescription, Survey
from superbizagent.errors import DataSourceError, NothingReadableError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["survey_sources"]


async def survey_sources(sources: Sequence[DataSource]) -> Survey:
    """Describe all sources at once.

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
    return Survey(sources=described, topology=_merge(topologies), failed=failed)


async def _describe(source: DataSource) -> SourceDescription | str:
    try:
        return await source.describe()
    except DataSourceError as error:
        return f"{source.name}: {error}"


async def _topology(source: DataSource) -> Topology | None:
    if not isinstance(source, TopologyReader):
        return None
    try:
        answer = await source.get_topology()
    except DataSourceError:
        return None  # the evidence call of the same name records why
    return answer.output if isinstance(answer.output, Topology) else None


def _merge(parts: "Iterable[Topology]") -> Topology:
    nodes = {n.name: n for part in parts for n in part.nodes}
    edges = {(e.caller, e.callee): e for part in parts for e in part.edges}
    return Topology(
        nodes=tuple(nodes[k] for k in sorted(nodes)), edges=tuple(edges[k] for k in sorted(edges))
    )
