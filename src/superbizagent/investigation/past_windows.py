"""Log records and spans of past windows, read as a diagnosis of each would read them.

A source that fails is not asked again: what it would have told is then learnt from fewer windows,
or not at all, and metrics are learnt all the same.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from superbizagent.analysis.beside import Beside, look_beside
from superbizagent.analysis.calls import LogCall, SpanCall
from superbizagent.analysis.flow import callees_of
from superbizagent.analysis.log_templates import LogMiner
from superbizagent.analysis.span_channels import read_spans
from superbizagent.domain.logs import LogChunk, LogDigest
from superbizagent.domain.plan import FAMILY_OF_TOOL, PlannedCall, ToolName
from superbizagent.domain.protocols import DataSource, LogSearcher, SpanReader
from superbizagent.domain.scope import Scope
from superbizagent.domain.source import Answer, EvidenceStatus, LogQuery, Signal, TraceQuery
from superbizagent.domain.spans import SpanSet
from superbizagent.domain.window import Window, Windows
from superbizagent.errors import DataSourceError
from superbizagent.investigation.facts.symptom import EntityOf
from superbizagent.investigation.tools import digest_logs

__all__ = ["PastWindows"]

_T = TypeVar("_T")

_TOGETHER_BYTES = 256 * 1024 * 1024
"""Log records that are kept at once; of more, each window is read for itself."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked in a part of the history."""

    scope: Scope
    entity_of: EntityOf
    sources: Mapping[str, DataSource]
    calls: Sequence[PlannedCall]
    """Those for log records and spans."""
    chunks: Mapping[str, Sequence[LogChunk]]
    """Source -> its records of the whole part, where these are not too many."""


@dataclass(slots=True)
class PastWindows:
    """Reads windows of one part of the history after the other."""

    failed: dict[tuple[Signal, str], str] = field(default_factory=dict[tuple[Signal, str], str])
    """Logs or traces, and source -> why these are not asked for any more."""
    cut: bool = False
    """Something was too much to be read in full."""
    _large: set[str] = field(default_factory=set[str])
    """Sources with too many records to read those of a part at once."""
    _stopped: bool = False
    _asked: _Asked | None = None

    async def begin(
        self,
        scope: Scope,
        entity_of: EntityOf,
        sources: Mapping[str, DataSource],
        calls: Sequence[PlannedCall],
        span: Window,
    ) -> None:
        """Begin a part: the windows lie in ``span``, and each is asked about by these calls."""
        own = [call for call in calls if call.tool in FAMILY_OF_TOOL]
        chunks: dict[str, Sequence[LogChunk]] = {}
        for call in own:
            source = sources[call.source]
            if call.tool is ToolName.SEARCH_LOGS and isinstance(source, LogSearcher):
                found = await self._together(call, source, span)
                if found is not None:
                    chunks[call.source] = found
        self._asked = _Asked(scope, entity_of, sources, own, chunks)

    async def look(self, windows: Windows) -> Beside:
        """Return what records and spans of the part show of one window."""
        asked = self._asked
        if asked is None:
            return Beside()
        digests: list[LogDigest] = []
        spans: list[SpanSet] = []
        for call in asked.calls:
            answer = await self._answer(asked, call, windows)
            if isinstance(answer.output, LogDigest):
                digests.append(answer.output)
            elif isinstance(answer.output, SpanSet):
                spans.append(answer.output)
        return await self._in_thread(lambda: _compared(asked, windows, digests, spans))

    async def _answer(self, asked: _Asked, call: PlannedCall, windows: Windows) -> Answer:
        source = asked.sources[call.source]
        answer = Answer(status=EvidenceStatus.EMPTY)
        key = (FAMILY_OF_TOOL[call.tool], call.source)
        if key in self.failed:
            return answer
        try:
            if call.tool is ToolName.SEARCH_LOGS and call.source in asked.chunks:
                chunks = asked.chunks[call.source]
                digest = await self._in_thread(lambda: _mined(chunks, windows))
                return Answer(status=EvidenceStatus.OK, output=digest)
            if call.tool is ToolName.SEARCH_LOGS and isinstance(source, LogSearcher):
                query = LogQuery.model_validate(call.input)
                query = query.model_copy(update={"windows": windows})
                answer = await self._in_thread(lambda: digest_logs(source, query, self._is_over))
            elif isinstance(source, SpanReader):
                traces = TraceQuery.model_validate(call.input)
                answer = await source.read_spans(traces.model_copy(update={"windows": windows}))
        except (DataSourceError, OSError) as error:
            answer = Answer(status=EvidenceStatus.ERROR, error=str(error))
        if answer.status not in {EvidenceStatus.OK, EvidenceStatus.EMPTY}:
            self.failed[key] = answer.error
        self.cut |= answer.truncated
        return answer

    async def _together(
        self, call: PlannedCall, source: LogSearcher, span: Window
    ) -> Sequence[LogChunk] | None:
        """Return the records of a part; None when that is too much, or fails."""
        key = (Signal.LOGS, call.source)
        if key in self.failed or call.source in self._large:
            return None
        whole = Windows(incident=span, baselines=())
        query = LogQuery.model_validate(call.input)
        asked = query.model_copy(update={"windows": whole, "max_bytes": _TOGETHER_BYTES})
        try:
            chunks = await self._in_thread(lambda: self._chunks(source, asked))
        except (DataSourceError, OSError) as error:
            self.failed[key] = str(error)
            return None
        if any(chunk.file.truncated for chunk in chunks):
            self._large.add(call.source)
            return None
        return chunks

    def _chunks(self, source: LogSearcher, query: LogQuery) -> list[LogChunk]:
        found: list[LogChunk] = []
        for chunk in source.read_logs(query):
            found.append(chunk)
            if self._stopped or chunk.file.truncated:
                break
        return found

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        """Work beside the loop; a thread cannot be stopped, so it is told when nobody waits."""
        try:
            return await asyncio.to_thread(work)
        except asyncio.CancelledError:
            self._stopped = True
            raise

    def _is_over(self) -> bool:
        return self._stopped


def _mined(chunks: Sequence[LogChunk], windows: Windows) -> LogDigest:
    miner = LogMiner(windows)
    for chunk in chunks:
        miner.add(chunk)
    return miner.digest()


def _compared(
    asked: _Asked, windows: Windows, digests: Sequence[LogDigest], spans: Sequence[SpanSet]
) -> Beside:
    topology, entity_of = asked.scope.topology, asked.entity_of
    callees = callees_of(topology, entity_of)
    logs = [LogCall(number, digest) for number, digest in enumerate(digests, 1)]
    calls = [
        SpanCall(number, each, read_spans(each, windows, entity_of, digests, callees))
        for number, each in enumerate(spans, len(logs) + 1)
    ]
    return look_beside(logs, calls, entity_of, topology)
