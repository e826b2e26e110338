"""The evidence tools: ask one source what one planned call says.

Every expected failure is a value: a source that is busy, refuses, or holds nothing gives an
`Answer` with a status, because "could not look" is evidence too.
"""

import asyncio
from collections.abc import Callable, Mapping

from superbizagent.analysis.log_templates import LogMiner
from superbizagent.analysis.telemetry_changes import changes_in_series
from superbizagent.domain.cluster import KubernetesQuery
from superbizagent.domain.outputs import is_empty
from superbizagent.domain.plan import PlannedCall, ToolName
from superbizagent.domain.protocols import (
    AlertLister,
    ChangeLister,
    Clock,
    DataSource,
    KubernetesReader,
    LogSearcher,
    RangeQuerier,
    SpanReader,
    TopologyReader,
)
from superbizagent.domain.series import SeriesSet
from superbizagent.domain.source import (
    Answer,
    EvidenceStatus,
    LogQuery,
    RangeQuery,
    RuleQuery,
    TraceQuery,
)
from superbizagent.errors import DataSourceError, DeniedDataSourceError
from superbizagent.investigation.condition.evaluation import evaluate_rule

__all__ = ["TOO_LATE", "digest_logs", "perform_call"]

TOO_LATE = "the deadline of this diagnosis came before the call; raise --deadline"
"""Error of a call that was never made."""

_FOLDING_SHARE = 0.3
"""Of the time left, kept for folding what was read into a digest: that takes less than reading."""


async def perform_call(
    call: PlannedCall, sources: Mapping[str, DataSource], clock: Clock, ends_at: float
) -> Answer:
    """Make one call and return how it ended; never raises for what a source does.

    Args:
        call: what is asked of whom.
        sources: by name.
        clock: for `Clock.monotonic`.
        ends_at: second at which the diagnosis must report; a call is not started after that, and
            is given up when it comes. Logs stop being read a little earlier: what is in by then
            is the answer.
    """
    seconds_left = ends_at - clock.monotonic()
    source = sources.get(call.source)
    if source is None:
        return _failed(f"source {call.source!r} is not configured any more")
    if seconds_left <= 0:
        return _late(TOO_LATE)
    stop_at = ends_at - _FOLDING_SHARE * seconds_left

    def is_late() -> bool:
        return clock.monotonic() > stop_at

    try:
        async with asyncio.timeout(seconds_left):
            return await _ask(call, source, is_late)
    except TimeoutError:
        return _late(f"no answer within {seconds_left:.0f} s; raise --deadline or narrow the scope")
    except PermissionError as error:
        return Answer(status=EvidenceStatus.DENIED, error=f"{error.filename}: permission denied")
    except (DataSourceError, OSError) as error:
        return Answer(status=_status_of(error), error=str(error))


def _status_of(error: Exception) -> EvidenceStatus:
    """Tell a source that ran out of its own time, or let nobody in, from one that failed."""
    if isinstance(error.__cause__, TimeoutError):
        return EvidenceStatus.TIMEOUT
    denied = isinstance(error, DeniedDataSourceError)
    return EvidenceStatus.DENIED if denied else EvidenceStatus.ERROR


async def _ask(  # noqa: PLR0911 - one way a tool
    call: PlannedCall, source: DataSource, is_late: Callable[[], bool]
) -> Answer:
    if call.reads_rule:
        return await evaluate_rule(RuleQuery.model_validate(call.input), source)
    match call.tool:
        case ToolName.QUERY_METRICS if isinstance(source, RangeQuerier):
            return await source.query_range(RangeQuery.model_validate(call.input))
        case ToolName.SEARCH_LOGS if isinstance(source, LogSearcher):
            query = LogQuery.model_validate(call.input)
            return await asyncio.to_thread(digest_logs, source, query, is_late)
        case ToolName.SEARCH_TRACES if isinstance(source, SpanReader):
            return await source.read_spans(TraceQuery.model_validate(call.input))
        case ToolName.LIST_ALERTS if isinstance(source, AlertLister):
            return await source.list_alerts()
        case ToolName.GET_TOPOLOGY if isinstance(source, TopologyReader):
            return await source.get_topology()
        case ToolName.LIST_CHANGES if isinstance(source, ChangeLister | RangeQuerier):
            return await _changes(call, source)
        case ToolName.GET_KUBERNETES if isinstance(source, KubernetesReader):
            return await source.get_kubernetes(KubernetesQuery.model_validate(call.input))
        case _:
            return _failed(f"source {source.name!r} cannot answer {call.tool.value}")


async def _changes(call: PlannedCall, source: DataSource) -> Answer:
    """Ask for a list of changes, or read them out of the series that the call selects.

    The last matcher of the selector names the entity. Of series, empty is only what holds none:
    then nothing is known of changes.
    """
    if not call.input and isinstance(source, ChangeLister):
        return await source.list_changes()
    if not call.input or not isinstance(source, RangeQuerier):
        return _failed(f"source {source.name!r} cannot answer {call.tool.value}")
    query = RangeQuery.model_validate(call.input)
    answer = await source.query_range(query)
    if not isinstance(answer.output, SeriesSet):
        return answer
    changes = changes_in_series(answer.output, query.selector.matchers[-1].label)
    seen = {"series": len(answer.output)}
    return answer.model_copy(update={"output": changes, "stats": answer.stats | seen})


def digest_logs(source: LogSearcher, query: LogQuery, is_late: Callable[[], bool]) -> Answer:
    """Fold the source's records into one digest; the records themselves are not kept.

    A thread cannot be stopped from outside, so it looks at the time itself between two chunks.

    Raises:
        DataSourceError: when nothing can be read.
    """
    miner = LogMiner(query.windows)
    late = False
    for chunk in source.read_logs(query):
        miner.add(chunk)
        if is_late():
            late = True
            break
    digest = miner.digest()
    cut = late or any(f.truncated for f in digest.files)
    stopped = ("the deadline came before all logs were read; raise --deadline",) if late else ()
    return Answer(
        status=EvidenceStatus.EMPTY if is_empty(digest) else EvidenceStatus.OK,
        output=digest,
        truncated=cut,
        warnings=stopped + tuple(f"{f.path}: {note}" for f in digest.files for note in f.notes),
        stats={"files": len(digest.files), "records_read": digest.records_read},
    )


def _failed(reason: str) -> Answer:
    return Answer(status=EvidenceStatus.ERROR, error=reason)


def _late(reason: str) -> Answer:
    return Answer(status=EvidenceStatus.TIMEOUT, error=reason)
